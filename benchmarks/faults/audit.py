"""Reading a journal without treebench: what is in it, against what was seen and done meanwhile."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.faults.victims import DASK, LOKY, SCHEDULER, STOPPED, WORKER

if TYPE_CHECKING:
    from pathlib import Path

Key = tuple[str, int, str]

_CAUSES = {
    WORKER: ("killed", "something killed it (SIGKILL)"),
    SCHEDULER: ("killed", "something killed it (SIGKILL)"),
    LOKY: ("killed", "a process of its pool"),
    DASK: ("killed", "a process of its pool"),
    STOPPED: ("timeout", "still running after"),
}
"""Of a sample whose process was struck: the status that says so, and words of the message."""


@dataclass
class Witness:
    """What was seen of one journal from outside. `kills` are what was struck by the number of the
    start and by how many rows there were, which is the number of the row then under way."""

    journal: Path
    oom_cell: str
    planned: set[Key]
    seen: bytes = b""
    starts: list[int] = field(default_factory=list)
    kills: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    rewritten: int = 0

    def look(self) -> int:
        """Note the whole lines that are there now; how many there are. What was there before must
        be there still."""
        now = whole_lines(self.journal)
        if not now.startswith(self.seen):
            self.rewritten += 1
        if len(now) > len(self.seen):
            self.seen = now
        return now.count(b"\n")

    def began(self) -> None:
        self.starts.append(self.look())

    def struck(self, kind: str, row: int) -> None:
        self.kills.setdefault((len(self.starts) - 1, row), []).append(kind)

    def struck_at(self, row: int) -> list[str]:
        start = max(number for number, first in enumerate(self.starts) if first <= row)
        return self.kills.get((start, row), [])


@dataclass(frozen=True)
class Findings:
    rows: int
    statuses: Counter[str]
    lost: list[str]
    twice: list[str]
    wrong: list[str]


def whole_lines(journal: Path) -> bytes:
    content = journal.read_bytes() if journal.exists() else b""
    return content[: content.rfind(b"\n") + 1]


def rows_of(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.splitlines()]


def key_of(row: dict[str, Any]) -> Key:
    return row["cell"], row["block"], row["kind"]


def there(rows: list[dict[str, Any]], retry_failed: bool) -> set[Key]:
    """Samples that a start has no need to take again."""
    last = {key_of(row): row["status"] for row in rows}
    stays = (
        {"ok", "unsupported"}
        if retry_failed
        else {"ok", "unsupported", "error", "timeout", "oom", "killed"}
    )
    return {key for key, status in last.items() if status in stays}


def judge(witness: Witness) -> Findings:
    """Compare the journal of a sweep that ran to its end with what was seen."""
    content = whole_lines(witness.journal)
    rows = rows_of(content)
    before = rows_of(witness.seen)
    lost = [
        f"row {number} was seen and is not there: {key_of(row)}"
        for number, row in enumerate(before)
        if row not in rows
    ]
    lost += [f"never taken: {key}" for key in sorted(witness.planned - there(rows, False))]
    lost += [f"{witness.journal} was rewritten"] * witness.rewritten
    taken = Counter(key_of(row) for row in rows if row["status"] == "ok")
    twice = [f"{key} is ok {count} times" for key, count in taken.items() if count > 1]
    twice += [f"not planned: {key}" for key in sorted({*map(key_of, rows)} - witness.planned)]
    wrong = [said for number, row in enumerate(rows) if (said := _wrong(row, number, witness))]
    return Findings(len(rows), Counter(row["status"] for row in rows), lost, twice, wrong)


def _wrong(row: dict[str, Any], number: int, witness: Witness) -> str | None:
    if row["status"] == "ok":
        return None
    message = (row["error"] or {}).get("message", "")
    struck = witness.struck_at(number)
    causes = [_CAUSES[kind] for kind in struck if kind in _CAUSES]
    if row["cell"] == witness.oom_cell:
        causes.append(("oom", "memory limit"))
    if any(row["status"] == status and words in message for status, words in causes):
        return None
    return (
        f"row {number} ({row['spec']['trainer']}) says {row['status']} in "
        f"{(row['error'] or {}).get('phase')}: {message[:300]!r}, struck was {struck or 'nothing'}"
    )
