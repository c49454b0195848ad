"""One night at a time on a machine: two would measure each other."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from treebench.errors import RunFolderError

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "treebench-nightly.lock"


@contextmanager
def alone_on_this_machine(folder: Path) -> Iterator[None]:
    """Hold this machine, and `folder` (which several machines may share), for one night; the
    kernel releases both with the process, however it ends.

    Raises:
        RunFolderError: another night is running, or the folder cannot be made.
    """
    with _held(Path(tempfile.gettempdir()) / NAME, "on this machine"):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunFolderError(
                f"cannot write in {folder} ({error.strerror}); name another folder by --history"
            ) from None
        if not os.access(folder, os.W_OK):
            raise RunFolderError(
                f"{folder} may not be written to; mend its rights, or name another folder by "
                f"--history"
            )
        with _held(folder / ".lock", f"in {folder}"):
            yield


@contextmanager
def _held(path: Path, where: str) -> Iterator[None]:
    with _opened(path) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunFolderError(
                f"another night is running {where}; wait for its end, two at once would disturb "
                f"each other"
            ) from None
        except OSError as error:
            raise _unlockable(path, error) from None
        yield


def _opened(path: Path) -> IO[bytes]:
    """The file, made if need be. One of another user, in a folder for all, can be locked, too, and
    may not be opened for writing; on a network's disk only what is open for writing can be."""
    try:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
        return path.open("r+b" if os.access(path, os.W_OK) else "rb")
    except OSError as error:
        raise _unlockable(path, error) from None


def _unlockable(path: Path, error: OSError) -> RunFolderError:
    return RunFolderError(
        f"{path} cannot be locked ({error.strerror}); mend its rights, or name another folder by "
        f"--history or TMPDIR"
    )
