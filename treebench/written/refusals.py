"""What pydantic refused in a person's file, as instructions: one line a key, the same words for
every kind of file."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from treebench.written.mistakes import kinds_of, mistakes
from treebench.written.shown import path_of, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

    from treebench.written.mistakes import Mistake

_MUST = "it must "
_PREFIXES = ("Value error, ", "Input should ")
# pydantic's words where they speak of Python, or make no sentence.
_RULES = {
    "string_type": "be text",
    "string_unicode": "be text without broken characters",
    "string_too_short": "not be empty",
    "int_type": "be a whole number",
    "int_parsing": "be a whole number",
    "int_parsing_size": "be a smaller whole number",
    "int_from_float": "be a whole number",
    "float_type": "be a number",
    "float_parsing": "be a number",
    "finite_number": "be a finite number",
    "bool_type": "be true or false",
    "bool_parsing": "be true or false",
    "dict_type": "be a mapping of keys to values",
    "model_type": "be a mapping of keys to values",
    "model_attributes_type": "be a mapping of keys to values",
    "tuple_type": "be a list",
    "list_type": "be a list",
}
_BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("above", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("below", "lt"),
}
_LENGTHS = {"too_short": ("at least", "min_length"), "too_long": ("at most", "max_length")}


def refusals(
    error: ValidationError,
    model: type[BaseModel],
    raw: Any,
    patterns: Mapping[str, str],
    within: tuple[str, ...] = (),
) -> list[str]:
    """One line for each key that was refused: the key, its value and what it must be.

    `raw` is what stood in the file, or `within` these keys of it. `patterns` says in words what
    each regular expression of the model asks for; the alternatives of one key are joined.
    """
    wanted: dict[str, list[str]] = {}
    lines: list[str] = []
    for mistake in _told(list(mistakes(error, model, raw))):
        key = path_of((*within, *mistake.keys))
        line = _own_line(mistake, key, model)
        rule = "" if line else _rule(mistake.detail, patterns)
        if line:
            lines.append(line)
        elif not key and mistake.detail["type"] == "value_error":
            # Each part is right, and not all of them together: there is no one value to quote.
            lines.append(f"the file {rule.removeprefix('it ')}")
        else:
            what = f"{key or 'the file'} is {shown(mistake.detail['input'])}"
            wanted.setdefault(what, []).append(rule)
    return [*lines, *(f"{what}; {_joined(rules)}" for what, rules in wanted.items())]


def contradiction(key: str, value: Any, allowed: str) -> str:
    """A value that is right alone and wrong beside the others. `allowed` says what is right
    there; where it is `nothing`, with the reason after a colon, the key is to go."""
    if allowed.startswith("nothing: "):
        return f"{key} is {shown(value)}; leave it out: {allowed.removeprefix('nothing: ')}"
    if value is None:
        return f"{key} is missing; add {allowed}"
    return f"{key} is {shown(value)}; {_MUST}be {allowed}"


def nearest(key: str, allowed: Sequence[str]) -> str:
    """` (did you mean KEY?)`, or nothing where none is near."""
    near = difflib.get_close_matches(key, allowed, n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def _told(found: Sequence[Mistake]) -> Iterator[Mistake]:
    """All but the lists that pydantic calls too short since it took out what it refused in them."""
    for mistake in found:
        depth = len(mistake.keys)
        within = (each for each in found if each.keys[:depth] == mistake.keys)
        if mistake.detail["type"] != "too_short" or all(len(each.keys) == depth for each in within):
            yield mistake


def _own_line(mistake: Mistake, key: str, model: type[BaseModel]) -> str | None:
    """The line of a key that is itself the mistake."""
    kind = mistake.detail["type"]
    if kind == "extra_forbidden":
        allowed = mistake.allowed_keys
        near = nearest(mistake.keys[-1], allowed)
        return f"{key} is no key here{near}; allowed: {', '.join(allowed)}"
    if kind == "missing":
        return f"{key} is missing; add it"
    if kind == "union_tag_not_found":
        return f"{key}.kind is missing; allowed: {', '.join(kinds_of(model, mistake.key))}"
    if kind == "union_tag_invalid":
        context = mistake.detail["ctx"]
        return f"{key}.kind is {context['tag']!r}; allowed: {_unquoted(context['expected_tags'])}"
    return None


def _rule(detail: ErrorDetails, patterns: Mapping[str, str]) -> str:
    """What the value must be, or do."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind in _RULES:
        return _MUST + _RULES[kind]
    if kind in _BOUNDS:
        words, bound = _BOUNDS[kind]
        limit = context[bound]
        return f"{_MUST}be {words} {int(limit) if limit == int(limit) else limit}"
    if kind in _LENGTHS:
        words, bound = _LENGTHS[kind]
        many = context[bound]
        return f"{_MUST}have {words} {'one value' if many == 1 else f'{many} values'}"
    if kind == "literal_error":
        return f"{_MUST}be {_unquoted(context['expected'])}"
    if kind == "string_pattern_mismatch":
        return f"{_MUST}be {patterns[context['pattern']]}"
    if kind == "string_too_long":
        return f"{_MUST}have at most {context['max_length']} characters"
    message = detail["msg"]
    for prefix in _PREFIXES:
        message = message.removeprefix(prefix)
    return _MUST + message if message.startswith(("be ", "have ")) else _as_clause(message)


def _as_clause(message: str) -> str:
    return f"it {message}" if message.startswith("must ") else message


def _joined(rules: list[str]) -> str:
    """Alternatives as one clause: `it must be physical or all, or be a whole number`."""
    first, *others = dict.fromkeys(rules)
    return ", or ".join([first, *(rule.removeprefix(_MUST) for rule in others)])


def _unquoted(choices: str) -> str:
    """Words as they are typed; pydantic puts each in quotes."""
    return choices.replace("'", "")
