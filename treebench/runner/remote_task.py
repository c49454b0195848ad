"""The task that a Dask worker runs: an order carried out by a process of its own.

The worker's thread only waits, and looks whether the answer is still wanted: a client that pressed
Ctrl-C or died takes its task back, a scheduler that died closes the worker.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import time
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

COMMAND = (sys.executable, "-P", "-m", "treebench.runner.remote")
_LOOK_S = 0.2
_GRACE_S = 20.0
_TAIL_BYTES = 300


def carry_out(order: dict[str, Any]) -> dict[str, Any]:
    """The answer to an order, on a Dask worker."""
    return answer_of(order, _still_wanted())


def answer_of(
    order: dict[str, Any], wanted: Callable[[], bool], command: Sequence[str] = COMMAND
) -> dict[str, Any]:
    """The answer of the process that carries out `order`; it is stopped once not `wanted`."""
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=said, stderr=log, start_new_session=True
        )
        assert process.stdin is not None  # noqa: S101 - PIPE was asked for
        try:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(json.dumps(order).encode() + b"\n")
                process.stdin.flush()
            while wanted() and not _ended(process, _LOOK_S):
                pass
            _stop(process)
        finally:
            process.kill()
            process.wait()
        _copy_to_log(log)
        return _parsed(said, log, process.returncode)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stdin's end is the wish to stop. Nothing of a sample outlives the kill that follows."""
    assert process.stdin is not None  # noqa: S101
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    _ended(process, _GRACE_S)


def _ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    # Not wait(timeout): that polls so often at first that it would show in a sample's time.
    ends_at = time.monotonic() + seconds
    while process.poll() is None:
        if time.monotonic() >= ends_at:
            return False
        time.sleep(_LOOK_S / 4)
    return True


def _parsed(said: IO[bytes], log: IO[bytes], code: int) -> dict[str, Any]:
    said.seek(0)
    try:
        answer: dict[str, Any] = json.loads(said.read())
    except ValueError:
        log.seek(0)
        last = log.read()[-_TAIL_BYTES:].decode(errors="replace").split("\n")
        tail = " ".join(" ".join(last).split())
        return {"problem": f"its supervisor ended with code {code} and no answer: {tail}"}
    return answer


def _copy_to_log(log: IO[bytes]) -> None:
    """What the process printed, in the log of the worker."""
    log.seek(0)
    text = log.read().decode(errors="replace")
    if text:
        sys.stderr.write(text)
        sys.stderr.flush()


def _still_wanted() -> Callable[[], bool]:
    """Whether this thread's task is still one that the scheduler wants."""
    from distributed import get_worker
    from distributed.core import Status

    worker = get_worker()
    key = worker.get_current_task()

    def wanted() -> bool:
        task = worker.state.tasks.get(key)
        return (
            worker.status in (Status.running, Status.paused)
            and task is not None
            and task.state in ("executing", "long-running")
        )

    return wanted
