"""A cell: one point of the sweep, and the id that its definition gives it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from treebench.data.manifest import validation_rows

if TYPE_CHECKING:
    from treebench.data.manifest import Layout

CONTROL_TRAINER = "control"


def rows_trained(rows: int, validation_share: float | None) -> int:
    """Of `rows` rows those trained on, where `validation_share` of them is held out."""
    return rows if validation_share is None else rows - validation_rows(rows, validation_share)


@dataclass(frozen=True)
class CellSpec:
    """What identifies a cell. Two cells with equal specs are one cell, on any machine.

    `params` holds the canonical parameters after those without meaning were dropped; `extra`
    the library's own. `data_sha256` is the identity of the data set the rows come from: its values
    and what they mean (`Manifest.identity_sha256`).
    `memory_limit_bytes` is what the worker and all its children may use; None is no limit.
    `validation_share` is the share of `rows` that is held out of training; None is none.
    """

    dataset: str
    data_sha256: str
    rows: int
    features: int
    layout: Layout
    trainer: str
    params: dict[str, Any]
    extra: dict[str, Any]
    threads: int
    memory_limit_bytes: int | None = None
    validation_share: float | None = None

    @cached_property
    def id(self) -> str:
        """First 12 hex digits of the SHA-256 of the canonical definition."""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def rows_trained(self) -> int:
        """Rows that are left to train on."""
        return rows_trained(self.rows, self.validation_share)

    @property
    def is_control(self) -> bool:
        """Whether this is the fixed cell that shows the machine's drift."""
        return self.trainer == CONTROL_TRAINER

    def to_json(self) -> dict[str, Any]:
        """The spec as JSON-ready values; what goes into a row's `spec`.

        A limit or a validation part that is not there is left out, so that cells without one keep
        the ids they had.
        """
        values = asdict(self)
        for name in ("memory_limit_bytes", "validation_share"):
            if values[name] is None:
                del values[name]
        return values
