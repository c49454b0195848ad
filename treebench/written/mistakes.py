"""Where in a person's file each thing that pydantic refused stands, in the person's own keys.

What to say of a mistake is the business of the rooms that know what is allowed there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel

from treebench.written.shown import path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

_TAG_BEGINNINGS = ("literal[", "function-", "constrained-", "tuple[", "dict[", "nullable")
_TAGS = ("int", "str", "none")


@dataclass(frozen=True)
class Mistake:
    """One refusal: `keys` lead to it from the top of the file, and `allowed_keys` are those of the
    section that it stands in."""

    keys: tuple[str, ...]
    allowed_keys: tuple[str, ...]
    detail: ErrorDetails

    @property
    def key(self) -> str:
        """The keys as one path, as in `source.rows`; empty for the file as a whole."""
        return path_of(self.keys)


def mistakes(error: ValidationError, model: type[BaseModel], raw: Any) -> Iterator[Mistake]:
    """Every refusal of a file that should have been a `model` and holds `raw`, in pydantic's
    order."""
    for detail in error.errors():
        section, keys = _walk(model, detail["loc"], raw)
        yield Mistake(keys, tuple(sorted(section.model_fields)), detail)


def kinds_of(model: type[BaseModel], key: str) -> list[str]:
    """The values that `kind` may have in the section `key` of a model."""
    return list(_by_kind(_models(model.model_fields[key].annotation)))


def _walk(
    model: type[BaseModel], location: tuple[int | str, ...], raw: Any
) -> tuple[type[BaseModel], tuple[str, ...]]:
    """The section that a mistake lies in, and the path of keys as a person wrote them.

    Between the keys pydantic names the members of unions that it tried: the kind of a source that
    was chosen, or a type. People do not write those there; nor a place in a list, where they wrote
    one value for a list of one.
    """
    section = model
    choices: dict[str, type[BaseModel]] = {}
    keys: list[str] = []
    for step in location:
        if isinstance(step, str) and step in choices:
            section, choices = choices[step], {}
            continue
        stated = isinstance(raw, dict) and step in raw
        if not stated and (_is_type_tag(step) or not _is_place(step, raw)):
            continue
        raw = _within(raw, step)
        if keys and keys[-1] in section.model_fields:
            inner = _models(section.model_fields[keys[-1]].annotation)
            section = inner[0] if len(inner) == 1 else section
        keys.append(str(step))
        if step in section.model_fields:
            choices = _by_kind(_models(section.model_fields[str(step)].annotation))
    return section, tuple(keys)


def _within(raw: Any, step: int | str) -> Any:
    if isinstance(raw, dict):
        return raw.get(step)
    # Of a pair of which one was written, the other's place is named too.
    is_there = isinstance(raw, list) and isinstance(step, int) and step < len(raw)
    return raw[step] if is_there else None


def _is_place(step: int | str, raw: Any) -> bool:
    """Whether that step can be seen in the file: numbers are places in lists alone."""
    return isinstance(step, str) or isinstance(raw, list)


def _is_type_tag(step: int | str) -> bool:
    return isinstance(step, str) and (step.startswith(_TAG_BEGINNINGS) or step in _TAGS)


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models(part)]


def _by_kind(models: list[type[BaseModel]]) -> dict[str, type[BaseModel]]:
    with_kind = [model for model in models if "kind" in model.model_fields]
    return {
        kind: model
        for model in with_kind
        for kind in get_args(model.model_fields["kind"].annotation)
    }
