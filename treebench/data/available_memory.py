"""How much memory the process may still take."""

from __future__ import annotations

from pathlib import Path

_V2 = ("memory.max", "memory.current", "inactive_file")
_V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def available_memory_bytes(root: Path = Path("/")) -> int | None:
    """Bytes that can be taken without swapping or being killed; None where nothing says so.

    The least of the machine's `MemAvailable` and what each cgroup above the process leaves:
    its limit, less what is used, not counting file pages that the kernel would drop first.
    `root` is where `proc` and `sys` are found.
    """
    rooms = [_machine(root), *(_room(group, root) for group in _cgroups(root))]
    return min((room for room in rooms if room is not None), default=None)


def _machine(root: Path) -> int | None:
    for line in _lines(root / "proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _cgroups(root: Path) -> list[tuple[Path, tuple[str, str, str]]]:
    """Every cgroup above the process, with the names of its files (version 2 or 1)."""
    found: list[tuple[Path, tuple[str, str, str]]] = []
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            found += _with_parents(root / "sys/fs/cgroup", path, _V2)
        elif "memory" in controllers.split(","):
            found += _with_parents(root / "sys/fs/cgroup/memory", path, _V1)
    return found


def _with_parents(
    mount: Path, path: str, names: tuple[str, str, str]
) -> list[tuple[Path, tuple[str, str, str]]]:
    parts = [part for part in path.split("/") if part not in ("", "..")]
    return [(mount.joinpath(*parts[:depth]), names) for depth in range(len(parts) + 1)]


def _room(group: tuple[Path, tuple[str, str, str]], root: Path) -> int | None:
    folder, (limit_name, usage_name, reclaimable_name) = group
    limit, usage = _number(folder / limit_name), _number(folder / usage_name)
    if limit is None or usage is None:
        return None
    reclaimable = 0
    for line in _lines(folder / "memory.stat"):
        if line.split(" ")[0] == reclaimable_name:
            reclaimable = int(line.split(" ")[1])
    return max(0, limit - usage + reclaimable)


def _number(path: Path) -> int | None:
    """The number in a cgroup file; None if it is absent or says `max`, that is no limit."""
    lines = _lines(path)
    return int(lines[0]) if lines and lines[0].isdigit() else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
