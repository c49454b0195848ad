"""Turns what is wrong in a card into lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.written.refusals import refusals

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import BaseModel, ValidationError

NAME_RULE = "small letters, digits, `.`, `_` and `-`, beginning with a letter or digit"
NAME_PATTERN = r"^[a-z0-9][a-z0-9._-]*$"
SHA256_PATTERN = r"^[0-9a-f]{64}$"
ADDRESS_PATTERN = r"^https?://[^\s/]+/\S+$"
FILE_NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
_PATTERNS = {
    NAME_PATTERN: NAME_RULE,
    SHA256_PATTERN: "a SHA-256 of 64 hexadecimal digits",
    ADDRESS_PATTERN: "an address such as https://host/file, with http or https and no blanks",
    FILE_NAME_PATTERN: "a file's name of letters, digits, `.`, `_` and `-`, without folders",
}


def problems_of(error: ValidationError, model: type[BaseModel], raw: Any, path: Path) -> list[str]:
    """One line for each mistake: file, key, value, what is allowed."""
    return [f"{path}: {line}" for line in refusals(error, model, raw, _PATTERNS)]
