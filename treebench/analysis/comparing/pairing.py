"""Which cell of one side belongs to which of the other, and what became of those without one."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from treebench.analysis.labels import series_labels
from treebench.analysis.summary import cell_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from treebench.analysis.comparing.sides import Side
    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow

_POINT = ("dataset", "rows", "features", "layout", "trainer", "threads")


@dataclass(frozen=True)
class LostCell:
    """A cell that one side alone has: `side` is the one that has it, `why` is of the other. With
    `other_data` it is there too, on data of another content."""

    cell: str
    place: str
    spec: CellSpec
    side: Literal["before", "after"]
    why: str
    other_data: bool = False


@dataclass(frozen=True)
class Pairing:
    """The samples of both sides by cell; on several hosts by cell and host. `specs` and `places`
    (where in the sweep a cell is, in words) are of every cell that either has."""

    before: Mapping[str, list[SampleRow]]
    after: Mapping[str, list[SampleRow]]
    specs: Mapping[str, CellSpec]
    places: Mapping[str, str]

    @property
    def both(self) -> list[str]:
        """Those that both have."""
        return [key for key in self.before if key in self.after]


def pair(
    before: Side, after: Side, matches: Callable[[CellSpec], bool] | None, *, by_host: bool
) -> Pairing:
    """The cells of two sides; `matches` leaves some of them out."""
    grouped = [_grouped(side, matches, by_host=by_host) for side in (before, after)]
    every = {key: rows for side in grouped for key, rows in side.items()}
    specs = {key: cell_spec(rows[0].spec) for key, rows in every.items()}
    hosts = {key: str(rows[0].must_match.get("host")) for key, rows in every.items()}
    places = places_of(specs)
    if by_host:
        places = {key: f"{place}, on {hosts[key]}" for key, place in places.items()}
    return Pairing(grouped[0], grouped[1], specs, places)


def lost_cells(before: Side, after: Side, pairing: Pairing) -> list[LostCell]:
    """The cells that one side alone has, those of `before` first."""
    gone = [key for key in pairing.before if key not in pairing.after]
    new = [key for key in pairing.after if key not in pairing.before]
    return [
        *(_lost(key, "before", after, pairing, new) for key in gone),
        *(_lost(key, "after", before, pairing, gone) for key in new),
    ]


def _grouped(
    side: Side, matches: Callable[[CellSpec], bool] | None, *, by_host: bool
) -> dict[str, list[SampleRow]]:
    found: dict[str, list[SampleRow]] = {}
    for cell, rows in side.cells().items():
        if matches is not None and not matches(cell_spec(rows[0].spec)):
            continue
        for row in rows:
            key = f"{cell} on {row.must_match.get('host')}" if by_host else cell
            found.setdefault(key, []).append(row)
    return found


def places_of(specs: Mapping[str, CellSpec]) -> dict[str, str]:
    """Words by cell; features and threads are said where they set cells apart."""
    listed = list(specs.values())
    labels = series_labels(listed)
    said = [name for name in ("features", "threads") if len({getattr(s, name) for s in listed}) > 1]
    return {
        key: ", ".join([_point(spec, said), label])
        for (key, spec), label in zip(specs.items(), labels, strict=True)
    }


def _point(spec: CellSpec, said: Sequence[str]) -> str:
    axes = [_axis(spec, name) for name in said]
    return ", ".join([spec.dataset, f"{spec.rows:,} rows", *axes, spec.layout])


def _axis(spec: CellSpec, name: str) -> str:
    value = getattr(spec, name)
    return f"{value:,} {name.removesuffix('s') if value == 1 else name}"


def _lost(
    key: str,
    side: Literal["before", "after"],
    other: Side,
    pairing: Pairing,
    candidates: Sequence[str],
) -> LostCell:
    spec = pairing.specs[key]
    twin = next((each for each in candidates if _same_but_data(spec, pairing.specs[each])), None)
    where = "after" if side == "before" else "before"
    if twin is not None:
        hashes = (spec.data_sha256[:12], pairing.specs[twin].data_sha256[:12])
        mine, its = hashes if side == "before" else hashes[::-1]
        why = f"the data of {spec.dataset} is not the same: {mine} before, {its} after"
    else:
        why = _why_lost(key, spec, other, where)
    return LostCell(key, pairing.places[key], spec, side, why, other_data=twin is not None)


def _same_but_data(first: CellSpec, second: CellSpec) -> bool:
    return dataclasses.replace(first, data_sha256=second.data_sha256) == second


def _why_lost(key: str, spec: CellSpec, other: Side, where: str) -> str:
    refused = refusal(spec, other.unsupported)
    if refused is not None:
        return f"unsupported {where}: {refused}"
    if key in other.planned:
        return f"planned {where}, but no sample of it has ended"
    return f"not measured {where}"


def refusal(spec: CellSpec, unsupported: Iterable[Mapping[str, Any]]) -> str | None:
    """Why the other side could not run such a cell. A refused point has its parameters as they
    were stated, of which a cell has those with a meaning."""
    values = spec.to_json()
    for each in unsupported:
        point = each["spec"]
        stated = point.get("params", {})
        alike = all(point[name] == values[name] for name in _POINT if name in point)
        shared = [name for name in stated if name in spec.params]
        if alike and all(stated[name] == spec.params[name] for name in shared):
            return str(each["reason"])
    return None
