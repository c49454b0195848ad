"""How much memory the process may still take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from treebench.machine.cgroups import control_groups, lines

if TYPE_CHECKING:
    from treebench.machine.cgroups import ControlGroup

_FILES = {
    1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    2: ("memory.max", "memory.current", "inactive_file"),
}


def available_memory_bytes(root: Path = Path("/")) -> int | None:
    """Bytes that can be taken without swapping or being killed; None where nothing says so.

    The least of the machine's `MemAvailable` and what each cgroup above the process leaves:
    its limit, less what is used, not counting file pages that the kernel would drop first.
    `root` is where `proc` and `sys` are found.
    """
    rooms = [_machine(root), *map(_room, control_groups("memory", root))]
    return min((room for room in rooms if room is not None), default=None)


def _machine(root: Path) -> int | None:
    for line in lines(root / "proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _room(group: ControlGroup) -> int | None:
    limit_name, usage_name, reclaimable_name = _FILES[group.version]
    limit, usage = _number(group.folder / limit_name), _number(group.folder / usage_name)
    if limit is None or usage is None:
        return None
    reclaimable = 0
    for line in lines(group.folder / "memory.stat"):
        if line.split(" ")[0] == reclaimable_name:
            reclaimable = int(line.split(" ")[1])
    return max(0, limit - usage + reclaimable)


def _number(path: Path) -> int | None:
    """The number in a cgroup file; None if it is absent or says `max`, that is no limit."""
    found = lines(path)
    return int(found[0]) if found and found[0].isdigit() else None
