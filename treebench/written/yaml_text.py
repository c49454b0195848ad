"""Reading YAML that people write: safe, with line numbers, and without YAML's two surprises.

Plain YAML 1.1 lets a key that is written twice silently win over the first, and reads `1e-3` as
text because it has no dot. Here the first is an error and the second a number.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

from treebench.written.shown import shown

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.errors import TreebenchError

# Ten aliases of ten aliases, a few levels deep, are a line of text and more values than memory has.
_MOST_VALUES = 100_000
# What a person writes by hand is far below it; reading so much takes some ten seconds.
_MOST_BYTES = 4 * 2**20
_MOST_BITS = 63
_LINE_ENDS = frozenset("\x85\u2028\u2029")


_MERGE = "tag:yaml.org,2002:merge"
_REFUSED = object()
"""Stands where a value was refused, until it is taken out."""


class _Loader(yaml.SafeLoader):
    """A safe loader of its own, so that the changes touch nobody else's YAML.

    What is wrong without keeping the rest from being read is gathered in `problems`.
    """

    def __init__(self, text: str, where: str) -> None:
        super().__init__(text)
        self.where = where
        self.problems: list[str] = []

    def refuse(self, problem: str, node: yaml.Node) -> None:
        self.problems.append(f"{self.where}:{node.start_mark.line + 1}: {problem}")


class _Dumper(yaml.SafeDumper):
    """Its opposite, which quotes text that the loader would take for a number or a line's end."""


def _represented(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    # PyYAML escapes them in double quotes alone, and reads them as blanks elsewhere.
    style = '"' if _LINE_ENDS & set(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    """The mapping, the first of each key; what `<<` brings in gives way to what is stated."""
    stated: dict[Any, tuple[yaml.Node, yaml.Node]] = {}
    merged = [pair for pair in node.value if pair[0].tag == _MERGE]
    for key_node, value_node in node.value:
        if key_node.tag == _MERGE:
            continue
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, str):
            loader.refuse(f"the key {shown(key)} is not text; put it in quotes", key_node)
        elif key in stated:
            loader.refuse(f"the key {key!r} is written twice; remove one of them", key_node)
        else:
            stated[key] = (key_node, value_node)
    node.value = [*merged, *stated.values()]
    return loader.construct_mapping(node, deep=True)


def _unknown_tag(loader: _Loader, node: yaml.Node) -> Any:
    # A tag can ask for any object of Python; none is made here, and none is needed.
    loader.refuse(f"the tag {node.tag!r} is not allowed; remove it", node)
    return _REFUSED


_Loader.add_constructor(None, _unknown_tag)
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
    return parse_yaml(file_text(path, refusal), str(path), refusal)


def is_file(path: Path) -> bool:
    """Whether there is such a file; of a name that no file can have, there is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def file_text(path: Path, refusal: type[TreebenchError]) -> str:
    """The text of a file, without the mark that some editors put first.

    Raises:
        TreebenchError: of the kind `refusal`: the file cannot be read, is not UTF-8, or so large
            that nobody wrote it.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise refusal(
            f"{path} cannot be read ({error.strerror}); mend its rights, or give another file"
        ) from None
    if len(content) > _MOST_BYTES:
        raise refusal(f"{path} has more than {_MOST_BYTES:,} bytes; give a shorter YAML file")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise refusal(f"{path} is not UTF-8 text; give a UTF-8 YAML file") from None


def parse_yaml(text: str, where: str, refusal: type[TreebenchError]) -> Any:
    """The values in `text`; `where` names the file, or the option, for the error.

    Raises:
        TreebenchError: of the kind `refusal`, with all that is wrong: it is not YAML, a key is
            written twice, a tag asks for more than plain values, or it is too large.
    """
    value, problems = parse_leniently(text, where, refusal)
    if problems:
        raise refusal(*problems)
    return value


def parse_leniently(text: str, where: str, refusal: type[TreebenchError]) -> tuple[Any, list[str]]:
    """The values that can be read, and what is wrong with the others, a line each.

    Raises:
        TreebenchError: of the kind `refusal`: nothing can be read, since it is not YAML or too
            large.
    """
    loader = None
    try:
        loader = _Loader(text, where)
        value = loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{where}:{mark.line + 1}" if mark is not None else where
        raise refusal(f"{place}: {error.problem or error.context}; mend the YAML") from None
    except (LookupError, AttributeError, TypeError):
        # PyYAML's own errors where a plain tag and its value do not fit, as in `!!bool maybe`.
        raise refusal(f"{where}: a value does not fit its tag; remove the tag") from None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise refusal(f"{where}: not YAML ({reason}); mend the text") from None
    finally:
        if loader is not None:
            loader.dispose()
    _check_size(value, where, refusal)
    huge = [
        f"{where}: {path or 'the value'} has more than {_MOST_BITS} bits; write a smaller number"
        for path in _taken_out(value)
    ]
    return None if _is_refused(value) else value, [*loader.problems, *huge]


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
    raise refusal(
        f"{where}: it holds more than {_MOST_VALUES:,} values once its aliases are written out; "
        f"shorten it"
    )


def _taken_out(value: Any) -> list[str]:
    """Take what was refused, and numbers too large, out of `value`; the paths of the latter."""
    if _is_huge(value):
        return [""]
    found: list[str] = []
    left: list[tuple[Any, str]] = [(value, "")] if isinstance(value, dict | list) else []
    while left:
        one, path = left.pop()
        places = list(one.items() if isinstance(one, dict) else enumerate(one))
        for key, inner in reversed(places):
            where = f"{path}.{key}".lstrip(".")
            if _is_refused(inner):
                del one[key]
                found += [where] if _is_huge(inner) else []
            elif isinstance(inner, dict | list):
                left.append((inner, where))
    return found


def _is_refused(value: Any) -> bool:
    return value is _REFUSED or _is_huge(value)


def _is_huge(value: Any) -> bool:
    return isinstance(value, int) and value.bit_length() > _MOST_BITS
