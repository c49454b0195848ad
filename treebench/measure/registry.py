"""The probes that ride along with a timed sample, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.measure.resident import ResidentProbe

if TYPE_CHECKING:
    from collections.abc import Callable

    from treebench.measure.probe import Probe

TIMED_PROBES: tuple[Callable[[], Probe], ...] = (ResidentProbe,)
"""Probes that do not disturb what they measure."""
