"""How large a cell's matrix is, known before anything is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treebench.data.manifest import Manifest
    from treebench.plan.cell import CellSpec

_VALUE_BYTES = 4
_INDEX_BYTES = 4


def matrix_bytes(spec: CellSpec, manifest: Manifest) -> int:
    """Bytes of the training matrix in the cell's layout, as stored (before one-hot encoding).

    Dense is exact. Sparse takes the whole training part's density for the rows and features
    used, and 32-bit indices: a value, an index, and one pointer per row (CSR) or column (CSC).
    """
    cells = spec.rows * spec.features
    if spec.layout in ("dense-c", "dense-f"):
        return cells * _VALUE_BYTES
    entries = round(cells * manifest.density)
    pointers = (spec.rows if spec.layout == "csr" else spec.features) + 1
    return entries * (_VALUE_BYTES + _INDEX_BYTES) + pointers * _INDEX_BYTES
