"""The supervisor's line to the process that cleans up after it, should it be killed."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from types import TracebackType

_SCRIPT = Path(__file__).with_name("caretaker_process.py")
_PATIENCE_S = 15.0


class Caretaker:
    """Knows what exists only for the time of a sample. A context manager; one for a whole run."""

    def __init__(self) -> None:
        self._process = _started()
        self._existing: dict[str, str] = {}

    def made(self, kind: Literal["cgroup", "folder", "mark"], what: Path | str) -> None:
        """`what` exists now, and must not outlive this process. A mark stands for the processes
        that have it in their environment."""
        self._existing[str(what)] = kind
        self._tell(f"{kind} {what}")

    def gone(self, what: Path | str) -> None:
        """`what` was removed in the ordinary way."""
        self._existing.pop(str(what), None)
        self._tell(f"gone {what}")

    def __enter__(self) -> Caretaker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._dismiss()

    def _tell(self, line: str) -> None:
        if "\n" in line:
            raise ValueError(f"a caretaker cannot be told of {line!r}")
        try:
            self._write(line)
        except BrokenPipeError:
            # Something killed it. Another takes its place, and is told of all that exists.
            self._dismiss()
            self._process = _started()
            for what, kind in self._existing.items():
                self._write(f"{kind} {what}")

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None  # noqa: S101 - PIPE was asked for
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def _dismiss(self) -> None:
        assert self._process.stdin is not None  # noqa: S101 - PIPE was asked for
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait(_PATIENCE_S)


def _started() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(_SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )
