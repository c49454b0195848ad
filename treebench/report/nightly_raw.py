"""A night as raw values, for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from treebench.report import nightly_text

if TYPE_CHECKING:
    from treebench.history.morning import Morning


def raw_morning(morning: Morning, page: str) -> dict[str, Any]:
    """JSON-ready: all that was found, unrounded."""
    return {
        "night": morning.night.name,
        "run": morning.night.run,
        "nights": len(morning.history.nights),
        "judged": morning.judgement.judged,
        "not_judged_yet": sorted(morning.judgement.fresh),
        "findings": [
            {"place": nightly_text.place(morning, each.cell), **asdict(each)}
            for each in nightly_text.findings(morning)
        ],
        "failed": [
            {"place": nightly_text.place(morning, each.cell), **asdict(each)}
            for each in morning.failures
        ],
        "missing": [
            {"place": nightly_text.place(morning, each.cell), **asdict(each)}
            for each in morning.missing
        ],
        "acknowledged": [asdict(each) for each in morning.acknowledged],
        "passed_over": list(morning.skipped),
        "requirements": list(morning.night.requirements),
        "page": page,
    }
