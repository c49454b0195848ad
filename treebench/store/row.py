"""The sample row: one measured process, as it is kept for good.

`docs/FORMAT.md` is the full text. Names carry units. None means "not known", and `missing` says
why; a figure that was not measured is never 0.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SCHEMA_VERSION = 1

Kind = Literal["timed", "memory", "simulated", "profile"]
Status = Literal["ok", "unsupported", "error", "timeout", "oom", "killed", "interrupted"]

FAILED: frozenset[Status] = frozenset({"error", "timeout", "oom", "killed"})
"""Statuses of samples that were taken and ended badly: `--retry-failed` takes them again."""

UNFINISHED: frozenset[Status] = frozenset({"interrupted"})
"""Statuses that say nothing of a cell: the next run takes the sample again."""

PHASES = ("import", "load", "convert", "construct", "fit", "predict", "save")
"""The phases that are judged, in order. The test part is read in between, in `load_test`."""

TRAINING_PHASES = ("import", "load", "convert", "construct", "fit")
"""Those before the test part is read: no later peak is training's alone."""


@dataclass(frozen=True)
class PhaseFigures:
    """One phase of one sample.

    Wall and CPU time are the worker's own clocks, in nanoseconds. RSS is the worker process's,
    in bytes: `baseline` at the start, `peak` the kernel's high-water mark within the phase,
    `end` at the end. `tree_*` are of the worker and all its children, with shared pages once, and
    with page cache and tmpfs: what was anonymous, file-backed and shared memory at the end.
    `summed_rss_peak_bytes` adds up the RSS of all processes, shared pages once for each, as `top`
    does; `shared_files_peak_bytes` is what the sample's own folder for memory-mapped data held.
    Both are sampled, and only where a trainer starts processes.
    """

    wall_ns: int | None = None
    cpu_ns: int | None = None
    baseline_rss_bytes: int | None = None
    peak_rss_bytes: int | None = None
    end_rss_bytes: int | None = None
    tree_baseline_bytes: int | None = None
    tree_peak_bytes: int | None = None
    tree_peak_source: str | None = None
    tree_anon_bytes: int | None = None
    tree_file_bytes: int | None = None
    tree_shmem_bytes: int | None = None
    summed_rss_peak_bytes: int | None = None
    shared_files_peak_bytes: int | None = None
    note: str | None = None
    missing: dict[str, str] = field(default_factory=dict)

    def with_figures(self, figures: Mapping[str, Any]) -> PhaseFigures:
        """The same with figures that became known since, their reasons for missing dropped."""
        missing = {name: why for name, why in self.missing.items() if name not in figures}
        return replace(self, **figures, missing=missing)

    def without(self, names: Iterable[str], reason: str) -> PhaseFigures:
        """The same with figures that are not to be had after all, and why."""
        gone = dict.fromkeys(names)
        return replace(self, **gone, missing={**dict.fromkeys(gone, reason), **self.missing})

    @property
    def peak_growth_bytes(self) -> int | None:
        """Peak above the phase's own baseline."""
        if self.peak_rss_bytes is None or self.baseline_rss_bytes is None:
            return None
        return max(0, self.peak_rss_bytes - self.baseline_rss_bytes)


@dataclass(frozen=True)
class SampleError:
    """Why a sample did not end well."""

    kind: str
    message: str
    phase: str | None = None
    signal: str | None = None
    exit_code: int | None = None
    stderr_tail: str = ""


@dataclass(frozen=True)
class ModelFigures:
    """The trained model: bytes as saved, and what was grown."""

    bytes: int
    n_trees: int
    n_leaves: int
    max_depth: int


@dataclass(frozen=True)
class SampleRow:
    """One sample. `cell`, `block` and `kind` name it; the last row of a name counts."""

    run: str
    cell: str
    block: int
    kind: Kind
    status: Status
    spec: dict[str, Any]
    must_match: dict[str, Any]
    info: dict[str, Any]
    phases: dict[str, PhaseFigures] = field(default_factory=dict)
    data_bytes: int | None = None
    index_type: str | None = None
    score: dict[str, float] | None = None
    model: ModelFigures | None = None
    effective_params: dict[str, Any] | None = None
    error: SampleError | None = None
    counters: dict[str, Any] | None = None
    curve: dict[str, Any] | None = None
    latency: dict[str, Any] | None = None
    timeline: dict[str, Any] | None = None
    parallel: dict[str, Any] | None = None
    profile: dict[str, Any] | None = None
    schema: int = SCHEMA_VERSION

    @property
    def key(self) -> tuple[str, int, Kind]:
        """What makes a sample the same sample."""
        return (self.cell, self.block, self.kind)

    def to_json(self) -> dict[str, Any]:
        """The row as JSON-ready values."""
        return asdict(self)


def statuses_to_retake(retry_failed: bool) -> frozenset[Status]:
    """Statuses whose samples a run that goes on takes again."""
    return UNFINISHED | FAILED if retry_failed else UNFINISHED
