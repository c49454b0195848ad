"""What came of each night's suspects, kept beside the nights: later ones are judged by it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from treebench.drafts import ROOM_OR_RIGHTS, draft_of
from treebench.errors import RunFolderError
from treebench.history.night import is_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FOLDER = "verdicts"
VERDICTS_SCHEMA = 1

State = Literal["regression", "dismissed", "unclear", "not re-run"]


@dataclass(frozen=True)
class Finding:
    """What a night found of a figure of a cell that stood worse since the night `since` than in
    `last_good`: `before` and `after` are the medians of the history that opened the suspicion.

    `state` is what the re-run said; `says` in words; `ratio` (after over before) and its interval
    are the re-run's, and so are `chance` and `rounds` (samples of each side): None without one.
    `same_versions` says that the last good night had the very versions of tonight. `drifted`: the
    history was judged in units of the control cell.
    """

    night: str
    cell: str
    figure: str
    since: str
    last_good: str
    before: float
    after: float
    state: State
    says: str
    same_versions: bool
    drifted: bool = False
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    rounds: int | None = None


def write_findings(folder: Path, night: str, findings: Sequence[Finding]) -> Path:
    """Keep a night's findings, whole or not at all; a night without any has an empty list.

    Raises:
        RunFolderError: they cannot be written.
    """
    target = folder / FOLDER / f"{night}.json"
    facts = {
        "schema": VERDICTS_SCHEMA,
        "night": night,
        "findings": [asdict(each) for each in findings],
    }
    text = json.dumps(facts, indent=1, allow_nan=False) + "\n"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with draft_of(target) as draft:
            draft.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RunFolderError(
            f"cannot write {target} ({error.strerror}); {ROOM_OR_RIGHTS}, then type the same "
            f"command again"
        ) from error
    return target


def read_findings(folder: Path) -> tuple[list[Finding], list[str]]:
    """The findings of all nights, by night, and a sentence for each file that cannot be read."""
    found: list[Finding] = []
    skipped: list[str] = []
    for path in sorted((folder / FOLDER).glob("*.json")):
        try:
            found += _read(path)
        except (OSError, ValueError, KeyError, TypeError) as error:
            reason = " ".join(str(error).split())
            skipped.append(f"{path} cannot be read ({reason}); it is passed over")
    return found, skipped


def _read(path: Path) -> list[Finding]:
    facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if not is_name(path.stem) or facts["night"] != path.stem:
        raise ValueError("it is no night's")
    if facts["schema"] > VERDICTS_SCHEMA:
        raise ValueError(
            f"it has schema {facts['schema']}, and this treebench reads {VERDICTS_SCHEMA}"
        )
    return [Finding(**each) for each in facts["findings"]]
