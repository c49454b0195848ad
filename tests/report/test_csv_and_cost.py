"""The tables as CSV, and time as money."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.analysis.rows import facts, realistic, samples, spec
from tests.cli.runs import put_run
from treebench.analysis.hosts import hosts_of
from treebench.analysis.overview import overview
from treebench.cli import main
from treebench.errors import RunFolderError
from treebench.report.blocks import Section, Table, table
from treebench.report.claims_blocks import claims_blocks
from treebench.report.csv_files import csv_files
from treebench.report.lines import lines
from treebench.report.markdown import page
from treebench.report.sections import sections
from treebench.report.units import cost


def read(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


def test_figures_are_raw_with_their_units_and_the_unknown_is_empty() -> None:
    run = overview(*realistic())
    files = csv_files(sections(run, lines(run)))
    results = read(files["csv/results.csv"])
    assert len(results) == len(run.cells)
    known = {line.cell.construct_fit_wall_ns.median for line in lines(run)} - {None}
    told = {float(each["construct_fit_wall_ns"]) for each in results if each["samples_ok"] != "0"}
    assert told == known
    failed = [each for each in results if each["samples_ok"] == "0"]
    assert failed
    assert all(each["construct_fit_wall_ns"] == "" for each in failed)
    assert {each["of"] for each in results} == {"flights", "flights-onehot"}
    assert read(files["csv/time-by-phase.csv"])[0]["fit_wall_ns"]
    assert {each["standing"] for each in read(files["csv/pareto.csv"])} >= {"front", "dominated"}


def test_a_word_is_no_formula() -> None:
    made = table(["a"], [["=1+1"], ['two\n"lines"']], [False], "t")
    rows = read(csv_files([Section("x", "X", (made,))])["csv/t.csv"])
    assert [each["a"] for each in rows] == ["'=1+1", 'two\n"lines"']


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "\u2013"), (0, "0.00"), (0.0012345, "0.00123"), (0.1, "0.10"), (12.3, "12.30"),
     (1234.5, "1,234")],
)  # fmt: skip
def test_money_has_three_digits_where_it_is_little(value: float | None, text: str) -> None:
    assert cost(value) == text


def test_time_is_turned_into_cost() -> None:
    run = overview(facts([spec()]), samples(spec()))
    parts = sections(run, lines(run), cost_per_hour=3.6)
    main_table = next(b for p in parts for b in p.blocks if isinstance(b, Table))
    time = main_table.raw_rows[0][main_table.raw_titles.index("construct_fit_wall_ns")]
    spent = main_table.raw_rows[0][main_table.raw_titles.index("cost")]
    assert isinstance(time, int | float)
    assert spent == pytest.approx(time / 1e9 / 1000)
    assert "at 3.6 for an hour of the whole machine" in page(run, parts, [])


@pytest.mark.parametrize("said", ["0", "-1", "nan", "inf"])
def test_a_price_that_is_none_is_refused(
    said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = put_run(tmp_path / "run", facts([spec()]), samples(spec()))
    with pytest.raises(SystemExit) as ended:
        main(["report", str(folder), "--cost-per-hour", said])
    assert ended.value.code == 1
    assert "give a number above 0" in capsys.readouterr().err
    assert not (folder / "report").exists()


def claim(run: str) -> dict[str, object]:
    measured = {"point": 4.128, "low": 3.9, "high": 4.4}
    check = {"name": "ratio", "says": "exact over hist", "stated": None, "low": 3, "high": None,
             "measured": measured, "verdict": "holds", "why": None}  # fmt: skip
    return {"id": "A1", "title": "exact is slower", "claim": "hist is 3x", "source": "a paper",
            "run": run, "verdict": "holds", "conditions": ["at a tenth of the rows"],
            "checks": [check]}  # fmt: skip


def test_the_claims_beside_a_run_are_those_on_it(tmp_path: Path) -> None:
    own = tmp_path / "A1"
    own.mkdir()
    held = {"schema": 1, "claims": [claim("results/A1"), claim("results/A2") | {"id": "A2"}]}
    (tmp_path / "claims.json").write_text(json.dumps(held))
    said = str(claims_blocks(own))
    assert "A1: exact is slower" in said
    assert "A2" not in said
    assert "('ratio', 'at least 3', '4.13 (3.9 to 4.4)', 'holds', '')" in said
    assert claims_blocks(tmp_path / "elsewhere" / "run") == []


def test_damaged_claims_are_said_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "claims.json").write_text("{")
    with pytest.raises(RunFolderError, match="cannot be read"):
        claims_blocks(tmp_path)


def test_a_profile_is_no_sample_of_a_host() -> None:
    from tests.analysis.rows import row

    assert hosts_of([row(spec(), kind="profile")]) == []
