"""The bounds that a person sets for one comparison: `time=5%` for a band, `time=50ms` for a floor.

They are named by figure (`fit_time`) or by group (`time`: every figure of that unit). What is not
set keeps its usual bound, see `rule.bounds_of`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from treebench.analysis.comparing.rule import Bounds, bounds_of
from treebench.analysis.figures import figure_named
from treebench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from treebench.analysis.figures import NamedFigure

GROUPS = ("time", "memory", "count", "score", "share", "latency", "model")
_GROUP_OF_UNIT = {
    "ns": "time",
    "bytes": "memory",
    "count": "count",
    "score": "score",
    "share": "share",
}
_AMOUNT = re.compile(r"^\s*(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*(%|[A-Za-z\u00b5]*)\s*$")
_UNITS = {
    "ns": {"ns": 1, "us": 10**3, "\u00b5s": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9},
    "bytes": {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9}
    | {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30},
}
_UNIT_OF_GROUP = {"time": "ns", "latency": "ns", "memory": "bytes", "model": "bytes"}
_EXAMPLES = {"ns": "50ms", "bytes": "16MiB"}


@dataclass(frozen=True)
class Rules:
    """Bands (relative) and floors (in the figure's own unit: ns, bytes, a score) that were set, by
    figure or group. A figure's own goes before its group's."""

    bands: Mapping[str, float] = field(default_factory=dict)
    floors: Mapping[str, float] = field(default_factory=dict)

    def bounds_of(self, figure: NamedFigure) -> Bounds:
        """What a change of this figure must exceed."""
        bounds = bounds_of(figure)
        for name in (group_of(figure), figure.name):
            bounds = replace(
                bounds,
                band=self.bands.get(name, bounds.band),
                floor=self.floors.get(name, bounds.floor),
            )
        return bounds


def group_of(figure: NamedFigure) -> str:
    """The group that a figure's bounds are set by."""
    if figure.name.startswith("latency:"):
        return "latency"
    return "model" if figure.name == "model_size" else _GROUP_OF_UNIT[figure.unit]


def rules_of(bands: Iterable[str] = (), floors: Iterable[str] = ()) -> Rules:
    """The rules in words as they are typed.

    Raises:
        ConfigError: one of them names no figure or group, or has no amount that fits.
    """
    return Rules(dict(map(_band, bands)), dict(map(_floor, floors)))


def _band(stated: str) -> tuple[str, float]:
    name, amount, unit = _split(stated, "--band", "5%")
    if unit not in ("", "%"):
        raise ConfigError(f"--band {stated}: write a share, as in {name}=5% or {name}=0.05")
    return name, amount / 100 if unit else amount


def _floor(stated: str) -> tuple[str, float]:
    name, amount, unit = _split(stated, "--floor", "50ms")
    kind = _UNIT_OF_GROUP.get(name) or (None if name in GROUPS else figure_named(name).unit)
    scales = _UNITS.get(kind or "", {"": 1})
    if unit not in scales:
        wanted = f"its unit, as in {name}={_EXAMPLES[kind]}" if kind in _EXAMPLES else "no unit"
        raise ConfigError(f"--floor {stated}: write the amount with {wanted}")
    return name, amount * scales[unit]


def _split(stated: str, option: str, example: str) -> tuple[str, float, str]:
    name, _, text = stated.rpartition("=")
    match = _AMOUNT.match(text)
    if not name or match is None:
        raise ConfigError(f"{option} {stated}: write it as NAME=AMOUNT, as in time={example}")
    if name not in GROUPS:
        _check_figure(name, option, stated)
    return name, float(match[1]), match[2]


def _check_figure(name: str, option: str, stated: str) -> None:
    try:
        figure_named(name)
    except ConfigError as error:
        groups = ", ".join(GROUPS)
        raise ConfigError(f"{option} {stated}: {error}; or a group: {groups}") from None
