"""Density as an axis: the share of a sparse matrix that is stored, from the bytes it takes."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from treebench.analysis.axes import all_but

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow

DENSITY = "density"

_VALUE_BYTES = 4
_INT32_MAX = 2**31 - 1


def density_of(spec: CellSpec, rows: Sequence[SampleRow]) -> float | None:
    """The share of the cells of a matrix that is stored; None for dense layouts, and where no
    sample recorded the size of the matrix.

    CSR and CSC hold a float32 and an index for each stored entry, and a position for each row (CSR)
    or column (CSC) and one more; indices are int32 where all of them fit (see
    `data.reading.sparse.index_type`), so that the bytes tell the entries exactly.
    """
    size = next((row.data_bytes for row in rows if row.data_bytes is not None), None)
    if spec.layout not in ("csr", "csc") or size is None:
        return None
    lines = (spec.rows_trained if spec.layout == "csr" else spec.features) + 1
    entries = _entries(size, lines, 4)
    if max(entries, spec.rows_trained, spec.features) > _INT32_MAX:
        entries = _entries(size, lines, 8)
    return entries / (spec.rows_trained * spec.features)


def density_varies(specs: Sequence[CellSpec], rows: Mapping[str, Sequence[SampleRow]]) -> bool:
    """Whether cells that differ in the data set alone differ in density."""
    seen: dict[str, set[float]] = defaultdict(set)
    for spec in specs:
        density = density_of(spec, rows.get(spec.id, ()))
        if density is not None:
            seen[all_but(spec, {"dataset"})].add(density)
    return any(len(found) > 1 for found in seen.values())


def _entries(size: int, lines: int, index_bytes: int) -> float:
    return (size - lines * index_bytes) / (_VALUE_BYTES + index_bytes)
