"""What became of a sample: its status, and the error that goes into its row."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treebench.store.row import SampleError, Status

if TYPE_CHECKING:
    from treebench.runner.conversation import Outcome
    from treebench.runner.memory_limit import LimitKill
    from treebench.runner.process import Death

# What the C++ libraries, numpy, the kernel and the dynamic loader say when memory was refused,
# beside MemoryError.
_NO_MEMORY = re.compile(
    r"MemoryError|bad_alloc|std::length_error|[Uu]nable to allocate|ENOMEM"
    r"|Cannot allocate memory|failed to map segment"
)

# A pool of processes that lost one: joblib's loky, and our own ear in joblib's multiprocessing.
_LOST_WORKERS = frozenset({"TerminatedWorkerError", "WorkerLostError"})
_SIGNAL = re.compile(r"\bSIG[A-Z]{2,}\b")


def kernel_oom_kills(vmstat: Path = Path("/proc/vmstat")) -> int | None:
    """How many processes the kernel has killed for memory since boot; None if it does not say."""
    try:
        text = vmstat.read_text()
    except OSError:
        return None
    match = re.search(r"^oom_kill (\d+)$", text, re.MULTILINE)
    return int(match[1]) if match else None


def judge(
    outcome: Outcome,
    death: Death,
    output_tail: str,
    deadline_s: float,
    oom_killed: bool,
    limit_kill: LimitKill | None = None,
) -> tuple[Status, SampleError | None]:
    """The status and error of a sample, from how its conversation and its process ended.

    Where the memory limit has killed a process, that is the cause, whatever the others made of
    it: a worker may report that its child is gone, wait for it till the deadline, or go on.
    """
    if limit_kill is None and outcome.result is not None:
        return _judge_result(outcome.result, output_tail)
    if limit_kill is not None:
        cause: tuple[Status, str, str] = ("oom", "OutOfMemory", limit_kill.message)
    else:
        cause = _cause(outcome, death, output_tail, deadline_s, oom_killed)
    status, kind, message = cause
    error = SampleError(
        kind=kind,
        message=message,
        phase=outcome.message.get("phase") or outcome.phase,
        signal=death.signal_name if outcome.ending == "died" else None,
        exit_code=death.exit_code if outcome.ending == "died" else None,
        stderr_tail=output_tail,
    )
    return status, error


def _cause(
    outcome: Outcome, death: Death, output_tail: str, deadline_s: float, oom_killed: bool
) -> tuple[Status, str, str]:
    if outcome.ending == "timeout":
        return "timeout", "Timeout", f"it was still running after {deadline_s:g} s"
    if outcome.ending == "error":
        kind = str(outcome.message.get("kind", "Error"))
        # Not every exception has something to say: a MemoryError of Python's own is empty.
        message = str(outcome.message.get("message", "")).strip() or kind
        if kind in _LOST_WORKERS:
            return _cause_of_loss(message, oom_killed)
        refused = _NO_MEMORY.search(f"{kind} {message}")
        return ("oom" if refused else "error"), kind, message
    return _cause_of_death(death, output_tail, oom_killed)


def _cause_of_loss(message: str, oom_killed: bool) -> tuple[Status, str, str]:
    """Why a pool lost a process. loky gives the signals; multiprocessing only sees it gone."""
    signals = set(_SIGNAL.findall(message))
    if oom_killed and (not signals or "SIGKILL" in signals):
        return "oom", "OutOfMemory", "the kernel killed a process of its pool for want of memory"
    if signals and "SIGKILL" not in signals:
        return "error", "Crash", f"a process of its pool crashed with {', '.join(sorted(signals))}"
    how = "SIGKILL, not the kernel for memory" if signals else "not the kernel for memory"
    return "killed", "Killed", f"something killed a process of its pool ({how})"


def _cause_of_death(death: Death, output_tail: str, oom_killed: bool) -> tuple[Status, str, str]:
    if death.signal_name == "SIGKILL" and oom_killed:
        return "oom", "OutOfMemory", "the kernel killed it for want of memory"
    if death.signal_name == "SIGKILL":
        return "killed", "Killed", "something killed it (SIGKILL), not the kernel for memory"
    if death.signal_name == "SIGABRT" and (said := _NO_MEMORY.search(output_tail)):
        # bad_alloc in a thread of the library's own: nothing can catch it, and C++ aborts.
        return "oom", "OutOfMemory", f"it was refused memory ({said[0]}), and aborted (SIGABRT)"
    if death.signal_name is not None:
        return "error", "Crash", f"it crashed with {death.signal_name}"
    return "error", "Exit", f"it ended with exit code {death.exit_code} and no answer"


def _judge_result(message: dict[str, Any], output_tail: str) -> tuple[Status, SampleError | None]:
    """A result counts only if the model was trained with the parameters asked for."""
    differing = message.get("differing_params")
    if not differing:
        return "ok", None
    told = ", ".join(f"{name} {asked} -> {used}" for name, (asked, used) in differing.items())
    error = SampleError(
        kind="ParametersDiffer",
        message=f"the model was not trained as asked (asked -> used): {told}",
        stderr_tail=output_tail,
    )
    return "error", error
