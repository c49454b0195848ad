"""A world where memory, time and scores are known formulas: nothing is trained, nothing waits."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treebench.data.manifest import Feature, Manifest
from treebench.picking.bench import Told
from treebench.picking.forecast import Forecast
from treebench.picking.outcome import Pick
from treebench.picking.pick import pick
from treebench.picking.question import Question
from treebench.picking.state import State
from treebench.picking.tried import Tried
from treebench.plan.build import PlannedCell
from treebench.store.row import PhaseFigures, SampleError, SampleRow, Status

MIB = 1 << 20
BASELINE = 200 * MIB
TRAINERS_TRIED = ("xgboost", "lightgbm", "sklearn-hist-gbdt")


def manifest(
    rows: int,
    features: int = 10,
    stored: float = 1.0,
    codes: tuple[int, ...] = (),
    name: str = "toy",
) -> Manifest:
    """A binary set of numbers, with a categorical column for each of `codes` at its end."""
    columns = [Feature(f"x{i}") for i in range(features - len(codes))]
    columns += [Feature(f"c{i}", each) for i, each in enumerate(codes)]
    return Manifest(
        version=3,
        dataset=name,
        title="toy",
        task="binary",
        classes=("0", "1"),
        target="y",
        storage="wide",
        n_features=features,
        features=tuple(columns),
        train_rows=rows,
        test_rows=max(1, rows // 5),
        train_stored_entries=round(rows * features * stored),
        features_with_missing=(),
        content_sha256=name.encode().hex().ljust(64, "0")[:64],
        card_sha256="0" * 64,
        licence="none",
        dropped={},
    )


def question(budget_bytes: int, rows: int = 100_000, **more: Any) -> Question:
    """A question about `rows` rows, of which a fifth is the validation part."""
    shape = {key: more.pop(key) for key in ("features", "stored", "codes") if key in more}
    asked: dict[str, Any] = {
        "time_budget_s": None,
        "search_time_s": 100_000.0,
        "threads": 1,
        "trainers": TRAINERS_TRIED,
        **more,
    }
    return Question(
        "toy",
        manifest(rows, **shape),
        manifest(rows - rows // 5, name="toy.search", **shape),
        budget_bytes,
        **asked,
    )


def true_bytes(cell: PlannedCell, density: float = 1.0) -> int:
    """The peak of a cell: streamed containers hold bins, all others the matrix too."""
    spec, problem = cell.spec, cell.problem
    assert problem is not None
    cells = problem.n_rows * problem.n_features
    values = cells * 4.0
    if spec.layout in ("csr", "csc"):
        values = cells * 8.0 * min(density, spec.features / problem.n_features)
    step = 2 if int(spec.params.get("max_bin", 1)) > 256 else 1
    held = {
        "external": 0.1 * cells * step,
        "iterator": 1.0 * cells * step,
        "sequence": 1.6 * cells * step,
        "dmatrix": values * 3,
    }.get(str(spec.params.get("container")), values + cells * step)
    trees = float(spec.params.get("n_estimators", 1))
    return round(BASELINE + held + trees * 1000)


def true_seconds(cell: PlannedCell) -> float:
    """The time of a cell: by trees, rows and features; exact ten times as long."""
    assert cell.problem is not None
    pace = 1e-8 if cell.spec.params.get("method") != "exact" else 1e-7
    trees = float(cell.spec.params.get("n_estimators", 1))
    slower = {"external": 3.0, "iterator": 1.2, "sequence": 1.5}
    factor = slower.get(str(cell.spec.params.get("container")), 1.0)
    return 0.1 + pace * cell.problem.n_rows * cell.problem.n_features * trees * factor


def true_auc(cell: PlannedCell) -> float:
    """Best near a learning rate of 0.1 and 255 bins; LightGBM a little better; more rows help."""
    params = cell.spec.params
    rate = float(params.get("learning_rate", 0.1))
    off = abs(math.log(rate / 0.1)) + 0.2 * abs(math.log(float(params.get("max_bin", 255)) / 255))
    liked = 0.004 if cell.spec.trainer == "lightgbm" else 0.0
    seed = 0.0002 * int(params.get("seed", 0))
    rows = math.log10(cell.spec.rows)
    return 0.7 + 0.02 * rows - 0.01 * off + liked + seed


@dataclass
class World:
    """A `Take` and a `Foresight`. `error` is by how much the forecasts' middle is off, `spread` the
    half-width of their intervals; both are shares. `kills` are statuses by what a cell's params
    hold; `stop_at` is the sample at which the person presses Ctrl-C."""

    density: float = 1.0
    error: float = 0.0
    spread: float = 0.05
    kills: dict[tuple[str, Any], Status] = field(default_factory=dict)
    stop_at: int | None = None
    taken: list[PlannedCell] = field(default_factory=list)
    seen: int = 0
    now_s: float = 0.0
    rows: dict[str, SampleRow] = field(default_factory=dict)

    # ---------------------------------------------------------------- Foresight

    def memory(self, cell: PlannedCell) -> Forecast:
        mid = true_bytes(cell, self.density) * (1 + self.error)
        basis = "calibrated" if self.seen else "reference"
        return Forecast(mid * (1 - self.spread), mid, mid * (1 + self.spread), "fit", {}, basis)

    def seconds(self, cell: PlannedCell) -> Forecast | None:
        if not self.seen:
            return None
        mid = true_seconds(cell)
        return Forecast(mid * 0.8, mid, mid * 1.25)

    def saw(self, cell: PlannedCell, row: SampleRow) -> None:
        self.seen += 1

    # ---------------------------------------------------------------- Take

    def __call__(self, cell: PlannedCell, deadline_s: float) -> SampleRow:
        if cell.id in self.rows:
            return self.rows[cell.id]
        if len(self.taken) == self.stop_at:
            raise KeyboardInterrupt
        self.taken.append(cell)
        self.now_s += true_seconds(cell) + 1.0
        row = self._row(cell, deadline_s)
        self.rows[cell.id] = row
        return row

    def _row(self, cell: PlannedCell, deadline_s: float) -> SampleRow:
        limit = cell.spec.memory_limit_bytes
        for (name, value), status in self.kills.items():
            if cell.spec.params.get(name) == value:
                return dead(cell, status, "fit")
        if limit is not None and true_bytes(cell, self.density) > limit:
            return dead(cell, "oom", "fit")
        return self.ended(cell)

    def ended(self, cell: PlannedCell) -> SampleRow:
        trees = int(cell.spec.params.get("n_estimators", 1))
        auc = true_auc(cell)
        points = [
            {"iteration": n, "wall_ns": None, "validation": None, "test": {"auc": auc - gap}}
            for n, gap in ((max(1, trees // 2), 0.0), (trees, 0.001 if trees > 1 else 0.0))
        ]
        search = cell.spec.dataset.endswith(".search")
        return row(
            cell,
            "ok",
            {
                "load": (10, 100 * MIB),
                "fit": (round(true_seconds(cell) * 1e9), true_bytes(cell, self.density)),
            },
            score={"auc": auc},
            curve={"metric": "auc", "iterations": points} if search else None,
        )


def dead(cell: PlannedCell, status: Status, phase: str) -> SampleRow:
    """A sample that something killed in a phase."""
    error = SampleError("OutOfMemory", "it was killed", phase=phase)
    return row(cell, status, {"load": (10, 100 * MIB)}, error=error)


def row(
    cell: PlannedCell, status: Status, phases: dict[str, tuple[int, int]], **more: Any
) -> SampleRow:
    """A row with wall times (and as much CPU) and peaks by phase."""
    figures = {
        name: PhaseFigures(wall_ns=wall, cpu_ns=wall, baseline_rss_bytes=1, peak_rss_bytes=peak)
        for name, (wall, peak) in phases.items()
    }
    return SampleRow(
        "pick", cell.id, 0, "timed", status, cell.spec.to_json(), {}, {}, phases=figures, **more
    )


class Quiet:
    """Tells nobody; remembers what was said."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.stages: list[str] = []

    def expect(self, more: int) -> None:
        assert more >= 0

    def began(self, stage: str, cell: PlannedCell) -> None:
        self.stages.append(stage)

    def ended(self, tried: Tried) -> None:
        assert tried.cell

    def said(self, text: str) -> None:
        self.lines.append(text)


def picked(
    asked: Question, world: World, state: State | None = None, told: Told | None = None
) -> Pick:
    """One picking in a world."""
    heard = Quiet() if told is None else told
    train = Path("/nowhere/train.parquet")
    return pick(asked, world, world, heard, train, state, clock=lambda: world.now_s)
