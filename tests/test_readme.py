"""The README leads to every page, and names every sweep that comes with the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted(path.name for path in (ROOT / "docs").glob("*.md"))
TEXTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES)
def test_the_readme_leads_to_every_page(page: str) -> None:
    assert f"](docs/{page})" in README


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.yaml")), ids=lambda p: p.stem)
def test_the_readme_names_every_shipped_sweep(path: Path) -> None:
    assert f"`{path.stem}`" in README


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: p.name)
def test_what_a_text_links_to_is_there(path: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8"))
    gone = [to for to in links if "://" not in to and not (path.parent / to).exists()]
    assert gone == []
