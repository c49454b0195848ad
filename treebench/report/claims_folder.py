"""The files of a `reproduce`: pages, a picture, and the verdicts for programs.

Pages and picture are of the claims asked for; `claims.json` holds the last verdict on each claim
that was ever asked for in the folder.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from treebench.drafts import ROOM_OR_OUT, write_files
from treebench.errors import RunFolderError
from treebench.report.claims_text import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from treebench.analysis.claims import ClaimOutcome

OF_ALL = "claims"
"""What page and picture of all claims are called; those of others bear their ids."""
FILE_NAME = "claims.json"


def write_claims(
    folder: Path,
    name: str,
    pages: Mapping[str, str],
    raw: dict[str, Any],
    outcomes: Sequence[ClaimOutcome],
) -> dict[str, str]:
    """Write the pages (`md`, `html`: what each holds) under the name, `claims.json` and, where
    there is something to draw, the picture; each whole or not at all. Returns their paths by what
    they are.

    Raises:
        RunFolderError: they cannot be written, or an earlier `claims.json` cannot be read.
    """
    files = {
        **_pictures(name, outcomes),
        FILE_NAME: (
            json.dumps(_with_earlier(folder, raw), indent=1, allow_nan=False) + "\n"
        ).encode(),
        **{f"{name}.{kind}": page.encode() for kind, page in pages.items()},
    }
    write_files(folder, files, RunFolderError, ROOM_OR_OUT)
    read = {"page": "md", "html": "html"}
    written = {what: str(folder / f"{name}.{kind}") for what, kind in read.items() if kind in pages}
    return {**written, "claims": str(folder / FILE_NAME)}


def _with_earlier(folder: Path, raw: dict[str, Any]) -> dict[str, Any]:
    """The verdicts, and before them those on other claims that the folder has already."""
    now = {each["id"] for each in raw["claims"]}
    earlier = [each for each in _earlier(folder / FILE_NAME) if each["id"] not in now]
    return {**raw, "claims": [*earlier, *raw["claims"]]}


def _earlier(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        return [each for each in held["claims"] if held["schema"] == SCHEMA and each["id"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunFolderError(
            f"{path} is damaged ({error}); delete it, and type the same command again"
        ) from None


def _pictures(name: str, outcomes: Sequence[ClaimOutcome]) -> dict[str, bytes]:
    from treebench.report.claims_chart import claims_chart
    from treebench.report.render import png, svg

    chart = claims_chart(outcomes)
    if chart is None:
        return {}
    return {f"{name}.png": png(chart), f"{name}.svg": svg(chart).encode()}
