"""Turns what pydantic says of a card into lines for people."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails


def problems_of(error: ValidationError, model: type[BaseModel], path: Path) -> Iterator[str]:
    """One line for each mistake: file, key, value, what is allowed."""
    for detail in error.errors():
        yield f"{path}: {_problem(detail, model)}"


def _problem(detail: ErrorDetails, model: type[BaseModel]) -> str:
    section, keys = _walk(model, detail["loc"])
    key = ".".join(keys)
    allowed = sorted(section.model_fields) if section is not None else []
    kind = detail["type"]
    if kind == "extra_forbidden":
        return f"`{key}` is no key here{_nearest(keys[-1], allowed)}; allowed: {', '.join(allowed)}"
    if kind == "missing":
        return f"`{key}` is missing"
    if kind == "union_tag_not_found":
        kinds = _by_kind(_models(model.model_fields[key].annotation))
        return f"`{key}.kind` is missing; allowed: {', '.join(map(repr, kinds))}"
    if kind == "union_tag_invalid":
        context = detail["ctx"]
        return f"`{key}.kind` is {context['tag']!r}; allowed: {context['expected_tags']}"
    return f"`{key}` is {_shown(detail['input'])}; {_rule(detail)}"


def _rule(detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    if detail["type"] == "literal_error":
        return f"allowed: {context['expected']}"
    if detail["type"] == "string_pattern_mismatch" and "0-9a-f" in context["pattern"]:
        return "allowed: a SHA-256 of 64 hexadecimal digits"
    if detail["type"] == "string_pattern_mismatch":
        return "allowed: small letters, digits, `.`, `_` and `-`, beginning with a letter or digit"
    if detail["type"] == "value_error":
        return str(context["error"])
    rule = detail["msg"].removeprefix("Input should be ").removeprefix("a valid ")
    return "allowed: " + rule.split(", unable")[0]


def _walk(
    model: type[BaseModel], location: tuple[int | str, ...]
) -> tuple[type[BaseModel] | None, list[str]]:
    """The section that a mistake lies in, and the path of keys as a person wrote them.

    A location names the chosen kind of source between the keys; people do not write that.
    """
    section: type[BaseModel] | None = model
    choices: dict[str, type[BaseModel]] = {}
    keys: list[str] = []
    for step in location:
        if isinstance(step, str) and step in choices:
            section, choices = choices[step], {}
            continue
        if keys and section is not None and keys[-1] in section.model_fields:
            inner = _models(section.model_fields[keys[-1]].annotation)
            section = inner[0] if len(inner) == 1 else section
        keys.append(str(step))
        if section is not None and step in section.model_fields:
            choices = _by_kind(_models(section.model_fields[str(step)].annotation))
    return section, keys


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


def _nearest(key: str, allowed: list[str]) -> str:
    near = difflib.get_close_matches(key, allowed, n=1)
    return f" (did you mean `{near[0]}`?)" if near else ""


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
