"""The files of profiles in a run's folder: pictures, and the stacks they are drawn from as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.drafts import ROOM_OR_RIGHTS, write_files
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
    contents = {name: text.encode() for name, text in files.items()}
    write_files(run_folder / FOLDER_NAME, contents, RunFolderError, ROOM_OR_RIGHTS)
    return [f"{FOLDER_NAME}/{name}" for name in files]
