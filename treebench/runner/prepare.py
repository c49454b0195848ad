"""Data before the sweep: made by a process of its own, so that the supervisor stays thin."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from treebench.data.making.make import made_folder, train_path
from treebench.data.manifest import read_manifest
from treebench.errors import AlreadyToldError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from treebench.data.manifest import Manifest


def ensure_data(wanted: Mapping[str, Sequence[int]]) -> dict[str, Path]:
    """The folder of every data set, with a training part of each row count asked for.

    What is missing is made by `treebench data make`, which tells its progress on stderr.

    Raises:
        DataError: a data set has no card.
        AlreadyToldError: making one failed; its own words are on stderr.
    """
    return {name: _ensure(name, rows) for name, rows in wanted.items()}


def read_manifests(folders: Mapping[str, Path]) -> dict[str, Manifest]:
    """What each made data set holds."""
    return {name: read_manifest(folder) for name, folder in folders.items()}


def _ensure(name: str, rows: Sequence[int]) -> Path:
    folder = made_folder(name) or _make(name, [])
    available = read_manifest(folder).train_rows
    # More rows than there are is the plan's to say, beside all other problems.
    possible = [count for count in rows if count <= available]
    missing = [count for count in possible if not train_path(folder, count).exists()]
    return _make(name, missing) if missing else folder


def _make(name: str, rows: Sequence[int]) -> Path:
    options = [word for count in rows for word in ("--rows", str(count))]
    command = [sys.executable, "-P", "-m", "treebench", "data", "make", name, *options]
    # Its stdout is for a person who asked for the data; here the data is on the way to a plan.
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    folder = made_folder(name)
    if done.returncode != 0 or folder is None:
        raise AlreadyToldError
    return folder
