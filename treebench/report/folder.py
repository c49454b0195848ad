"""The report's folder, written whole or not at all."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from treebench.drafts import ROOM_OR_RIGHTS, has_ended, write_files
from treebench.errors import RunFolderError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PAGE_NAME = "report.md"


def write_report(run_folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Put `files` into `run_folder`/report in place of any earlier report: by their names, which
    may hold one folder.

    They are written beside it and swapped in, so that a reader never finds half a report.

    Raises:
        RunFolderError: the folder cannot be written.
    """
    target = run_folder / "report"
    draft = run_folder / f".report.{os.getpid()}"
    _sweep(run_folder)
    try:
        draft.mkdir()
        for name, content in files.items():
            (draft / name).parent.mkdir(exist_ok=True)
            (draft / name).write_bytes(content)
        _swap(draft, target)
    except OSError as error:
        raise RunFolderError(
            f"cannot write {target} ({error.strerror}); {ROOM_OR_RIGHTS}"
        ) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return [target / name for name in files]


def add_to_report(run_folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Put `files` (by name) beside what is in `run_folder`/report, each in place of an earlier one
    of its name, and each whole or not at all.

    Raises:
        RunFolderError: the folder cannot be written.
    """
    target = run_folder / "report"
    if target.is_symlink():
        target.unlink()  # it leads out of the run
    write_files(target, files, RunFolderError, ROOM_OR_RIGHTS)
    return [target / name for name in files]


def _sweep(run_folder: Path) -> None:
    """Take away what a process that was killed in the middle of this has left."""
    for left in run_folder.glob(".report.*"):
        owner = left.name.split(".")[2]
        if owner.isdecimal() and has_ended(int(owner)):
            shutil.rmtree(left, ignore_errors=True)


def _swap(draft: Path, target: Path) -> None:
    earlier = target.with_name(f"{draft.name}.earlier")
    if target.is_symlink():
        target.unlink()  # it leads out of the run, and what it leads to stays
    if target.exists():
        target.rename(earlier)
    try:
        draft.rename(target)
    except OSError:
        if earlier.exists():
            earlier.rename(target)
        raise
    shutil.rmtree(earlier, ignore_errors=True)
