from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treebench.data.making.batches import Batch, Form, SparseBatch, WideBatch
from treebench.data.making.writer import PartFacts, PartWriter, content_sha256

WIDE = Form("wide", 3, ("a", "b[0]", "c,d"), ("b[0]",))
SPARSE = Form("sparse-rows", 50, row_entries=3.0)


def wide_rows(rows: int, seed: int = 0) -> WideBatch:
    random = np.random.default_rng(seed)
    columns = random.normal(size=(3, rows)).astype(np.float32)
    columns[0, ::3] = 0
    columns[1] = random.integers(0, 4, rows)
    columns[2, ::5] = np.nan
    return WideBatch(columns, (np.arange(rows) % 2).astype(np.float32))


def sparse_rows(rows: int, seed: int = 0) -> SparseBatch:
    random = np.random.default_rng(seed)
    lengths = random.integers(0, 6, rows).astype(np.int32)
    pieces = [np.sort(random.choice(50, n, replace=False)) for n in lengths]
    indices = np.concatenate([np.empty(0, int), *pieces]).astype(np.int32)
    values = random.uniform(1, 2, len(indices)).astype(np.float32)
    return SparseBatch(lengths, indices, values, np.ones(rows, dtype=np.float32))


def write(
    path: Path, form: Form, rows: Batch, batch_rows: int, group_rows: int = 1_000
) -> PartFacts:
    with PartWriter(path, form, group_rows) as writer:
        for start in range(0, rows.rows, batch_rows):
            writer.write(rows.cut(start, min(start + batch_rows, rows.rows)))
        return writer.close()


@pytest.mark.parametrize(("form", "rows"), [(WIDE, wide_rows(2_500)), (SPARSE, sparse_rows(2_500))])
def test_the_file_is_the_same_however_rows_are_batched(
    tmp_path: Path, form: Form, rows: Batch
) -> None:
    facts = [write(tmp_path / f"{size}", form, rows, size) for size in (1, 7, 999, 1_000, 9_999)]

    assert len({fact.digest for fact in facts}) == 1
    assert len({(tmp_path / f"{size}").read_bytes() for size in (1, 7, 999, 1_000, 9_999)}) == 1


def test_a_wide_part_holds_what_the_format_says(tmp_path: Path) -> None:
    rows = wide_rows(2_500)

    facts = write(tmp_path / "part", WIDE, rows, 400)

    file = pq.ParquetFile(tmp_path / "part")
    assert [file.metadata.row_group(i).num_rows for i in range(3)] == [1_000, 1_000, 500]
    schema = file.schema_arrow
    assert schema.names == ["a", "b[0]", "c,d", "__target__"]
    assert all(field.type == pa.float32() and not field.nullable for field in schema)
    table = file.read()
    for i in range(3):
        np.testing.assert_array_equal(table.column(i).to_numpy(), rows.columns[i])
    np.testing.assert_array_equal(table.column(3).to_numpy(), rows.y)
    stored = [int(np.count_nonzero(column)) for column in rows.columns]
    assert (facts.rows, facts.stored_entries) == (2_500, tuple(stored))
    assert stored[2] == 2_500, "missing counts as stored"
    assert told(file) == {
        "storage": "wide",
        "width": "3",
        "stored_entries": json.dumps(stored).replace(" ", ""),
    }


def test_a_sparse_part_holds_what_the_format_says(tmp_path: Path) -> None:
    rows = sparse_rows(2_500)

    facts = write(tmp_path / "part", SPARSE, rows, 400)

    file = pq.ParquetFile(tmp_path / "part")
    schema = file.schema_arrow
    assert schema.names == ["indices", "values", "__target__"]
    assert schema.field("indices").type.value_type == pa.int32()
    assert schema.field("values").type.value_type == pa.float32()
    table = file.read()
    flat = [table.column(name).combine_chunks().flatten().to_numpy() for name in schema.names[:2]]
    np.testing.assert_array_equal(flat[0], rows.indices)
    np.testing.assert_array_equal(flat[1], rows.values)
    assert facts.stored_entries == tuple(np.bincount(rows.indices, minlength=50).tolist())
    assert told(file)["storage"] == "sparse-rows"
    assert told(file)["width"] == "50"


def told(file: Any) -> dict[str, str]:
    metadata = file.metadata.metadata
    return {
        key: metadata[f"treebench.{key}".encode()].decode()
        for key in ("storage", "width", "stored_entries")
    }


@pytest.mark.parametrize(("form", "rows"), [(WIDE, wide_rows(0)), (SPARSE, sparse_rows(0))])
def test_a_part_without_rows_is_a_file_too(tmp_path: Path, form: Form, rows: Batch) -> None:
    facts = write(tmp_path / "part", form, rows, 10)

    assert facts.rows == 0
    assert facts.stored_entries == (0,) * form.n_features
    assert pq.ParquetFile(tmp_path / "part").metadata.num_rows == 0


def test_what_bits_a_missing_value_has_changes_nothing(tmp_path: Path) -> None:
    odd = np.array([0x7FC00001, 0xFFC00000, 0x7F800001], dtype=np.uint32).view(np.float32)
    plain = np.full(3, np.nan, dtype=np.float32)
    form, y = Form("wide", 1, ("x",)), np.zeros(3, dtype=np.float32)

    facts = [
        write(tmp_path / name, form, WideBatch(values[np.newaxis].copy(), y), 3)
        for name, values in (("odd", odd), ("plain", plain))
    ]

    assert facts[0] == facts[1]


def test_the_content_hash_sees_values_order_and_parts(tmp_path: Path) -> None:
    rows = wide_rows(30)
    turned = WideBatch(rows.columns[:, ::-1].copy(), rows.y)
    one, other = (write(tmp_path / "part", WIDE, part, 30) for part in (rows, turned))

    hashes = {content_sha256(WIDE, *parts) for parts in [(one, one), (one, other), (other, one)]}

    assert len(hashes) == 3


def test_the_content_hash_is_of_these_bytes(tmp_path: Path) -> None:
    form = Form("wide", 1, ("x",))
    part = WideBatch(np.array([[1, 2]], dtype=np.float32), np.array([0, 1], dtype=np.float32))

    facts = write(tmp_path / "part", form, part, 2)

    import hashlib
    import struct

    digest = hashlib.sha256(struct.pack("<4f", 1, 2, 0, 1)).digest()
    assert facts.digest == digest
    whole = hashlib.sha256(b"wide 1 2 2\n" + digest + digest).hexdigest()
    assert content_sha256(form, facts, facts) == whole


@pytest.mark.parametrize(
    ("form", "rows"),
    [
        (Form("wide", 3), 100_000),
        (Form("wide", 100), 100_000),
        (Form("wide", 1_000), 16_760),
        (Form("wide", 100_000), 1_000),
        (Form("sparse-rows", 20_000, row_entries=20), 100_000),
        (Form("sparse-rows", 2_000, row_entries=2_000), 4_192),
    ],
)
def test_rows_of_a_group_follow_from_the_form(form: Form, rows: int) -> None:
    assert form.rows_per_group == rows


@given(st.integers(0, 40), st.data())
@settings(max_examples=60, deadline=None)
def test_cut_and_take_agree_with_plain_indexing(rows: int, data: st.DataObject) -> None:
    batch = sparse_rows(rows, seed=rows)
    start = data.draw(st.integers(0, rows))
    stop = data.draw(st.integers(start, rows))
    mask = np.zeros(rows, dtype=bool)
    mask[start:stop] = True

    cut, taken = batch.cut(start, stop), batch.take(mask)

    for one, other in (
        (cut.lengths, taken.lengths),
        (cut.indices, taken.indices),
        (cut.values, taken.values),
        (cut.y, taken.y),
    ):
        np.testing.assert_array_equal(one, other)


def test_a_failing_source_leaves_the_file_closed(tmp_path: Path) -> None:
    writer = PartWriter(tmp_path / "part", WIDE)

    def fail() -> None:
        with writer:
            writer.write(wide_rows(5))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not writer._file.is_open


def test_a_feature_without_a_value_is_one_that_is_missing_in_every_row_of_all_groups(
    tmp_path: Path,
) -> None:
    rows = wide_rows(2_500)
    rows.columns[0] = np.nan
    rows.columns[1, 1_000:] = np.nan  # a value in the first group alone
    facts = write(tmp_path / "wide", WIDE, rows, 700)
    assert facts.with_missing == (0, 1, 2)
    assert facts.without_value == (0,)


def test_of_sparse_rows_an_absent_entry_is_a_zero_and_no_missing_value(tmp_path: Path) -> None:
    n = 2_500
    indices = np.tile(np.array([3, 7], dtype=np.int32), n)
    values = np.full(2 * n, np.nan, dtype=np.float32)
    lengths = np.full(n, 2, dtype=np.int32)
    lengths[-1], indices, values = 1, indices[:-1], values[:-1]  # the last row lacks feature 7
    rows = SparseBatch(lengths, indices, values, np.ones(n, dtype=np.float32))
    facts = write(tmp_path / "sparse", SPARSE, rows, 700)
    assert facts.with_missing == (3, 7)
    assert facts.without_value == (3,)
