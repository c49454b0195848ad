"""Machines that lack what others have: tools, cgroups, shared memory, most of /proc and /sys.

Each is made by mounts in a namespace of its own, which root alone can have.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

CONFIG = """
name: bare
data: {set: tiny, rows: [500]}
threads: 1
samples: 1
memory_samples: 1
deadline: 200s
oversubscribe: true
counters: auto
reference: {trainer: lightgbm, n_estimators: 2}
variants:
  - {trainer: loky-forest-memmap, n_jobs: 2, n_estimators: 4}
  - {trainer: dask-forest, n_jobs: 2, n_estimators: 4}
"""
NO_SHARED_MEMORY = (
    "mkdir dev && mount -t tmpfs none dev",
    "cp -a /dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty dev",
    "ln -s /proc/self/fd dev/fd",
    "mount --move dev /dev",
    "test ! -e /dev/shm",
)
NO_SYS = ("mount -t tmpfs none /sys",)
PROCESSES_ALONE = ("mount -t proc -o subset=pid proc /proc", "test ! -e /proc/meminfo")
NO_TOOLS = ("mkdir nothing", "export PATH=$PWD/nothing")
MACHINES = {
    "no tools": (),
    "no shared memory": NO_SHARED_MEMORY,
    "no /sys, and so no cgroups": NO_SYS,
    "processes alone in /proc": PROCESSES_ALONE,
    "none of it": (*NO_SHARED_MEMORY, *NO_SYS, *PROCESSES_ALONE),
}
_OF_POOLS = {"summed_rss_peak_bytes", "shared_files_peak_bytes"}
pytestmark = pytest.mark.slow


def in_namespace(*lines: str, **how: Any) -> subprocess.CompletedProcess[str]:
    """Run a shell script whose mounts and processes are its own; it ends at the first failure."""
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("there is no unshare")
    return subprocess.run(
        [unshare, "--mount", "--pid", "--fork", "--mount-proc", "sh", "-e", "-c", "\n".join(lines)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=800,
        check=False,
        **how,
    )


@pytest.mark.parametrize("machine", MACHINES)
def test_a_sweep_says_what_is_not_there_and_takes_the_rest(
    machine: str, tmp_path: Path, environment: dict[str, str], command: list[str]
) -> None:
    mounts = MACHINES[machine]
    tried = in_namespace(*mounts, cwd=tmp_path)
    if tried.returncode != 0:
        pytest.skip(f"such a machine cannot be made here: {tried.stdout.strip()}")
    shutil.rmtree(tmp_path / "dev", ignore_errors=True)
    (tmp_path / "bare.yaml").write_text(CONFIG)
    typed = shlex.join(command)
    done = in_namespace(
        *mounts,
        *NO_TOOLS,
        f"{typed} doctor",
        f"{typed} plan bare.yaml",
        "set +e",
        f"{typed} run bare.yaml; code=$?",
        f"{typed} report bare > report.out 2>&1 || echo no report",
        "echo exit code $code",
        cwd=tmp_path,
        env=environment,
    )
    assert "Traceback" not in done.stdout
    assert "no report" not in done.stdout
    journal = (tmp_path / "results/bare/samples.jsonl").read_text()
    rows = [json.loads(line) for line in journal.splitlines()]
    by_trainer = {row["spec"]["trainer"]: row for row in rows if row["kind"] == "timed"}
    assert len(rows) == 7
    for name in ("control", "lightgbm"):
        assert by_trainer[name]["status"] == "ok", by_trainer[name]["error"]
    for row in rows:
        assert row["status"] == "ok" or row["error"]["message"], row
    assert ("exit code 0" in done.stdout) == all(row["status"] == "ok" for row in rows), done.stdout
    fit = by_trainer["lightgbm"]["phases"]["fit"]
    for name, value in fit.items():
        if name.endswith("_bytes") and value is None and name not in _OF_POOLS:
            assert fit["missing"].get(name), name
