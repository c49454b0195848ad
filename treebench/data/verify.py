"""Whether the files of a made data set are still what its manifest says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.data.making.checksum import sha256_of
from treebench.data.making.make import split_paths, train_path
from treebench.data.manifest import read_manifest
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from treebench.data.manifest import Split


def verify_files(folder: Path, rows: Sequence[int], splits: Sequence[Split] = ()) -> None:
    """Read the files of a made set and compare them with the hashes in its manifest: both parts,
    since subsets are chosen from the first, the subset of each of `rows`, and both files of each of
    `splits`.

    A manifest tells what was made. It does not change when a file beside it is cut off in copying,
    replaced, or mended by hand.

    Raises:
        DataError: a line for each file that is another one now, or whose hash is not known; or one
            that cannot be read.
    """
    known = read_manifest(folder).file_sha256
    wanted = {folder / "train.parquet", folder / "test.parquet"}
    wanted |= {train_path(folder, count) for count in rows}
    wanted |= {path for split in splits for path in split_paths(folder, split)}
    problems = [problem for path in sorted(wanted) if (problem := _problem(path, known))]
    if problems:
        raise DataError(*problems)


def _problem(path: Path, known: dict[str, str]) -> str | None:
    remedy = f"delete {path.parent} there, and it is made again"
    if path.name not in known:
        return f"the manifest beside {path} has no hash of it, as an earlier version's; {remedy}"
    found = sha256_of(path)
    if found == known[path.name]:
        return None
    return (
        f"{path} is not the file that was made (sha256 {found[:12]}…, its manifest says "
        f"{known[path.name][:12]}…); {remedy}"
    )
