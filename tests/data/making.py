"""Small cards and tables for the tests of making."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from treebench.data.cards import Card, CardFile
from treebench.data.making.make import make_card


def card_facts(**changes: Any) -> dict[str, Any]:
    """A sound card for generated data, with `changes`; a value of None leaves the key out."""
    facts: dict[str, Any] = {
        "name": "small",
        "title": "A small set",
        "source": {"kind": "generate", "rows": 300, "test_rows": 100, "features": 4},
        "task": "binary",
        "licence": "CC0-1.0",
    }
    facts.update(changes)
    return {key: value for key, value in facts.items() if value is not None}


def file_card(kind: str, path: str, target: str = "y", **changes: Any) -> dict[str, Any]:
    """A card for a file of one's own."""
    return card_facts(
        source={"kind": kind, "path": path},
        target={"column": target},
        split={"test_share": 0.2},
        **changes,
    )


def make_set(
    folder: Path, facts: dict[str, Any], batch_rows: int = 65_536, rows: tuple[int, ...] = ()
) -> tuple[Path, list[str]]:
    """Make a set below `folder`; the made folder, and what was reported."""
    said: list[str] = []
    card = Card.model_validate(facts)
    card_file = CardFile(card, folder / "datasets" / f"{card.name}.yaml")
    return make_card(card_file, rows, said.append, batch_rows), said


def columns_of(path: Path) -> dict[str, Any]:
    """The columns of a made part, as arrays or lists."""
    table = pq.read_table(path)
    return {name: table.column(name).to_numpy() for name in table.column_names}


def mixed_table(rows: int = 200) -> pa.Table:
    """Numbers with gaps, whole numbers, text with gaps, truth values, a constant, all missing."""
    random = np.random.default_rng(3)
    number = random.normal(size=rows)
    number[::10] = np.nan
    text = random.choice(np.array(["red", "green", "blue"], dtype=object), rows)
    text[::7] = None
    return pa.table(
        {
            "number": pa.array(number),
            "whole": pa.array(random.integers(-5, 5, rows)),
            "text": pa.array(text.tolist(), pa.string()),
            "flag": pa.array(random.random(rows) > 0.5),
            "same": pa.array(np.ones(rows)),
            "nothing": pa.nulls(rows),
            "y": pa.array(np.where(np.arange(rows) % 4 == 0, 1, -1)),
        }
    )
