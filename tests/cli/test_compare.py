"""`treebench compare`: what it prints, writes and ends with."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from tests.analysis.comparing.two_runs import MATCHING, cells, only, rows_of, slower
from tests.analysis.rows import HIST, facts, failed, spec
from tests.cli.runs import put_run
from tests.cli.test_show import call

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow

Text = pytest.CaptureFixture[str]


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    put(tmp_path, "old", rows_of(cells(), seed=1))
    put(tmp_path, "new", rows_of(cells(), seed=2))
    later = only(cells()[0], rows_of(cells(), seed=2), lambda row: slower(row, 1.25))
    put(tmp_path, "slow", later)
    return tmp_path


def put(
    folder: Path, name: str, rows: list[SampleRow], planned: Sequence[CellSpec] | None = None
) -> Path:
    return put_run(folder / "results" / name, facts(list(planned or cells()), name=name), rows)


def crashed() -> list[SampleRow]:
    first = cells()[0]
    kept = [row for row in rows_of(cells(), seed=2) if row.cell != first.id]
    lost = [failed(first, at, "oom", "at the limit", phase="fit") for at in range(5)]
    return kept + [dataclasses.replace(row, must_match=MATCHING) for row in lost]


def test_nothing_new_is_exit_code_0(results: Path, capsys: Text) -> None:
    assert call("compare", "old", "new") == 0
    said = capsys.readouterr().out
    assert said.startswith("old (before) against new (after): 3 cells in both: 3 same\n")
    assert "  same  " not in said
    assert "next: treebench compare old new --all" in said


def test_worse_is_exit_code_3_and_a_line(results: Path, capsys: Text) -> None:
    assert call("compare", "old", "slow") == 3
    said = capsys.readouterr().out
    assert "flights, 260,000 rows, dense-c, xgboost hist: worse" in said
    line = next(each for each in said.splitlines() if each.startswith("  worse    fit_time"))
    assert "1.59 s  1.99 s" in line
    assert "+25.2 %" in line
    assert f"next: treebench show slow --cell {cells()[0].id}" in said


def test_a_crash_is_worse_and_says_its_cause(results: Path, capsys: Text) -> None:
    put(results, "crash", crashed())
    assert call("compare", "old", "crash") == 3
    assert "new failure, 5 samples: oom in fit: at the limit" in capsys.readouterr().out


def test_nothing_to_compare_is_exit_code_4(results: Path, capsys: Text) -> None:
    other = [spec(rows=1000)]
    put(results, "else", rows_of(other), other)
    assert call("compare", "old", "else") == 4
    assert "xgboost hist: not measured after" in capsys.readouterr().out


def test_another_machine_is_refused_unless_asked_for(results: Path, capsys: Text) -> None:
    rows = [slower(row, 1.7) for row in rows_of(cells(), seed=3, machine="bbbb")]
    put(results, "there", rows)
    assert call("compare", "old", "there") == 4
    said = capsys.readouterr().out
    assert "the machine differs: aaaa before, bbbb after (all 3 cells)" in said
    assert "next: treebench compare old there --across-machines" in said
    assert call("compare", "old", "there", "--across-machines") == 0
    assert "two machines: only times are compared" in capsys.readouterr().out


def test_an_unclear_cell_says_how_many_samples_it_lacks(results: Path, capsys: Text) -> None:
    noisy = only(
        cells()[0],
        rows_of(cells(), seed=4),
        lambda row: slower(row, 0.9 + 0.1 * row.block),
    )
    put(results, "noisy", noisy)
    assert call("compare", "old", "noisy") == 0
    said = capsys.readouterr().out
    assert "xgboost hist: unclear" in said
    line = next(each for each in said.splitlines() if "construct_fit_time and fit_time:" in each)
    assert "samples of each side would tell, by the spread seen" in line


def test_what_many_cells_lack_is_one_line(results: Path, capsys: Text) -> None:
    listed = [spec(params=HIST | {"max_bin": bins}, rows=260_000) for bins in range(60, 72)]
    later = {cell.id: at / 100 for at, cell in enumerate(listed)}
    noisy = [
        slower(row, 0.8 + 0.1 * row.block + later.get(row.cell, 0))
        for row in rows_of(listed, seed=4)
    ]
    put(results, "many", rows_of(listed, seed=1), listed)
    put(results, "noisy", noisy, listed)
    assert call("compare", "many", "noisy") == 0
    said = capsys.readouterr().out
    lines = said.partition("What would make it clear\n")[2].partition("\n\n")[0].splitlines()
    assert len(lines) == 1
    assert "construct_fit_time and fit_time" in lines[0]
    assert " of 12 cells: about " in lines[0]


def test_a_narrow_window_says_what_it_does_not_show(
    results: Path, capsys: Text, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    assert call("compare", "old", "slow") == 3
    said = " ".join(capsys.readouterr().out.split())
    assert "left out for want of width: interval, evidence, samples (a wider window" in said


def test_a_bare_journal_will_do(results: Path, capsys: Text) -> None:
    journal = results / "results" / "slow" / "samples.jsonl"
    bare = results / "bare.jsonl"
    bare.write_bytes(journal.read_bytes() + b'{"torn')
    assert call("compare", "results/old", str(bare)) == 3
    assert "next: treebench compare" not in capsys.readouterr().err
    assert call("compare", str(journal), str(bare)) == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["old", "nowhere"], 1, "no run in nowhere nor in results/nowhere"),
        (["old", "new", "--band", "time"], 1, "--band time: write it as NAME=AMOUNT"),
        (["old", "new", "--figure", "speed"], 1, "'speed' is no figure"),
        (["old", "new", "--only", "rows=3"], 4, "--only 'rows=3' leaves no cell of either"),
        (["old", "new", "--only", "rows"], 1, "cannot read 'rows'"),
        (["old", "new", "--junit", "no/folder.xml"], 1, "--junit no/folder.xml: it cannot be"),
        (["old", "empty.jsonl"], 4, "empty.jsonl holds no sample"),
        (["old", "bad.jsonl"], 1, "bad.jsonl:1 is not JSON"),
    ],
)
def test_a_mistake_is_one_line(
    arguments: list[str], code: int, words: str, results: Path, capsys: Text
) -> None:
    (results / "empty.jsonl").write_text("")
    (results / "bad.jsonl").write_text("no\n")
    assert call("compare", *arguments) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert words in said.err


def test_json_has_the_rules_and_every_figure(results: Path, capsys: Text) -> None:
    asked = ("--json", "--band", "time=40%", "--figure", "load_time", "--only", "trainer=xgboost")
    assert call("compare", "old", "slow", *asked) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["set"] == {"band": {"time": 0.4}, "floor": {}}
    assert said["bounds"]["fit_time"] == {"band": 0.4, "floor": 50_000_000, "unit": "ns"}
    assert said["counts"] == {"same": 2}
    figures = {each["figure"]: each for each in said["cells"][0]["figures"]}
    assert figures["fit_time"]["ratio"] == pytest.approx(1.25, abs=0.02)
    assert {"load_time", "score:auc", "model_size", "peak_memory"} <= set(figures)


def test_markdown_is_added_to_a_summary_and_replaces_a_file(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = results / "page.md"
    page.write_text("# Earlier")
    call("compare", "old", "slow", "--markdown", "page.md")
    assert page.read_text().startswith("## old (before) against slow (after)")
    assert (
        "| flights, 260,000 rows, dense-c, xgboost hist | worse | fit\\_time |" in page.read_text()
    )
    page.write_text("# Earlier")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "page.md")
    call("compare", "old", "slow", "--markdown", "page.md")
    assert page.read_text().startswith("# Earlier\n\n## old (before)")
    assert sorted(os.listdir(results)) == ["page.md", "results"]


def test_junit_has_a_test_for_each_cell(results: Path) -> None:
    name = 'fli<ghts> & "co" \x00\x1b]]> \ufffe'
    odd = [dataclasses.replace(each, dataset=name) for each in cells()]
    put(results, "first", rows_of(odd, seed=1), odd)
    later = only(odd[0], rows_of(odd, seed=2), lambda row: slower(row, 1.25))
    later = [row for row in later if row.cell != odd[2].id]
    hurt = failed(odd[1], 9, "error", "bad \x07 & <thing> ]]>")
    later.append(dataclasses.replace(hurt, must_match=MATCHING))
    put(results, "second", later, odd)
    assert call("compare", "first", "second", "--junit", "out.xml") == 3
    suite = ElementTree.fromstring((results / "out.xml").read_bytes())[0]  # noqa: S314
    assert suite.attrib == {
        "name": "first against second", "tests": "3", "failures": "1", "errors": "1",
        "skipped": "1",
    }  # fmt: skip
    endings = [case[0].tag for case in suite]
    assert endings == ["failure", "error", "skipped"]
    assert "fit_time +25.2 %" in suite[0][0].attrib["message"]
    assert "bad \\x07 & <thing> ]]>" in suite[1][0].attrib["message"]
    assert suite[0].attrib["name"].startswith('fli<ghts> & "co" \\x00\\x1b]]> \\ufffe, 260,000')


def test_narrow_screens_keep_what_changed(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: Text
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    call("compare", "old", "slow")
    head = capsys.readouterr().out.splitlines()
    titles = next(line for line in head if "verdict" in line)
    assert titles.split() == ["verdict", "figure", "before", "after", "change"]
