"""Reading YAML that people write: safe, with line numbers, and without YAML's two surprises.

Plain YAML 1.1 lets a key that is written twice silently win over the first, and reads `1e-3` as
text because it has no dot. Here the first is an error and the second a number.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from treebench.errors import ConfigError

# Ten aliases of ten aliases, a few levels deep, are a line of text and more values than memory has.
_MOST_VALUES = 100_000
_MOST_BITS = 63


class _Loader(yaml.SafeLoader):
    """A safe loader of its own, so that the two changes touch nobody else's YAML."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[Any] = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, str):
            raise yaml.constructor.ConstructorError(
                problem=f"the key {key!r} is not text", problem_mark=key_node.start_mark
            )
        if key in seen:
            raise yaml.constructor.ConstructorError(
                problem=f"the key {key!r} is written twice", problem_mark=key_node.start_mark
            )
        seen.add(key)
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+$"),
    list("-+0123456789"),
)


def parse_yaml(text: str, where: str) -> Any:
    """The values in `text`; `where` names the file, or the option, for the error.

    Raises:
        ConfigError: it is not YAML, a key is written twice, or it is too large.
    """
    try:
        value = yaml.load(text, Loader=_Loader)  # noqa: S506 - it derives from SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{where}:{mark.line + 1}" if mark is not None else where
        raise ConfigError(f"{place}: {error.problem or error.context}; mend the YAML") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise ConfigError(f"{where}: not YAML ({reason}); mend the text") from None
    _check_size(value, where)
    return value


def _check_size(value: Any, where: str) -> None:
    """Nothing further on needs to fear a value that cannot be copied, printed or counted."""
    left = [value]
    for _ in range(_MOST_VALUES):
        if not left:
            return
        one = left.pop()
        if isinstance(one, dict):
            left += [*one, *one.values()]
        elif isinstance(one, list | tuple | set):
            left += one
        elif isinstance(one, int) and one.bit_length() > _MOST_BITS:
            raise ConfigError(
                f"{where}: a whole number has more than {_MOST_BITS} bits; write a smaller one"
            )
    raise ConfigError(
        f"{where}: it holds more than {_MOST_VALUES:,} values once its aliases are written out; "
        f"shorten it"
    )
