"""From a config's file to a checked `SweepConfig`: every problem at once, one line each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from treebench.config import variants
from treebench.config.expand import count_points
from treebench.config.overrides import apply_overrides
from treebench.errors import ConfigError
from treebench.shipped import shipped_folder
from treebench.written.yaml_text import read_yaml

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from treebench.config.model import SweepConfig

# pydantic's words where they speak of Python, or make no sentence.
_RULES = {
    "too_short": "have at least one value",
    "string_pattern_mismatch": (
        "be letters, digits, '.', '_' or '-', at most 100 of them, beginning with a letter or digit"
    ),
    "string_type": "be text",
    "int_type": "be a whole number",
    "bool_type": "be true or false",
    "dict_type": "be a mapping of keys to values",
    "model_type": "be a mapping of keys to values",
    "tuple_type": "be a list",
}
# Every point is planned and kept in memory, and a sample of each takes about a second at least.
MOST_POINTS = 100_000


def load_config(name_or_path: str, overrides: list[str], trainers: tuple[str, ...]) -> SweepConfig:
    """The config in a file, or the shipped one of that name, with `--set` applied.

    Raises:
        ConfigError: there is no such file, or anything in it is wrong; all problems are listed.
    """
    path = find_config(name_or_path)
    raw = apply_overrides(read_yaml(path, ConfigError), overrides)
    return checked(raw, str(path), trainers)


def find_config(name_or_path: str) -> Path:
    """The file of a config given as a path, or by the name of one that comes with treebench."""
    path = Path(name_or_path)
    shipped = shipped_folder("configs")
    candidates = (path, shipped / name_or_path, shipped / f"{name_or_path}.yaml")
    for candidate in (*candidates, shipped / path.name):
        if candidate.is_file():
            return candidate
    known = ", ".join(sorted(file.stem for file in shipped.glob("*.yaml")))
    raise ConfigError(f"no config {name_or_path}; give a YAML file, or one of: {known}")


def checked(raw: Any, where: str, trainers: tuple[str, ...]) -> SweepConfig:
    """The config in YAML values.

    Raises:
        ConfigError: with one line for each problem, each naming `where`, the key and the remedy.
    """
    from pydantic import ValidationError

    from treebench.config.model import SweepConfig

    if not isinstance(raw, dict):
        raise ConfigError(f"{where}: a config is a mapping with name, data and reference")
    try:
        config = SweepConfig.model_validate(raw)
    except ValidationError as error:
        partial = variants.problems(_only_settings(raw), trainers)
        raise ConfigError(*(f"{where}: {line}" for line in [*_lines(error), *partial])) from None
    found = [f"{where}: {problem}" for problem in variants.problems(config, trainers)]
    if found:
        raise ConfigError(*found)
    points = count_points(config)
    if points > MOST_POINTS:
        raise ConfigError(
            f"{where}: its axes multiply to {points:,} points; allowed: {MOST_POINTS:,}; "
            f"take values away, or make several sweeps of it"
        )
    return config


def _only_settings(raw: dict[str, Any]) -> SweepConfig:
    """A config that holds nothing but the reference and variants that are mappings, so that
    their problems can be listed beside the others."""
    from treebench.config.model import SweepConfig

    reference = raw.get("reference")
    stated = raw.get("variants")
    listed = stated if isinstance(stated, list) else []
    return SweepConfig.model_construct(
        reference=reference if isinstance(reference, dict) else {"trainer": "xgboost"},
        variants=tuple(variant for variant in listed if isinstance(variant, dict)),
    )


def _lines(error: ValidationError) -> list[str]:
    """pydantic's problems as instructions: one line per key, its alternatives joined."""
    from treebench.config.model import SweepConfig
    from treebench.written.mistakes import mistakes, shown

    wanted: dict[str, list[str]] = {}
    lines: list[str] = []
    for mistake in mistakes(error, SweepConfig):
        key, detail = mistake.key or "config", mistake.detail
        if detail["type"] == "extra_forbidden":
            lines.append(f"{key} is not a key of a config; remove it, or find it in docs/CONFIG.md")
        elif detail["type"] == "missing":
            lines.append(f"{key} is missing; a config has name, data (with set) and reference")
        else:
            wanted.setdefault(f"{key} is {shown(detail['input'])}", []).append(_rule(detail))
    joined = (f"{what}; it must {' or '.join(dict.fromkeys(w))}" for what, w in wanted.items())
    return [*lines, *joined]


def _rule(problem: ErrorDetails) -> str:
    """What the value must be, or do, in words that follow "it must"."""
    kind = problem["type"]
    if kind in _RULES:
        return _RULES[kind]
    message = problem["msg"].removeprefix("Value error, ").removeprefix("Input should ")
    return message.removeprefix("it must ").removeprefix("must ")
