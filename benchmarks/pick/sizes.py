"""How large the comparison is: the rows of each data set, and the values of the grid.

`hour` and `night` are how long the five data sets take on two cores, two of them side by side.
Data that is larger than that allows is cut down to a data set of its own, with a card of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treebench.errors import DataError
from treebench.shipped import shipped_folder
from treebench.written.yaml_text import read_yaml, yaml_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DATA = (
    "flights",
    "flights-onehot",
    "synthetic-wide",
    "synthetic-multiclass",
    "synthetic-regression",
)


@dataclass(frozen=True)
class Size:
    """`rows` by data set: of flights those of both parts, of generated data those of the training
    part, whose test part stays as large as it is, so that the grid's best is not the luckiest; all
    there are where it has none. `numbers` are the grid's, save for `own_numbers` of a data set,
    `forest` those of its one forest."""

    numbers: Mapping[str, Sequence[float]]
    forest: Mapping[str, Sequence[float]]
    rows: Mapping[str, int] = field(default_factory=dict)
    own_numbers: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)

    def numbers_of(self, dataset: str) -> Mapping[str, Sequence[float]]:
        """The grid's numbers for one data set."""
        return {**self.numbers, **self.own_numbers.get(dataset, {})}


# A tree of many columns takes as long as many trees of few.
_FEWER_TREES = {"synthetic-wide": {"n_estimators": [30, 100]}}
_FOREST = {"n_estimators": [100], "max_depth": [12]}
SIZES = {
    "trial": Size(
        {"n_estimators": [20], "learning_rate": [0.1, 0.3], "max_bin": [255], "max_depth": [4]},
        {"n_estimators": [20], "max_depth": [12]},
        dict.fromkeys(DATA, 2_000),
    ),
    "hour": Size(
        {
            "n_estimators": [100, 300],
            "learning_rate": [0.05, 0.15],
            "max_bin": [63, 255],
            "max_depth": [4, 8],
        },
        _FOREST,
        {
            "flights-onehot": 100_000,
            "synthetic-wide": 4_000,
            "synthetic-multiclass": 12_000,
            "synthetic-regression": 20_000,
        },
        _FEWER_TREES,
    ),
    "night": Size(
        {
            "n_estimators": [100, 300],
            "learning_rate": [0.05, 0.1, 0.2],
            "max_bin": [63, 255],
            "max_depth": [4, 6, 8],
        },
        _FOREST,
        {
            "flights-onehot": 150_000,
            "synthetic-wide": 8_000,
            "synthetic-multiclass": 32_000,
        },
        _FEWER_TREES,
    ),
}


def data_set(dataset: str, rows: int | None) -> str:
    """The name of a data set of so many of its rows; its card is put into ./datasets."""
    if rows is None:
        return dataset
    shipped = read_yaml(shipped_folder("datasets") / f"{dataset}.yaml", DataError)
    name = f"{dataset}-{rows}"
    source = dict(shipped["source"])
    if source["kind"] == "generate":
        source |= {"rows": rows}
    else:
        source = {"kind": "parquet", "path": str(_cut_flights(rows))}
    kept = {key: value for key, value in shipped.items() if key not in ("checksum", "expected")}
    card = {**kept, "name": name, "title": f"{kept['title']} - {rows:,} rows", "source": source}
    path = Path("datasets", f"{name}.yaml")
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml_text(card), encoding="utf-8")
    return name


def _cut_flights(rows: int) -> Path:
    """So many flights that arrived, drawn by a seed, in their order."""
    import numpy as np
    import pyarrow.parquet as pq

    from treebench.data.making.readers.memory import zipped_csv
    from treebench.data.sources.flights import flights_zip

    path = Path("datasets", "files", f"flights-{rows}.parquet")
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        table: Any = zipped_csv(flights_zip(), "flights.csv")
        table = table.filter(table.column("arr_delay").is_valid())
        if rows > table.num_rows:
            raise SystemExit(f"there are {table.num_rows:,} flights; ask for as many at most")
        drawn = np.random.default_rng(0).choice(table.num_rows, rows, replace=False)
        pq.write_table(table.take(np.sort(drawn)), path)
    return path
