"""The rooms and the arrows between them, as `docs/ARCHITECTURE.md` draws them."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(__file__).parent.parent
PACKAGE = PROJECT / "treebench"
_ROW = re.compile(r"^\| `([\w/]+)/` \|.*\| ([^|]+) \|$", re.MULTILINE)

# What the supervisor and the command line are made of: nothing here may be heavy to import.
LIGHT = (
    *("analysis", "cli", "config", "machine", "measure", "plan", "runner", "store", "trainers"),
    *("written", "data/cards.py", "data/manifest.py", "data/making/make.py", "worker/protocol.py"),
)
# Curves are fitted by the verbs that ask for them, which import numpy then.
FITTING = (
    "analysis/scaling/",
    "analysis/curves/",
    "analysis/expressions/",
    "analysis/comparing/",
)
HEAVY = {"numpy", "pandas", "pyarrow", "scipy", "sklearn", "xgboost", "lightgbm", "altair"}


def drawn() -> dict[str, frozenset[str]]:
    """By room, what it may use: rooms and modules, or `everything`."""
    page = (PROJECT / "docs/ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = {room.replace("/", "."): text for room, text in _ROW.findall(page)}
    return {
        room: frozenset({"everything"} if text == "everything" else re.findall(r"`([\w.]+)`", text))
        for room, text in rows.items()
    }


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def module_of(source: Path) -> str:
    """The name below the package: `data.reading.read`; a package's face has its package's."""
    return ".".join(source.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


def imported(source: Path) -> Iterator[str]:
    """What of ours a file names in its imports, early or late or for types alone."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{source}: imports are by whole names here"
            named = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        else:
            continue
        yield from (
            name.removeprefix("treebench.") for name in named if name.startswith("treebench.")
        )


def below(name: str, place: str) -> bool:
    return name == place or name.startswith(f"{place}.")


def room_of(name: str, rooms: dict[str, frozenset[str]]) -> str | None:
    """The smallest room that holds a module; None for what stands beside the rooms."""
    holding = [room for room in rooms if below(name, room)]
    return max(holding, key=len, default=None)


def test_every_package_is_a_room_that_is_drawn() -> None:
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert packages == {room for room in drawn() if "." not in room}


@pytest.mark.parametrize("source", sources(), ids=module_of)
def test_a_file_uses_only_what_its_room_may(source: Path) -> None:
    rooms = drawn()
    room = room_of(module_of(source), rooms)
    if room is None or rooms[room] == {"everything"}:
        return
    for name in imported(source):
        used = room_of(name, rooms)
        allowed = used in (None, room) or any(below(name, place) for place in rooms[room])
        assert allowed, f"{source.relative_to(PROJECT)} uses {name}; `{room}` may not"


def test_no_arrow_runs_back() -> None:
    """From any room, following what it may use never comes back to it."""
    uses = {
        room: {inner for place in places if (inner := room_of(place, drawn())) not in (None, room)}
        for room, places in drawn().items()
        if places != {"everything"}
    }
    for start in uses:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            for room in uses.get(waiting.pop(), set()):
                assert room is not None
                assert room != start, f"{start} uses itself, by way of {seen}"
                if room not in seen:
                    seen.add(room)
                    waiting.append(room)


def test_nothing_heavy_is_imported_with_the_supervisors_rooms() -> None:
    names = [
        f"treebench.{module_of(source)}"
        for source in sources()
        if (path := source.relative_to(PACKAGE).as_posix()).startswith(LIGHT)
        and not path.startswith(FITTING)
    ]
    assert len(names) > 50
    code = f"import sys; [__import__(name) for name in {names}]; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert HEAVY & set(done.stdout.split()) == set()
