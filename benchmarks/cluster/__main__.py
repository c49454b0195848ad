"""`python -m benchmarks.cluster [--hosts 1] [--samples 20] [--idle 20]`: needs `treebench[dask]`.

Starts a scheduler and hosts on loopback, the client and the hosts behind proxies that count, and
takes samples of a tiny cell on one host. Prints what one sample adds to what an idle cluster says
anyway, and what that is per second. docs/CLUSTER.md draws its limits from this.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from benchmarks.cluster.wire import Counted, CountingProxy
from treebench.config.expand import wanted_rows
from treebench.config.load import checked
from treebench.plan.build import Plan, build_plan
from treebench.runner.cluster import Answered
from treebench.runner.code_version import code_version
from treebench.runner.dask_cluster import DaskCluster, connected
from treebench.runner.order import Orders, data_of
from treebench.runner.prepare import ensure_data, read_manifests
from treebench.runner.sweep import Wanted
from treebench.trainers.registry import TRAINERS

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIG = {
    "name": "traffic",
    "data": {"set": "tiny", "rows": 200},
    "threads": 1,
    "reference": {"trainer": "xgboost", "n_estimators": 2, "max_leaves": 4},
}


@dataclass
class Reading:
    """All that was counted up to a moment."""

    at_s: float
    client: Counted
    hosts: Counted
    scheduler_cpu_s: float


class Bench:
    """The cluster and its counters."""

    def __init__(self, cluster: DaskCluster, wires: list[CountingProxy], scheduler: int) -> None:
        self.cluster = cluster
        self._wires = wires
        self._scheduler = psutil.Process(scheduler)

    def read(self) -> Reading:
        times = self._scheduler.cpu_times()
        client, hosts = (wire.counted.copy() for wire in self._wires)
        return Reading(time.monotonic(), client, hosts, times.user + times.system)

    def answer(self, order: dict[str, object]) -> dict[str, object]:
        self.cluster.send("host0", order)
        while True:
            for event in self.cluster.events(0.1):
                if isinstance(event, Answered):
                    return event.answer

    def idle(self, seconds: float) -> None:
        ends_at = time.monotonic() + seconds
        while time.monotonic() < ends_at:
            self.cluster.events(0.1)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", type=int, default=1)
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--idle", type=float, default=20.0)
    asked = parser.parse_args()
    config = checked(CONFIG, "traffic", tuple(TRAINERS))
    plan = build_plan(config, read_manifests(ensure_data(wanted_rows(config))))
    cells = list(plan.cells.values())
    orders = Orders("traffic", code_version(), 60.0, data=data_of(cells))
    with started(asked.hosts) as bench:
        joined = 0
        while joined < asked.hosts:
            joined += len(bench.cluster.events(0.5))
        bench.answer(orders.ask())
        bench.answer(orders.prepare())
        before = bench.read()
        bench.idle(asked.idle)
        between = bench.read()
        sizes = [take(bench, orders, plan, block) for block in range(asked.samples)]
        after = bench.read()
    tell(before, between, after, asked.samples)
    print(f"of that, as JSON: order {sizes[0][0]:,} bytes, row {sizes[0][1]:,} bytes")


def take(bench: Bench, orders: Orders, plan: Plan, block: int) -> tuple[int, int]:
    """Take one sample; the bytes of its order and of its row."""
    order = orders.sample(Wanted(block, next(iter(plan.cells.values()))), "host0")
    answer = bench.answer(order)
    assert "row" in answer, answer
    return len(json.dumps(order)), len(json.dumps(answer["row"]))


def tell(before: Reading, between: Reading, after: Reading, samples: int) -> None:
    idle_s, busy_s = between.at_s - before.at_s, after.at_s - between.at_s
    for who in ("client", "hosts"):
        idle: Counted = getattr(between, who).since(getattr(before, who))
        busy: Counted = getattr(after, who).since(getattr(between, who))
        messages = (busy.messages - idle.messages * busy_s / idle_s) / samples
        size = (busy.bytes - idle.bytes * busy_s / idle_s) / samples
        print(
            f"{who}: {idle.messages / idle_s:.1f} messages/s and {idle.bytes / idle_s:,.0f} "
            f"bytes/s idle; a sample adds {messages:.1f} messages and {size:,.0f} bytes"
        )
    idle_cpu = (between.scheduler_cpu_s - before.scheduler_cpu_s) / idle_s
    busy_cpu = after.scheduler_cpu_s - between.scheduler_cpu_s - idle_cpu * busy_s
    print(
        f"scheduler: {1000 * idle_cpu:.1f} ms of CPU per second idle; "
        f"a sample adds {1000 * busy_cpu / samples:.1f} ms"
    )


@contextmanager
def started(count: int) -> Iterator[Bench]:
    """A scheduler and hosts as processes on loopback, ended by their own ids."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        words = ("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        scheduler = _start(["dask", *words, "--scheduler-file", str(file)])
        port = _port_in(file)
        with CountingProxy(port) as client, CountingProxy(port) as hosts:
            there = ("treebench", "worker", f"tcp://127.0.0.1:{hosts.port}")
            workers = [_start([*there, "--host-name", f"host{n}"]) for n in range(count)]
            try:
                with connected(f"tcp://127.0.0.1:{client.port}") as cluster:
                    yield Bench(cluster, [client, hosts], scheduler.pid)
            finally:
                for process in (*workers, scheduler):
                    process.terminate()
                    process.wait(60)


def _start(words: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", *words], stderr=subprocess.DEVNULL)


def _port_in(file: Path) -> int:
    while not file.exists() or not file.read_text().endswith("}"):
        time.sleep(0.05)
    return int(json.loads(file.read_text())["address"].rpartition(":")[2])


if __name__ == "__main__":
    main()
