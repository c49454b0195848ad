"""`treebench nightly`: what it takes, keeps, says and ends with. Samples and re-runs are made."""

from __future__ import annotations

import datetime
import errno
import fcntl
import json
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from tests.analysis.comparing.two_runs import MATCHING, hungrier, slower
from tests.analysis.rows import CONTROL, MIB, failed, sample
from tests.cli.test_show import call
from treebench.analysis.comparing.runs import compare_runs
from treebench.analysis.comparing.sides import Side
from treebench.cli import night_reruns, night_spent, planning, taking
from treebench.cli.night_lock import alone_on_this_machine
from treebench.cli.planning import plan_config
from treebench.errors import RunFolderError
from treebench.history.settling import NotRerun
from treebench.store.journal import Journal
from treebench.store.run_folder import write_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from treebench.cli.planning import Planned
    from treebench.store.row import SampleRow

    Change = Callable[[SampleRow], SampleRow]

CONFIG = """
name: tiny
data: {set: wine, rows: [100]}
samples: 3
reference: {trainer: xgboost, method: hist, n_estimators: 5, max_leaves: 4}
variants:
  - {trainer: lightgbm}
"""
MACHINE = "fingerprint0"
Text = pytest.CaptureFixture[str]


class World:
    """A machine whose nights are made: `change` is what tonight does to a sample, `rerun` what a
    re-run does to tonight's side, and `refusal` why there can be none."""

    def __init__(self) -> None:
        self.now = datetime.datetime(2026, 3, 1, 1, tzinfo=datetime.UTC)
        self.machine = MACHINE
        self.versions = {"xgboost": "3.1.0"}
        self.change: Change = lambda row: row
        self.rerun: Change = lambda row: row
        self.refusal: str | None = None
        self.left_out: frozenset[str] = frozenset()
        self.samples = 3
        self.reruns: list[tuple[str, ...]] = []
        self.plans: list[Planned] = []

    def take(
        self, planned: Planned, folder: Path, facts: dict[str, Any], retry_failed: bool
    ) -> None:
        self.plans.append(planned)
        folder.mkdir(parents=True, exist_ok=True)
        write_facts(folder, facts)
        with Journal(folder / "samples.jsonl") as journal:
            for block in range(self.samples):
                for row in self._block(planned, block):
                    journal.append(self.change(row))

    def _block(self, planned: Planned, block: int) -> Iterator[SampleRow]:
        noise = 1 + 0.002 * ((7 * block + self.now.day) % 5 - 2)
        must = MATCHING | {"machine": self.machine, "versions": self.versions}
        cells = {CONTROL.id: CONTROL} | {c: planned.plan.cells[c].spec for c in planned.chosen}
        for cell, spec in cells.items():
            if cell not in self.left_out:
                # Long enough for changes of a few percent to pass the floor of times.
                made = slower(sample(spec, block, noise), 1000 if cell != CONTROL.id else 1)
                yield replace(made, cell=cell, must_match=must)

    def reruns_of(self, config: Any, folder: Path, night: Any) -> Any:
        def rerun(cells: Any, good: Any, rounds: int) -> Any:
            self.reruns.append((*cells, good.name))
            if self.refusal is not None:
                return NotRerun(self.refusal)
            planned = self.plans[-1]
            blocks = [self._block(planned, block) for block in range(rounds)]
            rows = [row for block in blocks for row in block if row.cell in cells]
            after = [self.rerun(row) for row in rows]
            return compare_runs(Side("before", tuple(rows)), Side("after", tuple(after)))

        return rerun

    def night(self, *more: str) -> int:
        code = call("nightly", "tiny.yaml", "--history", "kept", *more)
        self.now += datetime.timedelta(days=1)
        return code

    def nights(self, n: int) -> None:
        for _ in range(n):
            assert self.night() == 0


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(taking, "take_here", made.take)
    monkeypatch.setattr(night_reruns, "reruns_of", made.reruns_of)
    real = taking.facts_for

    def facts_for(*arguments: Any) -> dict[str, Any]:
        facts = real(*arguments)
        return facts | {"machine": {"cpu": "made", "fingerprint": made.machine}}

    monkeypatch.setattr(taking, "facts_for", facts_for)
    # The plan is the same every night: it is made once for all tests.
    monkeypatch.setattr(planning, "plan_config", lambda name, *more: _plan(name, plan_config))
    spend = night_spent.spend_night
    monkeypatch.setattr(night_spent, "spend_night", lambda asked: spend(asked, made.now))
    Path("tiny.yaml").write_text(CONFIG)
    return made


_PLANS: dict[str, Planned] = {}


def _plan(name: str, make: Callable[..., Planned]) -> Planned:
    if name not in _PLANS:
        _PLANS[name] = make(name, [], None)
    return _PLANS[name]


def of_trainer(trainer: str, change: Change) -> Change:
    return lambda row: change(row) if row.spec["trainer"] == trainer else row


def test_quiet_nights_are_exit_code_0(world: World, capsys: Text) -> None:
    world.nights(4)
    said = capsys.readouterr().out
    assert "tiny, night of 2026-03-04 (4 nights in the history): nothing got worse" in said
    assert not world.reruns
    assert len(list(Path(f"kept/{MACHINE}/nights").glob("*.parquet"))) == 4
    assert Path(f"kept/{MACHINE}/index.html").read_text().startswith("<!DOCTYPE html>")


def test_a_slowdown_fails_the_second_night_once_the_rerun_confirms_it(
    world: World, capsys: Text
) -> None:
    world.nights(6)
    world.change = world.rerun = of_trainer("lightgbm", lambda row: slower(row, 1.06))
    assert world.night() == 0, "one night alone may be a bad night"
    assert world.night("--junit", "night.xml", "--markdown", "night.md") == 3
    said = capsys.readouterr().out
    assert "lightgbm" in said
    assert "confirmed in 10 rounds side by side" in said
    assert "--acknowledge" in said
    suite = ElementTree.parse("night.xml").getroot()[0]  # noqa: S314
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert "| regression | wine" in Path("night.md").read_text()


def test_a_regression_stands_without_another_rerun_until_it_heals(world: World) -> None:
    world.nights(6)
    world.change = world.rerun = of_trainer("lightgbm", lambda row: slower(row, 1.06))
    world.night()
    assert world.night() == 3
    asked = len(world.reruns)
    assert world.night() == 3
    assert len(world.reruns) == asked
    world.change = lambda row: row
    world.night()
    assert world.night() == 0


def test_memory_that_grew_is_a_regression(world: World, capsys: Text) -> None:
    world.nights(5)
    world.change = world.rerun = of_trainer("xgboost", lambda row: hungrier(row, 80 * MIB))
    assert world.night() == 3, "a figure that repeats exactly needs no second night"
    assert "peak_memory" in capsys.readouterr().out


def test_lost_accuracy_is_a_regression(world: World, capsys: Text) -> None:
    def worse(row: SampleRow) -> SampleRow:
        return replace(row, score={name: value - 0.01 for name, value in (row.score or {}).items()})

    world.nights(3)
    world.change = world.rerun = of_trainer("xgboost", worse)
    assert world.night() == 3
    assert "score:auc" in capsys.readouterr().out


def test_a_drift_of_the_machine_is_none_and_is_not_looked_at_again(
    world: World, capsys: Text
) -> None:
    world.nights(6)
    world.change = of_trainer("lightgbm", lambda row: slower(row, 1.2))
    world.night()
    assert world.night() == 0
    assert "the machine drifted, and no library did" in capsys.readouterr().out
    asked = len(world.reruns)
    world.nights(3)
    assert len(world.reruns) == asked


def test_a_cell_that_crashes_is_an_error(world: World, capsys: Text) -> None:
    world.nights(3)
    world.versions = {"xgboost": "3.2.0"}

    def crash(row: SampleRow) -> SampleRow:
        made = failed(CONTROL, row.block, "killed", "SIGSEGV", phase="fit")
        return replace(made, cell=row.cell, spec=row.spec, must_match=row.must_match)

    world.change = of_trainer("xgboost", crash)
    assert world.night("--junit", "night.xml") == 2
    said = " ".join(capsys.readouterr().out.split())
    assert "killed in fit: SIGSEGV (3 samples); none ended well; tonight" in said
    assert "the last night without was 2026-03-03" in said
    suite = ElementTree.parse("night.xml").getroot()[0]  # noqa: S314
    assert (suite.get("tests"), suite.get("errors")) == ("2", "1")


def test_one_cell_is_no_plural(world: World, capsys: Text) -> None:
    world.nights(1)
    world.left_out = frozenset(sorted(world.plans[0].chosen)[:1])
    world.night()
    assert "figures of 1 cell were judged" in capsys.readouterr().out


def test_all_cells_missing_is_exit_code_4(world: World, capsys: Text) -> None:
    world.nights(2)
    world.left_out = world.plans[0].chosen
    assert world.night("--junit", "night.xml") == 4
    assert "planned, but no sample of it was taken" in capsys.readouterr().out
    suite = ElementTree.parse("night.xml").getroot()[0]  # noqa: S314
    assert (suite.get("tests"), suite.get("skipped")) == ("2", "2")


def test_an_environment_that_cannot_be_built_leaves_a_suspect(world: World, capsys: Text) -> None:
    world.nights(6)
    world.refusal = "lightgbm==4.5.0 cannot be had; see pip"
    world.change = of_trainer("lightgbm", lambda row: slower(row, 1.2))
    world.night()
    assert world.night("--junit", "night.xml") == 4
    assert "not measured again: lightgbm==4.5.0 cannot be had" in capsys.readouterr().out
    suite = ElementTree.parse("night.xml").getroot()[0]  # noqa: S314
    assert (suite.get("failures"), suite.get("skipped")) == ("0", "1")


def test_one_sample_a_night(world: World) -> None:
    world.samples = 1
    world.nights(6)
    world.change = world.rerun = of_trainer("lightgbm", lambda row: slower(row, 1.1))
    world.night()
    assert world.night() == 3


def test_another_machine_starts_anew(world: World, capsys: Text) -> None:
    world.nights(4)
    world.machine = "elsewhere000"
    world.change = lambda row: slower(row, 2)
    assert world.night() == 0
    said = capsys.readouterr()
    assert "this machine (elsewhere000) has no nights yet" in said.err
    assert "0 figures of 2 cells were judged" in said.out
    assert "2 cells cannot be judged yet" in said.out


def test_another_library_is_no_step_by_itself(world: World, capsys: Text) -> None:
    world.nights(5)
    world.versions = {"xgboost": "3.2.0"}
    world.change = of_trainer("xgboost", lambda row: slower(row, 1.3))
    assert world.night() == 0, "the re-run shows both sides alike"
    assert len(world.reruns) == 1, "but it is looked at on the first night"
    assert "drifted" in capsys.readouterr().out


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
