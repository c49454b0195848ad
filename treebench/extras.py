"""What can be installed beside treebench, and the command that does it in this environment.

The packages are named, not an extra of treebench: its name may be another project's wherever pip
looks.
"""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec
from typing import Literal

Extra = Literal["dask", "profile", "memory", "fetch", "catboost", "pick"]

PACKAGES: dict[Extra, tuple[str, ...]] = {
    "dask": ("dask", "distributed", "dask-ml"),
    "profile": ("py-spy",),
    "memory": ("memory_profiler",),
    "pick": ("optuna",),
    "fetch": ("pooch",),
    "catboost": ("catboost",),
}


def install_command(extra: Extra) -> str:
    """What to type, for the Python that runs now."""
    return f"{shlex.quote(sys.executable)} -m pip install {' '.join(PACKAGES[extra])}"


def why_absent(who: str, extra: Extra, *modules: str) -> str | None:
    """Why `who` cannot run here: a module that it needs is not installed, and what to type; else
    None."""
    missing = [module for module in modules if find_spec(module) is None]
    if not missing:
        return None
    return f"{who} needs {missing[0]}, which is not installed: {install_command(extra)}"
