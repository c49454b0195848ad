"""Runs that an older or a newer treebench wrote: read as far as they can be, or refused in a
line."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from tests.analysis.rows import CONTROL, exact_vs_hist, failed, samples
from tests.analysis.rows import facts as run_facts
from tests.cli.test_show import call
from treebench.store.facts import Facts
from treebench.store.journal import row_from_json
from treebench.store.row import PhaseFigures, SampleRow

SIZES = (20_000, 40_000, 80_000, 160_000)
CELLS = [cell for cell in exact_vs_hist(SIZES, ("dense-c",)) if cell.trainer == "lightgbm"]
ROWS = [
    *(row for cell in CELLS for row in samples(cell)),
    failed(CELLS[0], 5, "oom", "killed at its limit", phase="fit"),
    *samples(CONTROL),
]
FACTS = run_facts(CELLS, name="r", planned=6)
VERBS = ("show r", "show r --phases", "show r --json", "scaling r", "report r", "validate r", "log")


def written(folder: Path, facts: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    (folder / "results" / "r").mkdir(parents=True)
    (folder / "results" / "r" / "run.json").write_text(json.dumps(facts))
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "results" / "r" / "samples.jsonl").write_text(lines)


def newer(row: SampleRow) -> dict[str, Any]:
    """A row with fields of a later treebench in all that has fixed fields."""
    raw = row.to_json()
    for part in ("info", "must_match", "model", "error", "parallel"):
        if raw[part] is not None:
            raw[part] = {**raw[part], "later_field": [1, None]}
    raw["phases"] = {
        name: {**figures, "later_field": {"n": 1}} for name, figures in raw["phases"].items()
    }
    return {**raw, "spec": {**raw["spec"], "later_field": 1}, "later_field": {"n": [1, None]}}


def older(row: SampleRow) -> dict[str, Any]:
    """A row with nothing but what the first treebench wrote."""
    raw = row.to_json()
    default = dataclasses.asdict(PhaseFigures())
    raw["phases"] = {
        name: {key: value for key, value in figures.items() if value != default[key]}
        for name, figures in raw["phases"].items()
    }
    bare = {
        field.name
        for field in dataclasses.fields(SampleRow)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    }
    kept = {"phases", "score", "model", "error", "data_bytes", "schema"}
    return {key: value for key, value in raw.items() if key in bare | kept and value is not None}


def required(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts with nothing but what must be there."""
    needed = {name for name, field in Facts.model_fields.items() if field.is_required()}
    return {key: value for key, value in facts.items() if key in needed | {"schema"}}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("age", ["newer", "older"])
def test_a_run_of_another_treebench_of_the_same_schema_is_read(
    age: str,
    verb: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    if age == "newer":
        facts = {**FACTS, "later_field": {"n": 1}, "plan": {**FACTS["plan"], "later_field": 1}}
        written(tmp_path, facts, [newer(row) for row in ROWS])
    else:
        written(tmp_path, required(FACTS), [older(row) for row in ROWS])
    assert call(*verb.split()) == 0
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    if verb == "show r --json":
        cells = json.loads(said.out)["cells"]
        assert [len(cell["construct_fit_wall_ns"]["samples"]) for cell in cells] == [5] * 4


def test_a_row_of_either_age_has_the_figures_of_today() -> None:
    for row in ROWS:
        assert row_from_json(json.loads(json.dumps(newer(row))), "here").phases == row.phases
        assert row_from_json(json.loads(json.dumps(older(row))), "here").phases == row.phases


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "log"])
@pytest.mark.parametrize("place", ["run.json", "samples.jsonl"])
@pytest.mark.parametrize("schema", [2, 99, 0, -1, True, "1", None, 1.5])
def test_another_schema_is_refused_in_a_line(
    schema: Any,
    place: str,
    verb: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    facts, rows = dict(FACTS), [row.to_json() for row in ROWS[:2]]
    (facts if place == "run.json" else rows[1])["schema"] = schema
    written(tmp_path, facts, rows)
    assert call(*verb.split()) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert place in line
    if type(schema) is int and schema > 1:
        assert f" has schema {schema}, this treebench reads up to 1; upgrade treebench" in line
    else:
        assert "; delete that line" in line or "; put a whole copy of it back" in line


def test_log_lists_a_run_that_it_cannot_read_beside_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, FACTS, [row.to_json() for row in ROWS])
    written(tmp_path / "x", {**FACTS, "schema": 7}, [])
    (tmp_path / "x" / "results" / "r").rename(tmp_path / "results" / "later")
    assert call("log", "--json") == 0
    first, second = json.loads(capsys.readouterr().out)
    assert first["samples_ok"] == 25
    assert "has schema 7" in second["problem"]
