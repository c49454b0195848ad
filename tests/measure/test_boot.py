"""Whether two hosts are one machine."""

from __future__ import annotations

import socket
import uuid
from typing import TYPE_CHECKING

from treebench.measure.boot import boot_id

if TYPE_CHECKING:
    from pathlib import Path


def test_the_kernels_name_for_this_boot_is_the_same_each_time(tmp_path: Path) -> None:
    told = tmp_path / "boot_id"
    told.write_text(f"{uuid.UUID(int=7)}\n")
    assert boot_id(told) == str(uuid.UUID(int=7))
    assert boot_id() == boot_id()


def test_without_one_the_hosts_name_stands_in(tmp_path: Path) -> None:
    assert boot_id(tmp_path / "absent") == socket.gethostname()
