"""What becomes of a point of the sweep: the library's own parameters, or why it cannot be.

Pure: nothing here needs a library to be installed.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.trainers import data_support, early_stopping
from treebench.trainers.parameters import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from treebench.trainers.base import Problem, Trainer, Use
    from treebench.trainers.parameters import Params, Value


@dataclass(frozen=True)
class Planned:
    """A point that can be trained.

    `native` is what the library is given. `params` identifies the cell: every canonical
    parameter that the trainer has, with its value (one without a value is left out), so that
    points which a library would treat alike are one cell. `dropped` says which stated values
    change nothing here; `notes` says that and what was translated.
    """

    native: dict[str, Any]
    params: dict[str, Value]
    dropped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unsupported:
    """A point that the library cannot do, and why, as a sentence for people."""

    reason: str


def resolve(trainer: Trainer, params: Params, problem: Problem) -> Planned | Unsupported:
    """What `trainer` makes of `params` on `problem`.

    Raises:
        ConfigError: `extra` names what a canonical parameter already says.
    """
    full = filled(trainer, params)
    uses = trainer.uses(full)
    reason = (
        data_support.layout_reason(trainer.name, full, problem)
        or _only_reason(trainer, uses, _own(trainer, params))
        or trainer.unsupported(full, problem)
        or data_support.why_not(trainer.name, full, problem)
        or early_stopping.why_not(trainer, full, problem)
    )
    if reason:
        return Unsupported(reason)
    mapped = {name: value for name, value in full.stated().items() if uses[name].how == "mapped"}
    dropped = tuple(_dropped_notes(trainer, uses, params))
    notes = (*dropped, *_other_notes(trainer, full, problem))
    return Planned(trainer.native(full, problem), mapped, dropped, notes)


def filled(trainer: Trainer, params: Params) -> Params:
    """`params` with a value for all that was not stated: the default matched across libraries,
    else the trainer's own."""
    defaults = {name: one.default for name, one in PARAMETERS.items() if one.default is not None}
    own = _own(trainer, params)
    values: dict[str, Any] = {**defaults, **trainer.own_defaults(own), **own.stated()}
    return dataclasses.replace(own, **values)


def _own(trainer: Trainer, params: Params) -> Params:
    """`params` without another library's container, so that a reference which states one can
    have variants of any trainer."""
    if params.container is None or params.container in trainer.containers:
        return params
    return dataclasses.replace(params, container=None)


def _only_reason(trainer: Trainer, uses: Mapping[str, Use], params: Params) -> str | None:
    """The first parameter stated with a value that the library cannot have."""
    for name, value in params.stated().items():
        use = uses[name]
        if use.how == "only" and value != use.value:
            return f"{trainer.name} cannot have {name}={value}: {use.reason}"
    return None


def _dropped_notes(trainer: Trainer, uses: Mapping[str, Use], params: Params) -> Iterator[str]:
    own = _own(trainer, params).stated()
    for name, value in params.stated().items():
        if name not in own:
            yield f"{name} has no meaning for {trainer.name}: {value} is another library's"
        elif uses[name].how == "no meaning":
            yield f"{name} has no meaning for {trainer.name}: {uses[name].reason}"
    if not trainer.parallel and params.threads > 1:
        yield f"{trainer.name} trains on one thread, whatever threads says"


def _other_notes(trainer: Trainer, params: Params, problem: Problem) -> Iterator[str]:
    capacity = trainer.capacity_note(params)
    if capacity:
        yield capacity
    if trainer.sparse_meaning and problem.layout in ("csr", "csc"):
        yield f"in csr and csc, {trainer.sparse_meaning}"
