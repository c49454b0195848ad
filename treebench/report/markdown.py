"""The report as a Markdown page: what was run, what came out, what did not, and how to read it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from treebench.report import equal_score_text, jobs_text, sentences, units
from treebench.report.columns import main_columns, time_columns
from treebench.report.counters_markdown import bound_blocks, counters_blocks
from treebench.report.jobs_markdown import equal_score_blocks, jobs_blocks
from treebench.report.latency_text import (
    batches,
    latency_missing,
    latency_reading,
    short_latency_columns,
)
from treebench.report.lines import by_dataset
from treebench.report.markdown_table import bullets, dataset_tables, escaped, table
from treebench.report.memory_bound_text import BOUND_TITLE
from treebench.report.scaling_text import TITLE as SCALING_TITLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from treebench.analysis.overview import Overview
    from treebench.report.lines import Line


_OVER_TIME = (
    "PSS counts a page that several processes share by their shares, so that a library in use "
    "elsewhere on the machine weighs less than in RSS; a cgroup counts a page for whoever touched "
    "it first, and page cache too. So their heights differ, and what each grew by tells whether "
    "sampling missed a peak"
)


def page(
    run: Overview,
    listed: Sequence[Line],
    pictures: Sequence[tuple[str, str]],
    scaling: Sequence[str] = (),
) -> str:
    """The page. `pictures` are (file stem, caption), their files beside the page; `scaling` are
    the blocks on how cost grows, whose curves take numpy to fit."""
    grouped = by_dataset(listed, "rows", reverse=False)
    parts = [
        _head(run),
        _section("Results", dataset_tables(grouped, main_columns(listed))),
        _section("Pictures", [_picture(*picture) for picture in pictures]),
        _section(SCALING_TITLE, scaling),
        _section(jobs_text.TITLE, jobs_blocks(run)),
        _section(equal_score_text.TITLE, equal_score_blocks(run)),
        _section("Time of each phase", dataset_tables(grouped, time_columns(listed))),
        _section("Latency of predictions", _latency(grouped, listed)),
        _section("Counters", counters_blocks(run, grouped)),
        _section(BOUND_TITLE, bound_blocks(run, grouped)),
        _section("Failed", _failures(listed)),
        _section("Unsupported", bullets(sentences.unsupported(run))),
        _section("Stood for by another cell", bullets(sentences.collapsed(run))),
        _section("Models that differ by layout", bullets(sentences.layout_gaps(run, listed))),
        _section("What could not be measured", bullets(_unmeasured(run, listed))),
        _section("What each series was", _series(listed)),
        _section("Machine", [_facts(run.facts["machine"])]),
        _section("Versions", [_facts(run.facts["versions"])]),
        _section("How to read the figures", _reading(run)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(run: Overview) -> str:
    facts = run.facts
    said = [
        f"# {escaped(run.name)}",
        f"{sentences.counted(len(run.cells), 'cell')}, "
        f"{sentences.counted(run.finished_samples, 'sample')}, "
        f"started {escaped(facts['started_at'])}. To run it again:",
        _fenced(sentences.command(run)),
    ]
    partial = sentences.progress(run)
    if partial is not None:
        said.append(f"**{escaped(partial)}**")
    for name, title in (("note", "Note"), ("expect", "Expected")):
        if facts.get(name):
            said.append(f"{title}: {escaped(facts[name])}")
    steady, *warnings = sentences.control(run)
    said.append(escaped(steady))
    said += [f"**{escaped(warning)}**" for warning in warnings]
    return "\n\n".join(said)


def _fenced(text: str) -> str:
    """A code block whose fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}sh\n{text}\n{fence}"


def _section(title: str, blocks: Sequence[str]) -> str:
    return "\n\n".join([f"## {title}", *blocks]) if blocks else ""


def _latency(grouped: Mapping[str, Sequence[Line]], listed: Sequence[Line]) -> list[str]:
    if not batches(listed):
        return []
    return [
        *dataset_tables(grouped, short_latency_columns(listed)),
        *bullets([*latency_missing(listed), *latency_reading()]),
    ]


def _picture(stem: str, caption: str) -> str:
    return f"### {escaped(caption)}\n\n[![{escaped(caption)}]({stem}.png)]({stem}.svg)"


def _failures(listed: Sequence[Line]) -> list[str]:
    failed = sentences.failures(listed)
    if not failed:
        return []
    rows = [[line.place, why, line.cell.cell] for line, why in failed]
    return [table(["cell", "what happened", "id"], rows, [False, False, False])]


def _unmeasured(run: Overview, listed: Sequence[Line]) -> list[str]:
    unknown = [name for name, value in _flat(run.facts["machine"]) if value is None]
    of_machine = [f"of the machine: {', '.join(unknown)}"] if unknown else []
    return [*sentences.missing(listed), *of_machine]


def _series(listed: Sequence[Line]) -> list[str]:
    """Each series with all its parameters: what a short label leaves out."""
    rows: dict[str, list[str]] = {}
    for line in listed:
        spec = line.cell.spec
        params = ", ".join(f"{name} {value}" for name, value in (spec.params | spec.extra).items())
        rows.setdefault(line.label, [line.label, spec.trainer, params])
    return [table(["series", "trainer", "parameters"], list(rows.values()), [False] * 3)]


def _facts(facts: Mapping[str, Any]) -> str:
    rows = [[name, _fact(name, value)] for name, value in _flat(facts)]
    return table(["", ""], rows, [False, False])


def _flat(facts: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in facts.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _fact(name: str, value: Any) -> str:
    if value is None:
        return "not known"
    if name.endswith("_bytes"):
        return units.size(value)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _reading(run: Overview) -> list[str]:
    level = sentences.levels(run)
    source = (
        "the interval runs between order statistics (David and Nagaraja, Order Statistics, "
        "section 7.1); where few samples cannot reach 95 %, it is their whole range and its true "
        "level is given"
    )
    resident = (
        "RSS is the memory the kernel keeps in RAM for the process; its peak in each phase is the "
        "kernel's own high-water mark, reset when the phase begins, so that short spikes count"
    )
    left_out = f"samples that failed never enter a figure; {units.DASH} is unknown, never zero"
    notes = sentences.phase_notes(run)
    over_time = [_OVER_TIME] if any(run.memory_rows.values()) else []
    said = [*sentences.reading(), *([level] if level else []), source, resident, *over_time]
    said += [left_out, *notes]
    return bullets(said)
