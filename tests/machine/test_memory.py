from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.machine.memory import available_memory_bytes

if TYPE_CHECKING:
    from pathlib import Path


def write(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return root


MACHINE = {"proc/meminfo": "MemTotal: 9000 kB\nMemAvailable: 8000 kB\n"}


def test_this_machine_has_some() -> None:
    available = available_memory_bytes()
    assert available is not None
    assert available > 1 << 20


def test_nothing_says_so(tmp_path: Path) -> None:
    assert available_memory_bytes(tmp_path) is None


def test_machine_alone(tmp_path: Path) -> None:
    files = {**MACHINE, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.stat": "anon 1\n"}
    assert available_memory_bytes(write(tmp_path, files)) == 8000 * 1024


def test_version_2_the_tightest_parent_counts(tmp_path: Path) -> None:
    files = {
        **MACHINE,
        "proc/self/cgroup": "0::/outer/inner\n",
        "sys/fs/cgroup/outer/memory.max": "1000000\n",
        "sys/fs/cgroup/outer/memory.current": "700000\n",
        "sys/fs/cgroup/outer/memory.stat": "anon 5\ninactive_file 50000\n",
        "sys/fs/cgroup/outer/inner/memory.max": "max\n",
        "sys/fs/cgroup/outer/inner/memory.current": "600000\n",
    }
    assert available_memory_bytes(write(tmp_path, files)) == 350_000


def test_version_1(tmp_path: Path) -> None:
    files = {
        **MACHINE,
        "proc/self/cgroup": "5:cpu:/x\n4:memory:/job\n0::/\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        "sys/fs/cgroup/memory/memory.usage_in_bytes": "1\n",
        "sys/fs/cgroup/memory/job/memory.limit_in_bytes": "500\n",
        "sys/fs/cgroup/memory/job/memory.usage_in_bytes": "400\n",
        "sys/fs/cgroup/memory/job/memory.stat": "total_inactive_file 30\n",
    }
    assert available_memory_bytes(write(tmp_path, files)) == 130


def test_over_its_limit_is_none_left(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "0::/a\n",
        "sys/fs/cgroup/a/memory.max": "100\n",
        "sys/fs/cgroup/a/memory.current": "120\n",
    }
    assert available_memory_bytes(write(tmp_path, files)) == 0
