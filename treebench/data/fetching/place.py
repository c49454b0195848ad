"""Where the files of a data set lie, and what is known of them.

Each set has a folder of its own among the downloads. `files.json` in it says of each file that the
card names where it lies, its hash, and how it came: fetched from an address, or given by a person.
The hash that is written there at the first fetch is what later fetches are compared with, where
the card itself has none (trust on first use).
"""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from treebench.drafts import write_files
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RECORD = "files.json"
VERSION = 1
_REMEDY = "make room or fix its rights, or name another folder in TREEBENCH_CACHE"


@dataclass(frozen=True)
class KnownFile:
    """One file of a set: `path` is a file, or a folder that holds the unpacked members of it.

    `origin` tells a download from a file that a person gave; `address` is where the former came
    from, after redirects. `sha256` is over the bytes as they lie there.
    """

    path: str
    sha256: str
    bytes: int
    origin: Literal["fetched", "given"]
    address: str | None
    at: str


def downloads() -> Path:
    """The folder of all downloads: they are large, so checkouts share them."""
    if stated := os.environ.get("TREEBENCH_CACHE"):
        return Path(stated).absolute() / "downloads"
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home).absolute() / "treebench" / "downloads"


def known_files(name: str) -> dict[str, KnownFile]:
    """What is known of the files of the set `name`, by the names that its card gives them.

    Raises:
        DataError: the record is there and cannot be read.
    """
    path = downloads() / name / RECORD
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        if facts["version"] != VERSION:
            raise ValueError(f"version {facts['version']}")
        return {key: KnownFile(**each) for key, each in facts["files"].items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"{path} cannot be read ({error}); delete it, and fetch or give the files again"
        ) from None


def remember(name: str, files: Mapping[str, KnownFile]) -> None:
    """Write what is known of the files of the set `name`, in one piece."""
    folder = downloads() / name
    facts = {"version": VERSION, "files": {key: asdict(each) for key, each in files.items()}}
    content = (json.dumps(facts, indent=1) + "\n").encode()
    write_files(folder, {RECORD: content}, DataError, _REMEDY)


@contextmanager
def held(name: str) -> Iterator[None]:
    """Keep other processes from fetching the same set; ends with this one, however it ends.

    Raises:
        DataError: another process fetches it, or the folder cannot be written.
    """
    folder = downloads() / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("w")
    except OSError as error:
        raise DataError(f"cannot write {folder} ({error.strerror}); {_REMEDY}") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DataError(
                f"{name} is being fetched by another process; wait for it, or end it"
            ) from None
        yield
