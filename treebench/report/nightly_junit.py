"""A night as JUnit XML: a regression is a failure, failed samples are an error, and what is
unclear, could not be measured again or is missing is skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.report import nightly_text
from treebench.report.junit import Case, document

if TYPE_CHECKING:
    from treebench.history.morning import Morning
    from treebench.plan.cell import CellSpec


def nightly_junit(morning: Morning) -> bytes:
    """The document, in UTF-8; a test for each cell of tonight, or that tonight lacks."""
    lost = {each.cell: each for each in morning.missing}
    failed = {each.cell for each in morning.failures}
    cells = dict.fromkeys([*morning.measured, *failed])
    cases = [_case(morning, cell, morning.specs[cell]) for cell in cells]
    cases += [
        Case(morning.specs[cell], nightly_text.place(morning, cell), "skipped", each.why)
        for cell, each in lost.items()
        if cell in morning.specs
    ]
    return document(f"{morning.night.run}, {morning.night.date}", cases)


def _case(morning: Morning, cell: str, spec: CellSpec) -> Case:
    place = nightly_text.place(morning, cell)
    found = [each for each in nightly_text.findings(morning) if each.cell == cell]
    said = [nightly_text.sentence(morning, each) for each in found]
    failures = [nightly_text.failed(morning, e) for e in morning.failures if e.cell == cell]
    details = "\n".join([*failures, *said])
    if failures:
        return Case(spec, place, "error", failures[0], details)
    states = [each.state for each in found]
    if "regression" in states:
        return Case(spec, place, "failure", said[states.index("regression")], details)
    open_ones = [s for s, f in zip(said, found, strict=True) if f.state != "dismissed"]
    if open_ones:
        return Case(spec, place, "skipped", open_ones[0], details)
    if cell in morning.judgement.fresh:
        first = "the first night under these settings: there is nothing to judge by"
        return Case(spec, place, "skipped", first, details)
    return Case(spec, place, None, "", details)
