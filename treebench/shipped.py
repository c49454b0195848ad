"""Where the cards and configs that come with treebench lie."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

PACKAGE = Path(__file__).parent


def shipped_folder(kind: Literal["configs", "datasets"]) -> Path:
    """The folder of shipped files: inside an installed package, or beside it in a checkout."""
    packed = PACKAGE / "shipped" / kind
    return packed if packed.is_dir() else PACKAGE.parent / kind


def in_checkout() -> bool:
    """Whether this treebench runs from a source checkout rather than from an installed wheel."""
    return not (PACKAGE / "shipped").is_dir() and (PACKAGE.parent / "pyproject.toml").is_file()
