"""Data before the sweep: made by a process of its own, so that the supervisor stays thin."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from treebench.data.making.make import made_folder, split_paths, train_path
from treebench.data.manifest import read_manifest
from treebench.errors import AlreadyToldError, DataError, ExitCode
from treebench.runner.process import signal_name_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from treebench.data.manifest import Manifest, Split

_GRACE_S = 5.0


def ensure_data(
    wanted: Mapping[str, Sequence[int]], splits: Mapping[str, Sequence[Split]] | None = None
) -> dict[str, Path]:
    """The folder of every data set, with a training part of each row count asked for, and a
    validation part for each of its `splits`.

    What is missing is made by `treebench data make`, which tells its progress on stderr. One that
    cannot be made does not keep the others from being tried, so that all that is wrong is told.

    Raises:
        DataError: a data set has no card, or something killed the process that made it.
        AlreadyToldError: making one failed; its own words are on stderr.
        KeyboardInterrupt: making one was interrupted.
    """
    folders: dict[str, Path] = {}
    problems: list[str] = []
    told = False
    for name, rows in wanted.items():
        try:
            folders[name] = _ensure(name, rows, (splits or {}).get(name, ()))
        except DataError as error:
            problems += error.problems
        except AlreadyToldError:
            told = True
    if problems:
        raise DataError(*problems)
    if told:
        raise AlreadyToldError
    return folders


def read_manifests(folders: Mapping[str, Path]) -> dict[str, Manifest]:
    """What each made data set holds."""
    return {name: read_manifest(folder) for name, folder in folders.items()}


def _ensure(name: str, rows: Sequence[int], splits: Sequence[Split]) -> Path:
    folder = made_folder(name) or _make(name)
    # What cannot be had is the plan's to say, beside all other problems.
    manifest = read_manifest(folder)
    possible = [count for count in rows if count <= manifest.train_rows]
    missing = [count for count in possible if not train_path(folder, count).exists()]
    unsplit = [
        split
        for split in splits
        if (split.rows or 1) <= manifest.train_rows
        and manifest.split_problem(split) is None
        and not all(path.exists() for path in split_paths(folder, split))
    ]
    return _make(name, missing, unsplit) if missing or unsplit else folder


def _make(name: str, rows: Sequence[int] = (), splits: Sequence[Split] = ()) -> Path:
    options = [word for count in rows for word in ("--rows", str(count))]
    options += [word for split in splits for word in ("--hold-out", split.written())]
    module = ["-m", "treebench.cli.bound", str(os.getpid())]
    code = _run([sys.executable, "-P", *module, "data", "make", name, *options])
    if code == ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    if code < 0:
        raise DataError(
            f"{name} could not be made: {signal_name_of(-code)} ended it, perhaps for want of "
            f"memory; free some, then type the same command again"
        )
    folder = made_folder(name)
    if code != 0 or folder is None:
        raise AlreadyToldError
    return folder


def _run(command: Sequence[str]) -> int:
    """Run a command to its end, or end it; a negative code is the signal that ended it."""
    # Its stdout is for a person who asked for the data; here the data is on the way to a plan.
    # In a session of its own it hears of Ctrl-C once, from here, and not twice.
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
    )
    try:
        return process.wait()
    except BaseException:
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
        raise
    finally:
        process.kill()
        process.wait()
