"""What can be installed beside treebench, and the command that does it in this environment.

The packages are named, not an extra of treebench: its name may be another project's wherever pip
looks.
"""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
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


SERVES: dict[Extra, str] = {
    "dask": "forests and boosters on Dask, --cluster",
    "profile": "flame graphs without perf",
    "memory": "memory_profiler beside the probes, in doctor --selftest",
    "pick": "pick",
    "fetch": "data fetch",
    "catboost": "the trainer catboost",
}


@dataclass(frozen=True)
class Installed:
    """What is there of an extra: versions by package, None for those that are not installed."""

    extra: Extra
    serves: str
    versions: dict[str, str | None]

    @property
    def complete(self) -> bool:
        """Whether all of it is there."""
        return None not in self.versions.values()


def installed() -> list[Installed]:
    """Every extra."""
    return [
        Installed(extra, SERVES[extra], {name: _version(name) for name in packages})
        for extra, packages in PACKAGES.items()
    ]


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


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
