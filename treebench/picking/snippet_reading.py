"""The part of the pasted Python that reads the made training part."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.data.manifest import Layout, Manifest
    from treebench.plan.build import PlannedCell


def parts_source(cell: PlannedCell, manifest: Manifest, train: Path) -> str:
    """A generator `parts()` of features and labels, a row group at a time."""
    spec = cell.spec
    onehot = spec.params.get("categorical") == "onehot" and bool(cell.cardinalities)
    is_sparse = spec.layout in ("csr", "csc")
    if manifest.storage == "wide":
        made = _WIDE.format(features=spec.features)
    else:
        made = _SPARSE_ROWS.format(features=spec.features)
        if not is_sparse:
            made += "        X = X.toarray()\n"
    if onehot:
        made += _ONE_HOT_PART
    if is_sparse and manifest.storage == "wide" and not onehot:
        made += "        X = sparse.csr_matrix(X)\n"
    head = [f"PATH = {str(train)!r}"]
    if onehot:
        head += [f"CODES = {cell.cardinalities!r}  # of each categorical column"]
        head += [_ONE_HOT_SPARSE if is_sparse else _ONE_HOT]
    return "\n".join(head) + _PARTS + made + "        yield X, y"


def reading(layout: Layout) -> str:
    """`X` and `y` out of the parts, each part let go before the next is read."""
    if layout in ("dense-c", "dense-f"):
        return _DENSE.format(order="C" if layout == "dense-c" else "F")
    return _SPARSE + ("\nX = X.tocsc()" if layout == "csc" else "")


_PARTS = '''


def parts():
    """The training rows, a row group at a time: features (categories are codes, NaN is
    missing) and labels."""
    file = pq.ParquetFile(PATH)
    for group in range(file.num_row_groups):
        table = file.read_row_group(group)
        y = table.column("__target__").to_numpy()
'''

_WIDE = """        X = np.empty((len(y), {features}), dtype=np.float32)
        for column in range({features}):
            X[:, column] = table.column(column).to_numpy()
"""

_SPARSE_ROWS = """        indices = table.column("indices").combine_chunks()
        values = table.column("values").combine_chunks().flatten().to_numpy()
        stored = (values, indices.flatten().to_numpy(), indices.offsets.to_numpy())
        X = sparse.csr_matrix(stored, shape=(len(y), {features}))
"""

_ONE_HOT_PART = "        X = one_hot(X)\n"

_ONE_HOT = '''

def one_hot(X):
    """Each categorical column as one column for each of its codes; a missing one is all zeros."""
    columns = []
    for at in range(X.shape[1]):
        if at in CODES:
            columns.append((X[:, [at]] == np.arange(CODES[at])).astype(np.float32))
        else:
            columns.append(X[:, [at]])
    return np.concatenate(columns, axis=1)'''

_ONE_HOT_SPARSE = '''

def one_hot(X):
    """Each categorical column as one column for each of its codes; a missing one is all zeros."""
    columns = []
    for at in range(X.shape[1]):
        if at in CODES:
            known = np.flatnonzero(~np.isnan(X[:, at]))
            ones = (np.ones(len(known), np.float32), (known, X[known, at].astype(np.int32)))
            columns.append(sparse.csr_matrix(ones, shape=(len(X), CODES[at])))
        else:
            columns.append(sparse.csr_matrix(X[:, [at]]))
    return sparse.hstack(columns, format="csr")'''

_DENSE = """rows, start = pq.ParquetFile(PATH).metadata.num_rows, 0
X, y = None, np.empty(rows, dtype=np.float32)
for features, labels in parts():
    if X is None:
        X = np.empty((rows, features.shape[1]), dtype=np.float32, order="{order}")
    X[start : start + len(labels)], y[start : start + len(labels)] = features, labels
    start += len(labels)"""

_SPARSE = """counts = [(len(labels), features.nnz) for features, labels in parts()]
rows, stored = map(sum, zip(*counts))
y, pointers = np.empty(rows, np.float32), np.zeros(rows + 1, np.int32)
values, indices = np.empty(stored, np.float32), np.empty(stored, np.int32)
start = at = 0
for features, labels in parts():
    y[start : start + len(labels)] = labels
    values[at : at + features.nnz] = features.data
    indices[at : at + features.nnz] = features.indices
    pointers[start + 1 : start + 1 + len(labels)] = at + features.indptr[1:]
    start, at, width = start + len(labels), at + features.nnz, features.shape[1]
X = sparse.csr_matrix((values, indices, pointers), shape=(rows, width))"""
