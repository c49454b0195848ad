"""docs/SUPPORT.md, written from the table in `data_support`.

`python -m treebench.trainers.support_page > docs/SUPPORT.md` writes it anew; a test holds the page
to the code.
"""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, Any

from treebench.trainers.base import Problem
from treebench.trainers.data_support import KINDS, METHODS, TWINS, Kind, No, layouts_of, no, why_not
from treebench.trainers.parameters import Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import filled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treebench.data.manifest import Layout

YES, NOT_THERE = "yes", "-"

_HEAD = """\
# Which data each trainer takes

Written from the table in `treebench/trainers/data_support.py`. `plan` reads the same table, and
calls a point of a sweep *unsupported* with the reason given here. A slow test trains on every
"yes", and shows that every "no" is refused, or would be trained as something else, by the
libraries installed.

**-**: it does not arise there. A number points at the reason, below, as `plan` prints it for an
example. What a *parameter* may be is in [PARAMETERS](PARAMETERS.md).
"""

_MARKS = {"raises": "the library refuses it", "lacks": "the library has no way to be told of it"}
_MARKS["own"] = "treebench's own bound"


@dataclasses.dataclass(frozen=True)
class Way:
    """A column of the page: a trainer, by one of its methods where it has several."""

    trainer: str
    method: str | None = None

    @property
    def title(self) -> str:
        """As the page calls it."""
        return f"{self.trainer} {self.method}" if self.method else self.trainer


def ways() -> list[Way]:
    """Every trainer by every method that it has, in the order of the registry."""
    return [Way(name, method) for name in TRAINERS for method in METHODS.get(name, (None,))]


def example(kind: Kind, layout: Layout) -> tuple[dict[str, Any], Problem]:
    """What a person would state, and the data, for a cell that is of this kind."""
    by_kind: dict[str, dict[str, Any]] = {
        "multiclass": {"task": "multiclass", "n_classes": 3},
        "regression": {"task": "regression", "n_classes": 0},
        "missing-dense": {"has_missing": True},
        "missing-sparse": {"has_missing": True},
        "without-value": {"has_missing": True, "numbers_without_value": ("bonus",)},
        "wide-csr": {"stored_entries": 3_000_000_000},
        "wide-csc": {"stored_entries": 3_000_000_000},
        "ordinal": {"cardinalities": {1: 4}},
        "native-dense": {"cardinalities": {1: 4}},
        "native-sparse": {"cardinalities": {1: 4}},
        "native-many": {"cardinalities": {1: 300}},
    }
    facts = by_kind.get(kind.key, {})
    usual: dict[str, Any] = {"task": "binary", "n_rows": 1500, "n_features": 5, "n_classes": 2}
    stated: dict[str, Any] = {} if kind.container is None else {"container": kind.container}
    if kind.group == "Categories":
        stated["categorical"] = kind.key.split("-")[0]
    return stated, Problem(**{**usual, "layout": layout, **facts})


def arises(kind: Kind, trainer: str) -> bool:
    """Whether a trainer can meet a kind of data at all."""
    if kind.container is not None and kind.container not in TRAINERS[trainer].containers:
        return False
    return kind.group == "Layouts" or bool(set(kind.layouts) & set(layouts_of(trainer)))


def reason(kind: Kind, way: Way) -> str | None:
    """Why a way cannot have a kind, as `plan` says it for the example; None where it can."""
    taken = [one for one in kind.layouts if one in layouts_of(way.trainer)] or list(kind.layouts)
    stated, problem = example(kind, taken[0])
    params = filled(TRAINERS[way.trainer], Params(method=way.method, **stated))
    return why_not(way.trainer, params, problem)


def page() -> str:
    """The page, as Markdown."""
    reasons: dict[tuple[str, str], int] = {}
    alone = [way for way in ways() if way.trainer not in TWINS]
    parts = [_HEAD, *_tables(alone, reasons), *_in_parallel(reasons), "## Reasons\n"]
    listed = [f"{number}. {text} ({who})." for (text, who), number in reasons.items()]
    return "\n".join([*parts, *listed]) + "\n"


def _tables(columns: list[Way], reasons: dict[tuple[str, str], int]) -> Iterator[str]:
    for group in dict.fromkeys(kind.group for kind in KINDS):
        kinds = [kind for kind in KINDS if kind.group == group]
        used = [way for way in columns if any(arises(kind, way.trainer) for kind in kinds)]
        yield f"## {group}\n"
        yield _row([group.lower(), *(way.title for way in used)])
        yield "|" + "--|" * (len(used) + 1)
        for kind in kinds:
            yield _row([kind.title, *(_cell(kind, way, reasons) for way in used)])
        yield ""


def _in_parallel(reasons: dict[tuple[str, str], int]) -> Iterator[str]:
    """The trainers that run another's training in parallel, and where they depart from it."""
    yield "## In parallel\n"
    yield _row(["trainer", "takes what this one takes", "but"])
    yield "|--|--|--|"
    for name, twin in TWINS.items():
        departing = [
            f"{kind.title}: {_cell(kind, way, reasons)}"
            for kind in KINDS
            for way in [Way(name, METHODS.get(name, (None,))[0])]
            if (no(kind.key, name) is None) != (no(kind.key, twin) is None)
        ]
        methods = f" {' and '.join(METHODS[name])}" if name in METHODS else ""
        yield _row([name, twin + methods, "; ".join(departing)])
    yield ""


def _cell(kind: Kind, way: Way, reasons: dict[tuple[str, str], int]) -> str:
    if not arises(kind, way.trainer):
        return NOT_THERE
    refused: No | None = no(kind.key, way.trainer, way.method)
    told = reason(kind, way)
    if refused is None or told is None:
        return YES
    number = reasons.setdefault((told, _MARKS[refused.who]), len(reasons) + 1)
    return f"**no** ({number})"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    sys.stdout.write(page())
