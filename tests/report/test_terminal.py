from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest

from tests.analysis.rows import (
    HIST,
    LIGHTGBM,
    MS,
    exact_vs_hist,
    facts,
    phase,
    realistic,
    row,
    samples,
    spec,
)
from treebench.analysis.overview import Overview, overview
from treebench.report.columns import main_columns
from treebench.report.lines import SORT_KEYS, by_dataset, lines
from treebench.report.screens import cell_screen, phases_screen, run_screen
from treebench.report.terminal import Screen, fitting, screen_of

PIPE = Screen(None, colour=False, rules=False)


def run_text(run: Overview, screen: Screen, sort: str = "rows", *, reverse: bool = False) -> str:
    return run_screen(run, by_dataset(lines(run), sort, reverse=reverse), "name", screen)


def table_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if "dense-c" in line or "csr" in line]


@pytest.mark.parametrize("width", [80, 100, 120])
def test_no_line_of_a_table_is_wider_than_the_screen(width: int) -> None:
    text = run_text(overview(*realistic()), Screen(width, colour=False, rules=True))
    assert max(map(len, text.splitlines())) <= width
    listed = [line for line in text.splitlines() if line.endswith(("5/5", "0/5", "3/5", "0/1"))]
    assert len(listed) == 28


def test_what_is_left_out_for_want_of_width_is_said() -> None:
    run = overview(*realistic())
    narrow = run_text(run, Screen(80, colour=False, rules=True))
    assert "left out for want of width: interval, spread, data | container | fit" in narrow
    assert "a wider window shows them, and so does `| less -S`" in " ".join(narrow.split())
    assert "left out" not in run_text(run, Screen(120, colour=False, rules=True))


def test_columns_that_name_a_cell_are_never_given_up() -> None:
    listed = lines(overview(*realistic()))
    kept, _ = fitting(main_columns(listed), listed, 10)
    assert [column.title for column in kept][:3] == ["rows", "series", "layout"]


def test_a_pipe_gets_plain_text_with_one_line_per_cell() -> None:
    text = run_text(overview(*realistic()), PIPE)
    assert "\x1b" not in text
    assert not set(text) & set("\u2500\u2502\u2501|") - {"|"}
    assert all(line == line.rstrip() for line in text.splitlines())
    line = next(line for line in text.splitlines() if "sklearn-hist-gbdt" in line)
    assert line.split()[:3] == ["20,000", "sklearn-hist-gbdt", "dense-c"]


def test_colour_is_for_terminals_that_want_it() -> None:
    run = overview(*realistic())
    assert "\x1b[1m" in run_text(run, Screen(120, colour=True, rules=True))
    assert "\x1b" not in run_text(run, Screen(120, colour=False, rules=True))


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise AssertionError("the width is stated, so no terminal is asked")


def test_the_environment_decides_over_colour_and_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "90")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert screen_of(Terminal()) == Screen(90, colour=True, rules=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert screen_of(Terminal()) == Screen(90, colour=False, rules=True)
    monkeypatch.delenv("COLUMNS")
    assert screen_of(io.StringIO()).width is None


def test_an_encoding_without_dashes_gets_plain_ones() -> None:
    text = run_text(overview(*realistic()), Screen(None, False, False, "ascii"))
    assert text.isascii()
    assert "164-169 ms" in text


@pytest.mark.parametrize("reverse", [False, True])
def test_sorting_by_time_puts_the_unknown_last(reverse: bool) -> None:
    group = by_dataset(lines(overview(*realistic())), "time", reverse=reverse)["flights"]
    known = [m for line in group if (m := line.cell.construct_fit_wall_ns.median) is not None]
    assert known == sorted(known, reverse=reverse)
    assert [line.cell.n_ok for line in group[-2:]] == [0, 0]


def test_sorting_by_score_puts_the_best_first() -> None:
    group = by_dataset(lines(overview(*realistic())), "score", reverse=False)["flights"]
    scores = [line.score.median for line in group if line.score is not None and line.score.median]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("sort", list(SORT_KEYS))
def test_every_key_sorts_every_line(sort: str) -> None:
    run = overview(*realistic())
    grouped = by_dataset(lines(run), sort, reverse=False)
    assert sum(map(len, grouped.values())) == len(run.cells)


def test_failures_and_gaps_are_explained() -> None:
    text = run_text(overview(*realistic()), PIPE)
    for said in (
        "partial run: 136 of 140 samples have an outcome (97.1 %); to go on: treebench run",
        "flights, 260,000 rows, dense-c, xgboost exact: 5 of 5 timeout in fit: no answer within",
        "2 of 5 oom in fit: killed at 2.0 GiB",
        "more of one: treebench show name --cell",
        "3 cells (flights csr): sklearn-hist-gbdt: HistGradientBoosting takes no sparse input",
        "1 cell: xgboost: max_bin has no meaning for exact",
        "peak RSS of 1 cell: fit: /proc/PID/clear_refs is not writable",
        "at a level of 75 % with 3 samples and 93.75 % with 5 samples",
        "control cell: ",
        "next: treebench report name",
    ):
        assert said in text


@pytest.mark.parametrize(("slowest_ms", "warned"), [(149, False), (180, True)])
def test_medians_of_restless_cells_are_warned_of(slowest_ms: int, warned: bool) -> None:
    cell = spec()
    walls = (100, 100, slowest_ms)
    rows = [row(cell, n, phases={"fit": phase(wall * MS)}) for n, wall in enumerate(walls)]
    text = run_text(overview(facts([cell], planned=3), rows), PIPE)
    said = "more than 50 % of its median in 1 of 1 cell (at most 80.0 %)"
    assert (said in text) == warned


def test_more_threads_than_asked_for_are_warned_of() -> None:
    cells = [spec(threads=1), spec(threads=2), spec("lightgbm", LIGHTGBM)]
    rows = [
        replace(one, must_match={"threads_seen": {"libgomp.so.1": 2, "libopenblas.so": 8}})
        for cell in cells
        for one in samples(cell, 2)
    ]
    text = " ".join(run_text(overview(facts(cells), rows), PIPE).split())
    assert "warning: in 1 cell of xgboost, OpenMP had more threads than asked for " in text
    assert "(libgomp.so.1 2 for 1)" in text
    assert text.count("more threads than asked for") == 1
    assert "more threads" not in run_text(overview(facts(cells[1:]), rows[2:]), PIPE)


def test_a_complete_run_has_nothing_to_excuse() -> None:
    cells = exact_vs_hist(sizes=(20_000,), layouts=("dense-c",))
    text = run_text(overview(facts(cells), [r for c in cells for r in samples(c)]), PIPE)
    for absent in ("partial", "Failed", "Unsupported", "Missing", "Stood for"):
        assert absent not in text


def test_axes_that_vary_are_columns_and_others_stand_in_the_title() -> None:
    cells = [spec(threads=n) for n in (1, 2)]
    text = run_text(overview(facts(cells), [r for c in cells for r in samples(c)]), PIPE)
    assert "flights, 12 features\n" in text
    assert "threads  series" in text


def test_phases_are_shown_apart() -> None:
    run = overview(*realistic())
    text = phases_screen(run, by_dataset(lines(run), "rows", reverse=False), "name", PIPE)
    assert re.search(r"construct +fit +predict +save +total\n", text)
    assert "peak in" in text
    assert len(table_lines(text)) == 2 * 28


def test_one_cell_shows_its_samples_and_its_last_words() -> None:
    run = overview(*realistic())
    line = next(line for line in lines(run) if line.label == "lightgbm col-wise")
    text = cell_screen(run, line, PIPE)
    assert "histogram = col-wise" in text
    assert "block 0: error (error, phase construct): LightGBMError: bad | thing" in text
    assert "| [LightGBM] [Fatal] bad | thing" in text


def test_labels_in_the_table_name_every_parameter_that_varies() -> None:
    cells = [
        spec("lightgbm", LIGHTGBM | {"max_bin": 63}),
        spec("lightgbm", LIGHTGBM),
        spec("xgboost", HIST),
    ]
    text = run_text(overview(facts(cells), [r for c in cells for r in samples(c)]), PIPE)
    for label in ("lightgbm max_bin 63", "lightgbm max_bin 255", "xgboost hist"):
        assert f"20,000  {label}  " in text


def test_on_a_narrow_screen_the_phases_still_say_whose_they_are() -> None:
    run = overview(*realistic())
    grouped = by_dataset(lines(run), "rows", reverse=False)
    text = phases_screen(run, grouped, "name", Screen(80, colour=False, rules=True))
    heading = next(line for line in text.splitlines() if "layout" in line)
    for column in ("series", "construct", "fit", "total"):
        assert column in heading
    assert "left out for want of width: " in text
    assert max(map(len, text.splitlines())) <= 80
