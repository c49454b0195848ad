from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import altair as alt

from tests.history import made
from tests.history.made import FIRST, put_night
from treebench.history.parts import read_history
from treebench.history.series import all_series
from treebench.report.history_chart import history_chart

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
