"""A sweep where a place that it writes to is full, in a mount namespace of its own."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

CONFIG = """
name: full
data: {set: tiny, rows: [1000]}
threads: 1
samples: 3
deadline: 200s
oversubscribe: true
reference: {trainer: lightgbm, n_estimators: 3}
"""
LOKY = "reference: {trainer: loky-forest-memmap, n_jobs: 2, n_estimators: 4}\n"
DASK = "reference: {trainer: dask-forest, n_jobs: 2, n_estimators: 4}\n"
pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _can_mount() -> None:
    unshare = shutil.which("unshare")
    tried = unshare and subprocess.run(
        [unshare, "--mount", "mount", "-t", "tmpfs", "none", tempfile.gettempdir()],
        capture_output=True,
        check=False,
    )
    if not tried or tried.returncode != 0:
        pytest.skip("only root can mount a small tmpfs in a namespace of its own")


def run_script(folder: Path, environment: dict[str, str], *lines: str) -> str:
    """Run a shell script where mounts are its own; what it printed."""
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", "\n".join(lines)],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=800,
        check=False,
    )
    return done.stdout


def rows(journal: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in journal.read_text().splitlines()]


def write(folder: Path, reference: str | None = None) -> None:
    lines = CONFIG.splitlines(keepends=True)
    (folder / "full.yaml").write_text("".join(lines[:-1]) + (reference or lines[-1]))


def test_results_without_room_end_in_one_line_and_the_same_command_goes_on(
    tmp_path: Path, environment: dict[str, str], command: list[str]
) -> None:
    write(tmp_path)
    run = f"{shlex.join(command)} run full.yaml"
    out = run_script(
        tmp_path,
        environment,
        f"{run} --out elsewhere --set samples=1 > /dev/null 2>&1",  # makes the data
        "mkdir results && mount -t tmpfs -o size=4m none results",
        # Room for the facts of the run and for two rows, to a page.
        "facts=$(stat -c %s elsewhere/run.json)",
        "row=$(( $(stat -c %s elsewhere/samples.jsonl) / 2 ))",
        "free=$(( (facts / 4096 + 2) * 4096 * 2 + row * 2 / 4096 * 4096 + 4096 ))",
        "head -c $((4 * 1048576 - free)) /dev/zero > results/filler",
        f"{run} > first.out 2> first.err; echo first $?",
        "cp results/full/samples.jsonl first.jsonl",
        "rm results/filler",
        f"{run} > second.out 2> second.err; echo second $?",
        "cp -r results/full kept",
    )
    assert out.splitlines() == ["first 1", "second 0"], out
    said = (tmp_path / "first.err").read_text()
    assert "No space left on device" in said.splitlines()[-1]
    assert "type the same command again" in said.splitlines()[-1]
    assert "Traceback" not in said
    first = (tmp_path / "first.jsonl").read_bytes()
    assert (tmp_path / "kept/samples.jsonl").read_bytes().startswith(first)
    assert first.endswith(b"\n")
    keys = [(row["cell"], row["block"]) for row in rows(tmp_path / "kept/samples.jsonl")]
    assert len(keys) == len(set(keys)) == 6
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == [
        ".lock",
        "run.json",
        "samples.jsonl",
    ]


@pytest.mark.parametrize("reference", [LOKY, DASK])
@pytest.mark.parametrize("place", ["/dev/shm", "tmp"])
def test_a_full_place_for_temporary_files_is_told_and_loses_nothing(
    reference: str, place: str, tmp_path: Path, environment: dict[str, str], command: list[str]
) -> None:
    write(tmp_path, reference)
    (tmp_path / "tmp").mkdir()
    out = run_script(
        tmp_path,
        {**environment, "TMPDIR": str(tmp_path / "tmp")},
        f"{shlex.join(command)} plan full.yaml > /dev/null 2>&1",
        f"mount -t tmpfs -o size=64k none {place}",
        f"cat /dev/zero > {place}/filler 2> /dev/null",
        f"{shlex.join(command)} run full.yaml --set samples=1 > out 2> err; echo $?",
        f"rm {place}/filler; ls -A {place}",
    )
    said = (tmp_path / "err").read_text()
    assert "Traceback" not in said
    code, *left = out.splitlines()
    assert left == []
    control, own = rows(tmp_path / "results/full/samples.jsonl")
    assert control["status"] == "ok"
    if own["status"] == "ok":
        assert code == "0"
    else:
        assert code == "4"
        assert "No space left on device" in own["error"]["message"], own["error"]
