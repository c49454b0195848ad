"""The measured process: `python -m treebench.worker RECEIVE_FD SEND_FD SUPERVISOR_PID`.

Nothing heavy is imported before the `import` phase begins.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback

from treebench.worker.lifeline import die_with
from treebench.worker.protocol import PROTOCOL_VERSION, Trial
from treebench.worker.stage import Stage, SupervisorGoneError


def main(receive_fd: int, send_fd: int, supervisor_pid: int) -> int:
    """Take one trial, run it, and answer. The exit code is 0 once an answer was given."""
    die_with(supervisor_pid)
    # A process that a trainer starts must not keep the supervisor's pipe open.
    os.set_inheritable(receive_fd, False)
    os.set_inheritable(send_fd, False)
    with os.fdopen(receive_fd, "rb") as receive, os.fdopen(send_fd, "wb") as send:
        stage = Stage(receive, send)
        stage.say({"say": "hello", "protocol": PROTOCOL_VERSION})
        line = receive.readline()
        try:
            trial = Trial.from_line(line)
            stage.say({"say": "result", **_run(trial, stage)})
        except (SupervisorGoneError, BrokenPipeError):
            return 1
        except Exception as error:
            traceback.print_exc()
            stage.say(
                {
                    "say": "error",
                    "kind": type(error).__name__,
                    "message": _told(error),
                    "phase": stage.phase,
                }
            )
        else:
            # Not above: after a result, what goes wrong here must not be told as an error.
            _end_at_once_after(trial)
    return 0


def _end_at_once_after(trial: Trial) -> None:
    """End without the interpreter's own clearing up, which takes a quarter of a second once pandas
    and scikit-learn are loaded. Trainers that start processes have theirs to end."""
    from treebench.trainers.registry import TRAINERS

    if trial.trainer not in TRAINERS or TRAINERS[trial.trainer].starts_processes:
        return
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):  # a full disk loses the log's end, not the result
            stream.flush()
    os._exit(0)


def _told(error: Exception) -> str:
    """What the error says. A pool's error that hides another ("could not pickle the task" where a
    disk was full) has the words of that one only in a traceback's text."""
    told, hidden = str(error), error.__cause__
    if not type(hidden).__name__.endswith("RemoteTraceback"):
        return told
    lines = [line for line in str(hidden).splitlines() if line.strip('" ')]
    if not lines or told in lines[-1]:
        return told
    return f"{told.rstrip('.')}: {lines[-1]}"


def _run(trial: Trial, stage: Stage) -> dict[str, object]:
    if trial.protocol != PROTOCOL_VERSION:
        raise ValueError(
            f"the supervisor speaks protocol {trial.protocol}, this worker {PROTOCOL_VERSION}; "
            f"install the same treebench for both"
        )
    if trial.trainer == "control":
        from treebench.worker.control import run_control

        return run_control(stage, trial.native["threads"])
    from treebench.worker.phases import run_trial

    return run_trial(trial, stage)


if __name__ == "__main__":
    sys.exit(main(*(int(argument) for argument in sys.argv[1:4])))
