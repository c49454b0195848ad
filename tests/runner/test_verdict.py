"""What became of a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from treebench.runner.conversation import Outcome
from treebench.runner.memory_limit import LimitKill
from treebench.runner.process import Death
from treebench.runner.verdict import judge, kernel_oom_kills

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.runner.conversation import Ending

KILLED, FINE = Death(None, "SIGKILL"), Death(0, None)


def test_a_kill_is_oom_only_when_the_kernel_counted_one() -> None:
    assert judge(Outcome("died"), KILLED, "", 1, oom_killed=True)[0] == "oom"
    assert judge(Outcome("died"), KILLED, "", 1, oom_killed=False)[0] == "killed"


@pytest.mark.parametrize(
    "message",
    [
        {"kind": "MemoryError", "message": ""},
        {"kind": "XGBoostError", "message": "std::bad_alloc"},
        {"kind": "_ArrayMemoryError", "message": "Unable to allocate 3 GiB"},
        {"kind": "ImportError", "message": "x.so: failed to map segment from shared object"},
    ],
)
def test_a_refused_allocation_is_oom(message: dict[str, str]) -> None:
    status, error = judge(Outcome("error", message=message), FINE, "", 1, False)
    assert status == "oom"
    assert error is not None
    assert error.message


def test_a_refused_allocation_that_nothing_caught_is_oom_and_any_other_abort_is_not() -> None:
    aborted = Death(None, "SIGABRT")
    said = "terminate called after throwing an instance of 'std::bad_alloc'"
    status, error = judge(Outcome("died"), aborted, said, 1, False)
    assert status == "oom"
    assert error is not None
    assert (error.kind, error.signal) == ("OutOfMemory", "SIGABRT")
    assert "bad_alloc" in error.message
    assert judge(Outcome("died"), aborted, "assertion failed", 1, False)[0] == "error"
    assert judge(Outcome("died"), aborted, "pure virtual", 1, False)[0] == "error"
    assert judge(Outcome("died"), Death(None, "SIGSEGV"), said, 1, False)[0] == "error"


@pytest.mark.parametrize("ending", ["result", "error", "timeout", "died"])
def test_a_kill_by_the_limit_is_the_cause_however_the_sample_ended(ending: Ending) -> None:
    outcome = Outcome(ending, message={"kind": "TerminatedWorkerError", "message": "gone"})
    status, error = judge(outcome, FINE, "", 1, False, LimitKill("over 2GiB"))
    assert status == "oom"
    assert error is not None
    assert error.message == "over 2GiB"


def test_other_errors_stay_errors() -> None:
    status, error = judge(
        Outcome("error", message={"kind": "ValueError", "message": "x", "phase": "fit"}),
        FINE,
        "tail",
        1,
        False,
    )
    assert status == "error"
    assert error is not None
    assert (error.kind, error.phase, error.stderr_tail) == ("ValueError", "fit", "tail")


def test_a_model_trained_otherwise_than_asked_is_an_error() -> None:
    message = {"differing_params": {"max_bin": [63, 255]}}
    status, error = judge(Outcome("result", message=message), FINE, "", 1, False)
    assert status == "error"
    assert error is not None
    assert "max_bin 63 -> 255" in error.message


def test_the_kernels_count_is_read_or_unknown(tmp_path: Path) -> None:
    vmstat = tmp_path / "vmstat"
    vmstat.write_text("nr_free 1\noom_kill 3\nx 2\n")
    assert kernel_oom_kills(vmstat) == 3
    assert kernel_oom_kills(tmp_path / "none") is None


LOKY = "A worker process was unexpectedly terminated. The exit codes of the workers are {{{}}}"


@pytest.mark.parametrize(
    ("kind", "message", "oom_killed", "status", "said"),
    [
        ("TerminatedWorkerError", LOKY.format("SIGKILL(-9)"), False, "killed", "SIGKILL"),
        ("TerminatedWorkerError", LOKY.format("SIGKILL(-9)"), True, "oom", "want of memory"),
        ("TerminatedWorkerError", LOKY.format("SIGSEGV(-11)"), False, "error", "SIGSEGV"),
        ("TerminatedWorkerError", LOKY.format("SIGSEGV(-11)"), True, "error", "SIGSEGV"),
        ("TerminatedWorkerError", "no code is known", False, "killed", "killed a process"),
        ("WorkerLostError", "a process of the pool is gone", False, "killed", "not the kernel"),
        ("WorkerLostError", "a process of the pool is gone", True, "oom", "want of memory"),
        ("ValueError", "SIGKILL", True, "error", "SIGKILL"),
    ],
)
def test_a_pool_that_lost_a_process(
    kind: str, message: str, oom_killed: bool, status: str, said: str
) -> None:
    outcome = Outcome("error", message={"kind": kind, "message": message, "phase": "fit"})
    judged, error = judge(outcome, FINE, "", 1, oom_killed)
    assert judged == status
    assert error is not None
    assert said in error.message
    assert error.phase == "fit"
