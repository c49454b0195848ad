"""The config people write, as pydantic models. Every key is known; nothing else is accepted."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from treebench.config import duration
from treebench.data.manifest import LAYOUTS, Layout
from treebench.written.size import size_bytes

DEFAULT_SAMPLES = 5
__all__ = ["LAYOUTS", "DataEntry", "SweepConfig"]


def _as_tuple(value: Any) -> Any:
    """A single value is an axis of one."""
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _no_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("must be a number, not a yes or no")
    return value


Count = Annotated[int, Field(ge=1, strict=True), BeforeValidator(_no_bool)]
Rows = Literal["all"] | Count
Threads = Literal["physical", "all"] | Count
Size = Annotated[int, BeforeValidator(size_bytes)]
NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
NAME_RULE = (
    "letters, digits, '.', '_' or '-', at most 100 of them, beginning with a letter or digit"
)
Name = Annotated[str, Field(strict=True, pattern=NAME_PATTERN)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _axis(item: Any) -> Any:
    return Annotated[tuple[item, ...], BeforeValidator(_as_tuple), Field(min_length=1)]


class DataEntry(_Strict):
    """Which data: each of `set`, `rows` and `features` may be a list, and lists multiply.

    `layout` here takes the place of the sweep's for this data alone: a wide sparse set need not
    be tried as a dense matrix that no machine holds.
    """

    set: _axis(Name)  # type: ignore[valid-type]
    rows: _axis(Rows) = ("all",)  # type: ignore[valid-type]
    features: _axis(Rows) = ("all",)  # type: ignore[valid-type]
    layout: _axis(Layout) | None = None  # type: ignore[valid-type]


Share = Annotated[float, Field(gt=0, le=1, strict=True), BeforeValidator(_no_bool)]
HeldOut = Annotated[float, Field(gt=0, le=0.5, strict=True), BeforeValidator(_no_bool)]
Cost = Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True), BeforeValidator(_no_bool)]


class Simulation(_Strict):
    """At which share of a cell's rows and trees the simulated counters are taken."""

    rows: Share = 0.1
    trees: Share = 0.1


class SweepConfig(_Strict):
    """One sweep. `reference` and `variants` are read further by `expand`, against the canonical
    parameters; the reference is itself measured."""

    name: Name
    title: str | None = None
    data: _axis(DataEntry)  # type: ignore[valid-type]
    layout: _axis(Layout) = ("dense-c",)  # type: ignore[valid-type]
    threads: _axis(Threads) = ("physical",)  # type: ignore[valid-type]
    memory_limit: _axis(Size | None) = (None,)  # type: ignore[valid-type]
    samples: Annotated[int, Field(ge=1, le=10_000, strict=True)] = DEFAULT_SAMPLES
    memory_samples: Annotated[int, Field(ge=0, le=10_000, strict=True)] = 0
    order_seed: Annotated[int, Field(ge=0, strict=True)] = 0
    deadline: Annotated[float, BeforeValidator(duration.seconds)] = 1800.0
    oversubscribe: Annotated[bool, Field(strict=True)] = False
    latency: Annotated[bool, Field(strict=True)] = False
    curve: Annotated[bool, Field(strict=True)] = False
    validation: HeldOut | None = None
    counters: Literal["auto", "hardware", "simulated", "software", "none"] = "none"
    simulation: Simulation = Simulation()
    cost_per_hour: Cost | None = None
    reference: dict[str, Any]
    variants: tuple[dict[str, Any], ...] = ()
