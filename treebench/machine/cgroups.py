"""The control groups above this process, whose limits all hold at once (cgroups(7))."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

Controller = Literal["cpu", "memory"]


@dataclass(frozen=True)
class ControlGroup:
    """One group's folder, and which version of the interface its files follow."""

    folder: Path
    version: Literal[1, 2]


def control_groups(controller: Controller, root: Path) -> list[ControlGroup]:
    """Every group above the process that may limit `controller`, from the outermost inwards.

    `root` is where `proc` and `sys` are found. A container may not see its outer groups: then
    the folders named here do not exist, save that of the container's own at the mount.
    """
    found: list[ControlGroup] = []
    for line in lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            found += _with_parents(root / "sys/fs/cgroup", path, 2)
        elif controller in controllers.split(","):
            found += _with_parents(root / "sys/fs/cgroup" / controller, path, 1)
    return found


def lines(path: Path) -> list[str]:
    """The lines of a file of the kernel's, which holds paths of any bytes; none where it is absent
    or not to be read."""
    try:
        return os.fsdecode(path.read_bytes()).splitlines()
    except OSError:
        return []


def _with_parents(mount: Path, path: str, version: Literal[1, 2]) -> list[ControlGroup]:
    parts = [part for part in path.split("/") if part not in ("", "..")]
    depths = range(len(parts) + 1)
    return [ControlGroup(mount.joinpath(*parts[:depth]), version) for depth in depths]
