"""Asking an interpreter what it is and what it can import."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

from treebench.environments.environment import EnvironmentBuildError, normal_name

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_PATIENCE_S = 120

# No file of the current folder may stand in for a library; `-P` is not known before Python 3.11.
_NOT_FROM_HERE = "import sys; del sys.path[0]"

# An old interpreter must be able to say how old it is: nothing here is newer than Python 3.8.
_TELL = """
import json, platform
from importlib import metadata
found = {d.metadata["Name"]: d.version for d in metadata.distributions() if d.metadata["Name"]}
print(json.dumps([platform.python_version(), found]))
"""
_IMPORT = """
import importlib, json, sys
for module in sys.argv[1:]:
    try:
        importlib.import_module(module)
    except BaseException as error:
        print(json.dumps([module, f"{type(error).__name__}: {error}"]))
        break
else:
    print(json.dumps(None))
"""

_MODULES = {
    "numpy": "numpy",
    "scipy": "scipy.sparse",
    "pyarrow": "pyarrow.parquet",
    "threadpoolctl": "threadpoolctl",
    "scikit-learn": "sklearn.ensemble",
    "xgboost": "xgboost",
    "lightgbm": "lightgbm",
}
"""What the worker imports of each distribution."""


def versions_in(python: Path) -> dict[str, str | None]:
    """All that is installed for an interpreter, and its own version as `python`.

    Raises:
        EnvironmentBuildError: it does not run, or is no Python.
    """
    version, installed = _asked(python, _TELL)
    return {"python": version, **{normal_name(name): each for name, each in installed.items()}}


def import_failure(python: Path, distributions: Iterable[str]) -> tuple[str, str] | None:
    """The first of some distributions that cannot be imported, and why; None if all can.

    Raises:
        EnvironmentBuildError: the interpreter does not run.
    """
    names = {_MODULES[each]: each for each in distributions if each in _MODULES}
    found = _asked(python, _IMPORT, *names)
    if found is None:
        return None
    module, reason = found
    return names[module], _one_line(reason)


def own_variables(python_path: str | None = None) -> dict[str, str]:
    """This process's environment for another interpreter: nothing that leads it to the libraries
    of this one."""
    leading = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
    kept = {name: value for name, value in os.environ.items() if name not in leading}
    return kept if python_path is None else {**kept, "PYTHONPATH": python_path}


def _asked(python: Path, code: str, *arguments: str) -> Any:
    """What a program prints as JSON; a library may print before."""
    command = [str(python), "-c", _NOT_FROM_HERE + code, *arguments]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE_S,
            env=own_variables(),
            check=False,
        )
        return json.loads(done.stdout.splitlines()[-1])
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EnvironmentBuildError(f"{python} does not run ({_one_line(str(error))})") from None
    except (IndexError, ValueError):
        said = _one_line(done.stderr) or f"it ended with {done.returncode}"
        raise EnvironmentBuildError(
            f"{python} does not answer as a Python interpreter does ({said}); name another"
        ) from None


def _one_line(text: str) -> str:
    """The last line of a message that says anything, shortened."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
