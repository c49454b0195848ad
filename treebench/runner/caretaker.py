"""The supervisor's line to the process that cleans up after it, should it be killed."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from treebench.runner.leftovers import remove_leftovers

if TYPE_CHECKING:
    from types import TracebackType

_SCRIPT = Path(__file__).with_name("caretaker_process.py")
_PATIENCE_S = 15.0


class Caretaker:
    """Knows what exists only for the time of a sample. A context manager; one for a whole run. It
    begins with what earlier runs left whose caretaker was killed as well."""

    def __init__(self) -> None:
        self._process = _started()
        self._existing: dict[str, str] = {}

    def made(self, kind: Literal["cgroup", "folder", "mark", "shared"], what: Path | str) -> None:
        """`what` exists now, and must not outlive this process. A mark stands for the processes
        that have it in their environment."""
        self._existing[str(what)] = kind
        self._tell(kind, str(what))

    def gone(self, what: Path | str) -> None:
        """`what` was removed in the ordinary way."""
        self._existing.pop(str(what), None)
        self._tell("gone", str(what))

    def __enter__(self) -> Caretaker:
        remove_leftovers()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._dismiss()

    def _tell(self, word: str, what: str) -> None:
        try:
            self._write(word, what)
        except BrokenPipeError:
            # Something killed it. Another takes its place, and is told of all that exists.
            self._dismiss()
            self._process = _started()
            for existing, kind in self._existing.items():
                self._write(kind, existing)

    def _write(self, word: str, what: str) -> None:
        assert self._process.stdin is not None  # noqa: S101 - PIPE was asked for
        self._process.stdin.write(_line(word, what))
        self._process.stdin.flush()

    def _dismiss(self) -> None:
        assert self._process.stdin is not None  # noqa: S101 - PIPE was asked for
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait(_PATIENCE_S)


def _line(word: str, what: str) -> str:
    """A line for `caretaker_process`: a path has any bytes, a line break among them, and the two
    processes need not decode them alike. A letter each and JSON's escapes carry them over."""
    return json.dumps([word, os.fsencode(what).decode("latin-1")]) + "\n"


def _started() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(_SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )
