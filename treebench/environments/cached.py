"""The folder of built environments: each is there whole or not at all, and is built once."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from treebench.environments.environment import EnvironmentBuildError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

FACTS_NAME = "treebench-environment.json"
_DRAFT = ".draft-"


def cache_folder() -> Path:
    """Where this person's environments are kept, in a folder `environments`."""
    if stated := os.environ.get("TREEBENCH_CACHE"):
        return Path(stated).absolute()
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "treebench"


@contextmanager
def held(folder: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Keep all others from building `folder` meanwhile; who comes second waits, and is told so.
    The kernel lets go of the lock however this process ends.

    Raises:
        EnvironmentBuildError: nothing can be written there.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        file = _lock_file(folder).open("a")
    except OSError as error:
        raise _unwritable(folder.parent, error) from None
    with file:
        try:
            _lock(file, folder, tell)
        except OSError as error:
            raise _unwritable(folder.parent, error) from None
        yield


def _lock(file: IO[str], folder: Path, tell: Callable[[str], None]) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        tell(f"another treebench builds {folder}; waiting for it")
        fcntl.flock(file, fcntl.LOCK_EX)


@contextmanager
def draft_of(folder: Path) -> Iterator[Path]:
    """A folder beside `folder`, gone afterwards unless it was put in place. What killed builds
    left is taken away first. For the holder of the lock."""
    for left in folder.parent.glob(f"{_DRAFT}*"):
        name = left.name.removeprefix(_DRAFT).rpartition("-")[0]
        if name == folder.name or not _is_held(folder.with_name(name)):
            shutil.rmtree(left, ignore_errors=True)
    try:
        draft = Path(tempfile.mkdtemp(prefix=f"{_DRAFT}{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise _unwritable(folder.parent, error) from None
    try:
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def put_in_place(draft: Path, folder: Path, facts: Mapping[str, object]) -> None:
    """Make the draft the environment, with its facts. An interpreter finds its libraries by where
    it lies, so that it may be moved; the scripts beside it may not, and nobody calls them."""
    (draft / FACTS_NAME).write_text(json.dumps(facts, indent=1) + "\n")
    if folder.exists():
        shutil.rmtree(folder)
    os.rename(draft, folder)


def is_whole(folder: Path) -> bool:
    """Whether an environment was built there to the end."""
    return (folder / FACTS_NAME).is_file()


def _is_held(folder: Path) -> bool:
    """Whether somebody builds it at this moment. The lock is let go of at once; who comes in
    between waits no longer than that."""
    with _lock_file(folder).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        return False


def _lock_file(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.lock")


def _unwritable(folder: Path, error: OSError) -> EnvironmentBuildError:
    return EnvironmentBuildError(
        f"environments cannot be kept in {folder} ({error.strerror}); name another folder in "
        f"TREEBENCH_CACHE"
    )
