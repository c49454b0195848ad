"""What a sample told of a point: its loss on the validation part, its peak, its time."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from treebench.analysis.scores import lower_is_better, main_score
from treebench.picking.cells import Size
from treebench.picking.space import Holding, Point
from treebench.store.row import TRAINING_PHASES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treebench.store.row import SampleRow

TIMED_PHASES = ("load", "convert", "construct", "fit")
"""What training takes once a program runs: reading, binning and fitting, without imports."""


@dataclass(frozen=True)
class Tried:
    """One sample of a point.

    `score` is that of the model at `best_iteration` (None: all iterations were used, or the
    trainer tells nothing of single ones). On the search set it is of the validation part; of a
    proof, of the test part. `wall_s` and `cpu_s` are of the training phases, `spent_*` of the
    whole sample. `failure` says why there is no score.
    """

    point: Point
    holding: Holding
    rung: int
    size: Size
    cell: str
    status: str
    metric: str | None = None
    score: float | None = None
    best_iteration: int | None = None
    peak_bytes: int | None = None
    wall_s: float | None = None
    spent_wall_s: float = 0.0
    spent_cpu_s: float = 0.0
    failure: str | None = None
    trained: bool = False
    """Whether training came to its end, whatever became of the sample after it."""

    @property
    def loss(self) -> float | None:
        """The score, turned so that less is better."""
        if self.score is None or self.metric is None:
            return None
        return self.score if lower_is_better(self.metric) else -self.score

    def scored_by(self, other: Tried) -> Tried:
        """The same sample with the score of another, that was taken only for it."""
        return replace(
            self,
            metric=other.metric,
            score=other.score,
            status=other.status,
            failure=other.failure,
            spent_wall_s=self.spent_wall_s + other.spent_wall_s,
            spent_cpu_s=self.spent_cpu_s + other.spent_cpu_s,
        )

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values."""
        values = asdict(self)
        return {**values, "point": self.point.to_json(), "holding": list(self.holding)}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Tried:
        """What `to_json` gave."""
        values = dict(raw)
        point, holding = Point.from_json(values.pop("point")), Holding(*values.pop("holding"))
        return cls(point=point, holding=holding, size=Size(**values.pop("size")), **values)


def tried_of(point: Point, holding: Holding, rung: int, size: Size, row: SampleRow) -> Tried:
    """What a row tells."""
    metric = None if row.score is None else main_score(row.score)
    best, score = _best(row, metric)
    return Tried(
        point=point,
        holding=holding,
        rung=rung,
        size=size,
        cell=row.cell,
        status=row.status,
        metric=metric,
        score=score if row.status == "ok" else None,
        best_iteration=best,
        peak_bytes=peak_bytes(row),
        wall_s=training_s(row),
        spent_wall_s=_total_s(row, "wall_ns"),
        spent_cpu_s=_total_s(row, "cpu_ns"),
        failure=_failure(row),
        trained=_trained(row),
    )


def peak_bytes(row: SampleRow) -> int | None:
    """The peak up to the end of fit: the worker's own, or the tree's where a phase has children
    in it; None where a phase's is not known."""
    peaks = [row.phases[name].peak_rss_bytes for name in TRAINING_PHASES if name in row.phases]
    known = [peak for peak in peaks if peak is not None]
    return max(known) if known and len(known) == len(peaks) else None


def training_s(row: SampleRow) -> float | None:
    """Seconds of load, convert, construct and fit; None where fit did not end."""
    walls = [row.phases[name].wall_ns for name in TIMED_PHASES if name in row.phases]
    known = [wall for wall in walls if wall is not None]
    if "fit" not in row.phases or len(known) < len(walls):
        return None
    return sum(known) / 1e9


def _best(row: SampleRow, metric: str | None) -> tuple[int | None, float | None]:
    """The best iteration by the scores of each, and the score there."""
    if row.score is None or metric is None:
        return None, None
    curve: Any = row.curve or {}
    points = curve.get("iterations", []) if isinstance(curve, dict) else []
    scores = {
        each["iteration"]: each["test"][metric]
        for each in points
        if each.get("test") and metric in each["test"]
    }
    if not scores:
        return None, row.score[metric]
    turned = min if lower_is_better(metric) else max
    best = turned(scores, key=scores.__getitem__)
    return int(best), float(scores[best])


def _total_s(row: SampleRow, name: str) -> float:
    return sum(getattr(figures, name) or 0 for figures in row.phases.values()) / 1e9


def _trained(row: SampleRow) -> bool:
    """Whether fit ended: a sample that dies in a phase leaves no end of it."""
    if row.status == "ok":
        return True
    died_in = None if row.error is None else row.error.phase
    return training_s(row) is not None and died_in not in TRAINING_PHASES


def _failure(row: SampleRow) -> str | None:
    if row.status == "ok":
        return None
    if row.error is None:
        return row.status
    where = f" in {row.error.phase}" if row.error.phase else ""
    return f"{row.status}{where}: {' '.join(row.error.message.split())[:160]}"
