"""What a search has learnt, as it lies in `pick.json`: written after every sample, so that after
Ctrl-C, or with another budget, the next call goes on from it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from treebench.drafts import ROOM_OR_OUT, write_whole
from treebench.errors import RunFolderError
from treebench.picking.tried import Tried

if TYPE_CHECKING:
    from pathlib import Path

FILE_NAME = "pick.json"
SCHEMA = 1


@dataclass
class State:
    """The samples of a search in the order they were taken; `path` is where they are kept (None:
    nowhere), `outcome` what the last call that came to an end answered."""

    path: Path | None = None
    tried: list[Tried] = field(default_factory=list)
    outcome: dict[str, Any] | None = None
    data_sha256: str = ""

    def find(self, cell: str) -> Tried | None:
        """The last sample of a cell that ended."""
        return next((each for each in reversed(self.tried) if each.cell == cell), None)

    def add(self, tried: Tried) -> None:
        """Keep a sample.

        Raises:
            RunFolderError: it cannot be written.
        """
        self.tried.append(tried)
        self.save()

    def concluded(self, outcome: dict[str, Any]) -> None:
        """Keep the answer.

        Raises:
            RunFolderError: it cannot be written.
        """
        self.outcome = outcome
        self.save()

    def save(self) -> None:
        """Write the file whole or not at all. Call it with the folder locked."""
        if self.path is None:
            return
        raw = {
            "schema": SCHEMA,
            "data_sha256": self.data_sha256,
            "tried": [each.to_json() for each in self.tried],
            "outcome": self.outcome,
        }
        text = json.dumps(raw, indent=1, allow_nan=False) + "\n"
        write_whole(self.path, text.encode(), RunFolderError, ROOM_OR_OUT)


def read_state(path: Path, data_sha256: str) -> State:
    """The state in a file, or a new one where there is none.

    Raises:
        RunFolderError: the file cannot be read, or is of other data or of a newer treebench.
    """
    if not path.exists():
        return State(path, data_sha256=data_sha256)
    remedy = "choose another --out, or say --fresh to keep it aside and start anew"
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        if raw["schema"] > SCHEMA:
            raise RunFolderError(
                f"{path} has schema {raw['schema']}, this treebench reads up to {SCHEMA}; {remedy}"
            )
        tried = [Tried.from_json(each) for each in raw["tried"]]
        held, outcome = raw["data_sha256"], raw.get("outcome")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RunFolderError(f"{path} is damaged ({error}); {remedy}") from None
    if held != data_sha256:
        raise RunFolderError(f"{path} is of other data of this name; {remedy}")
    return State(path, tried, outcome, data_sha256)
