"""The history on disk: a Parquet file for each night, written whole or not at all.

A file that cannot be read, or is none of ours, is named and passed over: one torn night must not
cost all others.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from treebench.analysis.comparing.guarded import guarded_figures
from treebench.analysis.figures import FIGURES
from treebench.analysis.sample import Missing
from treebench.drafts import ROOM_OR_RIGHTS, draft_of
from treebench.errors import RunFolderError
from treebench.history.night import NIGHT_SCHEMA, Conditions, Night, conditions_of, is_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from treebench.analysis.figures import NamedFigure
    from treebench.store.row import SampleRow

FOLDER = "nights"
_FACTS, _CELLS = b"treebench.night", b"treebench.cells"
_FIGURE = "figure:"
_READERS = 2


@dataclass(frozen=True)
class History:
    """The nights by time, and their samples as one table: `night` (place in `nights`), `cell`,
    `kind`, `status`, `error` (what a failed sample said), `conditions` (place in `conditions`), and
    a column of float64 per figure, NaN where a sample has none. `skipped` are files that could not
    be read, a sentence each."""

    nights: tuple[Night, ...]
    conditions: tuple[Conditions, ...]
    samples: pd.DataFrame
    skipped: tuple[str, ...] = ()

    @property
    def figures(self) -> list[str]:
        """The figures that it has columns of."""
        return [
            name.removeprefix(_FIGURE) for name in self.samples.columns if name.startswith(_FIGURE)
        ]


def figure_column(name: str) -> str:
    """The column of a figure."""
    return f"{_FIGURE}{name}"


def write_night(folder: Path, night: Night, rows: Sequence[SampleRow]) -> Path:
    """Add a night, whole or not at all, to the history in `folder`; its conditions are those of
    the rows.

    Raises:
        RunFolderError: it cannot be written.
    """
    target = folder / FOLDER / f"{night.name}.parquet"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with draft_of(target) as draft:
            pq.write_table(_table(night, rows), draft, compression="zstd")
    except OSError as error:
        raise RunFolderError(
            f"cannot write {target} ({error.strerror or error}); {ROOM_OR_RIGHTS}, then type the "
            f"same command again"
        ) from error
    return target


def read_history(
    folder: Path, wanted: Callable[[str], bool] | None = None, until: str | None = None
) -> History:
    """All nights in `folder`, those after the night `until` left out, with the figures that
    are `wanted` by their names (all, if None)."""
    paths = [path for path in _paths(folder) if until is None or path.stem <= until]
    with ThreadPoolExecutor(_READERS) as pool:
        read = list(pool.map(lambda path: _read(path, wanted), paths))
    parts = [each for each in read if isinstance(each, tuple)]
    skipped = tuple(each for each in read if isinstance(each, str))
    numbers: dict[Conditions, int] = {}
    tables = [
        _placed(table, at, [numbers.setdefault(each, len(numbers)) for each in night.conditions])
        for at, (night, table) in enumerate(parts)
    ]
    return History(tuple(night for night, _ in parts), tuple(numbers), _whole(tables), skipped)


def read_last_night(folder: Path) -> Night:
    """The latest night that can be read, without its samples.

    Raises:
        RunFolderError: there is none.
    """
    for path in reversed(_paths(folder)):
        read = _read(path, lambda name: False)
        if isinstance(read, tuple):
            return read[0]
    raise RunFolderError(f"{folder} holds no night that can be read; run one first")


def nights_after(folder: Path, night: str) -> list[str]:
    """The names of the nights that began after the one of that name."""
    return [path.stem for path in _paths(folder) if is_name(path.stem) and path.stem > night]


def _paths(folder: Path) -> list[Path]:
    """By name, and so by time."""
    return sorted((folder / FOLDER).glob("*.parquet"))


def _table(night: Night, rows: Sequence[SampleRow]) -> pa.Table:
    figures = _figures(rows)
    by_cell: dict[str, list[SampleRow]] = {}
    for row in rows:
        by_cell.setdefault(row.cell, []).append(row)
    of_cell = {cell: conditions_of(listed) for cell, listed in by_cell.items()}
    listed = sorted(set(of_cell.values()))
    places = {each: at for at, each in enumerate(listed)}
    columns = {
        "cell": pa.array([row.cell for row in rows]).dictionary_encode(),
        "block": pa.array([row.block for row in rows], pa.int32()),
        "kind": pa.array([row.kind for row in rows]).dictionary_encode(),
        "status": pa.array([row.status for row in rows]).dictionary_encode(),
        "error": pa.array([_cause(row) for row in rows], pa.string()),
        "conditions": pa.array([places[of_cell[row.cell]] for row in rows], pa.int32()),
        **{
            figure_column(each.name): pa.array([_value(row, each) for row in rows], pa.float64())
            for each in figures
        },
    }
    cells = {cell: listed[0].spec for cell, listed in by_cell.items()}
    return pa.table(columns).replace_schema_metadata(
        {_FACTS: _facts_text(night, listed), _CELLS: json.dumps(cells)}
    )


def _figures(rows: Sequence[SampleRow]) -> list[NamedFigure]:
    """All single figures, and of the families those that a comparison guards."""
    named = {**FIGURES, **{each.name: each for each in guarded_figures(rows)}}
    return list(named.values())


def _value(row: SampleRow, figure: NamedFigure) -> float | None:
    if row.status != "ok" or row.kind not in figure.kinds:
        return None
    value = figure.of(row)
    return None if isinstance(value, Missing) else float(value)


def _cause(row: SampleRow) -> str | None:
    if row.error is None:
        return None
    where = f" in {row.error.phase}" if row.error.phase else ""
    return f"{row.status}{where}: {row.error.message}"


def _facts_text(night: Night, conditions: Sequence[Conditions]) -> str:
    facts = {
        "schema": NIGHT_SCHEMA,
        "night": night.name,
        "run": night.run,
        "python": night.python,
        "requirements": list(night.requirements),
        "command": list(night.command),
        "planned": sorted(night.planned),
        "unsupported": list(night.unsupported),
        "conditions": [[each.settings, each.versions] for each in conditions],
    }
    return json.dumps(facts)


def _read(path: Path, wanted: Callable[[str], bool] | None) -> tuple[Night, pa.Table] | str:
    """A night with its table, or why there is none."""
    if not is_name(path.stem):
        return f"{path} is no night by its name; it is passed over"
    try:
        with pq.ParquetFile(path) as file:
            night = _night(path, file.schema_arrow.metadata or {})
            names = file.schema_arrow.names
            columns = [name for name in names if _is_wanted(name, wanted)]
            table = file.read(columns=columns, use_threads=False)
    except (OSError, pa.ArrowException, ValueError, KeyError, TypeError) as error:
        reason = " ".join(str(error).split())
        return f"{path} cannot be read ({reason}); it is passed over"
    return night, table


def _is_wanted(name: str, wanted: Callable[[str], bool] | None) -> bool:
    if not name.startswith(_FIGURE):
        return name != "block"
    return wanted is None or wanted(name.removeprefix(_FIGURE))


def _night(path: Path, held: Mapping[bytes, bytes]) -> Night:
    if _FACTS not in held or _CELLS not in held:
        raise ValueError("treebench did not write it")
    facts: dict[str, Any] = json.loads(held[_FACTS])
    if facts["schema"] > NIGHT_SCHEMA:
        raise ValueError(
            f"it has schema {facts['schema']}, and this treebench reads {NIGHT_SCHEMA}"
        )
    if facts["night"] != path.stem:
        raise ValueError(f"it holds the night {facts['night']}")
    return Night(
        name=facts["night"],
        run=facts["run"],
        python=facts["python"],
        requirements=tuple(facts["requirements"]),
        conditions=tuple(Conditions(*each) for each in facts["conditions"]),
        command=tuple(facts["command"]),
        planned=frozenset(facts["planned"]),
        unsupported=tuple(facts["unsupported"]),
        cells_text=held[_CELLS].decode(),
    )


def _placed(table: pa.Table, at: int, numbers: Sequence[int]) -> pa.Table:
    """With the night's place in a column, and its conditions by their places among all."""
    conditions = pa.array(numbers, pa.int32()).take(table.column("conditions").combine_chunks())
    table = table.set_column(table.schema.get_field_index("conditions"), "conditions", conditions)
    return table.append_column("night", pa.array([at] * len(table), pa.int32()))


def _whole(tables: Sequence[pa.Table]) -> pd.DataFrame:
    names = ("cell", "kind", "status", "error", "conditions", "night")
    if not tables:
        return pd.DataFrame({name: [] for name in names})
    bare = [table.replace_schema_metadata(None) for table in tables]
    whole = pa.concat_tables(bare, promote_options="default").unify_dictionaries()
    frame: pd.DataFrame = whole.to_pandas()
    return frame
