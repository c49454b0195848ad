"""Nights on disk, and what tonight is by them."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

from tests.analysis.comparing.two_runs import MATCHING, hungrier, slower
from tests.analysis.rows import CONTROL, MIB
from tests.history import made
from tests.history.made import FIRST, NEWER, SECOND, Reruns, found, judged, put_night, slower_cell
from treebench.history.findings import (
    VERDICTS_SCHEMA,
    Finding,
    read_findings,
    write_findings,
)
from treebench.history.frozen import requirements_of
from treebench.history.parts import read_history
from treebench.history.settling import NotRerun
from treebench.history.suspects import Known

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.store.row import SampleRow

SLOWER = slower_cell(FIRST, 1.08)


def quiet(folder: Path, days: int) -> None:
    for day in range(days):
        put_night(folder, day, made.rows(day))


def test_a_night_comes_back_as_it_was_written(tmp_path: Path) -> None:
    night = put_night(tmp_path, 0, made.rows(0), command=("treebench", "nightly"))
    history = read_history(tmp_path)
    assert [each.name for each in history.nights] == [night.name]
    assert history.nights[0].requirements == made.REQUIREMENTS
    assert history.nights[0].command == ("treebench", "nightly")
    assert set(history.nights[0].specs()) == {CONTROL.id, *(cell.id for cell in made.CELLS)}
    times = history.samples.query("cell == @FIRST.id")["figure:fit_time"]
    expected = [row.phases["fit"].wall_ns for row in made.rows(0) if row.cell == FIRST.id]
    assert times.tolist() == expected


def test_quiet_nights_have_no_suspect(tmp_path: Path) -> None:
    quiet(tmp_path, 20)
    assert judged(tmp_path)[1].suspects == ()


def test_a_slowdown_is_a_regression_by_the_second_night(tmp_path: Path) -> None:
    quiet(tmp_path, 12)
    put_night(tmp_path, 12, made.rows(12, change=SLOWER))
    assert judged(tmp_path)[1].suspects == ()
    put_night(tmp_path, 13, made.rows(13, change=SLOWER))
    reruns = Reruns(SLOWER)
    findings = found(tmp_path, reruns)
    assert {each.figure for each in findings} == {"construct_fit_time", "fit_time"}
    assert {each.state for each in findings} == {"regression"}
    assert findings[0].since == made.name(12)
    assert findings[0].last_good == made.name(11)
    assert findings[0].ratio == pytest.approx(1.08, abs=0.01)
    assert reruns.asked == [((FIRST.id,), made.name(11), 10)]


def test_the_environment_of_the_last_good_night_is_the_one_asked_for(tmp_path: Path) -> None:
    quiet(tmp_path, 6)
    versions = MATCHING["versions"] | {"xgboost": "3.2.0"}
    put_night(tmp_path, 6, made.rows(6, change=SLOWER, versions=versions), NEWER)
    reruns = Reruns(SLOWER)
    findings = found(tmp_path, reruns)
    assert reruns.asked[0][1] == made.name(5), "one night is enough after a change of versions"
    assert not findings[0].same_versions
    assert "lightgbm 4.5.0 to 4.6.0, xgboost 3.1.0 to 3.2.0" in findings[0].says


def test_both_sides_alike_is_a_drift_and_is_not_run_again(tmp_path: Path) -> None:
    quiet(tmp_path, 12)
    for day in (12, 13):
        put_night(tmp_path, day, made.rows(day, change=SLOWER))
    findings = found(tmp_path, Reruns())
    assert {each.state for each in findings} == {"dismissed"}
    assert "the machine drifted, and no library did" in findings[0].says
    put_night(tmp_path, 14, made.rows(14, change=SLOWER))
    assert judged(tmp_path, Known(findings))[1].suspects == ()


def test_after_a_drift_a_slowdown_is_seen_against_the_new_level(tmp_path: Path) -> None:
    quiet(tmp_path, 12)
    for day in range(12, 16):
        put_night(tmp_path, day, made.rows(day, change=SLOWER))
    findings = found(tmp_path, Reruns())
    for day in (16, 17):
        put_night(tmp_path, day, made.rows(day, change=slower_cell(FIRST, 1.15)))
    suspects = judged(tmp_path, Known(findings))[1].suspects
    assert {each.since for each in suspects} == {made.name(16)}


def test_other_settings_or_code_are_no_step(tmp_path: Path) -> None:
    quiet(tmp_path, 8)
    for day in (8, 9):
        put_night(tmp_path, day, made.rows(day, change=SLOWER, code="0.2.0+9999"))
    assert judged(tmp_path)[1].suspects == ()


def test_a_creeping_slowdown_is_found(tmp_path: Path) -> None:
    for day in range(30):
        put_night(tmp_path, day, made.rows(day, change=slower_cell(FIRST, 1 + 0.003 * day)))
    assert {each.cell for each in judged(tmp_path)[1].suspects} == {FIRST.id}


def test_a_drift_that_the_control_cell_sees_opens_nothing(tmp_path: Path) -> None:
    quiet(tmp_path, 12)
    for day in range(12, 15):
        put_night(tmp_path, day, made.rows(day, change=lambda row: slower(row, 1.2)))
    assert judged(tmp_path)[1].suspects == ()


def test_memory_and_scores_that_repeat_exactly_need_one_night(tmp_path: Path) -> None:
    quiet(tmp_path, 4)

    def worse(row: SampleRow) -> SampleRow:
        return replace(hungrier(row, 60 * MIB), score={"auc": (row.score or {})["auc"] - 0.01})

    change = made.of_cell(SECOND, worse)
    put_night(tmp_path, 4, made.rows(4, change=change))
    findings = found(tmp_path, Reruns(change))
    assert {(f.figure, f.state) for f in findings} == {
        ("peak_memory", "regression"),
        ("score:auc", "regression"),
    }


def test_one_sample_a_night_and_a_single_night(tmp_path: Path) -> None:
    put_night(tmp_path, 0, made.rows(0, samples=1))
    assert judged(tmp_path)[1].fresh == {cell.id for cell in made.CELLS}
    for day in range(1, 8):
        put_night(tmp_path, day, made.rows(day, samples=1))
    for day in (8, 9):
        put_night(tmp_path, day, made.rows(day, samples=1, change=SLOWER))
    assert {each.cell for each in judged(tmp_path)[1].suspects} == {FIRST.id}


def test_what_cannot_be_rerun_stays_a_suspect(tmp_path: Path) -> None:
    quiet(tmp_path, 12)
    for day in (12, 13):
        put_night(tmp_path, day, made.rows(day, change=SLOWER))
    findings = found(tmp_path, Reruns(refusal=NotRerun("xgboost==3.1.0 is gone")))
    assert {each.state for each in findings} == {"not re-run"}
    assert len(judged(tmp_path, Known(findings))[1].suspects) == 2


def test_more_rounds_are_taken_for_what_is_unclear(tmp_path: Path) -> None:
    quiet(tmp_path, 12)
    for day in (12, 13):
        put_night(tmp_path, day, made.rows(day, change=SLOWER))
    edge = Reruns(slower_cell(FIRST, 1.03))
    found(tmp_path, edge)
    assert [rounds for _, _, rounds in edge.asked] == [10, 20]


def test_torn_and_foreign_files_are_named(tmp_path: Path) -> None:
    quiet(tmp_path, 3)
    folder = tmp_path / "nights"
    last = folder / f"{made.name(2)}.parquet"
    last.write_bytes(last.read_bytes()[:100])
    shutil.copy(folder / f"{made.name(0)}.parquet", folder / f"{made.name(5)}.parquet")
    (folder / "notes.parquet").write_text("mine")
    history = read_history(tmp_path)
    assert [each.name for each in history.nights] == [made.name(0), made.name(1)]
    assert len(history.skipped) == 3


def test_findings_come_back_and_torn_ones_are_named(tmp_path: Path) -> None:
    finding = Finding(
        *(made.name(3), FIRST.id, "fit_time", made.name(2), made.name(1)),
        *(1.0, 2.0, "regression", "confirmed", True),
    )
    write_findings(tmp_path, made.name(3), [finding])
    (tmp_path / "verdicts" / f"{made.name(4)}.json").write_text("{")
    kept, skipped = read_findings(tmp_path)
    assert kept == [finding]
    assert len(skipped) == 1


def test_exact_versions_are_kept_with_what_they_rest_on() -> None:
    found_here = requirements_of(["scikit-learn", "no-such-thing", "treebench"])
    names = {line.partition("==")[0] for line in found_here}
    assert {"scikit-learn", "numpy", "scipy", "joblib", "threadpoolctl"} <= names
    assert not {"treebench", "no-such-thing"} & names


def test_what_only_an_extra_asks_for_is_left_out_and_a_name_is_no_marker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Known:
        version = "1.0"

        def __init__(self, requires: list[str]) -> None:
            self.requires = requires

        def read_text(self, name: str) -> None:
            assert name == "direct_url.json"

    asked = ["extra-lib>=1", "plain ; python_version > '3'", "left ; extra == 'all'"]
    known = {"root": asked, "extra-lib": [], "plain": [], "left": []}
    monkeypatch.setattr(metadata, "distribution", lambda name: Known(known[name]))
    assert requirements_of(["root"]) == ("extra-lib==1.0", "plain==1.0", "root==1.0")


def test_files_of_a_newer_treebench_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "verdicts").mkdir()
    facts = {"schema": VERDICTS_SCHEMA + 1, "night": made.name(1), "findings": []}
    (tmp_path / "verdicts" / f"{made.name(1)}.json").write_text(json.dumps(facts))
    kept, skipped = read_findings(tmp_path)
    assert not kept
    assert f"this treebench reads {VERDICTS_SCHEMA}" in skipped[0]
