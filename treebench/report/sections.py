"""The parts of a report in their order: what was run, what came out, what did not, how to read it.

Markdown, the page and the CSV files are all made from these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.analysis.expected import expected_in
from treebench.report import (
    equal_score_text,
    expected_text,
    jobs_text,
    pareto_blocks,
    sentences,
    units,
)
from treebench.report.blocks import Code, Links, Section, Words, dataset_tables, items, table
from treebench.report.columns import main_columns, peak_columns, time_columns
from treebench.report.counters_blocks import bound_blocks, counters_blocks
from treebench.report.curve_text import curve_blocks
from treebench.report.jobs_blocks import equal_score_blocks, jobs_blocks
from treebench.report.latency_text import (
    batches,
    latency_missing,
    latency_reading,
    short_latency_columns,
)
from treebench.report.lines import by_dataset
from treebench.report.memory_bound_text import BOUND_TITLE
from treebench.report.scaling_text import TITLE as SCALING_TITLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from treebench.analysis.overview import Overview
    from treebench.report.blocks import Block
    from treebench.report.lines import Line


_OVER_TIME = (
    "PSS counts a page that several processes share by their shares, so that a library in use "
    "elsewhere on the machine weighs less than in RSS; a cgroup counts a page for whoever touched "
    "it first, and page cache too. So their heights differ, and what each grew by tells whether "
    "sampling missed a peak"
)
_SETTINGS = ("allocator", "thread_settings", "code", "counters", "copy_bandwidth", "hosts")
"""What `run.json` says of how was measured, beside the machine and the versions."""


def head(run: Overview) -> list[Block]:
    """What was run, the command, how far it got, and how steady the machine was."""
    facts = run.facts
    title = facts["config"].get("title")
    said: list[Block] = [
        *([Words(strong=title)] if title else []),
        Words(
            f"{sentences.counted(len(run.cells), 'cell')}, "
            f"{sentences.counted(run.finished_samples, 'sample')}, "
            f"started {facts['started_at']}. To run it again:"
        ),
        Code(sentences.command(run)),
    ]
    partial = sentences.progress(run)
    if partial is not None:
        said.append(Words(strong=partial))
    if facts.get("note"):
        said.append(Words(f"Note: {facts['note']}"))
    expected = expected_in(run)
    if expected is not None:
        said.append(Words(f"Expected: {expected_text.sentence(expected)}"))
    steady, *warnings = sentences.control(run)
    return [*said, Words(steady), *(Words(strong=warning) for warning in warnings)]


def sections(
    run: Overview,
    listed: Sequence[Line],
    scaling: Sequence[Block] = (),
    claims: Sequence[Block] = (),
    picked: Sequence[Block] = (),
    profiles: Sequence[tuple[str, str]] = (),
    cost_per_hour: float | None = None,
) -> list[Section]:
    """All that have anything to say.

    `scaling` are the blocks on how cost grows, whose curves take numpy to fit; `claims` those of a
    run that was made to judge some; `picked` those of one that searched for a configuration;
    `profiles` are flame graphs, by path from the report's folder.
    """
    grouped = by_dataset(listed, "rows", reverse=False)
    main = dataset_tables(grouped, main_columns(listed, cost_per_hour), "results")
    every: list[tuple[str, str, Sequence[Block]]] = [
        ("claims", "Claims", claims),
        ("pick", "The pick", picked),
        ("results", "Results", [*main, *items(_cost(cost_per_hour))]),
        ("scaling", SCALING_TITLE, scaling),
        ("pareto", pareto_blocks.TITLE, pareto_blocks.pareto_blocks(run, listed, cost_per_hour)),
        ("jobs", jobs_text.TITLE, jobs_blocks(run)),
        ("scores", "Scores by iteration", curve_blocks(listed)),
        ("equal-score", equal_score_text.TITLE, equal_score_blocks(run)),
        (
            "phases",
            "Time of each phase",
            dataset_tables(grouped, time_columns(listed), "time-by-phase"),
        ),
        (
            "memory",
            "Peak RSS of each phase",
            dataset_tables(grouped, peak_columns(listed), "memory-by-phase"),
        ),
        ("latency", "Latency of predictions", _latency(grouped, listed)),
        ("counters", "Counters", counters_blocks(run, grouped)),
        ("bound", BOUND_TITLE, bound_blocks(run, grouped)),
        ("profiles", "Flame graphs", [Links(tuple(profiles))] if profiles else []),
        ("failed", "Failed", _failures(listed)),
        ("failed-beside", "Failed beside", items(sentences.failures_aside(run, listed))),
        ("unsupported", "Unsupported", items(sentences.unsupported(run))),
        ("collapsed", "Stood for by another cell", items(sentences.collapsed(run))),
        ("layouts", "Models that differ by layout", items(sentences.layout_gaps(run, listed))),
        ("unmeasured", "What could not be measured", items(_unmeasured(run, listed))),
        ("series", "What each series was", _series(listed)),
        ("machine", "Machine", [_facts(run.facts["machine"])]),
        ("versions", "Versions", [_facts(run.facts["versions"])]),
        ("settings", "Settings of the run", _settings(run)),
        ("config", "Config in full", [_facts(run.facts["config"])]),
        ("reading", "How to read the figures", items(_reading(run, listed))),
    ]
    return [Section(name, title, tuple(blocks)) for name, title, blocks in every if blocks]


def _cost(cost_per_hour: float | None) -> list[str]:
    if cost_per_hour is None:
        return []
    return [
        f"cost: construct+fit at {cost_per_hour:g} for an hour of the whole machine, in the "
        f"currency that was given, whatever share of the machine a cell used"
    ]


def _latency(grouped: Mapping[str, Sequence[Line]], listed: Sequence[Line]) -> list[Block]:
    if not batches(listed):
        return []
    return [
        *dataset_tables(grouped, short_latency_columns(listed), "latency"),
        *items([*latency_missing(listed), *latency_reading()]),
    ]


def _failures(listed: Sequence[Line]) -> list[Block]:
    failed = sentences.failures(listed)
    if not failed:
        return []
    rows = [[line.place, why, line.cell.cell] for line, why in failed]
    return [table(["cell", "what happened", "id"], rows, [False, False, False], "failed")]


def _unmeasured(run: Overview, listed: Sequence[Line]) -> list[str]:
    unknown = [name for name, value in _flat(run.facts["machine"]) if value is None]
    of_machine = [f"of the machine: {', '.join(unknown)}"] if unknown else []
    return [*sentences.missing(listed), *of_machine]


def _series(listed: Sequence[Line]) -> list[Block]:
    """Each series with all its parameters: what a short label leaves out."""
    rows: dict[str, list[str]] = {}
    for line in listed:
        spec = line.cell.spec
        params = ", ".join(f"{name} {value}" for name, value in (spec.params | spec.extra).items())
        rows.setdefault(line.label, [line.label, spec.trainer, params])
    return [table(["series", "trainer", "parameters"], list(rows.values()), [False] * 3, "series")]


def _settings(run: Overview) -> list[Block]:
    stated = {name: run.facts[name] for name in _SETTINGS if run.facts.get(name) is not None}
    return [_facts(stated)] if stated else []


def _facts(facts: Mapping[str, Any]) -> Block:
    rows = [[key, _fact(key, value)] for key, value in _flat(facts)]
    return table(["", ""], rows, [False, False])


def _flat(facts: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in facts.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _fact(name: str, value: Any) -> str:
    if value is None:
        return "not known"
    if name.endswith("_bytes") and isinstance(value, int | float):
        return units.size(value)
    if isinstance(value, list | dict) and not value:
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _reading(run: Overview, listed: Sequence[Line]) -> list[str]:
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
    over_time = [_OVER_TIME] if any(run.memory_rows.values()) else []
    said = [*sentences.reading(listed), *([level] if level else []), source, resident, *over_time]
    return [*said, left_out, *sentences.phase_notes(run)]
