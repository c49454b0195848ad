"""Turns what pydantic says of a card into lines for people."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from treebench.written.mistakes import kinds_of, mistakes, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

    from treebench.written.mistakes import Mistake


def problems_of(error: ValidationError, model: type[BaseModel], path: Path) -> Iterator[str]:
    """One line for each mistake: file, key, value, what is allowed."""
    for mistake in mistakes(error, model):
        yield f"{path}: {_problem(mistake, model)}"


def _problem(mistake: Mistake, model: type[BaseModel]) -> str:
    key, detail = mistake.key, mistake.detail
    kind = detail["type"]
    if kind == "extra_forbidden":
        allowed = mistake.allowed_keys
        near = _nearest(mistake.keys[-1], allowed)
        return f"`{key}` is no key here{near}; allowed: {', '.join(allowed)}"
    if kind == "missing":
        return f"`{key}` is missing"
    if kind == "union_tag_not_found":
        return f"`{key}.kind` is missing; allowed: {', '.join(map(repr, kinds_of(model, key)))}"
    if kind == "union_tag_invalid":
        context = detail["ctx"]
        return f"`{key}.kind` is {context['tag']!r}; allowed: {context['expected_tags']}"
    return f"`{key}` is {shown(detail['input'])}; {_rule(detail)}"


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


def _nearest(key: str, allowed: Sequence[str]) -> str:
    near = difflib.get_close_matches(key, allowed, n=1)
    return f" (did you mean `{near[0]}`?)" if near else ""
