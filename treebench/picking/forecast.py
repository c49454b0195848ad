"""What is known beforehand of a cell: its memory and its time, each with an interval."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from treebench.plan.build import PlannedCell
    from treebench.store.row import SampleRow


CALIBRATED = "calibrated"
"""The basis of a forecast that rests on samples of this data."""


@dataclass(frozen=True)
class Forecast:
    """Bytes, or seconds: an interval and the likeliest value. `phase` is where memory peaks and
    `terms` where it goes, in bytes; `basis` is what the forecast rests on."""

    low: float
    mid: float
    high: float
    phase: str | None = None
    terms: dict[str, int] = field(default_factory=dict)
    basis: str = ""

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {
            "low": self.low,
            "mid": self.mid,
            "high": self.high,
            "phase": self.phase,
            "terms": self.terms,
            "basis": self.basis,
        }


class Foresight(Protocol):
    """Something that forecasts cells, and learns from samples.

    Memory is the peak of the worker's process tree up to the end of fit, which is what a limit
    must allow; time is that of load, convert, construct and fit.
    """

    def memory(self, cell: PlannedCell) -> Forecast:
        """Bytes."""

    def seconds(self, cell: PlannedCell) -> Forecast | None:
        """Seconds; None while nothing like it was measured."""

    def saw(self, cell: PlannedCell, row: SampleRow) -> None:
        """A sample ended, well or badly."""
