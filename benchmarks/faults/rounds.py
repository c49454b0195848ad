"""A small sweep, killed and gone on with until it is whole."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.faults.audit import Key, Witness, rows_of, there, whole_lines
from benchmarks.faults.victims import (
    BOTH,
    CARETAKER,
    DASK,
    LOKY,
    MARK_VARIABLE,
    SCHEDULER,
    STOPPED,
    SUPERVISOR,
    TRACKER,
    WORKER,
    Process,
    below,
    marked,
    shared_files,
    strike,
)

if TYPE_CHECKING:
    import random

ROOT = Path(__file__).parents[2]
CONFIG = """
name: faults
data: {set: tiny, rows: [1000]}
layout: dense-c
threads: 1
samples: 3
deadline: 60s
oversubscribe: true
reference: {trainer: lightgbm, n_estimators: 400, max_leaves: 31}
variants:
  - {trainer: xgboost, method: hist, container: quantile}
  - {trainer: xgboost, method: hist, container: quantile, n_estimators: 2, memory_limit: 60MiB}
  - {trainer: loky-forest-memmap, n_jobs: 2, n_estimators: 200}
  - {trainer: dask-forest, n_jobs: 2, n_estimators: 8}
"""
_PER_SECOND = {
    SUPERVISOR: 0.045,
    BOTH: 0.03,
    CARETAKER: 0.12,
    WORKER: 0.12,
    STOPPED: 0.004,
    SCHEDULER: 0.09,
    LOKY: 0.5,
    DASK: 0.5,
    TRACKER: 0.15,
}
"""How often each is struck while it is there. Pools are there for a small part of the time; a
stopped worker takes the whole deadline."""

_POLL_S = 0.05
_FINISHED = (0, 2, 4)


@dataclass
class Faults:
    """Where the sweeps run, what was struck, and everything seen on the way."""

    folder: Path
    mark: str
    random: random.Random
    kills_wanted: int
    ends_at: float = math.inf
    kills: Counter[str] = field(default_factory=Counter)
    pids: set[int] = field(default_factory=set)
    mapped: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    starts: int = 0

    def prepare(self) -> None:
        """Write the config, and make the data before anything is killed."""
        for name in ("tmp", "cache"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / "faults.yaml").write_text(CONFIG)

    @property
    def goes_on(self) -> bool:
        """Whether there is still something to strike for."""
        return self.kills.total() < self.kills_wanted and time.monotonic() < self.ends_at

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            MARK_VARIABLE: self.mark,
            "TMPDIR": str(self.folder / "tmp"),
            "TREEBENCH_CACHE": str(self.folder / "cache"),
            "PYTHONPATH": str(ROOT),
            "NO_COLOR": "1",
        }

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-P", "-m", "treebench"]

    def plan(self) -> tuple[set[Key], str]:
        """The samples of one sweep, multiplied out here, and the cell that must run out of
        memory."""
        told = subprocess.run(
            [*self.command, "plan", "faults.yaml", "--json"],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        plan = json.loads(told.stdout)
        cells = {cell["id"]: cell["spec"] for cell in plan["cells"]}
        (limited,) = (each for each, spec in cells.items() if spec.get("memory_limit_bytes"))
        ids = {*cells, plan["control"]["id"]}
        return {(each, block, "timed") for each in ids for block in range(3)}, limited


def one_round(faults: Faults, number: int, planned: set[Key], oom_cell: str) -> Witness:
    """A sweep from its beginning to its end, through as many starts as it takes; then its failed
    samples again."""
    out = faults.folder / "results" / f"round-{number}"
    witness = Witness(out / "samples.jsonl", oom_cell, planned)
    for retry in (False, True):
        while not _one_start(faults, witness, out, retry):
            pass
    return witness


def _one_start(faults: Faults, witness: Witness, out: Path, retry: bool) -> bool:
    """Start the sweep, or go on with it; whether it came to its end."""
    faults.starts += 1
    witness.began()
    expected = len(there(rows_of(whole_lines(witness.journal)), retry))
    log = faults.folder / f"start-{faults.starts}.log"
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            [
                *faults.command,
                "run",
                "faults.yaml",
                "--out",
                str(out),
                *(["--retry-failed"] if retry else []),
            ],
            cwd=faults.folder,
            env=faults.environment,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )
    faults.pids.add(process.pid)
    looked_at = time.monotonic()
    while process.poll() is None:
        processes = _watch(faults, witness)
        now = time.monotonic()
        if faults.goes_on and process.pid in processes:
            _maybe_strike(faults, witness, process.pid, processes, now - looked_at)
        looked_at = now
        time.sleep(_POLL_S)
    witness.look()
    said = log.read_text(errors="replace")
    _check_start(faults, process.returncode, said, expected)
    return process.returncode in _FINISHED


def _watch(faults: Faults, witness: Witness) -> dict[int, Process]:
    processes = marked(faults.mark)
    faults.pids.update(processes)
    faults.mapped |= shared_files(processes)
    witness.look()
    return processes


def _maybe_strike(
    faults: Faults,
    witness: Witness,
    supervisor: int,
    processes: dict[int, Process],
    seconds: float,
) -> None:
    """Strike one of the processes, or none: each kind at its rate, for the `seconds` gone by."""
    found = below(processes, supervisor)
    found[SUPERVISOR] = [processes[supervisor]]
    if CARETAKER in found:
        found[BOTH] = [*found[CARETAKER], processes[supervisor]]
    for kind in sorted(found):
        if faults.random.random() < -math.expm1(-_PER_SECOND[kind] * seconds):
            # While a process of a sample lives, its row is not there yet: this is its number.
            row = witness.look()
            if _struck(faults, kind, found[kind]):
                faults.kills[kind] += 1
                sys.stderr.write(f"{faults.kills.total()}: {kind}, row {row}\n")
                witness.struck(kind, row)
            return


def _struck(faults: Faults, kind: str, those: list[Process]) -> bool:
    if kind == BOTH:
        # Every one of them, also after one that was gone already.
        hit = [strike(one, signal.SIGKILL) for one in those]
        return all(hit)
    number = signal.SIGSTOP if kind == STOPPED else signal.SIGKILL
    return strike(faults.random.choice(those), number)


def _check_start(faults: Faults, code: int, said: str, expected: int) -> None:
    told = re.search(r"^going on: (\d+) samples are there", said, re.MULTILINE)
    if told and int(told[1]) != expected:
        faults.problems.append(f"went on with {told[1]} samples, the journal has {expected}")
    if code not in (*_FINISHED, -signal.SIGKILL) or "Traceback" in said:
        faults.problems.append(f"exit code {code}: {said[-600:]}")
        if code not in _FINISHED:
            raise SystemExit("\n".join(faults.problems))
