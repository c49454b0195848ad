"""What can be installed beside treebench, and the command that does it in this environment.

The packages are named, not an extra of treebench: its name may be another project's wherever pip
looks.
"""

from __future__ import annotations

import shlex
import sys
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
