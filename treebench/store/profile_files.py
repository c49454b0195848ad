"""The files of profiles in a run's folder: pictures, and the stacks they are drawn from as text."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from treebench.errors import RunFolderError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FOLDER_NAME = "profiles"


def stacks_text(stacks: Mapping[tuple[str, ...], int]) -> str:
    """Stacks as text, heaviest first: frames from the outermost with semicolons between, a space,
    and the weight. Other tools that draw flame graphs read the same."""
    ordered = sorted(stacks.items(), key=lambda item: (-item[1], item[0]))
    return "".join(f"{';'.join(stack)} {weight}\n" for stack, weight in ordered)


def write_profile(run_folder: Path, files: Mapping[str, str]) -> list[str]:
    """Put `files` (text by name) into the run's `profiles`, each whole or not at all. Returns
    their paths from the run's folder.

    Raises:
        RunFolderError: they cannot be written.
    """
    folder = run_folder / FOLDER_NAME
    try:
        folder.mkdir(exist_ok=True)
        for name, text in files.items():
            _write(folder / name, text)
    except OSError as error:
        raise RunFolderError(
            f"cannot write {folder} ({error.strerror}); make room or fix its rights"
        ) from error
    return [f"{FOLDER_NAME}/{name}" for name in files]


def _write(path: Path, text: str) -> None:
    # One name for all, since the folder is locked: what a killed process left is written over.
    draft = path.with_name(f".{path.name}.part")
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
