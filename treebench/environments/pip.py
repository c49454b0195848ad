"""Installing with pip, and telling in one line why it did not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

from treebench.environments.environment import EnvironmentBuildError, normal_name
from treebench.environments.interpreter import own_variables

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_QUIET = ("--disable-pip-version-check", "--no-input", "--quiet", "--no-color")
_UNREACHED = re.compile(
    r"NewConnectionError|NameResolutionError|ConnectTimeoutError|ReadTimeoutError|ProxyError|"
    r"Temporary failure in name resolution|Network is unreachable"
)


class NotInstalledError(Exception):
    """pip refused; `reason` is its own, in one line. `conflict`: the packages do not go together,
    so that others might. `offline`: the index was not reached."""

    def __init__(self, reason: str, *, conflict: bool, offline: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.conflict = conflict
        self.offline = offline


def make_venv(folder: Path) -> Path:
    """An empty virtual environment with pip, of the Python that runs now; its interpreter.

    Raises:
        EnvironmentBuildError: `venv` or `ensurepip` is not installed, or there is no room.
    """
    done = _run([sys.executable, "-m", "venv", "--clear", str(folder)])
    if done.returncode:
        said = _last_line(done.stdout + done.stderr) or f"it ended with {done.returncode}"
        raise EnvironmentBuildError(
            f"{sys.executable} -m venv failed: {said}; install Python's venv module with pip, or "
            f"make room in {folder.parent}"
        )
    return folder / "bin" / "python"


def install(python: Path, arguments: Sequence[str], constraints: Sequence[str], at: Path) -> None:
    """Install into an interpreter's environment, holding `constraints`, which are kept in `at`.

    Raises:
        NotInstalledError: pip refused.
    """
    at.write_text("".join(f"{line}\n" for line in constraints))
    done = _run([*_pip(python, "install"), "--constraint", str(at), *arguments])
    if done.returncode:
        raise _refusal(done.stdout + done.stderr)


def resolved(python: Path, arguments: Sequence[str], report: Path) -> dict[str, str]:
    """The versions that pip would take now for what is asked for, by name; nothing is installed.

    Raises:
        NotInstalledError: pip refused.
    """
    asked = [*_pip(python, "install"), "--dry-run", "--ignore-installed", "--no-deps"]
    done = _run([*asked, "--report", str(report), *arguments])
    if done.returncode:
        raise _refusal(done.stdout + done.stderr)
    found = json.loads(report.read_text())["install"]
    metadata = [each["metadata"] for each in found]
    return {normal_name(each["name"]): each["version"] for each in metadata}


def _pip(python: Path, verb: str) -> list[str]:
    return [str(python), "-m", "pip", verb, *_QUIET]


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    # In this process's group, so that Ctrl-C ends it too.
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        env=own_variables(),
        check=False,
    )


def _refusal(output: str) -> NotInstalledError:
    """pip says the reason in its first line of error; those after tell where to read on."""
    errors = [
        line.partition("ERROR:")[2].strip() for line in output.splitlines() if "ERROR:" in line
    ]
    reason = next((each for each in errors if each), "") or _last_line(output) or "it said nothing"
    conflict = "conflicting dependencies" in output or "ResolutionImpossible" in output
    return NotInstalledError(
        reason[:400], conflict=conflict, offline=_UNREACHED.search(output) is not None
    )


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
