"""From a config's file to a checked `SweepConfig`: every problem at once, one line each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treebench.config import variants
from treebench.config.expand import count_points
from treebench.config.overrides import apply_leniently
from treebench.config.salvage import stated_sets, without_mistakes
from treebench.errors import ConfigError
from treebench.shipped import shipped_folder
from treebench.written.refusals import refusals
from treebench.written.yaml_text import file_text, is_file, parse_leniently

if TYPE_CHECKING:
    from treebench.config.model import SweepConfig

# Every point is planned and kept in memory, and a sample of each takes about a second at least.
MOST_POINTS = 100_000


@dataclass(frozen=True)
class Examined:
    """A config's file with all that is wrong in it: one line for each of `problems`, without the
    file's name. `config` is all of it, or what is left of it without its mistakes, or None where
    that is no sweep. `sets` are the data sets it names."""

    where: str
    config: SweepConfig | None
    problems: tuple[str, ...]
    sets: tuple[str, ...]


def load_config(name_or_path: str, overrides: list[str], trainers: tuple[str, ...]) -> SweepConfig:
    """The config in a file, or the shipped one of that name, with `--set` applied.

    Raises:
        ConfigError: there is no such file, or anything in it is wrong; all problems are listed.
    """
    return _whole(examined_file(name_or_path, overrides, trainers))


def examined_file(name_or_path: str, overrides: list[str], trainers: tuple[str, ...]) -> Examined:
    """All that is wrong in a config's file, or in the shipped config of that name, with `--set`
    applied.

    Raises:
        ConfigError: there is no such file, or it is not YAML.
    """
    path = find_config(name_or_path)
    stated, unread = parse_leniently(file_text(path, ConfigError), str(path), ConfigError)
    raw, unset = apply_leniently(stated, overrides)
    found = examined(raw, str(path), trainers)
    return Examined(found.where, found.config, (*unread, *unset, *found.problems), found.sets)


def find_config(name_or_path: str) -> Path:
    """The file of a config given as a path, or by the name of one that comes with treebench."""
    path = Path(name_or_path)
    shipped = shipped_folder("configs")
    candidates = (path, shipped / name_or_path, shipped / f"{name_or_path}.yaml")
    for candidate in (*candidates, shipped / path.name):
        if is_file(candidate):
            return candidate
    known = ", ".join(sorted(file.stem for file in shipped.glob("*.yaml")))
    raise ConfigError(f"no config {name_or_path}; give a YAML file, or one of: {known}")


def checked(raw: Any, where: str, trainers: tuple[str, ...]) -> SweepConfig:
    """The config in YAML values.

    Raises:
        ConfigError: with one line for each problem, each naming `where`, the key and the remedy.
    """
    return _whole(examined(raw, where, trainers))


def examined(raw: Any, where: str, trainers: tuple[str, ...]) -> Examined:
    """All that is wrong in a config's YAML values."""
    from pydantic import ValidationError

    from treebench.config.model import SweepConfig

    if not isinstance(raw, dict):
        line = f"{where}: a config is a mapping with name, data and reference; write these"
        return Examined(where, None, (line,), ())
    config: SweepConfig | None
    lines: list[str] = []
    try:
        config = SweepConfig.model_validate(raw)
    except ValidationError as error:
        lines = refusals(error, SweepConfig, raw, _patterns())
        config = without_mistakes(raw, error)
    stated = _only_settings(raw) if config is None or lines else config
    lines += variants.problems(stated, trainers)
    if config is not None:
        config = variants.without_mistakes(config, trainers)
    if config is not None and (points := count_points(config)) > MOST_POINTS:
        config = None
        lines.append(
            f"its axes multiply to {points:,} points; allowed: {MOST_POINTS:,}; "
            f"take values away, or make several sweeps of it"
        )
    return Examined(where, config, tuple(f"{where}: {line}" for line in lines), stated_sets(raw))


def _whole(found: Examined) -> SweepConfig:
    if found.problems or found.config is None:
        raise ConfigError(*found.problems)
    return found.config


def _only_settings(raw: dict[str, Any]) -> SweepConfig:
    """A config that holds nothing but the reference and variants that are mappings, so that
    their problems can be listed beside the others."""
    from treebench.config.model import SweepConfig

    reference = raw.get("reference")
    stated = raw.get("variants")
    listed = stated if isinstance(stated, list) else []
    return SweepConfig.model_construct(
        reference=reference if isinstance(reference, dict) else {"trainer": "xgboost"},
        variants=tuple(variant if isinstance(variant, dict) else {} for variant in listed),
    )


def _patterns() -> dict[str, str]:
    from treebench.config.model import NAME_PATTERN, NAME_RULE

    return {NAME_PATTERN: NAME_RULE}
