"""Folders for the time of one sample: for the files that its processes share, and for what a
trainer writes to disk. Whatever happens, they go with the sample."""

from __future__ import annotations

import dataclasses
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

from treebench.data.manifest import read_manifest
from treebench.machine.shared_memory import place_for
from treebench.measure.owner import owned_name
from treebench.plan.footprint import mapped_bytes
from treebench.runner.caretaker_process import remove_shared
from treebench.trainers.process_pool import MEMMAP_VARIABLE
from treebench.trainers.registry import TRAINERS
from treebench.trainers.scratch import SCRATCH_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from treebench.machine.shared_memory import Place
    from treebench.plan.build import PlannedCell
    from treebench.runner.caretaker import Caretaker
    from treebench.store.row import SampleRow

DASK_VARIABLE = "DASK_TEMPORARY_DIRECTORY"


@dataclass(frozen=True)
class SampleFolders:
    """What the worker is told of its folders. `shared` is for files that processes share, and
    `place` says where it lies and why; both are None where none are started."""

    environment: Mapping[str, str] = field(default_factory=dict)
    shared: Path | None = None
    place: Place | None = None

    def used_by(self, pid: int) -> None:
        """Put down who the worker is. loky is imported by whatever uses joblib, Dask's trainers
        too, and names its semaphores after that process; `remove_shared` takes them away."""
        if self.shared is not None:
            (self.shared / f"pool-{pid}-worker").mkdir()

    def noted(self, row: SampleRow) -> SampleRow:
        """The row with where its processes' shared files lay, also where it ended badly."""
        if self.place is None:
            return row
        known = {**(row.parallel or {}), "temp_folder": _noted(self.place)}
        return dataclasses.replace(row, parallel=known)


@contextmanager
def sample_folders(
    cell: PlannedCell, data_folders: Mapping[str, Path], caretaker: Caretaker | None
) -> Iterator[SampleFolders]:
    """The folders of a sample whose trainer starts processes or streams; for others, none."""
    trainer = TRAINERS.get(cell.spec.trainer)
    if trainer is None or not (trainer.starts_processes or trainer.streams(cell.native)):
        yield SampleFolders()
        return
    with _folder(Path(gettempdir()), "scratch", caretaker) as scratch:
        dask = scratch / "dask"
        dask.mkdir()
        environment = {SCRATCH_VARIABLE: str(scratch), DASK_VARIABLE: str(dask)}
        if not trainer.starts_processes:
            yield SampleFolders(environment)
            return
        place = place_for(_needed_bytes(cell, data_folders))
        with _folder(place.folder, "memmaps", caretaker) as shared:
            yield SampleFolders({**environment, MEMMAP_VARIABLE: str(shared)}, shared, place)


def _needed_bytes(cell: PlannedCell, data_folders: Mapping[str, Path]) -> int:
    if cell.problem is None:
        return 0
    manifest = read_manifest(data_folders[cell.spec.dataset])
    return mapped_bytes(cell.spec, cell.problem, manifest)


@contextmanager
def _folder(parent: Path, purpose: str, caretaker: Caretaker | None) -> Iterator[Path]:
    """A folder that a later start can tell to be nobody's any more. The caretaker hears of it
    before it exists, and no more once it is certainly gone."""
    folder = parent / owned_name(purpose, uuid.uuid4().hex)
    if caretaker is not None:
        caretaker.made("shared", folder)
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        remove_shared(str(folder))
        if caretaker is not None and not folder.exists():
            caretaker.gone(folder)


def _noted(place: Place) -> dict[str, Any]:
    return {
        "in": str(place.folder),
        "needed_bytes": place.needed_bytes,
        "free_bytes": place.free_bytes,
        "shared_memory_free_bytes": place.shared_free_bytes,
    }
