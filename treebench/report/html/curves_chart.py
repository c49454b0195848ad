"""The page's chart of any figure against any axis: one spec, which the page fills with data.

Texts that the page replaces begin with `@`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from treebench.report import frame
from treebench.report.palette import DASHES, OKABE_ITO, SHAPES

if TYPE_CHECKING:
    from collections.abc import Sequence

_WIDTH, _HEIGHT = 700, 400
X_SCALE, Y_SCALE = "pow", "sqrt"
"""What stands for the scales to come: kinds that a spec may name, and no chart here has."""


def curves_spec(layouts: Sequence[str]) -> dict[str, Any]:
    """The spec. Its data are `points` (x, at, value, low, high, series, layout, text) and `fits`
    (x, value, low, high, series, segment); `at` is where a point is drawn, at x or beside it."""
    labels = alt.Scale(domain=["@series"], range=["@colours"])
    shapes = alt.Scale(domain=["@series"], range=["@shapes"])
    dashes = alt.Scale(domain=list(layouts), range=[DASHES[name] for name in layouts])
    legend = alt.Legend(title="series", orient="bottom", columns=3, symbolOpacity=1)
    by_layout = alt.Legend(title="layout", orient="bottom") if len(layouts) > 1 else None
    x_axis = alt.Axis(title="@x", grid=False, values=["@values"], labelExpr="@x-labels")
    y_axis = alt.Axis(title="@y", labelExpr="@y-labels", tickCount=8)
    x_scale = alt.Scale(type=X_SCALE, nice=False, zero=False, padding=18)
    x, at = (alt.X(field, axis=x_axis, scale=x_scale) for field in ("x:Q", "at:Q"))
    y_scale = alt.Scale(type=Y_SCALE, nice=False, zero=False, padding=18)
    y = alt.Y("value:Q", axis=y_axis, scale=y_scale)
    low = alt.Y("low:Q", axis=y_axis, scale=y_scale)
    colour = alt.Color("series:N", scale=labels, legend=legend)
    points = alt.Chart(alt.NamedData("points")).encode(x=at, color=colour)
    fits = alt.Chart(alt.NamedData("fits")).encode(x=x, color=colour)
    dash = alt.StrokeDash("layout:N", scale=dashes, legend=by_layout)
    chart = alt.layer(
        fits.mark_area(opacity=0.16, clip=True).encode(y=low, y2="high:Q", detail="segment:N"),
        fits.mark_line(strokeWidth=1.2, clip=True).encode(y=y, detail="segment:N"),
        points.mark_line(strokeWidth=2).encode(y=y, strokeDash=dash),
        points.mark_rule(strokeWidth=2).encode(y=low, y2="high:Q"),
        points.mark_point(filled=True, size=85, opacity=1).encode(
            y=y,
            shape=alt.Shape("series:N", scale=shapes, legend=legend),
            tooltip=alt.Tooltip("text:N", title="cell"),
        ),
    ).properties(width=_WIDTH, height=_HEIGHT)
    whole = frame.framed([chart], "@title", ["@subtitle"], columns=1)
    spec: dict[str, Any] = whole.to_dict(validate=False)
    return spec


def looks() -> dict[str, Sequence[str]]:
    """The colours and shapes of the series, in the palette's order."""
    return {"colours": OKABE_ITO, "shapes": SHAPES}
