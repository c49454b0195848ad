"""The files of a `reproduce`: a page, a picture, and the verdicts for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from treebench.errors import RunFolderError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from treebench.analysis.claims import ClaimOutcome

ALL = "claims"
"""What the files of all claims together are called; those of one claim bear its id."""


def write_claims(
    folder: Path, name: str, page: str, raw: dict[str, Any], outcomes: Sequence[ClaimOutcome]
) -> dict[str, str]:
    """Write `NAME.md`, `NAME.json` and, where there is something to draw, the picture; each whole
    or not at all. Returns their paths by what they are.

    Raises:
        RunFolderError: they cannot be written.
    """
    files = {
        **_pictures(name, outcomes),
        f"{name}.json": (json.dumps(raw, indent=1, allow_nan=False) + "\n").encode(),
        f"{name}.md": page.encode(),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in files.items():
            draft = folder / f".{file}.part"
            draft.write_bytes(content)
            draft.replace(folder / file)
    except OSError as error:
        raise RunFolderError(
            f"cannot write in {folder} ({error.strerror}); make room, or choose --out"
        ) from error
    return {"page": str(folder / f"{name}.md"), "claims": str(folder / f"{name}.json")}


def _pictures(name: str, outcomes: Sequence[ClaimOutcome]) -> dict[str, bytes]:
    from treebench.report.claims_chart import claims_chart
    from treebench.report.render import png, svg

    chart = claims_chart(outcomes)
    if chart is None:
        return {}
    return {f"{name}.png": png(chart), f"{name}.svg": svg(chart).encode()}
