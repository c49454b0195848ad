"""The curve of a cell: what its samples say of each iteration that was scored."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from treebench.analysis import iterations
from treebench.analysis.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.store.row import SampleRow


@dataclass(frozen=True)
class CurvePoint:
    """One iteration: medians over the samples. `wall_ns` counts from the start of fit; `test` and
    `validation` are the main score. None is not known."""

    iteration: int
    wall_ns: float | None
    test: float | None
    validation: float | None


@dataclass(frozen=True)
class CellCurve:
    """`metric` is the main score; `best_iteration` the median over the samples of the one that
    each chose by its validation part, which is one of the points; `missing` are reasons by name, as
    in a row."""

    metric: str | None
    n_iterations: int
    points: tuple[CurvePoint, ...]
    best_iteration: int | None
    missing: dict[str, str]

    @property
    def best(self) -> CurvePoint | None:
        """The point of the best iteration."""
        return next((p for p in self.points if p.iteration == self.best_iteration), None)


def cell_curve(rows: Sequence[SampleRow]) -> CellCurve | None:
    """The curve of samples of one cell; None where none has one. Those that are unlike the
    longest of them are left out: a model may have another number of iterations, and a deadline may
    cut a curve off."""
    known = [row for row in rows if row.curve]
    curves = [row.curve for row in known if row.curve]
    if not curves:
        return None
    first = max(curves, key=lambda each: len(each["iterations"]))
    alike = [each for each in curves if _scored(each) == _scored(first)]
    found = [iterations.best_iteration(row) for row in known]
    chosen = [best for best in found if not isinstance(best, Missing)]
    return CellCurve(
        metric=first["metric"],
        n_iterations=first["n_iterations"],
        points=tuple(
            _point([each["iterations"][place] for each in alike], first["metric"])
            for place in range(len(first["iterations"]))
        ),
        # The lower of the two in the middle, so that it is one of the points.
        best_iteration=int(sorted(chosen)[(len(chosen) - 1) // 2]) if chosen else None,
        missing=dict(first["missing"]),
    )


def _scored(curve: dict[str, Any]) -> tuple[int, int]:
    return curve["n_iterations"], len(curve["iterations"])


def _point(samples: Sequence[dict[str, Any]], metric: str | None) -> CurvePoint:
    return CurvePoint(
        iteration=samples[0]["iteration"],
        wall_ns=_median([each["wall_ns"] for each in samples]),
        test=_median([(each["test"] or {}).get(metric) for each in samples]),
        validation=_median([(each["validation"] or {}).get(metric) for each in samples]),
    )


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
