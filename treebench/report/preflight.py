"""What a person should know of the machine's room before a sweep begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.machine.shared_memory import SHARED_MEMORY, place_for
from treebench.plan.footprint import mapped_bytes, starts_processes
from treebench.report import units

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from treebench.data.manifest import Manifest
    from treebench.machine.shared_memory import Place
    from treebench.plan.build import PlannedCell

_MOST_NAMED = 3
_CROWDED = 1.5
"""Load for each core from which on other work hardly leaves one free. What made the data just now
counts too, and is not meant."""


def busy_warnings(load_average_1m: float, cores: int) -> Iterator[str]:
    """A line where other work keeps the cores busy: threads that wait for one another, as OpenMP's
    do by spinning, then take many times as long."""
    if load_average_1m >= _CROWDED * cores:
        yield (
            f"warning: other work keeps this machine busy (load {load_average_1m:.1f} on "
            f"{cores} core{'s' * (cores != 1)}): times will mean little, and training on several "
            f"threads may take a hundred times as long; wait until it is quiet"
        )


def room_warnings(
    cells: Collection[PlannedCell], manifests: Mapping[str, Manifest]
) -> Iterator[str]:
    """A line for the cells whose memory-mapped data does not fit into shared memory, and will lie
    on disk; and one for those for which there is no room on disk either. One for those whose
    processes cannot start at all comes before."""
    places = {
        cell.id: place_for(mapped_bytes(cell.spec, cell.problem, manifests[cell.spec.dataset]))
        for cell in cells
        if cell.problem is not None
    }
    unstarted = {
        cell.id: places[cell.id]
        for cell in cells
        if cell.id in places
        and starts_processes(cell.spec)
        and places[cell.id].shared_free_bytes is None
    }
    if unstarted:
        yield (
            f"warning: {SHARED_MEMORY} cannot be written to, and processes need it for their "
            f"semaphores: {_count(unstarted)} will fail; mount a tmpfs there"
        )
    outside = {
        name: one
        for name, one in places.items()
        if name not in unstarted and one.needed_bytes and not one.is_shared_memory
    }
    yield from _warnings_outside(outside)


def _warnings_outside(outside: Mapping[str, Place]) -> Iterator[str]:
    """Of cells whose mapped data does not fit into shared memory: where it goes, by cell."""
    on_disk = {name: one for name, one in outside.items() if one.fits}
    nowhere = {name: one for name, one in outside.items() if not one.fits}
    if on_disk:
        one = next(iter(on_disk.values()))
        yield (
            f"warning: {SHARED_MEMORY} ({_free(one.shared_free_bytes)}) has no room for the data "
            f"that processes share in {_named(on_disk)}: it will be mapped from files in "
            f"{one.folder}, on disk"
        )
    if nowhere:
        one = next(iter(nowhere.values()))
        yield (
            f"warning: neither {SHARED_MEMORY} ({_free(one.shared_free_bytes)}) nor {one.folder} "
            f"({_free(one.free_bytes)}) has room for the data that processes share in "
            f"{_named(nowhere)}, which will fail: make room, or set TMPDIR to a folder with more"
        )


def _named(places: Mapping[str, Place]) -> str:
    """How many cells, some of their ids, and what the largest needs."""
    most = units.size(max(place.needed_bytes for place in places.values()))
    return f"{_count(places)[:-1]}; {most}{'' if len(places) == 1 else ' at most'})"


def _count(places: Mapping[str, Place]) -> str:
    names = ", ".join(list(places)[:_MOST_NAMED])
    return f"{'1 cell' if len(places) == 1 else f'{len(places):,} cells'} ({names})"


def _free(free_bytes: int | None) -> str:
    return "not usable" if free_bytes is None else f"{units.size(free_bytes)} free"
