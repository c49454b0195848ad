"""Memory of the worker and all its children, with shared pages once, per phase."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from treebench.measure.cgroup import Cgroup, Unavailable
from treebench.measure.cgroup_v1 import open_cgroup_v1
from treebench.measure.cgroup_v2 import open_cgroup_v2
from treebench.measure.probe import Probe, Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_FIGURES = (
    "tree_baseline_bytes",
    "tree_peak_bytes",
    "tree_peak_source",
    "tree_anon_bytes",
    "tree_file_bytes",
    "tree_shmem_bytes",
)


def open_cgroup(
    makers: Sequence[Callable[[], Cgroup | Unavailable]] = (open_cgroup_v2, open_cgroup_v1),
) -> Cgroup | Unavailable:
    """The first cgroup that can be made: version 2, then version 1; else why there is none."""
    reasons = []
    for make in makers:
        try:
            made = make()
        except OSError as error:
            made = Unavailable(f"{error.filename}: {error.strerror}")
        if isinstance(made, Cgroup):
            return made
        reasons.append(made.reason)
    return Unavailable("; ".join(reasons))


class TreeMemoryProbe(Probe):
    """Baseline, peak and make-up of the sample's cgroup. The make-up is that of the phase's end."""

    name: ClassVar[str] = "tree memory"

    def __init__(self, cgroup: Cgroup | Unavailable) -> None:
        self._cgroup = cgroup
        self._baseline = 0
        self._peak_before = 0
        self._reset_problem: str | None = None

    def attach(self, pid: int) -> None:
        """The worker joined the cgroup by itself, before it became the worker."""

    def begin(self, phase: str) -> None:
        """Set the peak back and note the baseline."""
        if isinstance(self._cgroup, Cgroup):
            self._reset_problem = self._cgroup.reset_peak()
            self._baseline = self._cgroup.used_bytes()
            self._peak_before = self._cgroup.peak_bytes()

    def end(self, phase: str) -> Reading:
        """The phase's figures, or why there are none."""
        if isinstance(self._cgroup, Unavailable):
            return Reading(missing=dict.fromkeys(_FIGURES, self._cgroup.reason))
        composition = self._cgroup.composition()
        figures: dict[str, int | str] = {
            "tree_baseline_bytes": self._baseline,
            "tree_anon_bytes": composition.anon_bytes,
            "tree_file_bytes": composition.file_bytes,
            "tree_shmem_bytes": composition.shmem_bytes,
        }
        peak = self._cgroup.peak_bytes()
        # Without a reset the mark is the phase's own only if the phase raised it.
        if self._reset_problem is not None and peak <= self._peak_before:
            reasons = dict.fromkeys(("tree_peak_bytes", "tree_peak_source"), self._reset_problem)
            return Reading(figures, reasons)
        return Reading(
            {**figures, "tree_peak_bytes": peak, "tree_peak_source": self._cgroup.source}
        )
