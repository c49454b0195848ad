"""`python -m benchmarks.history`: wanted under 10 s for 1,000,000 samples.

A made history of 200 cells and the control cell, 5 samples of each a night, is written as Parquet
(which is not timed), then read and judged as `treebench nightly` does each night.
"""

from __future__ import annotations

import argparse
import datetime
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.analysis.comparing.two_runs import MATCHING
from tests.analysis.rows import CONTROL, HIST, sample, spec
from treebench.history.night import Night, name_of
from treebench.history.parts import FOLDER, figure_column, read_history, write_night
from treebench.history.suspects import Known, is_guarded, judge

SAMPLES = 5
_START = datetime.datetime(2020, 1, 1, 1, tzinfo=datetime.UTC)
_NOISE = 0.01


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--cells", type=int, default=200)
    given = parser.parse_args()
    a_night = SAMPLES * (given.cells + 1)
    nights = -(-given.samples // a_night)
    with tempfile.TemporaryDirectory(prefix="treebench-history-") as name:
        folder = Path(name)
        _write(folder, nights, given.cells)
        size = sum(each.stat().st_size for each in (folder / FOLDER).iterdir()) / 2**20
        print(f"{nights:,} nights, {nights * a_night:,} samples, {size:,.0f} MiB of Parquet")
        start, spent = time.perf_counter(), time.process_time()
        history = read_history(folder, is_guarded)
        read = time.perf_counter()
        chosen = [cell for cell in history.nights[-1].specs() if cell != CONTROL.id]
        found = judge(history, chosen, CONTROL.id, Known())
        done, spent = time.perf_counter(), time.process_time() - spent
    print(
        f"read in {read - start:.2f} s, judged in {done - read:.2f} s: {done - start:.2f} s, "
        f"{spent:.2f} s of CPU"
    )
    print(f"{found.judged:,} figures, {len(found.suspects):,} suspects")


def _write(folder: Path, nights: int, cells: int) -> None:
    """One night by the rows' own way, the others as the same table with other noise."""
    listed = [CONTROL, *(spec(params=HIST | {"max_bin": 16 + at}) for at in range(cells))]
    rows = [sample(cell, block) for block in range(SAMPLES) for cell in listed]
    for row in rows:
        row.must_match.update(MATCHING)
    planned = frozenset(cell.id for cell in listed[1:])
    first = Night(name_of(_START), "made", "3.11.7", ("xgboost==3.1.0",), (), planned=planned)
    path = write_night(folder, first, rows)
    table = pq.read_table(path)
    held: dict[bytes, Any] = dict(table.schema.metadata)
    facts = json.loads(held[b"treebench.night"])
    draw = np.random.default_rng(0)
    for day in range(1, nights):
        facts["night"] = name_of(_START + datetime.timedelta(days=day))
        noise = draw.normal(1, _NOISE, len(table))
        made = table
        for figure in ("construct_fit_time", "fit_time", "predict_time"):
            at = made.schema.get_field_index(figure_column(figure))
            values = made.column(at).to_numpy() * noise
            made = made.set_column(at, figure_column(figure), pa.array(values))
        made = made.replace_schema_metadata({**held, b"treebench.night": json.dumps(facts)})
        pq.write_table(made, folder / FOLDER / f"{facts['night']}.parquet", compression="zstd")


if __name__ == "__main__":
    main()
