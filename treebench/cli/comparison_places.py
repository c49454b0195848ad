"""Which preset of a published comparison is run on which data, a person's own put in place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from treebench.config.comparisons import Preset, PresetData


@dataclass(frozen=True)
class Place:
    """A preset on a data set, of which a full run takes so many rows. `instead_of` is the data set
    whose place another took; `stands_in` says what the data stand in for, where they are not the
    published ones."""

    preset: Preset
    entry: PresetData
    dataset: str
    rows: int
    instead_of: str | None
    stands_in: str | None


def places_of(presets: Iterable[Preset], data: Mapping[str, str], scale: float) -> list[Place]:
    """Every preset on each of its data sets; those that must be given only where they are, and
    those that take long not in a small run.

    Args:
        presets: what is to be run.
        data: by the name that a preset knows it by, the data set to take.
        scale: of the run.

    Raises:
        ConfigError: no preset knows data of that name.
    """
    listed = list(presets)
    refuse_unknown(listed, data)
    return [
        _placed(preset, entry, data)
        for preset in listed
        for entry in preset.data
        if _is_wanted(entry, data, scale)
    ]


def left_out(presets: Iterable[Preset], data: Mapping[str, str], scale: float) -> list[str]:
    """What a run of this scale leaves out, a sentence for each preset."""
    said = []
    for preset in presets:
        small = [
            each
            for each in preset.data
            if not each.only_if_given and not _is_wanted(each, data, scale)
        ]
        if small:
            names = " and ".join(each.set for each in small)
            least = max(each.from_scale for each in small)
            said.append(f"{preset.preset}: {names} only from --scale {least:g} on, for their time")
    return said


def _is_wanted(entry: PresetData, data: Mapping[str, str], scale: float) -> bool:
    if entry.set in data or entry.stands_for in data:
        return True
    return not entry.only_if_given and scale >= entry.from_scale


def _placed(preset: Preset, entry: PresetData, data: Mapping[str, str]) -> Place:
    """What is given under the name of the published data is the thing itself; what is given under
    the name of a stand-in is another stand-in."""
    if entry.stands_for is not None and entry.stands_for in data:
        rows = entry.real_rows or entry.rows
        return Place(preset, entry, data[entry.stands_for], rows, entry.set, None)
    if entry.set in data:
        instead_of = None if entry.only_if_given else entry.set
        return Place(preset, entry, data[entry.set], entry.rows, instead_of, entry.stands_in)
    return Place(preset, entry, entry.set, entry.rows, None, entry.stands_in)


def refuse_unknown(presets: Iterable[Preset], names: Iterable[str]) -> None:
    """Say so where data are given that no preset asks for.

    Raises:
        ConfigError: one line for each, with the names that there are.
    """
    entries = [entry for preset in presets for entry in preset.data]
    known = dict.fromkeys(
        name for entry in entries for name in (entry.set, entry.stands_for) if name
    )
    strange = [name for name in names if name not in known]
    if strange:
        raise ConfigError(
            *(
                f"--data {name}=...: the presets asked for have no data of that name; they have: "
                f"{', '.join(known)}"
                for name in strange
            )
        )
