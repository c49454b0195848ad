"""The files of a `reproduce`: a page, a picture, and the verdicts for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from treebench.errors import RunFolderError
from treebench.report.claims_page import PICTURE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from treebench.analysis.claims import ClaimOutcome

PAGE_NAME = "claims.md"
FILE_NAME = "claims.json"


def write_claims(
    folder: Path, page: str, raw: dict[str, Any], outcomes: Sequence[ClaimOutcome]
) -> dict[str, str]:
    """Write `claims.md`, `claims.json` and, where there is something to draw, the picture; each
    whole or not at all. Returns their paths by what they are.

    Raises:
        RunFolderError: they cannot be written.
    """
    files = {
        **_pictures(outcomes),
        FILE_NAME: (json.dumps(raw, indent=1, allow_nan=False) + "\n").encode(),
        PAGE_NAME: page.encode(),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            draft = folder / f".{name}.part"
            draft.write_bytes(content)
            draft.replace(folder / name)
    except OSError as error:
        raise RunFolderError(
            f"cannot write in {folder} ({error.strerror}); make room, or choose --out"
        ) from error
    return {"page": str(folder / PAGE_NAME), "claims": str(folder / FILE_NAME)}


def _pictures(outcomes: Sequence[ClaimOutcome]) -> dict[str, bytes]:
    from treebench.report.claims_chart import claims_chart
    from treebench.report.render import png, svg

    chart = claims_chart(outcomes)
    if chart is None:
        return {}
    return {f"{PICTURE}.png": png(chart), f"{PICTURE}.svg": svg(chart).encode()}
