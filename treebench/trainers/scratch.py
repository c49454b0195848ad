"""A place on disk for what a trainer writes while it trains."""

from __future__ import annotations

import os
import tempfile

SCRATCH_VARIABLE = "TREEBENCH_SCRATCH"
"""Where the supervisor names a sample's own folder on disk; it removes the folder, whatever
becomes of the sample. Set for trainers that start processes or stream."""


def scratch_folder(purpose: str) -> tempfile.TemporaryDirectory[str]:
    """A new folder in the sample's own, or, without a supervisor, where temporary files go."""
    return tempfile.TemporaryDirectory(
        prefix=f"treebench-{purpose}-", dir=os.environ.get(SCRATCH_VARIABLE)
    )
