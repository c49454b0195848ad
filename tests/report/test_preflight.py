"""Before a sweep: where the files that processes share will lie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from treebench.data.manifest import Manifest
from treebench.machine.shared_memory import SHARED_MEMORY, Place
from treebench.plan.build import PlannedCell
from treebench.plan.cell import CellSpec
from treebench.plan.footprint import mapped_bytes
from treebench.report import preflight
from treebench.trainers.base import Problem

MIB = 2**20


def cell(trainer: str, rows: int, layout: Any = "dense-c", width: int = 10) -> PlannedCell:
    spec = CellSpec("toy", "0" * 64, rows, 10, layout, trainer, {}, {}, 2)
    return PlannedCell(spec, Problem("binary", rows, width, 2, layout), {})


@pytest.fixture
def manifest() -> Manifest:
    class Toy(Manifest):
        density = 0.25

    return object.__new__(Toy)


def warnings(
    monkeypatch: pytest.MonkeyPatch, manifest: Manifest, disk_free: int, *cells: PlannedCell
) -> list[str]:
    def place(needed: int) -> Place:
        if needed <= MIB:
            return Place(SHARED_MEMORY, needed, MIB, MIB)
        return Place(Path("/disk"), needed, disk_free, MIB)

    monkeypatch.setattr(preflight, "place_for", place)
    return list(preflight.room_warnings(cells, {"toy": manifest}))


def test_what_fits_is_not_spoken_of(monkeypatch: pytest.MonkeyPatch, manifest: Manifest) -> None:
    fits, copies = cell("loky-forest-memmap", 100), cell("loky-forest-pickled", 10**9)
    assert warnings(monkeypatch, manifest, 0, fits, copies, cell("sklearn-forest", 10**9)) == []


def test_what_goes_to_disk_is(monkeypatch: pytest.MonkeyPatch, manifest: Manifest) -> None:
    large = cell("multiprocessing-forest", 2**17)
    (said,) = warnings(monkeypatch, manifest, 10**9, large, cell("loky-forest-memmap", 100))
    assert said == (
        "warning: /dev/shm (1.00 MiB free) has no room for the data that processes share in 1 cell "
        f"({large.id}; 6.00 MiB): it will be mapped from files in /disk, on disk"
    )


def test_what_has_no_room_at_all_is(monkeypatch: pytest.MonkeyPatch, manifest: Manifest) -> None:
    cells = [cell("loky-forest-memmap", rows) for rows in (2**17, 2**18, 2**19)]
    on_disk, nowhere = warnings(monkeypatch, manifest, 7 * MIB, *cells)
    assert "1 cell" in on_disk
    assert nowhere == (
        "warning: neither /dev/shm (1.00 MiB free) nor /disk (7.00 MiB free) has room for the data "
        f"that processes share in 2 cells ({cells[1].id}, {cells[2].id}; 24.0 MiB at most), which "
        "will fail: make room, or set TMPDIR to a folder with more"
    )


def test_what_is_shared_is_the_matrix_as_trained_on_and_the_labels(manifest: Manifest) -> None:
    def needed(one: PlannedCell) -> int:
        assert one.problem is not None
        return mapped_bytes(one.spec, one.problem, manifest)

    forest = "loky-forest-memmap"
    assert needed(cell(forest, 100)) == 100 * (10 * 4 + 8)
    assert needed(cell(forest, 100, width=30)) == 100 * (30 * 4 + 8)
    assert needed(cell(forest, 100, "csr")) == 250 * 8 + 11 * 4 + 800
    # One-hot: at most a value of each stored column in each row, however wide it becomes.
    assert needed(cell(forest, 100, "csc", width=30)) == 1000 * 8 + 31 * 4 + 800
    assert needed(cell("loky-forest-pickled", 100)) == 0


def test_processes_that_cannot_start_for_want_of_semaphores_are(
    monkeypatch: pytest.MonkeyPatch, manifest: Manifest
) -> None:
    """GIVEN no /dev/shm that can be written to THEN nothing is said of files on disk instead."""
    monkeypatch.setattr(preflight, "place_for", lambda n: Place(Path("/disk"), n, 10**9, None))
    starts = cell("dask-forest", 100)
    (said,) = preflight.room_warnings([starts, cell("sklearn-forest", 100)], {"toy": manifest})
    assert "/dev/shm cannot be written to, and processes need it" in said
    assert f"1 cell ({starts.id}) will fail; mount a tmpfs there" in said


@pytest.mark.parametrize(("load", "said"), [(17.2, ["load 17.2 on 2 cores"]), (2.9, [])])
def test_a_crowded_machine_is_told_of_before_hours_of_it(load: float, said: list[str]) -> None:
    found = list(preflight.busy_warnings(load, 2))
    assert len(found) == len(said)
    assert all(words in line for words, line in zip(said, found, strict=True))
