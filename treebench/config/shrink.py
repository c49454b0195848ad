"""`--scale F`: a sweep made smaller, its sizes still in the same proportions to each other.

Rows are multiplied by F, trees by its square root: time goes with both, and with few trees what a
run costs once (bins, sorting) would hide what a tree costs. Neither goes below the floor of the
sweep's smallest cell: then all of them shrink less, so that a curve keeps its sizes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

from treebench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SIZES = re.compile(r"\b(rows|n_estimators)(\s*(?:<=|>=|!=|=|<|>)\s*)(\d[\d_]*)")
_LEAST_SCALE = 1e-6


@dataclass(frozen=True)
class Shrink:
    """What rows and trees are multiplied by, each above 0 and at most 1."""

    rows: float = 1.0
    trees: float = 1.0

    @property
    def whole(self) -> bool:
        """Whether nothing is made smaller."""
        return self.rows == self.trees == 1.0

    def of(self, name: str, value: int) -> int:
        """`value` of `rows` or `n_estimators`, made smaller."""
        return max(1, round(value * (self.rows if name == "rows" else self.trees)))

    def conditions(self, text: str) -> str:
        """Conditions as `--only` takes them, their sizes made smaller as those of the sweep are."""
        return _SIZES.sub(
            lambda m: f"{m[1]}{m[2]}{self.of(m[1], int(m[3].replace('_', '')))}", text
        )


def require_scale(scale: float) -> None:
    """Raise ConfigError for a scale that is none, not a number among them."""
    if not _LEAST_SCALE <= scale <= 1:
        raise ConfigError(
            f"--scale is {scale:g}; it must be at least {_LEAST_SCALE:g} and at most 1, such as 0.1"
        )


def shrink_for(
    sweep: Mapping[str, Any], scale: float, least_rows: int, least_trees: int, where: str
) -> Shrink:
    """What `scale` comes to for a sweep, its floors heeded.

    Raises:
        ConfigError: a bad scale, or the sweep does not state its rows.
    """
    require_scale(scale)
    rows, trees = _stated_rows(sweep, where), _stated_trees(sweep)
    return Shrink(
        rows=min(1.0, max(scale, least_rows / min(rows))),
        trees=min(1.0, max(sqrt(scale), least_trees / min(trees))) if trees else 1.0,
    )


def shrunk(sweep: Mapping[str, Any], shrink: Shrink) -> dict[str, Any]:
    """The body of a sweep made smaller."""
    small = {**sweep, "data": [_entry(entry, shrink) for entry in _entries(sweep)]}
    small["reference"] = _setting(sweep.get("reference"), shrink)
    small["variants"] = [_setting(one, shrink) for one in sweep.get("variants") or ()]
    return small


def _entries(sweep: Mapping[str, Any]) -> list[Any]:
    data = sweep.get("data")
    return data if isinstance(data, list) else [data]


def _entry(entry: Any, shrink: Shrink) -> Any:
    return _with(entry, "rows", lambda value: shrink.of("rows", value))


def _setting(setting: Any, shrink: Shrink) -> Any:
    return _with(setting, "n_estimators", lambda value: shrink.of("n_estimators", value))


def _with(stated: Any, name: str, change: Callable[[int], int]) -> Any:
    """`stated` with the whole numbers at `name` changed; what is none, the config refuses."""
    if not isinstance(stated, dict) or name not in stated:
        return stated
    changed = [change(each) if type(each) is int else each for each in _listed(stated[name])]
    return {**stated, name: changed}


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


def _stated_rows(sweep: Mapping[str, Any], where: str) -> list[int]:
    stated = [entry.get("rows") for entry in _entries(sweep) if isinstance(entry, dict)]
    rows = [value for each in stated for value in _listed(each)]
    if not rows or any(type(value) is not int or value < 1 for value in rows):
        raise ConfigError(
            f"{where}: sweep.data must state rows as numbers, so that they can shrink"
        )
    return rows


def _stated_trees(sweep: Mapping[str, Any]) -> list[int]:
    settings = [sweep.get("reference"), *(sweep.get("variants") or ())]
    known = [one for one in settings if isinstance(one, dict)]
    stated = [one["n_estimators"] for one in known if "n_estimators" in one]
    return [value for each in stated for value in _listed(each) if type(value) is int and value > 0]
