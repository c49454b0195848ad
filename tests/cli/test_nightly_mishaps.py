"""`treebench nightly`: mishaps, two at once, what is acknowledged."""

from __future__ import annotations

import datetime
import errno
import fcntl
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.analysis.comparing.two_runs import slower
from tests.cli.made_nights import MACHINE, Text, World, of_trainer
from tests.cli.test_show import call
from treebench.cli import taking
from treebench.cli.night_lock import alone_on_this_machine
from treebench.errors import RunFolderError
from treebench.store.run_folder import write_facts

if TYPE_CHECKING:
    from treebench.cli.planning import Planned


def test_a_torn_night_is_named_and_passed_over(world: World, capsys: Text) -> None:
    world.nights(3)
    last = sorted(Path(f"kept/{MACHINE}/nights").glob("*.parquet"))[-1]
    last.write_bytes(last.read_bytes()[:-200])
    assert world.night() == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"{last} cannot be read" in said
    assert "(3 nights in the history)" in said


def test_a_clock_that_goes_back_is_said_and_later_nights_know_nothing_of_tonight(
    world: World, capsys: Text
) -> None:
    world.nights(6)
    world.change = of_trainer("lightgbm", lambda row: slower(row, 1.2))
    world.now = datetime.datetime(2036, 1, 1, tzinfo=datetime.UTC)
    world.nights(2)
    assert len(world.reruns) == 1, "and both sides were alike"
    world.now = datetime.datetime(2026, 3, 7, 1, tzinfo=datetime.UTC)
    world.rerun = world.change
    capsys.readouterr()
    assert world.night() == 0
    said = capsys.readouterr().err
    assert "the clock says 2026-03-07T01-00-00Z, and 2 nights are later than that" in said
    assert "(the last one 2036-01-02T00-00-00Z): tonight is judged without them" in said
    assert world.night() == 3, "what was dismissed in 2036 is not known yet"


def test_a_page_without_room_is_told_with_what_helps(world: World, capsys: Text) -> None:
    world.nights(1)
    page = Path(f"kept/{MACHINE}/index.html")
    page.unlink()
    page.mkdir()
    assert world.night() == 1
    said = capsys.readouterr().err
    assert f"cannot write kept/{MACHINE}/index.html (Is a directory); make room or fix" in said


def test_a_damaged_machine_json_is_written_anew(world: World) -> None:
    world.nights(1)
    kept = Path(f"kept/{MACHINE}/machine.json")
    whole = kept.read_bytes()
    kept.write_bytes(whole[:10])
    world.nights(1)
    assert kept.read_bytes() == whole


def test_a_damaged_file_of_acknowledgements_is_told_before_the_night_is_spent(
    world: World, capsys: Text
) -> None:
    world.nights(1)
    Path("kept/acknowledged.yaml").write_text("acknowledged: [{cell: abc")
    taken = len(world.plans)
    assert world.night() == 1
    assert "kept/acknowledged.yaml:1: " in capsys.readouterr().err
    assert len(world.plans) == taken


def test_a_folder_that_may_not_be_written_to_is_told_before_the_night_is_spent(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: Text
) -> None:
    world.nights(1)
    taken = len(world.plans)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert world.night() == 1
    assert f"kept/{MACHINE} may not be written to; mend its rights" in capsys.readouterr().err
    assert len(world.plans) == taken


def test_two_nights_at_once(world: World, capsys: Text) -> None:
    with alone_on_this_machine(Path("another")):
        assert world.night() == 1
    assert "another night is running on this machine" in capsys.readouterr().err
    assert world.night() == 0


def test_a_disk_without_locks_is_not_taken_for_another_night(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: Text
) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refused)
    assert world.night() == 1
    said = capsys.readouterr().err
    assert "cannot be locked (No locks available)" in said
    assert "another night" not in said


def test_the_same_history_from_two_machines_at_once(world: World) -> None:
    with alone_on_this_machine(Path("kept")):
        tempfile.tempdir = str(Path("other").absolute())
        Path("other").mkdir()
        with (
            pytest.raises(RunFolderError, match="is running in kept"),
            alone_on_this_machine(Path("kept")),
        ):
            pass


def test_an_interrupted_night_is_gone_on_with(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: Text
) -> None:
    world.nights(3)
    Path(f"kept/{MACHINE}/runs/2036-01-01T01-00-00Z").mkdir()
    take = world.take

    def interrupted(
        planned: Planned, folder: Path, facts: dict[str, Any], retry_failed: bool
    ) -> None:
        folder.mkdir(parents=True)
        write_facts(folder, facts)
        raise KeyboardInterrupt

    monkeypatch.setattr(taking, "take_here", interrupted)
    assert call("nightly", "tiny.yaml", "--history", "kept") == 130
    monkeypatch.setattr(taking, "take_here", take)
    world.now += datetime.timedelta(hours=3)
    assert world.night() == 0
    assert "the night of 2026-03-04T01-00-00Z was interrupted; going on" in capsys.readouterr().err
    assert len(list(Path(f"kept/{MACHINE}/runs").glob("2026-*"))) == 4


def test_what_is_acknowledged_fails_no_more(world: World, capsys: Text) -> None:
    world.nights(6)
    world.change = world.rerun = of_trainer("lightgbm", lambda row: slower(row, 1.06))
    world.night()
    assert world.night("--json") == 3
    text = capsys.readouterr().out
    findings = json.loads(text[text.index("{") :])["findings"]
    for each in findings:
        shift = f"{each['cell']}:{each['figure']}"
        assert (
            call("nightly", "--history", "kept", "--acknowledge", shift, "--reason", "safer") == 0
        )
    written = Path("kept/acknowledged.yaml").read_text()
    assert "reason: safer" in written
    assert "lightgbm" in written
    assert world.night() == 0
    assert "since 2026-03-07: safer" in " ".join(capsys.readouterr().out.split())
    world.change = world.rerun = of_trainer("lightgbm", lambda row: slower(row, 1.15))
    world.night()
    assert world.night() == 3, "it is judged by the level that was accepted"


def test_mistakes_in_acknowledging(world: World, capsys: Text) -> None:
    world.nights(2)
    assert call("nightly", "--history", "kept", "--acknowledge", "abc", "--reason", "x") == 1
    assert call("nightly", "--history", "kept", "--acknowledge", "abc:fit_time") == 1
    assert (
        call("nightly", "--history", "kept", "--acknowledge", "abc:fit_time", "--reason", "x") == 4
    )
    assert "no night in kept found abc:fit_time worse" in capsys.readouterr().err
    Path("kept/acknowledged.yaml").write_text("acknowledged: [{cell: abc}]")
    assert world.night() == 1
    assert "acknowledged.yaml" in capsys.readouterr().err


def test_what_is_left_out_of_the_command(world: World, capsys: Text) -> None:
    assert call("nightly", "tiny.yaml") == 1
    assert "--history is missing" in capsys.readouterr().err
    assert call("nightly", "--history", "kept") == 1
    assert "CONFIG is missing" in capsys.readouterr().err
    assert world.night("--rounds", "10", "--max-rounds", "5") == 1


def test_the_summary_of_a_ci_job_is_added_to(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("summary.md").write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    monkeypatch.setattr(sys, "argv", ["treebench", "nightly", "a sweep.yaml"])
    assert world.night() == 0
    text = Path("summary.md").read_text()
    assert text.startswith("before\n\n\n## tiny, night of 2026-03-01")
    assert "Made by: treebench nightly 'a sweep.yaml'" in text.replace("\\", "")
