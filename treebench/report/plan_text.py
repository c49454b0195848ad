"""What a run would do, as a person reads it before it starts."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

from treebench.measure.environment import memory_available
from treebench.plan.footprint import matrix_bytes
from treebench.report import units

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from rich.console import Console

    from treebench.data.manifest import Manifest
    from treebench.plan.build import Plan, PlannedCell


def print_plan(
    plan: Plan, manifests: Mapping[str, Manifest], chosen: Collection[str], config: str
) -> None:
    """Print the matrix of cells, the mapping, what is left out and why, and the next step."""
    from rich.console import Console

    console = Console(file=sys.stdout, highlight=False, markup=False, soft_wrap=True)
    cells = [cell for cell in plan.cells.values() if cell.id in chosen]
    _print_cells(console, cells, manifests)
    _print_mapping(console, cells)
    _print_left_out(console, plan)
    samples = plan.samples * (len(cells) + 1)
    console.print(
        f"\n{len(cells)} cells x {plan.samples} samples, and a control cell in each block: "
        f"{samples} samples, each a fresh process"
    )
    _warn_of_size(console, cells, manifests)
    console.print(f"next: treebench run {config}")


def _print_cells(
    console: Console, cells: Collection[PlannedCell], manifests: Mapping[str, Manifest]
) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("cell", "data set", "layout", "trainer", "parameters"):
        table.add_column(heading, overflow="fold")
    for heading in ("rows", "features", "matrix", "threads"):
        table.add_column(heading, justify="right")
    for cell in cells:
        spec = cell.spec
        table.add_row(
            spec.id,
            spec.dataset,
            spec.layout,
            spec.trainer,
            " ".join(f"{name}={value}" for name, value in spec.params.items()),
            f"{spec.rows:,}",
            f"{spec.features:,}",
            units.size(matrix_bytes(spec, manifests[spec.dataset])),
            str(spec.threads),
        )
    console.print(table)


def _print_mapping(console: Console, cells: Collection[PlannedCell]) -> None:
    """What each library is told, once for each distinct set of its own parameters."""
    shown: dict[str, tuple[str, tuple[str, ...]]] = {}
    for cell in cells:
        told = ", ".join(f"{name}={value}" for name, value in cell.native.items())
        shown.setdefault(f"{cell.spec.trainer}: {told}", (told, cell.notes))
    console.print("\nwhat each library is told")
    for heading, (_, notes) in shown.items():
        console.print(f"  {heading}")
        for note in notes:
            console.print(f"    note: {note}")


def _print_left_out(console: Console, plan: Plan) -> None:
    """Reasons, most frequent first: a hundred unsupported cells mostly share two or three."""
    reasons = Counter(f"{cell.spec.trainer}: {cell.reason}" for cell in plan.unsupported)
    if reasons:
        console.print("\nunsupported, and why")
    for reason, count in reasons.most_common():
        console.print(f"  {count} x {reason}")
    same = Counter(cell.reason for cell in plan.collapsed)
    if same:
        console.print("\nalike, so measured once")
    for reason, count in same.most_common():
        console.print(f"  {count} x {reason}")


def _warn_of_size(
    console: Console, cells: Collection[PlannedCell], manifests: Mapping[str, Manifest]
) -> None:
    available = memory_available()
    if available is None:
        return
    sizes = {cell.id: matrix_bytes(cell.spec, manifests[cell.spec.dataset]) for cell in cells}
    too_large = [cell_id for cell_id, size in sizes.items() if size > available]
    if too_large:
        console.print(
            f"warning: the matrix alone of {len(too_large)} cells ({', '.join(too_large[:3])}) is "
            f"larger than the {units.size(available)} of memory there is"
        )
