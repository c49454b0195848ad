"""Cgroups, described by files, and the real one where this machine lets us make it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from treebench.measure.cgroup import Cgroup, Unavailable, mount_points, own_path
from treebench.measure.cgroup_v1 import CgroupV1, open_cgroup_v1, sample_parent_v1
from treebench.measure.cgroup_v2 import CgroupV2, open_cgroup_v2, sample_parent_v2
from treebench.measure.tree_memory import TreeMemoryProbe, open_cgroup

MIB = 2**20
V1_FILES = {
    "memory.max_usage_in_bytes": "900",
    "memory.usage_in_bytes": "700",
    "memory.stat": "cache 1\ntotal_cache 500\ntotal_rss 150\ntotal_shmem 120\n",
    "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
    "memory.limit_in_bytes": "9223372036854771712",
    "memory.memsw.limit_in_bytes": "9223372036854771712",
}
V2_FILES = {
    "memory.peak": "900",
    "memory.current": "700",
    "memory.stat": "anon 150\nfile 500\nshmem 120\n",
    "memory.events": "low 0\noom 3\noom_kill 2\n",
    "memory.max": "max",
    "memory.swap.max": "max",
    "memory.oom.group": "0",
}


def folder_of(path: Path, files: dict[str, str]) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (path / name).write_text(text)
    return path


@pytest.fixture(params=["v1", "v2"])
def described(request: pytest.FixtureRequest, tmp_path: Path) -> Cgroup:
    if request.param == "v1":
        return CgroupV1(folder_of(tmp_path / "g", V1_FILES))
    return CgroupV2(folder_of(tmp_path / "g", V2_FILES))


def test_both_versions_tell_shmem_from_file(described: Cgroup) -> None:
    composition = described.composition()
    assert (composition.anon_bytes, composition.file_bytes, composition.shmem_bytes) == (
        150,
        380,
        120,
    )
    assert described.used_bytes() == 700
    assert described.peak_bytes() == 900
    assert described.oom_kills() == 2


def test_a_limit_leaves_no_way_out_into_swap(described: Cgroup) -> None:
    described.set_limit(4096)
    if isinstance(described, CgroupV1):
        assert (described.folder / "memory.limit_in_bytes").read_text() == "4096\n"
        assert (described.folder / "memory.memsw.limit_in_bytes").read_text() == "4096\n"
    else:
        assert (described.folder / "memory.max").read_text() == "4096\n"
        assert (described.folder / "memory.swap.max").read_text() == "0\n"


@pytest.mark.parametrize("sample_parent", [sample_parent_v1, sample_parent_v2])
def test_a_kernel_without_cgroups_or_with_mounts_that_are_no_text(
    sample_parent: Callable[[Path], Path | Unavailable], tmp_path: Path
) -> None:
    assert isinstance(sample_parent(tmp_path), Unavailable)
    (tmp_path / "cgroup").write_bytes(b"4:memory:/a\n0::/a\n")
    (tmp_path / "mounts").write_bytes(b"x /m\xff\xfc ext4 rw 0 0\n")
    assert isinstance(sample_parent(tmp_path), Unavailable)
    lines = b"c /v1\xff cgroup rw,memory 0 0\nd /v2\xff cgroup2 rw 0 0\n"
    (tmp_path / "mounts").write_bytes(b"x /m\xff\xfc ext4 rw 0 0\n" + lines)
    found = sample_parent(tmp_path)
    assert isinstance(found, Path)
    assert os.fsencode(found) in (b"/v1\xff", b"/v2\xff/a")


def test_where_this_process_is() -> None:
    text = "9:name=systemd:/\n4:memory,blkio:/a:b\n0::/user.slice\n"
    assert own_path(text, "memory") == "/a:b"
    assert own_path(text, "") == "/user.slice"
    assert own_path(text, "cpu") is None


def test_where_hierarchies_are_mounted() -> None:
    text = "cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\ncgroup2 /a\\040b cgroup2 rw 0 0\n"
    assert mount_points(text, "cgroup", "memory") == [Path("/sys/fs/cgroup/memory")]
    assert mount_points(text, "cgroup", "cpu") == []
    assert mount_points(text, "cgroup2") == [Path("/a b")]


def proc_of(tmp_path: Path, cgroup: str, mounts: str) -> Path:
    return folder_of(tmp_path / "proc", {"cgroup": cgroup, "mounts": mounts})


def test_version_1_below_our_own_path_or_in_a_container_below_the_mount(tmp_path: Path) -> None:
    mount = tmp_path / "memory"
    (mount / "ours").mkdir(parents=True)
    mounts = f"cgroup {mount} cgroup rw,memory 0 0\n"
    made = open_cgroup_v1(proc_of(tmp_path, "4:memory:/ours\n", mounts))
    assert isinstance(made, CgroupV1)
    assert made.folder.parent == mount / "ours"
    made = open_cgroup_v1(proc_of(tmp_path, "4:memory:/docker/123\n", mounts))
    assert isinstance(made, CgroupV1)
    assert made.folder.parent == mount


def test_version_2_steps_aside_and_hands_memory_down(tmp_path: Path) -> None:
    scope = folder_of(
        tmp_path / "cgroup/scope",
        {"cgroup.controllers": "cpu memory", "cgroup.subtree_control": ""},
    )
    proc = proc_of(tmp_path, "0::/scope\n", f"cgroup2 {tmp_path}/cgroup cgroup2 rw 0 0\n")
    made = open_cgroup_v2(proc)
    assert isinstance(made, CgroupV2)
    assert made.folder.parent == scope
    assert (scope / "cgroup.subtree_control").read_text() == "+memory\n"


@pytest.mark.parametrize(
    ("cgroup", "mounts", "words"),
    [
        ("0::/\n", "", "there is no cgroup v2; there is no memory hierarchy of cgroup v1"),
        ("0::/\n", "cgroup2 {root}/none cgroup2 rw 0 0\n", "has no memory controller"),
        ("4:memory:/\n", "cgroup {root}/none cgroup rw,memory 0 0\n", "is not ours to write in"),
    ],
)
def test_why_there_is_none(tmp_path: Path, cgroup: str, mounts: str, words: str) -> None:
    proc = proc_of(tmp_path, cgroup, mounts.format(root=tmp_path))
    made = open_cgroup([lambda: open_cgroup_v2(proc), lambda: open_cgroup_v1(proc)])
    assert isinstance(made, Unavailable)
    assert words in made.reason


def test_without_a_cgroup_every_figure_is_missing_with_the_reason() -> None:
    probe = TreeMemoryProbe(Unavailable("no cgroup here"))
    probe.begin("fit")
    reading = probe.end("fit")
    assert reading.figures == {}
    assert set(reading.missing.values()) == {"no cgroup here"}
    assert "tree_peak_bytes" in reading.missing


def test_a_peak_that_cannot_be_set_back_is_a_phases_only_if_the_phase_raised_it(
    tmp_path: Path,
) -> None:
    files = {name: text for name, text in V2_FILES.items() if name != "memory.peak"}
    cgroup = CgroupV2(folder_of(tmp_path / "g", files))
    (cgroup.folder / "memory.peak").symlink_to(tmp_path / "peak")
    (tmp_path / "peak").write_text("900")
    (tmp_path / "peak").chmod(0o444)
    probe = TreeMemoryProbe(cgroup)
    cgroup.reset_peak = lambda: "too old"  # type: ignore[method-assign]
    probe.begin("fit")
    assert probe.end("fit").missing["tree_peak_bytes"] == "too old"
    probe.begin("predict")
    (tmp_path / "peak").chmod(0o644)
    (tmp_path / "peak").write_text("1000")
    assert probe.end("predict").figures["tree_peak_bytes"] == 1000


def test_without_swap_accounting_swap_is_forbidden(tmp_path: Path) -> None:
    files = {name: text for name, text in V1_FILES.items() if "memsw" not in name}
    cgroup = CgroupV1(folder_of(tmp_path / "g", files))
    cgroup.set_limit(4096)
    assert (cgroup.folder / "memory.swappiness").read_text() == "0\n"


@pytest.fixture
def real() -> Cgroup:
    made = open_cgroup()
    if isinstance(made, Unavailable):
        pytest.skip(made.reason)
    return made


def test_a_map_that_three_processes_share_is_counted_once(real: Cgroup, tmp_path: Path) -> None:
    shared = "/dev/shm/treebench-test-map"
    code = (
        "import mmap, os\n"
        f"with open({shared!r}, 'w+b') as f:\n"
        f"    f.truncate({64 * MIB})\n"
        f"    m = mmap.mmap(f.fileno(), {64 * MIB})\n"
        "    m.write(b'x' * len(m))\n"
        "    for _ in range(2):\n"
        "        if os.fork() == 0:\n"
        f"            sum(m[page] for page in range(0, {64 * MIB}, 4096))\n"
        "            os._exit(0)\n"
        "    os.wait(), os.wait()\n"
    )
    probe = TreeMemoryProbe(real)
    try:
        probe.begin("fit")
        subprocess.run(real.entering([sys.executable, "-S", "-c", code]), check=True)
        figures = probe.end("fit").figures
    finally:
        Path(shared).unlink(missing_ok=True)
        real.remove()
    # The map once, the bytes written into it, and three small interpreters.
    assert 64 * MIB < int(figures["tree_peak_bytes"]) < 180 * MIB
    assert figures["tree_shmem_bytes"] == pytest.approx(64 * MIB, abs=MIB)


def test_a_limit_kills_and_the_kernel_counts_it(real: Cgroup) -> None:
    real.set_limit(48 * MIB)
    code = f"x = bytearray({200 * MIB}); x[::4096] = b'x' * len(x[::4096])"
    try:
        done = subprocess.run(real.entering([sys.executable, "-S", "-c", code]), check=False)
        assert done.returncode == -9
        assert real.oom_kills() >= 1
        assert real.peak_bytes() <= 48 * MIB
    finally:
        real.remove()
