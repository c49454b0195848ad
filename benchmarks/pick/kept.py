"""What was measured of one data set, a JSON line each, so that a run that stopped goes on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Record: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Kept:
    """The lines of one file. Each has `what` it is of, and a `budget`'s name where it is of one."""

    path: Path

    @property
    def records(self) -> list[Record]:
        """All of them, the last of each name."""
        if not self.path.exists():
            return []
        lines = self.path.read_text(encoding="utf-8").splitlines()
        read = [json.loads(line) for line in lines if line.strip()]
        return list({(each["what"], each.get("budget")): each for each in read}.values())

    def of(self, what: str, budget: str | None = None) -> Record | None:
        """The record of that name."""
        named = (e for e in self.records if (e["what"], e.get("budget")) == (what, budget))
        return next(named, None)

    def once(
        self, what: str, budget: str | None, take: Callable[[], Record], **asked: float
    ) -> Record:
        """The record of that name, taken now where it is not there, told of a failure, or is of
        something else than is `asked` now."""
        held = self.of(what, budget)
        if held is not None and held.get("failed") is None and asked.items() <= held.items():
            return held
        record = {"what": what, "budget": budget, **take()}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, allow_nan=False) + "\n")
        return record
