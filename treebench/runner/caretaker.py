"""The supervisor's line to the process that cleans up after it, should it be killed."""

from __future__ import annotations

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
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            text=True,
        )

    def made(self, kind: Literal["cgroup", "folder", "mark"], what: Path | str) -> None:
        """`what` exists now, and must not outlive this process. A mark stands for the processes
        that have it in their environment."""
        self._tell(f"{kind} {what}")

    def gone(self, what: Path | str) -> None:
        """`what` was removed in the ordinary way."""
        self._tell(f"gone {what}")

    def __enter__(self) -> Caretaker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(_PATIENCE_S)

    def _tell(self, line: str) -> None:
        if "\n" in line or self._process.stdin is None:
            raise ValueError(f"a caretaker cannot be told of {line!r}")
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
