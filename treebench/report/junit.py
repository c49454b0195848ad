"""A comparison as JUnit XML, which CI systems show as tests: a cell is a test.

Worse is a failure, samples that fail where none did are an error, and what is unclear, not
comparable or missing is skipped, so that it is seen and stops nobody.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from xml.etree import ElementTree

from treebench.report import compare_outlook, compare_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treebench.analysis.comparing.runs import ComparedRuns, PairedCell
    from treebench.plan.cell import CellSpec

Ending = Literal["failure", "error", "skipped"]

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 (section 2.2) lets stand in no document, not even as a reference."""


@dataclass(frozen=True)
class Case:
    """One test: a cell, where it is in words, how it ended (None: well), why in one line, and all
    else that there is to say."""

    spec: CellSpec
    place: str
    ending: Ending | None
    message: str = ""
    details: str = ""


def junit_xml(compared: ComparedRuns) -> bytes:
    """The document, in UTF-8."""
    cases = [
        Case(cell.spec, cell.place, _ending(cell), _message(cell), _details(compared, cell))
        for cell in compared.cells
    ]
    cases += [
        Case(lost.spec, lost.place, "skipped", lost.why)
        for lost in compared.lost
        if not (lost.other_data and lost.side == "after")
    ]
    return document(f"{compared.before.name} against {compared.after.name}", cases)


def document(name: str, cases: Iterable[Case]) -> bytes:
    """A suite of that name with these tests, in UTF-8."""
    suite = ElementTree.Element("testsuite")
    for case in cases:
        _add(suite, case)
    totals = {"name": _legal(name), "tests": str(len(suite))}
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        totals[attribute] = str(len(suite.findall(f"testcase/{tag}")))
    for key, text in totals.items():
        suite.set(key, text)
    root = ElementTree.Element("testsuites", totals)
    root.append(suite)
    ElementTree.indent(root)
    written = io.BytesIO()
    ElementTree.ElementTree(root).write(written, encoding="utf-8", xml_declaration=True)
    return written.getvalue() + b"\n"


def _add(suite: ElementTree.Element, case: Case) -> None:
    group = f"treebench.{case.spec.dataset}.{case.spec.layout}.{case.spec.trainer}"
    made = ElementTree.SubElement(
        suite, "testcase", {"classname": _legal(group), "name": _legal(case.place)}
    )
    if case.ending is not None:
        said = ElementTree.SubElement(made, case.ending, {"message": _legal(case.message)})
        said.text = _legal(case.details)
    elif case.details:
        ElementTree.SubElement(made, "system-out").text = _legal(case.details)


def _ending(cell: PairedCell) -> Ending | None:
    if cell.compared.new_failures:
        return "error"
    if cell.verdict == "worse":
        return "failure"
    return "skipped" if cell.verdict in ("unclear", "not comparable") else None


def _message(cell: PairedCell) -> str:
    """What ended the test, in one line."""
    of_cell = [
        f"{each.figure.name} {compare_text.change_words(each)}"
        for each in compare_text.shown(cell, every=False)
        if each.verdict == cell.verdict
    ]
    said = compare_text.cell_lines(cell) if cell.compared.new_failures else of_cell
    return f"{cell.verdict}: {'; '.join(said or compare_text.cell_lines(cell))}"


def _details(compared: ComparedRuns, cell: PairedCell) -> str:
    lines = [", ".join(compare_text.row(each)) for each in compare_text.shown(cell, every=True)]
    lines += compare_text.cell_lines(cell)
    lines += [
        f"{each.figure.name}: {compare_outlook.what_would_clear(compared, each)}"
        for each in cell.compared.judged
        if each.verdict == "unclear"
    ]
    return "\n".join(lines)


def _legal(text: str) -> str:
    """The text with what XML has no place for spelt out; the writer escapes the rest."""
    return _ILLEGAL.sub(lambda found: ascii(found[0])[1:-1], text)
