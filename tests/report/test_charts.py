from __future__ import annotations

import struct
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest

from tests.analysis.rows import (
    CONTROL,
    EXACT,
    HIST,
    LIGHTGBM,
    exact_vs_hist,
    facts,
    failed,
    realistic,
    samples,
    spec,
)
from treebench.analysis.overview import Overview, overview
from treebench.report.charts import Picture, pictures
from treebench.report.frame import Framed
from treebench.report.palette import OKABE_ITO, SHAPES, look_of
from treebench.report.render import png, svg

if TYPE_CHECKING:
    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow


def run_of(cells: list[CellSpec], rows: list[SampleRow] | None = None) -> Overview:
    measured = list(chain.from_iterable(map(samples, cells))) if rows is None else rows
    return overview(facts(cells), measured + samples(CONTROL))


def drawn(run: Overview) -> dict[str, Picture]:
    return {picture.name: picture for picture in pictures(run)}


def data_of(picture: Picture) -> list[dict[str, Any]]:
    """All records that a picture is drawn from."""
    found: list[dict[str, Any]] = []

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if isinstance(node.get("values"), list) and "format" not in node:
                found.extend(each for each in node["values"] if isinstance(each, dict))
            for each in node.values():
                walk(each)
        elif isinstance(node, list):
            for each in node:
                walk(each)

    walk(picture.chart.to_dict())
    return found


def test_rows_that_vary_are_the_x_axis() -> None:
    assert list(drawn(run_of(exact_vs_hist()))) == [
        "time-by-rows",
        "memory-by-rows",
        "phases",
        "memory-split",
        "score-by-time",
        "pareto",
    ]


def test_one_size_gives_bars() -> None:
    names = list(drawn(run_of(exact_vs_hist(sizes=(20_000,)))))
    assert names == ["time", "memory", "phases", "memory-split", "score-by-time", "pareto"]


def test_a_parameter_that_varies_has_its_own_pictures() -> None:
    cells = [spec("lightgbm", LIGHTGBM | {"max_bin": bins}) for bins in (63, 255)]
    found = drawn(run_of([*cells, spec("xgboost", EXACT)]))
    assert list(found)[:3] == ["time-by-max_bin", "memory-by-max_bin", "score-by-max_bin"]
    over_bins = [each for each in data_of(found["time-by-max_bin"]) if "text" not in each]
    assert {each["series"] for each in over_bins} == {"lightgbm"}


def test_what_is_held_is_said() -> None:
    cells = [
        spec("lightgbm", LIGHTGBM | {"max_bin": bins}, rows=rows)
        for bins in (63, 255)
        for rows in (20_000, 80_000)
    ]
    found = drawn(run_of(cells))
    subtitle = found["time-by-max_bin"].chart.to_dict()["title"]["subtitle"]
    assert subtitle[0] == "held at: rows 80,000"


def test_points_are_the_medians_and_intervals() -> None:
    run = run_of([spec(rows=rows) for rows in (20_000, 80_000)])
    known = run.cells[0].construct_fit_wall_ns.estimate
    assert known is not None
    assert known.interval is not None
    point = next(each for each in data_of(drawn(run)["time-by-rows"]) if each["x"] == 20_000)
    assert (point["value"], point["low"], point["high"]) == (
        known.median,
        known.interval.low,
        known.interval.high,
    )


def test_a_series_that_failed_at_the_largest_size_is_not_drawn_at_a_smaller_one() -> None:
    cells = [spec(rows=rows) for rows in (20_000, 80_000)]
    slow = [spec("xgboost", EXACT, rows=rows) for rows in (20_000, 80_000)]
    rows = [*samples(cells[0]), *samples(cells[1]), *samples(slow[0])]
    found = drawn(run_of([*cells, *slow], [*rows, failed(slow[1], 0, "timeout", "no answer")]))
    assert {each["name"] for each in data_of(found["phases"])} == {"xgboost hist"}
    subtitle = " ".join(found["phases"].chart.to_dict()["title"]["subtitle"])
    assert "no sample ended well: xgboost exact, dense-c at 80k rows" in subtitle


def test_a_partial_run_is_drawn_at_the_sizes_it_came_to() -> None:
    cells = [spec(rows=rows) for rows in (20_000, 80_000, 260_000)]
    found = drawn(run_of(cells, [*samples(cells[0]), *samples(cells[1])]))
    assert "80,000 training rows" in str(found["phases"].chart.to_dict())


def test_the_stack_of_phases_is_the_sum_of_their_medians() -> None:
    run = run_of([spec()])
    walls = [figure.median for figure in run.cells[0].wall_ns.values()]
    ends = [each["value"] for each in data_of(drawn(run)["phases"]) if "part" in each]
    assert max(ends) == pytest.approx(sum(wall for wall in walls if wall is not None))


def test_memory_is_drawn_beside_the_size_of_the_data_where_near() -> None:
    near = run_of([spec(rows=rows, features=400) for rows in (20_000, 260_000)])
    sizes = [e for e in data_of(drawn(near)["memory-by-rows"]) if "series" not in e]
    assert 260_000 * 400 * 4 in [each["value"] for each in sizes]
    far = run_of([spec(rows=rows) for rows in (20_000, 80_000)])
    picture = drawn(far)["memory-by-rows"]
    assert all("series" in each for each in data_of(picture))
    assert "3.66 MiB at most" in str(picture.chart.to_dict()["title"])


def test_an_unknown_peak_is_not_drawn_as_zero() -> None:
    run = overview(*realistic())
    values = [each["value"] for each in data_of(drawn(run)["memory-by-rows"])]
    assert min(values) > 100 * 2**20


def test_a_run_without_scores_has_no_picture_of_them() -> None:
    cells = [spec(rows=rows) for rows in (20_000, 80_000)]
    rows = [replace(row, score=None) for cell in cells for row in samples(cell)]
    assert "score-by-time" not in drawn(run_of(cells, rows))


def test_colours_and_shapes_of_series_stay_the_same_in_all_pictures() -> None:
    look = look_of(["a", "b", "c", "b"])
    assert look.labels == ("a", "b", "c")
    assert look.only(["c"]).colours == [OKABE_ITO[2]]
    assert look.only(["c"]).shapes == [SHAPES[2]]


def test_fifty_series_differ_in_colour_or_shape() -> None:
    look = look_of([str(number) for number in range(50)])
    assert len(set(zip(look.colours, look.shapes, strict=True))) == 50


def test_text_is_drawn_and_sizes_suit_a_readme() -> None:
    picture = drawn(run_of(exact_vs_hist(sizes=(20_000, 80_000), layouts=("dense-c",))))
    image = png(picture["time-by-rows"].chart)
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", image[16:24])
    assert 1400 <= width <= 1900
    assert 700 <= height <= 1200
    drawing = svg(picture["time-by-rows"].chart)
    for text in ("training rows", "20k", "80k", "xgboost hist", "500 ms"):
        assert f">{text}</text>" in drawing
    assert "http" not in drawing.replace("http://www.w3.org", "")


def test_the_text_of_a_png_takes_ink() -> None:
    # A font that is not found leaves the text out without a word.
    cells = [spec(rows=rows) for rows in (20_000, 80_000)]
    chart = drawn(run_of(cells))["time-by-rows"].chart
    spec_of = chart.to_dict()
    white = {"color": "white", "subtitleColor": "white"}
    bare = Framed({**spec_of, "title": {**spec_of["title"], **white}})
    assert len(png(chart)) > len(png(bare)) + 500


def test_a_depth_axis_is_linear() -> None:
    cells = [spec("xgboost", HIST | {"max_depth": depth}) for depth in (2, 4, 8, 16)]
    assert "'type': 'linear'" in str(drawn(run_of(cells))["time-by-max_depth"].chart.to_dict())
    wide = [spec(rows=rows) for rows in (2, 4, 8, 16)]
    assert "'type': 'linear'" not in str(drawn(run_of(wide))["time-by-rows"].chart.to_dict())


def bins_run(rows: tuple[int, ...] = (80_000,)) -> Overview:
    """Two series over max_bin, and exact, which has none."""
    over_bins = [
        spec(trainer, params | {"max_bin": bins}, rows=n)
        for trainer, params in (("xgboost", HIST), ("lightgbm", LIGHTGBM))
        for bins in (15, 63, 255)
        for n in rows
    ]
    return run_of([*over_bins, *(spec("xgboost", EXACT, rows=n) for n in rows)])


def test_a_series_without_the_axis_is_a_level_line_with_its_name() -> None:
    run = bins_run()
    (exact,) = [cell for cell in run.cells if "max_bin" not in cell.spec.params]
    picture = drawn(run)["time-by-max_bin"]
    named = [each for each in data_of(picture) if "text" in each]
    assert {each["text"] for each in named} == {"xgboost exact"}
    assert {each["value"] for each in named} == {exact.construct_fit_wall_ns.median}
    assert "a series that has no max_bin" in str(picture.chart.to_dict()["title"])
    assert {each["series"] for each in data_of(picture) if "text" not in each} == {
        "xgboost hist",
        "lightgbm",
    }


def test_a_level_line_stands_for_the_same_rows_only() -> None:
    run = bins_run(rows=(20_000, 80_000))
    named = [each for each in data_of(drawn(run)["time-by-max_bin"]) if "text" in each]
    largest = [c for c in run.cells if c.spec.rows == 80_000 and "max_bin" not in c.spec.params]
    assert {each["value"] for each in named} == {largest[0].construct_fit_wall_ns.median}


def test_two_level_lines_at_one_height_share_a_name() -> None:
    cells = [spec("xgboost", HIST | {"max_bin": bins}) for bins in (15, 255)]
    cells += [spec("xgboost", EXACT), spec("xgboost", EXACT | {"reg_lambda": 2.0})]
    texts = {
        each["text"] for each in data_of(drawn(run_of(cells))["time-by-max_bin"]) if "text" in each
    }
    assert any("; " in text for text in texts)


def test_where_all_have_the_axis_no_level_line_is_spoken_of() -> None:
    cells = [spec("xgboost", HIST | {"max_bin": bins}) for bins in (15, 255)]
    picture = drawn(run_of(cells))["time-by-max_bin"]
    assert "level" not in str(picture.chart.to_dict()["title"])


def test_cells_that_were_never_taken_are_not_called_failed() -> None:
    cells = [spec(rows=rows) for rows in (20_000, 80_000)]
    never = [spec("xgboost", EXACT, rows=rows) for rows in (20_000, 80_000)]
    found = drawn(run_of([*cells, *never], [each for cell in cells for each in samples(cell)]))
    assert "not drawn" not in str(found["time-by-rows"].chart.to_dict())


def test_every_mark_of_a_curve_says_what_it_is() -> None:
    picture = drawn(run_of(exact_vs_hist()))["time-by-rows"]
    (facet,) = picture.chart.to_dict()["concat"]
    marks = [each for each in facet["layer"] if each["mark"]["type"] in ("point", "rule")]
    assert len(marks) == 2
    assert all(each["encoding"]["tooltip"]["field"] == "said" for each in marks)
    said = next(each["said"] for each in data_of(picture) if "said" in each)
    assert " rows: " in said


def test_series_with_intervals_stand_beside_one_another_and_keep_their_place() -> None:
    points = data_of(drawn(run_of(exact_vs_hist()))["time-by-rows"])
    at_one = [each for each in points if each.get("x") == 80_000 and "at" in each]
    assert len({each["at"] for each in at_one}) == len(at_one) > 1
    assert all(abs(each["at"] / 80_000 - 1) < 0.1 for each in at_one)
