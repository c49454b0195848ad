"""`--only "trainer=xgboost, rows<=80000"`: running part of a plan."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Any

from treebench.errors import ConfigError
from treebench.trainers.parameters import PARAMETERS
from treebench.written.size import size_bytes
from treebench.written.yaml_text import parse_yaml

if TYPE_CHECKING:
    from collections.abc import Callable

    from treebench.plan.cell import CellSpec

_FIELDS = ("cell", "dataset", "rows", "features", "layout", "trainer", "threads", "memory_limit")
_CONDITION = re.compile(r"^\s*([a-z_]+)\s*(<=|>=|!=|=|<|>)\s*([^<>=\s].*?)\s*$")
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


def matcher(expression: str) -> Callable[[CellSpec], bool]:
    """A test of cells for an expression: conditions that must all hold, with commas between.

    A cell that does not have the parameter meets only `!=`.

    Raises:
        ConfigError: the expression cannot be read, or names no field of a cell.
    """
    conditions = [_parse(part, expression) for part in expression.split(",")]
    return lambda spec: all(condition(spec) for condition in conditions)


def _parse(part: str, expression: str) -> Callable[[CellSpec], bool]:
    match = _CONDITION.match(part)
    if match is None:
        raise ConfigError(
            f"--only {expression!r}: cannot read {part.strip()!r}; write conditions such as "
            f"trainer=xgboost, rows<=80000"
        )
    key, symbol, text = match.groups()
    if key not in _FIELDS and key not in PARAMETERS:
        allowed = ", ".join((*_FIELDS, *PARAMETERS))
        raise ConfigError(f"--only {expression!r}: {key!r} is no field of a cell; use: {allowed}")
    value = _value(key, text, expression)
    if symbol not in ("=", "!=") and not _is_number(value):
        raise ConfigError(
            f"--only {expression!r}: {key} {symbol} {text} compares sizes; write a number there"
        )
    compare = _COMPARE[symbol]
    return lambda spec: _holds(compare, _field(spec, key), value, symbol)


def _value(key: str, text: str, expression: str) -> Any:
    if key == "cell":
        return text  # an id of digits alone must stay text
    value = parse_yaml(text, "--only", ConfigError)
    if key != "memory_limit" or value is None:
        return value
    try:
        return size_bytes(value)
    except ValueError as error:
        raise ConfigError(f"--only {expression!r}: memory_limit is {text}; {error}") from None


def _holds(compare: Callable[[Any, Any], bool], actual: Any, value: Any, symbol: str) -> bool:
    if actual is None:
        return symbol == "!="
    if symbol in ("=", "!="):
        return compare(actual, value)
    return _is_number(actual) and compare(actual, value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _field(spec: CellSpec, key: str) -> Any:
    if key == "cell":
        return spec.id
    if key == "memory_limit":
        return spec.memory_limit_bytes
    return getattr(spec, key) if key in _FIELDS else spec.params.get(key)
