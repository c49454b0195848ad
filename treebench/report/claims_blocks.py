"""The verdicts on claims of a run's folder, or of the folder that its run was made in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from treebench.errors import RunFolderError
from treebench.report import units
from treebench.report.blocks import Heading, Words, items, table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from treebench.report.blocks import Block

FILE_NAME = "claims.json"
_TITLES = ("check", "stated", "measured", "verdict", "why")


def claims_blocks(run_folder: Path) -> list[Block]:
    """A part for each claim that this run was taken for; nothing where there are none.

    Raises:
        RunFolderError: the file is there and cannot be read.
    """
    own, shared = run_folder / FILE_NAME, run_folder.resolve().parent / FILE_NAME
    claims = _claims(own)
    claims += [one for one in _claims(shared) if _is_of(one, run_folder)]
    return [block for one in claims for block in _claim(one)]


def _claims(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        return list(held["claims"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunFolderError(
            f"{path} cannot be read ({error}); take it away, or make it anew: treebench reproduce"
        ) from None


def _is_of(claim: Mapping[str, Any], run_folder: Path) -> bool:
    return str(claim.get("run") or "").rstrip("/").rpartition("/")[2] == run_folder.resolve().name


def _claim(claim: Mapping[str, Any]) -> list[Block]:
    checks = claim.get("checks", [])
    rows = [
        [
            str(check["name"]),
            _stated(check),
            _measured(check.get("measured")),
            str(check["verdict"]),
            str(check.get("why") or check.get("stand_in") or ""),
        ]
        for check in checks
    ]
    meanings = [f"{check['name']}: {check['says']}" for check in checks if check.get("says")]
    return [
        Heading(f"{claim['id']}: {claim['title']}"),
        Words("", str(claim["verdict"]), f": {claim.get('claim', '')}"),
        table(_TITLES, rows, (False, True, True, False, False), "claims", str(claim["id"])),
        *items([*meanings, *claim.get("conditions", []), str(claim.get("source") or "")]),
    ]


def _stated(check: Mapping[str, Any]) -> str:
    if check.get("stated") is not None:
        return _number(check["stated"])
    low, high = check.get("low"), check.get("high")
    if low is None and high is None:
        return units.DASH
    if low is None:
        return f"at most {_number(high)}"
    return f"at least {_number(low)}" if high is None else f"{_number(low)} to {_number(high)}"


def _measured(value: Mapping[str, Any] | None) -> str:
    if value is None:
        return units.DASH
    if value.get("low") is None or value.get("high") is None:
        return _number(value["point"])
    return f"{_number(value['point'])} ({_number(value['low'])} to {_number(value['high'])})"


def _number(value: Any) -> str:
    return f"{value:,.3g}" if isinstance(value, int | float) else str(value)
