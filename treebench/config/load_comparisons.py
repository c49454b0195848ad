"""The published comparisons that come with treebench: presets and tables, read and checked."""

from __future__ import annotations

from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from treebench.errors import ConfigError
from treebench.shipped import shipped_folder
from treebench.written.refusals import refusals
from treebench.written.yaml_text import is_file, read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic import BaseModel, ValidationError

    from treebench.config.comparisons import Preset, PublishedTable

    _Model = TypeVar("_Model", bound=BaseModel)

NAME = "lightgbm-vs-xgboost"
"""What is typed for the whole family."""
FOLDER = "comparisons"
ALL = "all"
PUBLISHED = "published"
USUAL = ("as-documented", "as-scripted", "matched", "tuned")
"""The presets of the comparison itself, which are run unless others are named."""
OTHERS = ("gbm-perf", "max-bin")
_MOST_STEPS = 10


def shipped_tables() -> dict[str, PublishedTable]:
    """The published tables, by name.

    Raises:
        ConfigError: the file is damaged; all problems are listed.
    """
    return tables_in(shipped_folder("configs") / FOLDER / f"{PUBLISHED}.yaml")


def shipped_presets(own: Sequence[Path] = ()) -> dict[str, Preset]:
    """Every preset by its name, the usual ones first, and those in a person's `own` files last.

    Raises:
        ConfigError: a file is damaged; all problems are listed.
    """
    folder = shipped_folder("configs") / FOLDER
    shipped = [folder / f"{name}.yaml" for name in (*USUAL, *OTHERS)]
    return presets_in([*shipped, *own])


def own_files(names: Sequence[str]) -> list[Path]:
    """Those of the names that are files of a person's own."""
    paths = [Path(name) for name in names]
    return [path for path in paths if path.suffix in (".yaml", ".yml") and is_file(path)]


def chosen_presets(names: Sequence[str], presets: Mapping[str, Preset]) -> list[Preset]:
    """The presets of these names, each once; the usual ones if there are none. A file's is called
    as the file is.

    Raises:
        ConfigError: there is none of a name.
    """
    own = {str(path): path.stem for path in own_files(names)}
    wanted = [own.get(name, name) for name in names] or list(USUAL)
    if ALL in wanted:
        wanted = list(presets)
    for name in wanted:
        if name not in presets:
            known = ", ".join(presets)
            raise ConfigError(f"no preset {name}; give {ALL}, a YAML file, or some of: {known}")
    return [presets[name] for name in dict.fromkeys(wanted)]


def require_published(presets: Sequence[Preset], tables: Mapping[str, PublishedTable]) -> None:
    """Make sure that what presets name is published, before hours of measuring.

    Raises:
        ConfigError: one line for each that is not, with those that are.
    """
    problems = [
        f"preset {each.preset}: {one}" for each in presets for one in _strange(each, tables)
    ]
    if problems:
        raise ConfigError(*problems)


def _strange(preset: Preset, tables: Mapping[str, PublishedTable]) -> Iterator[str]:
    table = tables.get(preset.published)
    if table is None:
        yield f"published is {preset.published!r}; it must be one of: {', '.join(tables)}"
        return
    besides = [each.beside for each in preset.data if each.beside not in table.data]
    for name in besides:
        yield f"data.beside is {name!r}; it must be one of: {', '.join(table.data)}"
    named = [name for each in preset.orders for name in each.columns.values()]
    named += [name for each in preset.compares for name in each.published or ()]
    for name in dict.fromkeys(named):
        if name not in table.titles:
            yield f"{name!r} is no published column; there are: {', '.join(table.titles)}"


def tables_in(path: Path) -> dict[str, PublishedTable]:
    """The tables in a file.

    Raises:
        ConfigError: with one line for each problem, naming the key.
    """
    from treebench.config.comparisons import PublishedTable

    raw = _mapping(path)
    return {name: _checked(PublishedTable, value, path, name) for name, value in raw.items()}


def presets_in(paths: Sequence[Path]) -> dict[str, Preset]:
    """The presets in files. `like: NAME` takes from another of them whatever is not stated.

    Raises:
        ConfigError: with one line for each problem, naming the key.
    """
    from treebench.config.comparisons import Preset

    _refuse_one_name_twice(paths)
    raw = {path.stem: _mapping(path) for path in paths}
    where = {path.stem: path for path in paths}
    whole = {name: _whole(name, raw, where[name]) for name in raw}
    found = {name: _checked(Preset, value, where[name]) for name, value in whole.items()}
    strange = [(where[name], one.preset) for name, one in found.items() if name != one.preset]
    if strange:
        raise ConfigError(
            *(f"{path}: preset is {stated}; it must be the file's name" for path, stated in strange)
        )
    return found


def _refuse_one_name_twice(paths: Sequence[Path]) -> None:
    """A person's file would take the place of a preset that came with treebench, whose verdicts
    nobody could tell from its own."""
    first: dict[str, Path] = {}
    for path in paths:
        first.setdefault(path.stem, path)
    twice = [path for path in paths if realpath(path) != realpath(first[path.stem])]
    if twice:
        raise ConfigError(
            *(
                f"{path}: there is a preset {path.stem} already, in {first[path.stem]}; "
                f"give the file, and its key preset, another name"
                for path in twice
            )
        )


def _whole(name: str, raw: Mapping[str, dict[str, Any]], path: Path) -> dict[str, Any]:
    """What a preset states, on top of what those state that it is like."""
    stated = dict(raw[name])
    for _ in range(_MOST_STEPS):
        if "like" not in stated:
            return stated
        other = stated.pop("like")
        if not isinstance(other, str) or other not in raw:
            raise ConfigError(f"{path}: like is {other!r}; it must be one of: {', '.join(raw)}")
        stated = {**raw[other], **stated}
    raise ConfigError(f"{path}: like leads round in a circle; take one of them away")


def _mapping(path: Path) -> dict[str, Any]:
    raw = read_yaml(path, ConfigError)
    if not isinstance(raw, dict):
        raise ConfigError(f"{path}: it must be a mapping of keys to values; write some")
    return raw


def _checked(model: type[_Model], value: Any, path: Path, *within: str) -> _Model:
    from pydantic import ValidationError

    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise ConfigError(*_lines(error, model, value, path, within)) from None


def _lines(
    error: ValidationError,
    model: type[BaseModel],
    raw: Any,
    path: Path,
    within: tuple[str, ...],
) -> list[str]:
    from treebench.config.model import NAME_PATTERN, NAME_RULE

    lines = refusals(error, model, raw, {NAME_PATTERN: NAME_RULE}, within)
    return [f"{path}: {line}" for line in lines]
