"""A file that a person named, written whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.drafts import draft_of
from treebench.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(path: Path, content: bytes, option: str) -> None:
    """Put `content` in place of the file; a device or pipe is written to as it is.

    Raises:
        UsageError: it cannot be written; `option` says which one named it.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        with draft_of(path) as draft:
            draft.write_bytes(content)
    except OSError as error:
        raise UsageError(
            f"{option} {path}: it cannot be written ({error.strerror}); name another file"
        ) from error
