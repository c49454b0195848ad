"""Curves in words, on a page, in a picture and as JSON, from runs whose truth is known."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

from tests.analysis.curves.growing import SIZES, grown_run, hist, lightgbm, stepped
from treebench.analysis.curves.growth import growth, usual_growth
from treebench.analysis.figures import figure_named
from treebench.report import scales, scaling_text
from treebench.report.render import png
from treebench.report.scaling_chart import scaling_pictures
from treebench.report.scaling_raw import raw_growth
from treebench.report.scaling_screen import Told, scaling_screen
from treebench.report.terminal import Screen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treebench.analysis.curves.growth import AxisCurves, Growth
    from treebench.analysis.overview import Overview
    from treebench.plan.cell import CellSpec

BEYOND = (12_500, 25_000, 50_000, 100_000, 200_000, 400_000, 800_000)


def cost(cell: CellSpec) -> float:
    """LightGBM has a break at 200,000 rows, XGBoost grows as n^1.5 with nothing fixed."""
    return stepped(cell.rows) if cell.trainer == "lightgbm" else 100.0 * cell.rows**1.5


@pytest.fixture(scope="module")
def run() -> Overview:
    return grown_run([*map(lightgbm, BEYOND), *map(hist, BEYOND)], cost)


@pytest.fixture(scope="module")
def grown(run: Overview) -> Growth:
    return growth(run, ["rows"], [figure_named("fit_time")])


def only_axis(grown: Growth) -> AxisCurves:
    (one,) = grown.along
    return one


def test_a_series_has_a_row_for_each_regime(grown: Growth) -> None:
    rows = scaling_text.rows(only_axis(grown).curves)
    assert [row[0] for row in rows] == ["lightgbm", "lightgbm, from there on", "xgboost hist"]
    assert rows[0][1] == "5: 12.5k to 200k"
    assert rows[1][2].endswith("(2 sizes)")
    assert rows[2][2].startswith("1.5")
    assert rows[2][3] == "1.00 (n)"
    assert rows[2][-1] == "steeper"
    assert all(len(row) == len(scaling_text.TITLES) for row in rows)


def test_a_change_and_what_lies_beside_theory_are_put_in_words(grown: Growth) -> None:
    text = "\n".join(scaling_text.sentences(only_axis(grown)))
    assert "flights, lightgbm: the curve changes between rows 200,000 and 400,000" in text
    assert "LightGBM finds bins on 200,000 rows" in text
    assert "flights, xgboost hist: steeper than theory has it: 1.5" in text


def test_an_unexplained_change_is_called_that() -> None:
    run = grown_run(map(hist, BEYOND), lambda cell: stepped(cell.rows))
    text = "\n".join(scaling_text.sentences(only_axis(growth(run, ["rows"], [_fit_time()]))))
    assert "as high there as the first: unexplained" in text


def test_what_is_said_of_several_series_is_said_once() -> None:
    cells = [*map(hist, SIZES[:3]), *map(lightgbm, SIZES[:3])]
    run = grown_run(cells, lambda cell: 2000.0 * cell.rows)
    said = scaling_text.sentences(only_axis(growth(run, ["rows"], [_fit_time()])))
    found = [text for text in said if "a curve meets them whatever its true shape" in text]
    assert len(found) == 1
    assert found[0].endswith("(flights, xgboost hist; flights, lightgbm)")


def test_a_narrow_screen_gives_up_columns_and_says_so(run: Overview, grown: Growth) -> None:
    told = Told({}, "treebench report x")
    wide = scaling_screen(run, grown, told, Screen(None, colour=False, rules=False))
    narrow = scaling_screen(run, grown, told, Screen(80, colour=False, rules=False))
    assert "left out for want of width" not in wide
    assert "left out for want of width: " in narrow
    assert max(map(len, narrow.splitlines())) <= 80
    for text in (wide, narrow):
        assert "exponent" in text
        assert text.endswith("next: treebench report x\n")


def test_a_run_without_curves_has_no_picture() -> None:
    run = grown_run(map(hist, SIZES[:2]), lambda cell: 2000.0 * cell.rows)
    grown = usual_growth(run)
    assert not grown.any_fitted
    assert scaling_pictures(grown) == []


def test_a_report_shows_time_against_each_axis_of_three_sizes() -> None:
    cells = [hist(rows, n_estimators=trees) for rows in SIZES for trees in (10, 20)]
    grown = usual_growth(grown_run(cells, lambda cell: 2000.0 * cell.rows))
    assert [one.axis for one in grown.along] == ["rows", "rows"]
    assert [len(one.curves) for one in grown.along] == [1, 1]
    assert scaling_text.heading(grown.along[0]).endswith("; at n_estimators 20")
    assert [picture.name for picture in scaling_pictures(grown)] == [
        "scaling-construct_fit_time-by-rows",
        "scaling-construct_fit_growth-by-rows",
    ]


def test_the_picture_has_samples_curves_bands_breaks_and_what_was_foretold(grown: Growth) -> None:
    (picture,) = scaling_pictures(grown)
    chart = picture.chart.to_dict()
    area, breaks, lines, samples, bars, rings = _layers(chart)
    assert len(samples) == 2 * 5 * len(BEYOND)
    assert {point["series"] for point in breaks} == {"lightgbm"}
    assert breaks[0]["x"] == pytest.approx((200_000 * 400_000) ** 0.5)
    assert {line["segment"] for line in lines} == {
        "lightgbm from 12500",
        "lightgbm from 400000",
        "xgboost hist from 12500",
    }
    assert all(point["low"] <= point["value"] <= point["high"] for point in area)
    assert {ring["series"] for ring in rings} == {"xgboost hist"}
    assert bars == rings
    assert rings[0]["x"] > BEYOND[-1]
    assert png(picture.chart).startswith(b"\x89PNG")


def test_a_picture_holds_what_else_varies() -> None:
    cells = [hist(rows, n_estimators=trees) for rows in SIZES for trees in (10, 20)]
    run = grown_run(cells, lambda cell: 2000.0 * cell.rows)
    (picture,) = scaling_pictures(growth(run, ["rows"], [_fit_time()]))
    chart = picture.chart.to_dict()
    assert chart["title"]["subtitle"][0].startswith("held at: n_estimators ")
    assert len({point["series"] for point in _layers(chart)[3]}) == 1


def test_json_has_every_part_unrounded(grown: Growth) -> None:
    said = json.loads(json.dumps(raw_growth(grown)))
    first, second = said["curves"]
    assert first["change"]["after"] == 200_000
    assert first["known_step"]["source"] == "LightGBM's parameter bin_construct_sample_cnt"
    assert [len(each["sizes"]) for each in first["segments"]] == [5, 2]
    assert second["segments"][0]["exponent_band"]["low"] <= 1.5
    assert second["verdict"] == "steeper"
    assert second["held_out"]["relative_error"] == pytest.approx(0, abs=0.2)
    assert len(second["samples"]) == 5 * len(BEYOND)
    assert said["together"] == []


def _fit_time() -> Any:
    return figure_named("fit_time")


def _layers(chart: dict[str, Any]) -> list[list[dict[str, Any]]]:
    (facet,) = chart["concat"]
    return list(_data(chart, facet))


def _data(chart: dict[str, Any], facet: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    for layer in facet["layer"]:
        data = layer["data"]
        yield data["values"] if "values" in data else chart["datasets"][data["name"]]


def test_breaks_at_one_place_are_drawn_beside_one_another() -> None:
    cells = [*map(lightgbm, BEYOND), *map(hist, BEYOND)]
    run = grown_run(cells, lambda cell: stepped(cell.rows))
    (picture,) = scaling_pictures(growth(run, ["rows"], [_fit_time()]))
    places = [each["x"] for each in _layers(picture.chart.to_dict())[1]]
    assert len(places) == 2
    assert places[0] < places[1] < places[0] * 1.05


def test_plain_numbers_have_round_ticks_on_a_log_axis() -> None:
    few = scales.number_log([1_200.0, 9_000.0])
    assert set(few.values) == {2_000, 5_000, 10_000}
    assert few.texts == ("2k", "5k", "10k")
    many = scales.number_log([0.002, 4_000_000.0])
    assert few.log
    assert many.texts[0] == "0.001"
    assert all(value == 10 ** round(math.log10(value)) for value in many.values)
