"""Reads and writes the YAML of cards: no code is ever run, a key stated twice is an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from treebench.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path


class _Loader(yaml.SafeLoader):
    """The safe loader, which by itself would let the last of two equal keys win in silence."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[Any] = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=True)
        if isinstance(key, str) and key in seen:
            raise yaml.constructor.ConstructorError(
                problem=f"key {key!r} is stated twice", problem_mark=key_node.start_mark
            )
        if isinstance(key, str):
            seen.add(key)
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file.

    Raises:
        DataError: the file cannot be read, is not YAML, or holds no mapping.
    """
    try:
        raw = yaml.load(path.read_text(encoding="utf-8"), _Loader)  # noqa: S506 - a safe loader
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise DataError(f"{path} is not UTF-8 text; save it as UTF-8") from None
    except yaml.YAMLError as error:
        raise DataError(f"{path} is not valid YAML: {_where(error)}") from None
    if not isinstance(raw, dict):
        raise DataError(f"{path} must hold `key: value` lines, beginning with `name:`")
    return raw


def yaml_text(facts: dict[str, Any]) -> str:
    """`facts` as YAML, in their own order."""
    return yaml.safe_dump(facts, sort_keys=False, allow_unicode=True, width=100)


def _where(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "unreadable"
    return problem if mark is None else f"{problem} (line {mark.line + 1})"
