"""Which measuring code took a sample: figures from different code are not compared unseen."""

from __future__ import annotations

import hashlib
from pathlib import Path

from treebench import __version__

_MEASURING_ROOMS = ("data", "machine", "measure", "runner", "trainers", "worker")


def code_version() -> str:
    """The release, and a hash of the sources that a sample passes through."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for room in _MEASURING_ROOMS:
        for source in sorted((package / room).rglob("*.py")):
            digest.update(source.relative_to(package).as_posix().encode())
            digest.update(source.read_bytes())
    return f"{__version__}+{digest.hexdigest()[:8]}"
