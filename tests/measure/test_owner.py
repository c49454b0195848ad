"""Whether the maker of something is gone is told with certainty or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import started
from treebench.measure.owner import has_dead_owner, owned_name

NAMES_ITSELF = """
import sys
from treebench.measure.owner import owned_name
print(owned_name(sys.argv[1], 7), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """A /proc in which this process began at tick 500, on a known boot and in a known container."""
    own = tmp_path / str(os.getpid())
    own.mkdir()
    (own / "stat").write_text(f"{os.getpid()} (py) 3) S {'0 ' * 18}500 0\n")
    (tmp_path / "sys/kernel/random").mkdir(parents=True)
    (tmp_path / "sys/kernel/random/boot_id").write_text("a-boot\n")
    (tmp_path / "self/ns").mkdir(parents=True)
    (tmp_path / "self/ns/pid").symlink_to("pid:[1]")
    return tmp_path


@pytest.mark.parametrize("kind", ["", "callgrind"])
def test_a_process_owns_its_names_until_it_ends(kind: str) -> None:
    with started(
        [sys.executable, "-c", NAMES_ITSELF, kind],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        name = process.stdout.readline().strip()
        assert not has_dead_owner(name)
    assert has_dead_owner(name)


def test_a_pid_that_was_given_out_again_is_another_owner(proc: Path) -> None:
    name = owned_name("callgrind", "f00", proc)
    assert name.startswith(f"treebench-callgrind-{os.getpid()}-500-")
    assert not has_dead_owner(name, proc)
    stat = proc / str(os.getpid()) / "stat"
    stat.write_text(stat.read_text().replace(" 500 ", " 501 "))
    assert has_dead_owner(name, proc)


@pytest.mark.parametrize("changed", ["boot", "container", "unknown"])
def test_what_was_made_elsewhere_is_left_to_elsewhere(proc: Path, changed: str) -> None:
    name = owned_name(proc=proc)
    (proc / str(os.getpid()) / "stat").unlink()
    assert has_dead_owner(name, proc)
    if changed == "boot":
        (proc / "sys/kernel/random/boot_id").write_text("b-boot\n")
    else:
        (proc / "self/ns/pid").unlink()
    if changed == "container":
        (proc / "self/ns/pid").symlink_to("pid:[2]")
    assert not has_dead_owner(name, proc)


@pytest.mark.parametrize("name", ["treebench-1-2", "treebench-cache", "treebench-4194305-1", "x"])
def test_other_names_have_no_owner_that_could_be_dead(name: str) -> None:
    assert not has_dead_owner(name)
