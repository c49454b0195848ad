"""Cores that may be used."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from treebench.machine import cpus

if TYPE_CHECKING:
    from pathlib import Path


V2, V1 = "sys/fs/cgroup", "sys/fs/cgroup/cpu"
ALONE, NESTED = "0::/\n", "0::/slice/job\n"


@pytest.mark.parametrize(
    ("groups", "files", "quota"),
    [
        (ALONE, {f"{V2}/cpu.max": "150000 100000"}, 1.5),
        (ALONE, {f"{V2}/cpu.max": "max 100000"}, None),
        # As systemd's CPUQuota= sets it: on a group above the process's own, not on the root.
        (
            NESTED,
            {
                f"{V2}/slice/cpu.max": "250000 100000",
                f"{V2}/slice/job/cpu.max": "max 100000",
            },
            2.5,
        ),
        (
            NESTED,
            {
                f"{V2}/slice/cpu.max": "400000 100000",
                f"{V2}/slice/job/cpu.max": "50000 100000",
            },
            0.5,
        ),
        (
            "3:cpu,cpuacct:/\n",
            {f"{V1}/cpu.cfs_quota_us": "200000", f"{V1}/cpu.cfs_period_us": "100000"},
            2.0,
        ),
        (
            "3:cpu,cpuacct:/\n",
            {f"{V1}/cpu.cfs_quota_us": "-1", f"{V1}/cpu.cfs_period_us": "100000"},
            None,
        ),
        (ALONE, {}, None),
        ("", {}, None),
    ],
)
def test_the_tightest_quota_above_the_process(
    tmp_path: Path, groups: str, files: dict[str, str], quota: float | None
) -> None:
    for name, text in {"proc/self/cgroup": groups, **files}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert cpus.cgroup_quota(tmp_path) == quota


@pytest.mark.parametrize(("quota", "cores"), [(None, 8), (3.9, 3), (0.5, 1), (64.0, 8)])
def test_the_smaller_of_affinity_and_quota(
    monkeypatch: pytest.MonkeyPatch, quota: float | None, cores: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(8)))
    monkeypatch.setattr(cpus, "cgroup_quota", lambda: quota)
    assert cpus.usable_cores() == cores


def test_hyper_threads_of_a_core_count_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for cpu, siblings in enumerate(("0,2", "1,3", "0,2", "1,3")):
        folder = tmp_path / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(siblings)
    monkeypatch.setattr(cpus, "_CPU_FOLDER", tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1, 2, 3})
    monkeypatch.setattr(cpus, "cgroup_quota", lambda: None)
    assert cpus.physical_cores() == 2
