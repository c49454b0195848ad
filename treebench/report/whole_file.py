"""A file that a person named, written whole or not at all."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from treebench.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(path: Path, content: bytes, option: str) -> None:
    """Put `content` in place of the file; a device or pipe is written to as it is.

    Raises:
        UsageError: it cannot be written; `option` says which one named it.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        draft.write_bytes(content)
        draft.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):  # what is told is why it could not be written
            draft.unlink(missing_ok=True)
        raise UsageError(
            f"{option} {path}: it cannot be written ({error.strerror}); name another file"
        ) from error
