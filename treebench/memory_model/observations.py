"""From sample rows to what the model learns from: phases, their peaks, and the baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.store.row import TRAINING_PHASES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treebench.memory_model.workload import Workload
    from treebench.store.row import SampleRow


@dataclass(frozen=True)
class Observation:
    """One measured cell: RSS peaks of its phases in bytes, as the kernel saw them, and what the
    process held before any data was there. `seconds` are the phases' wall times. `trees` is what
    was trained, so that times of fewer trees can be told apart."""

    workload: Workload
    phases: Mapping[str, int]
    baseline_bytes: int
    seconds: Mapping[str, float]

    @property
    def peak_bytes(self) -> int:
        """The largest peak up to the end of fit: what a limit must allow."""
        return max(self.phases.values())


def observation_of(row: SampleRow, workload: Workload) -> Observation | None:
    """What a sample tells; None where it failed, or its peaks are not known."""
    figures = {name: row.phases[name] for name in TRAINING_PHASES if name in row.phases}
    first = figures.get("load") or figures.get("construct")
    if row.status != "ok" or first is None or first.baseline_rss_bytes is None:
        return None
    peaks = {
        name: one.peak_rss_bytes
        for name, one in figures.items()
        if name != "import" and one.peak_rss_bytes is not None
    }
    if "fit" not in peaks:
        return None
    seconds = {name: one.wall_ns / 1e9 for name, one in figures.items() if one.wall_ns is not None}
    return Observation(workload, peaks, first.baseline_rss_bytes, seconds)
