"""Reading YAML that people write: safe, with line numbers, and without YAML's two surprises.

Plain YAML 1.1 lets a key that is written twice silently win over the first, and reads `1e-3` as
text because it has no dot. Here the first is an error and the second a number.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.errors import TreebenchError

# Ten aliases of ten aliases, a few levels deep, are a line of text and more values than memory has.
_MOST_VALUES = 100_000
_MOST_BITS = 63
_LINE_ENDS = frozenset("\x85\u2028\u2029")


class _Loader(yaml.SafeLoader):
    """A safe loader of its own, so that the two changes touch nobody else's YAML."""


class _Dumper(yaml.SafeDumper):
    """Its opposite, which quotes text that the loader would take for a number or a line's end."""


def _represented(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    # PyYAML escapes them in double quotes alone, and reads them as blanks elsewhere.
    style = '"' if _LINE_ENDS & set(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


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


_Dumper.add_representer(str, _represented)
_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
for _side in (_Loader, _Dumper):
    _side.add_implicit_resolver(
        "tag:yaml.org,2002:float",
        re.compile(r"^[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+$"),
        list("-+0123456789"),
    )


def read_yaml(path: Path, refusal: type[TreebenchError]) -> Any:
    """The values in a file.

    Raises:
        TreebenchError: of the kind `refusal`: the file cannot be read, or see `parse_yaml`.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise refusal(f"{path} cannot be read ({error.strerror}); give a UTF-8 YAML file") from None
    except UnicodeDecodeError:
        raise refusal(f"{path} is not UTF-8 text; give a UTF-8 YAML file") from None
    return parse_yaml(text, str(path), refusal)


def parse_yaml(text: str, where: str, refusal: type[TreebenchError]) -> Any:
    """The values in `text`; `where` names the file, or the option, for the error.

    Raises:
        TreebenchError: of the kind `refusal`: it is not YAML, a key is written twice, or it is
            too large.
    """
    try:
        value = yaml.load(text, Loader=_Loader)  # noqa: S506 - it derives from SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{where}:{mark.line + 1}" if mark is not None else where
        raise refusal(f"{place}: {error.problem or error.context}; mend the YAML") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise refusal(f"{where}: not YAML ({reason}); mend the text") from None
    _check_size(value, where, refusal)
    return value


def yaml_text(facts: dict[str, Any]) -> str:
    """`facts` as YAML that `parse_yaml` reads back, in their own order."""
    return yaml.dump(facts, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


def _check_size(value: Any, where: str, refusal: type[TreebenchError]) -> None:
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
            raise refusal(
                f"{where}: a whole number has more than {_MOST_BITS} bits; write a smaller one"
            )
    raise refusal(
        f"{where}: it holds more than {_MOST_VALUES:,} values once its aliases are written out; "
        f"shorten it"
    )
