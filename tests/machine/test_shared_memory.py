"""Files lie in shared memory where they fit, and elsewhere on disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from treebench.machine import shared_memory
from treebench.machine.shared_memory import SHARED_MEMORY, place_for


@pytest.fixture
def rooms(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, int | None]:
    """Bytes free in shared memory, in memory and on disk, to be set by a test."""
    rooms: dict[str, int | None] = {"shared": 1000, "memory": 10_000, "disk": 5000}
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(
        shared_memory,
        "_free_bytes",
        lambda folder: rooms["shared" if folder == SHARED_MEMORY else "disk"],
    )
    monkeypatch.setattr(shared_memory, "available_memory_bytes", lambda: rooms["memory"])
    monkeypatch.setattr(os, "access", lambda path, mode: rooms["shared"] is not None)
    return rooms


def test_what_fits_into_shared_memory_lies_there(rooms: dict[str, Any]) -> None:
    place = place_for(1000)
    assert (place.folder, place.free_bytes, place.fits) == (SHARED_MEMORY, 1000, True)
    assert place.is_shared_memory


@pytest.mark.parametrize("needed", [1001, 5000])
def test_what_does_not_lies_on_disk(rooms: dict[str, Any], needed: int, tmp_path: Path) -> None:
    place = place_for(needed)
    assert (place.folder, place.free_bytes, place.shared_free_bytes) == (tmp_path, 5000, 1000)
    assert place.fits
    assert not place.is_shared_memory


def test_what_fits_nowhere_is_told_so(rooms: dict[str, Any]) -> None:
    assert not place_for(5001).fits


def test_shared_memory_has_no_more_room_than_memory(rooms: dict[str, Any]) -> None:
    rooms["memory"] = 900
    assert place_for(901).shared_free_bytes == 900
    assert not place_for(901).is_shared_memory


def test_without_shared_memory_files_lie_on_disk(rooms: dict[str, Any], tmp_path: Path) -> None:
    rooms["shared"] = None
    place = place_for(1)
    assert (place.folder, place.shared_free_bytes) == (tmp_path, None)


def test_the_real_one_is_read(tmp_path: Path) -> None:
    free = shared_memory._free_bytes(tmp_path)
    assert free is not None
    assert free > 0
    assert shared_memory._free_bytes(tmp_path / "none") is None
