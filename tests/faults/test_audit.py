"""The judge of the fault benchmark finds what is lost, taken twice, and told wrongly."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.faults.audit import Findings, Witness, judge
from benchmarks.faults.remains import remains
from benchmarks.faults.victims import DASK, MARK_VARIABLE, STOPPED, WORKER, marked, strike
from tests.processes import started

A, B, OOM = ("a", 0, "timed"), ("b", 0, "timed"), ("o", 0, "timed")


def row(key: tuple[str, int, str], status: str = "ok", message: str = "") -> dict[str, Any]:
    error = {"message": message, "phase": "fit"} if message else None
    named = dict(zip(("cell", "block", "kind"), key, strict=True))
    return {**named, "status": status, "error": error, "spec": {"trainer": "t"}}


def write(journal: Path, *rows: dict[str, Any]) -> None:
    journal.write_text("".join(json.dumps(one) + "\n" for one in rows))


@pytest.fixture
def witness(tmp_path: Path) -> Witness:
    found = Witness(tmp_path / "j", "o", {A, B, OOM})
    found.began()
    return found


def counts(found: Findings) -> tuple[int, int, int]:
    return len(found.lost), len(found.twice), len(found.wrong)


OVER = row(OOM, "oom", "it needed more than its memory limit of 60MiB")
KILLED = row(A, "killed", "something killed it (SIGKILL), not the kernel for memory")


def test_a_sound_journal(witness: Witness) -> None:
    write(witness.journal, row(A))
    assert witness.look() == 1
    write(witness.journal, row(A), row(B), OVER)
    assert counts(judge(witness)) == (0, 0, 0)


def test_a_row_that_was_there_and_is_gone(witness: Witness) -> None:
    write(witness.journal, row(A), row(B))
    witness.look()
    write(witness.journal, row(B), row(A, "oom", "memory"), OVER)
    lost, _, wrong = counts(judge(witness))
    assert (lost, wrong) == (1, 1)


def test_a_sample_that_was_never_taken_and_a_torn_line(witness: Witness) -> None:
    write(witness.journal, row(A), OVER)
    with witness.journal.open("a") as file:
        file.write(json.dumps(row(B)))
    assert counts(judge(witness)) == (1, 0, 0)


def test_a_journal_that_was_rewritten(witness: Witness) -> None:
    write(witness.journal, row(A), row(B))
    witness.look()
    write(witness.journal, row(B), row(A), OVER)
    witness.look()
    assert len(judge(witness).lost) == 1


def test_a_sample_taken_twice_and_one_of_no_plan(witness: Witness) -> None:
    write(witness.journal, row(A), row(B), row(A), row(("x", 0, "timed")), OVER)
    assert counts(judge(witness)) == (0, 2, 0)


def test_a_failed_sample_that_was_taken_again_is_one(witness: Witness) -> None:
    witness.struck(WORKER, 0)
    write(witness.journal, KILLED, row(B), OVER, row(A))
    assert counts(judge(witness)) == (0, 0, 0)


@pytest.mark.parametrize("struck", [None, DASK, STOPPED])
def test_a_cause_that_is_not_what_was_done(witness: Witness, struck: str | None) -> None:
    if struck:
        witness.struck(struck, 0)
    write(witness.journal, KILLED, row(B), OVER)
    assert counts(judge(witness)) == (0, 0, 1)


def test_what_was_struck_in_an_earlier_start_is_no_cause(witness: Witness) -> None:
    witness.struck(WORKER, 0)
    witness.began()
    write(witness.journal, KILLED, row(B), OVER)
    assert counts(judge(witness)) == (0, 0, 1)


def test_what_is_left_is_seen_and_what_is_struck_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.faults.remains._PATIENCE_S", 0)
    (tmp_path / "tmp").mkdir()
    mark = f"test-{os.getpid()}"
    sleeper = [sys.executable, "-c", "print(flush=True); import time; time.sleep(600)"]
    with started(
        sleeper, env={**os.environ, MARK_VARIABLE: mark}, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        (found,) = marked(mark).values()
        assert found.pid == process.pid
        (tmp_path / "tmp" / "left").touch()
        (tmp_path / ".run.json.part").touch()
        left = remains(mark, set(), set(), tmp_path)
        assert [line.split()[0] for line in left] == ["process", "temporary", "draft"]
        assert strike(found, signal.SIGKILL)
    assert not strike(found, signal.SIGKILL)
    assert len(remains(mark, set(), set(), tmp_path)) == 2
