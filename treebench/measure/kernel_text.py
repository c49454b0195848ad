"""What the kernel tells as text: its settings, and the facts of the first CPU."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def setting(path: Path) -> str | None:
    """The text of a file of the kernel's, without spaces around it; None where there is none to be
    read."""
    try:
        return path.read_text().strip()
    except OSError:
        return None


def chosen_word(text: str | None) -> str | None:
    """The bracketed word of a setting such as `always [madvise] never`."""
    found = re.search(r"\[(.*?)\]", text or "")
    return found[1] if found else None


def cpu_field(cpuinfo: str | None, name: str) -> str | None:
    """A field of the first CPU in the text of /proc/cpuinfo."""
    found = re.search(rf"^{re.escape(name)}[ \t]*:(.*)$", cpuinfo or "", re.MULTILINE)
    return found[1].strip() if found else None
