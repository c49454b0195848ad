"""A published comparison as people read it: sentences, tables, files."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.analysis.published.tables import CELLS, PUBLISHED, planned, planted, preset
from treebench.analysis.published.tables import JudgedTable, judged, untold
from treebench.config.shrink import Shrink
from treebench.errors import RunFolderError
from treebench.report.comparison_chart import comparison_chart, leads
from treebench.report.comparison_files import write_comparison
from treebench.report.comparison_raw import raw_comparison
from treebench.report.comparison_screen import comparison_screen
from treebench.report.comparison_text import condition_lines, reading_titles, sentence
from treebench.report.terminal import Screen
from treebench.store.row import SampleRow

TABLES = {"p": PUBLISHED}
PIPE = Screen(None, colour=False, rules=False)


def table(rows: list[SampleRow] | None = None, **more: Any) -> JudgedTable:
    one = preset(**more)
    return judged(
        planned=planned(one),
        rows=planted() if rows is None else rows,
        specs={each.id: each for each in CELLS.values()},
        preset=one,
        entry=one.data[0],
        dataset="flights",
        published=PUBLISHED,
        conditions=["flights stand in for Higgs"],
        n_rows=20_000,
        run="results/run",
    )


def test_the_sentence_has_size_interval_clock_and_what_was_published() -> None:
    said = sentence(table())
    assert said.startswith("On flights at 20,000 rows lightgbm trains ")
    assert " to " in said
    assert " as fast as hist with equal clocks; published for Higgs: 1.20x (agrees)." in said
    boosting = sentence(table(clock="boosting", lead="as_published"))
    assert "by boosting alone; published for Higgs: 1.30x (agrees)." in boosting


def test_a_slower_library_is_said_to_be_slower() -> None:
    said = sentence(table(planted(lightgbm={"fit_ms": 380})))
    assert "trains 0.5" in said
    assert said.endswith("published for Higgs: 1.20x (differs).")


def test_a_sentence_of_scores_has_their_sign() -> None:
    stated: dict[str, Any] = {"name": "AUC, hist minus exact", "figure": "score", "first": "hist"}
    stated |= {"second": "exact", "published": ["hist", "exact"], "main": True}
    said = sentence(table(compares=[stated], score="final"))
    assert "AUC, hist minus exact, is +0.0400; published for Higgs: +0.0400 (agrees)." in said


def test_what_could_not_be_measured_is_said_and_not_left_out() -> None:
    one = preset()
    nothing = untold(one, "flights", one.data[0], "no network")
    assert sentence(nothing) == "On flights nothing was measured: no network."
    lost = table([row for row in planted() if row.spec["trainer"] != "lightgbm"])
    assert "the main comparison cannot be made: " in sentence(lost)
    shown = comparison_screen([nothing, lost], PIPE)
    assert "catboost (not installed)" in shown
    assert "catboost: not installed: pip install catboost" in shown
    assert "lightgbm: no time" in shown


def test_the_terminal_shows_columns_comparisons_orders_and_conditions() -> None:
    shown = comparison_screen([table()], PIPE)
    for said in (
        "Small (small)",
        "small: flights, 20,000 rows",
        "best on test",
        "to AUC 0.7900",
        "lead over hist",
        "published for Higgs",
        "1.20x to 1.90x",
        "time, fastest first",
        "lightgbm, hist, exact",
        "flights stand in for Higgs",
        "beside it stands Higgs, since so",
        "How to read this",
    ):
        assert said in shown, said


def test_without_curves_there_are_no_columns_of_them() -> None:
    assert len(reading_titles(table(curve=False, score="final"))) == 6
    assert len(reading_titles(table())) == 10


def test_conditions_tell_stand_ins_sizes_samples_and_what_was_held_out() -> None:
    one = preset(shrinks=["min_child_weight"], base={"n_estimators": 500})
    said = list(
        condition_lines(
            preset=one,
            stands_in="flights stand in",
            dataset="mine",
            instead_of="flights",
            shrink=Shrink(0.02, 0.05),
            rows=5_200,
            samples=3,
            usual_samples=5,
            tried=2,
            held_out=1_040,
        )
    )
    assert said == [
        "flights stand in",
        "mine was put in the place of flights",
        "a scaled run: 5,200 rows for 260,000, 25 trees for 500",
        "min_child_weight are 0.02 of what is stated, as the rows are",
        "3 samples of each column, for 5 at full size",
        "2 settings of each library were tried, each once, and the one chosen by the validation "
        "part 3 times",
        "1,040 of the rows are held out for validation, 4,160 are trained on",
    ]


def test_the_files_are_a_page_markdown_picture_csv_and_json(tmp_path: Path) -> None:
    tables = [table(), table(clock="boosting", preset="second")]
    raw = raw_comparison(tables, TABLES, "treebench reproduce lightgbm-vs-xgboost")
    paths = write_comparison(tmp_path, tables, TABLES, "treebench reproduce x", raw)
    page = Path(paths["page"]).read_text()
    assert "Published: t" in page
    assert "http://" not in page.split("<script>")[0]
    assert "data-spec=" in page
    assert "(agrees)" in Path(paths["markdown"]).read_text()
    assert (tmp_path / "comparison.png").read_bytes().startswith(b"\x89PNG")
    lines = list(csv.DictReader((tmp_path / "csv/columns.csv").read_text().splitlines()))
    assert len(lines) == 8
    assert float(lines[1]["final_auc"]) == 0.83
    assert lines[3]["final_auc"] == ""  # CatBoost is not there: unknown, never 0
    [_, compared] = csv.DictReader((tmp_path / "csv/comparisons.csv").read_text().splitlines())
    assert (compared["beside"], compared["published"]) == ("Higgs", "1.2")
    held = json.loads(Path(paths["json"]).read_text())
    assert held == raw
    assert not list(tmp_path.glob(".*"))


def test_the_json_has_figures_with_intervals_and_reasons() -> None:
    raw = raw_comparison([table()], TABLES, "c")
    [one] = raw["tables"]
    figures = {each["column"]: each for each in one["columns"]}
    assert figures["hist"]["figures"]["best_iteration"]["point"] == 0.84
    assert figures["catboost"]["absent"].startswith("not installed")
    assert figures["catboost"]["figures"] == {}
    [compared] = one["comparisons"]
    assert compared["verdict"] == "agrees"
    assert compared["measured"]["low"] < compared["measured"]["point"]
    assert raw["published"]["p"]["data"]["Higgs"]["lead"]["equal_clocks"] == 1.2
    json.dumps(raw, allow_nan=False)


def test_the_picture_draws_the_leads_that_were_published() -> None:
    [drawn] = leads([table()])
    assert drawn["published"] == 1.2
    assert (drawn["from"], drawn["to"]) == (1.2, 1.9)
    assert comparison_chart([table([])]) is None


def test_what_a_person_named_is_text_on_the_page(tmp_path: Path) -> None:
    one = table(title="<b>bold</b> | x")
    raw = raw_comparison([one], TABLES, "c")
    paths = write_comparison(tmp_path, [one], TABLES, "c", raw)
    assert "<b>bold" not in Path(paths["page"]).read_text()
    assert "&lt;b&gt;bold" in Path(paths["page"]).read_text()


def test_a_folder_that_cannot_be_written_is_told_in_a_line(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    with pytest.raises(RunFolderError, match="choose --out"):
        write_comparison(blocked / "in", [table()], TABLES, "c", {})
