"""Whether the machine itself got slower or faster between two sides: the control cell's change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.analysis.comparing.rule import Bounds, change_of, verdict
from treebench.analysis.figures import figure_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.comparing.rule import Change
    from treebench.analysis.comparing.rules import Rules


@dataclass(frozen=True)
class ControlChange:
    """The change of the control cell's fit time, in nanoseconds. `moved`: beyond the band of
    times, whatever its floor, and by more than chance."""

    change: Change
    moved: bool


def control_change(
    before: Sequence[float], after: Sequence[float], rules: Rules
) -> ControlChange | None:
    """The change between two sets of the control cell's times; None where one is empty."""
    if not before or not after:
        return None
    figure = figure_named("fit_time")
    change = change_of(before, after)
    bounds = Bounds(rules.bounds_of(figure).band, 0.0)
    found = verdict(change, figure, change.chance, bounds=bounds)
    return ControlChange(change, found in ("worse", "better"))
