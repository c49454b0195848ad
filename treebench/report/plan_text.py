"""What a run would do, as a person reads it before it starts."""

from __future__ import annotations

import sys
import textwrap
from collections import Counter
from typing import TYPE_CHECKING

from treebench.analysis.labels import series_labels
from treebench.machine.memory import available_memory_bytes
from treebench.plan.footprint import matrix_bytes
from treebench.report import units
from treebench.report.memory_text import explained, memory_warnings, peaks, sum_of_times
from treebench.report.preflight import room_warnings
from treebench.report.sentences import counted, said_of
from treebench.written.size import spelled

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from rich.console import Console
    from rich.table import Table

    from treebench.data.manifest import Manifest
    from treebench.memory_model.estimates import Estimate
    from treebench.plan.build import Plan, PlannedCell


def print_plan(
    plan: Plan,
    manifests: Mapping[str, Manifest],
    chosen: Collection[str],
    next_step: str,
    estimates: Mapping[str, Estimate],
    *,
    explain: bool = False,
) -> None:
    """Print the matrix of cells, the mapping, what is left out and why, and the next step.

    Args:
        plan: all of it.
        manifests: of its data sets.
        chosen: the ids of the cells that are meant.
        next_step: the command that takes their samples.
        estimates: of each of these cells.
        explain: whether each cell's memory is told term by term.
    """
    from rich.console import Console

    console = Console(file=sys.stdout, highlight=False, markup=False, soft_wrap=True)
    cells = [cell for cell in plan.cells.values() if cell.id in chosen]
    _print_cells(console, cells, manifests, estimates)
    _print_mapping(console, cells)
    if explain:
        _print_explained(console, cells, estimates)
    _print_left_out(console, plan)
    _print_sum(console, plan, len(cells))
    for line in sum_of_times(cells, estimates, plan.samples):
        _say(console, line)
    _warn_of_size(console, cells, manifests)
    for line in (
        *memory_warnings(cells, estimates, available_memory_bytes()),
        *room_warnings(cells, manifests),
    ):
        _say(console, line)
    console.print(f"next: {next_step}")


def _print_cells(
    console: Console,
    cells: Sequence[PlannedCell],
    manifests: Mapping[str, Manifest],
    estimates: Mapping[str, Estimate],
) -> None:
    """A table per data set and width, with one line for all row counts of a series, since rows
    are what a sweep mostly walks over."""
    labels = series_labels([cell.spec for cell in cells])
    tables: dict[str, dict[tuple[str, str], list[PlannedCell]]] = {}
    for cell, label in zip(cells, labels, strict=True):
        spec = cell.spec
        wide, busy = counted(spec.features, "feature"), counted(spec.threads, "thread")
        heading = f"{spec.dataset}, {wide}, {busy}"
        if spec.memory_limit_bytes is not None:
            heading += f", memory limit {spelled(spec.memory_limit_bytes)}"
        tables.setdefault(heading, {}).setdefault((label, spec.layout), []).append(cell)
    for heading, lines in tables.items():
        console.print(heading, style="bold")
        console.print(_table(lines, manifests, estimates))
        console.print()


def _table(
    lines: Mapping[tuple[str, str], Sequence[PlannedCell]],
    manifests: Mapping[str, Manifest],
    estimates: Mapping[str, Estimate],
) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("  series", no_wrap=True)
    table.add_column("layout", no_wrap=True)
    # Counts fold between each other, never within one.
    widest = max(len(f"{cell.spec.rows:,}") for cells in lines.values() for cell in cells)
    table.add_column("rows", overflow="fold", min_width=widest)
    table.add_column("matrix", no_wrap=True)
    table.add_column("peak, about", no_wrap=True)
    for (label, layout), cells in lines.items():
        sizes = (_matrices(cells, manifests), peaks(cells, estimates))
        table.add_row(f"  {label}", layout, _rows(cells), *sizes)
    return table


def _rows(cells: Sequence[PlannedCell]) -> str:
    return "  ".join(f"{cell.spec.rows:,}" for cell in cells)


def _matrices(cells: Sequence[PlannedCell], manifests: Mapping[str, Manifest]) -> str:
    found = [matrix_bytes(cell.spec, manifests[cell.spec.dataset]) for cell in cells]
    least, most = units.size(min(found)), units.size(max(found))
    return most if least == most else f"{least} to {most}"


def _print_mapping(console: Console, cells: Collection[PlannedCell]) -> None:
    """What each library is told, by its own names: once for each trainer and method, with all
    values that a parameter takes in the sweep."""
    groups: dict[str, list[PlannedCell]] = {}
    for cell in cells:
        method = cell.spec.params.get("method")
        heading = cell.spec.trainer if method is None else f"{cell.spec.trainer} {method}"
        groups.setdefault(heading, []).append(cell)
    console.print("What each library is told", style="bold")
    for heading, of_group in groups.items():
        _say(console, f"{heading}: {_told(of_group)}", indent=2)
        for note in dict.fromkeys(note for cell in of_group for note in cell.notes):
            _say(console, f"note: {note}", indent=4)


def _print_explained(
    console: Console, cells: Sequence[PlannedCell], estimates: Mapping[str, Estimate]
) -> None:
    """Each cell's memory, term by term."""
    console.print("\nWhere the memory goes", style="bold")
    labels = series_labels([cell.spec for cell in cells])
    for cell, label in zip(cells, labels, strict=True):
        for line in explained(label, cell, estimates[cell.id]):
            console.print(f"  {line}")


def _told(cells: Collection[PlannedCell]) -> str:
    values: dict[str, dict[str, None]] = {}
    for cell in cells:
        for name, value in cell.native.items():
            values.setdefault(name, {})[str(value)] = None
    return ", ".join(f"{name}={'|'.join(taken)}" for name, taken in values.items())


def _print_left_out(console: Console, plan: Plan) -> None:
    """Reasons, most frequent first: a hundred unsupported cells mostly share two or three."""
    reasons = Counter(said_of(cell.spec.trainer, cell.reason) for cell in plan.unsupported)
    if reasons:
        console.print("\nUnsupported, and why", style="bold")
    for reason, count in reasons.most_common():
        _say(console, f"{_cells(count)}: {reason}", indent=2)
    same = Counter(cell.reason for cell in plan.collapsed)
    if same:
        console.print("\nAlike to another cell, so measured once", style="bold")
    for reason, count in same.most_common():
        _say(console, f"{_cells(count)}: {reason}", indent=2)


def _print_sum(console: Console, plan: Plan, n_cells: int) -> None:
    samples = plan.samples * (n_cells + 1)
    console.print()
    _say(
        console,
        f"{_cells(n_cells)} in {counted(plan.samples, 'block')}, each opened by the control "
        f"cell: {samples:,} samples, each in a process of its own "
        f"(--json lists the cells with their ids)",
    )
    if plan.memory_samples:
        _say(
            console,
            f"then {counted(plan.memory_samples * n_cells, 'sample')} of kind memory, whose PSS is "
            f"drawn over time",
        )


def _cells(count: int) -> str:
    return f"{count:,} cell{'' if count == 1 else 's'}"


def _warn_of_size(
    console: Console, cells: Collection[PlannedCell], manifests: Mapping[str, Manifest]
) -> None:
    available = available_memory_bytes()
    if available is None:
        return
    sizes = {cell.id: matrix_bytes(cell.spec, manifests[cell.spec.dataset]) for cell in cells}
    too_large = [cell_id for cell_id, size in sizes.items() if size > available]
    if too_large:
        _say(
            console,
            f"warning: the matrix alone of {_cells(len(too_large))} "
            f"({', '.join(too_large[:3])}) is larger than the {units.size(available)} of memory "
            f"there is",
        )


def _say(console: Console, text: str, indent: int = 0) -> None:
    """A line; on a screen, broken between words, and further lines set in."""
    first = " " * indent
    if not console.is_terminal:
        console.print(first + text)
        return
    console.print(
        textwrap.fill(
            text,
            console.width,
            initial_indent=first,
            subsequent_indent=f"{first}  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    )
