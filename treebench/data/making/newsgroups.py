"""The 20 newsgroups, split by date, as sparse rows of word counts.

The same words, counts and scale as scikit-learn's `fetch_20newsgroups_vectorized`: headers,
footers and quotes stay, words are CountVectorizer's, counted over the training part's vocabulary,
and each row is scaled to length 1. Rows are in the order of their files' names.
"""

from __future__ import annotations

import tarfile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from treebench.data.making.batches import Batch, PartName, Prepared, SparseBatch
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from treebench.data.making.packed import PackedFile

FOLDERS: dict[str, PartName] = {"20news-bydate-train": "train", "20news-bydate-test": "test"}
MOST_TEXT_BYTES = 8 << 20

_Texts = dict[PartName, dict[tuple[str, str], str]]


def prepare_newsgroups(file: PackedFile) -> Prepared:
    """Count the words of all texts, which fit in memory many times over.

    Raises:
        DataError: the archive is damaged, or is not this one.
    """
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.preprocessing import normalize

    texts = _texts(file)
    classes = sorted({group for group, _ in texts["train"]})
    if not texts["test"] or {group for group, _ in texts["test"]} != set(classes):
        raise DataError(
            f"{file.label} does not hold {' and '.join(FOLDERS)} with the same groups in both; "
            f"give the right file"
        )
    vectorizer = CountVectorizer(dtype=np.int32)
    parts: list[tuple[PartName, Any, Any]] = []
    counts: dict[PartName, Callable[[list[str]], Any]] = {
        "train": vectorizer.fit_transform,
        "test": vectorizer.transform,
    }
    for part, count in counts.items():
        named = sorted(texts[part].items())
        X = normalize(count([text for _, text in named]).astype(np.float64)).tocsr()
        X.sort_indices()
        parts.append((part, X, np.array([classes.index(group) for (group, _), _ in named])))
    return Prepared(
        task="multiclass",
        classes=tuple(classes),
        target="group",
        storage="sparse-rows",
        n_features=len(vectorizer.vocabulary_),
        rows=sum(len(y) for _, _, y in parts),
        batches=lambda batch_rows: _batches(parts, batch_rows),
        row_entries=sum(X.nnz for _, X, _ in parts) / sum(len(y) for _, _, y in parts),
    )


def _texts(file: PackedFile) -> _Texts:
    """Each part's texts by group and name. Names are looked at and never made into paths."""
    texts: _Texts = {"train": {}, "test": {}}
    try:
        with file.open() as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                names = PurePosixPath(member.name).parts[-3:]
                part = FOLDERS.get(names[0]) if len(names) == 3 else None
                if part is None or not member.isfile():
                    continue
                if member.size > MOST_TEXT_BYTES:
                    raise DataError(f"{file.label}: {member.name} is too large for a message")
                content = archive.extractfile(member)
                if content is not None:
                    texts[part][names[1], names[2]] = content.read().decode("latin-1")
    except tarfile.TarError as error:
        raise DataError(f"{file.label} is no whole tar archive ({error}); fetch it again") from None
    return texts


def _batches(
    parts: list[tuple[PartName, Any, Any]], batch_rows: int
) -> Iterator[tuple[PartName, Batch]]:
    for part, X, y in parts:
        for start in range(0, len(y), batch_rows):
            rows = X[start : start + batch_rows]
            yield (
                part,
                SparseBatch(
                    np.diff(rows.indptr).astype(np.int32),
                    rows.indices.astype(np.int32),
                    rows.data.astype(np.float32),
                    y[start : start + batch_rows].astype(np.float32),
                ),
            )
