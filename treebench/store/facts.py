"""The form of `run.json`, for checking one that a person, or a disk, may have damaged.

`docs/FORMAT.md` is the full text. Keys that are not named here are kept and not looked at.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError


class _Part(BaseModel):
    model_config = ConfigDict(strict=True)


class Spec(_Part):
    """What identifies a cell."""

    dataset: str
    data_sha256: str
    rows: int
    features: int
    layout: str
    trainer: str
    params: dict[str, Any]
    extra: dict[str, Any]
    threads: int
    memory_limit_bytes: int | None = None
    validation_share: float | None = None


class Cell(_Part):
    """A planned cell."""

    id: str
    spec: Spec
    native: dict[str, Any]
    notes: list[str]


class Point(_Part):
    """What is said of a point of the sweep that is no cell; more may be known of it."""

    trainer: str


class Unsupported(_Part):
    """A point that cannot be run."""

    spec: Point
    reason: str


class Collapsed(_Part):
    """A point that is another cell."""

    into: str
    spec: Point
    reason: str


class Plan(_Part):
    """What was planned."""

    samples: Annotated[int, Field(ge=1)]
    memory_samples: Annotated[int, Field(ge=0)] = 0
    cells: list[Cell]
    unsupported: list[Unsupported]
    collapsed: list[Collapsed]


class Counters(_Part):
    """What tier of counters the run takes, and why no better one."""

    tier: str | None
    absent: dict[str, str]


class CopyBandwidth(_Part):
    """How fast the machine copied memory at the start of the run."""

    bytes_per_s: dict[str, float]
    array_bytes: int
    past_cache: bool
    reason: str | None = None


class Facts(_Part):
    """What was asked for, and where."""

    run: str
    command: list[str]
    started_at: str
    machine: dict[str, Any]
    versions: dict[str, str | None]
    plan: Plan
    counters: Counters | None = None
    copy_bandwidth: CopyBandwidth | None = None
    hosts: dict[str, dict[str, Any]] | None = None
    config: dict[str, Any] | None = None
    allocator: dict[str, str] | None = None
    thread_settings: dict[str, str] | None = None
    code: str | None = None
    note: str | None = None
    expect: str | None = None


def problem_of(value: Any, form: type[BaseModel] = Facts) -> str | None:
    """The first thing that keeps `value` from being of that form, or None."""
    try:
        form.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"{place}: {first['msg'].lower()}"
    return None
