from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import altair as alt

from tests.history import made
from tests.history.made import FIRST, put_night
from treebench.history.parts import read_history
from treebench.history.series import all_series
from treebench.report.history_chart import history_chart
from treebench.report.history_events import Event

if TYPE_CHECKING:
    from pathlib import Path


def test_a_chart_of_nights_is_of_the_vega_lite_that_the_page_holds(tmp_path: Path) -> None:
    """GIVEN a schema of another version THEN the browser's console would warn at every chart."""
    for day in range(3):
        put_night(tmp_path, day, made.rows(day))
    morning: Any = SimpleNamespace(history=read_history(tmp_path))
    series = list(all_series(morning.history, ["fit_time"], [FIRST.id]))
    chart = history_chart(morning, series, [])
    assert chart["$schema"] == alt.SCHEMA_URL
    assert len(chart["concat"]) == len(series) == 1


def test_letters_of_one_night_stand_side_by_side(tmp_path: Path) -> None:
    for day in range(4):
        put_night(tmp_path, day, made.rows(day))
    morning: Any = SimpleNamespace(history=read_history(tmp_path))
    series = list(all_series(morning.history, ["fit_time"], [FIRST.id]))
    events = [
        Event("versions", made.name(2), None, "xgboost 3.1.0 to 3.2.0"),
        Event("regression", made.name(2), "fit_time", "confirmed"),
        Event("acknowledged", made.name(3), "fit_time", "so be it"),
    ]
    (facet,) = history_chart(morning, series, events)["concat"]
    letters = [layer for layer in facet["layer"] if layer["mark"]["type"] == "text"]
    assert {each["mark"]["text"]: each["data"]["values"][0]["place"] for each in letters} == {
        "V": 0,
        "R": 1,
        "A": 0,
    }
    assert {each["mark"]["dx"]["expr"] for each in letters} == {"13 * datum.place"}


def test_the_axis_of_dates_has_room_on_both_sides_without_a_domain_that_vega_warns_of(
    tmp_path: Path,
) -> None:
    for day in range(4):
        put_night(tmp_path, day, made.rows(day))
    morning: Any = SimpleNamespace(history=read_history(tmp_path))
    (facet,) = history_chart(
        morning, list(all_series(morning.history, ["fit_time"], [FIRST.id])), []
    )["concat"]
    assert "domain" not in facet["encoding"]["x"]["scale"]
    first, last = (each["at"] for each in facet["layer"][0]["data"]["values"])
    nights = [each.at.timestamp() * 1e3 for each in morning.history.nights]
    assert first <= nights[0] - 12 * 3600e3
    assert last >= nights[-1] + 12 * 3600e3
