"""A sweep on hosts, with a fake cluster: whatever hosts do, every sample is there in the end."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.runner.fake_cluster import CODE, FakeCluster, HeardProgress
from tests.runner.fakes import FakeClock, Rows, cell, plan
from treebench.errors import ClusterError
from treebench.measure import environment
from treebench.runner.blocks import Blocks, host_of
from treebench.runner.cluster import LOST_AT_MOST, Crew, Joined, Left
from treebench.runner.hosts import Vetting
from treebench.runner.order import Orders, data_of
from treebench.runner.sweep import missing_samples
from treebench.runner.worker_environment import worker_environment
from treebench.store.journal import latest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treebench.store.row import SampleRow

A, B, C = cell(1), cell(2), cell(3)
SWEEP = plan(A, B, C, samples=4, memory_samples=1)
EVERY = missing_samples(SWEEP, [], {A.id, B.id, C.id}, False)

BOTH: dict[str, dict[str, Any]] = {"h": {}, "i": {}}


class Run:
    """A run of `SWEEP` on a fake cluster."""

    def __init__(self, cluster: FakeCluster, rows: list[SampleRow] | None = None) -> None:
        self.cluster, self.progress, self.clock = cluster, HeardProgress(), FakeClock()
        self.rows = Rows(rows or [])
        self.vetting = Vetting(CODE, {"python": "3"}, cores_needed=2)
        orders = Orders("fake", CODE, 60.0, data=data_of([A, B, C]))
        self.crew = Crew(cluster, self.vetting, orders, self.progress, 30.0, self.clock)

    def to_end(self) -> Run:
        self.crew.meet()
        blocks = Blocks(EVERY, latest(self.rows))
        self.progress.to_take(blocks.missing())
        self.crew.take(blocks, self.rows)
        return self

    def check_whole(self, times: int = 1) -> None:
        """Every sample is there, every block is of one host, and none took a sample more often."""
        counted = latest(self.rows)
        assert {row.key for row in counted} == {(w.cell.id, w.block, w.kind) for w in EVERY}
        hosts: dict[tuple[str, int], set[str | None]] = {}
        for row in counted:
            hosts.setdefault((row.kind, row.block), set()).add(host_of(row))
        assert all(len(of_block) == 1 for of_block in hosts.values())
        taken = Counter((row.key, host_of(row)) for row in self.rows)
        assert max(taken.values()) <= times
        assert not self.progress.left


def test_two_hosts_share_the_blocks_and_each_block_stays_whole() -> None:
    run = Run(FakeCluster({"h": {}, "i": {}})).to_end()
    run.check_whole()
    assert len(run.rows) == len(EVERY)
    assert {host_of(row) for row in run.rows} == {"h", "i"}
    assert max(run.cluster.at_once) == 2
    assert run.progress.at_work == 2
    control = SWEEP.control.id
    timed = [cell_id for block, cell_id in run.cluster.samples("h")]
    assert timed[0] == control


def test_hosts_that_are_one_machine_take_turns() -> None:
    run = Run(FakeCluster({"h": {"boot": "same"}, "i": {"boot": "same"}})).to_end()
    run.check_whole()
    assert max(run.cluster.at_once) == 1
    assert {host_of(row) for row in run.rows} == {"h", "i"}
    assert run.progress.said == ["h and i are one machine: they take turns, one sample at a time"]
    assert run.progress.at_work == 1


@pytest.mark.parametrize("turn", range(1, 14))
def test_a_host_that_dies_at_any_time_gives_its_block_back(turn: int) -> None:
    run = Run(FakeCluster(BOTH, {0: [Joined("h"), Joined("i")], turn: [Left("i")]})).to_end()
    run.check_whole()
    assert run.cluster.samples("h")


@pytest.mark.parametrize("turn", range(3, 12))
def test_a_host_that_comes_back_goes_on_with_its_block(turn: int) -> None:
    turns: dict[int, Any] = {
        0: [Joined("h"), Joined("i")],
        turn: [Left("i")],
        turn + 1: [Joined("i")],
    }
    run = Run(FakeCluster(BOTH, turns)).to_end()
    run.check_whole()
    # Only the sample that ran when it died was sent a second time.
    assert len(run.rows) == len(EVERY)
    assert max(Counter(run.cluster.samples("i")).values()) <= 2


def test_a_host_that_joins_late_is_used() -> None:
    run = Run(FakeCluster({"h": {}, "i": {}}, {0: [Joined("h")], 4: [Joined("i")]})).to_end()
    run.check_whole()
    assert run.cluster.samples("i")


def test_a_scheduler_that_dies_ends_the_run_and_the_next_goes_on() -> None:
    plan: dict[int, Any] = {0: [Joined("h"), Joined("i")], 6: "the scheduler is gone"}
    first = Run(FakeCluster({"h": {}, "i": {}}, plan))
    with pytest.raises(ClusterError, match="the scheduler is gone"):
        first.to_end()
    assert 0 < len(first.rows) < len(EVERY)
    second = Run(FakeCluster({"h": {}, "i": {}}), list(first.rows)).to_end()
    second.check_whole()
    assert len(second.rows) == len(EVERY)


def test_a_run_goes_on_with_other_hosts_than_it_began_with() -> None:
    plan: dict[int, Any] = {0: [Joined("h")], 9: "gone"}
    first = Run(FakeCluster({"h": {}}, plan))
    with pytest.raises(ClusterError):
        first.to_end()
    second = Run(FakeCluster({"j": {}}), list(first.rows)).to_end()
    second.check_whole()
    assert {host_of(row) for row in latest(second.rows)} == {"h", "j"}


def test_a_host_with_other_software_is_refused_and_the_others_do_its_work() -> None:
    run = Run(FakeCluster({"h": {}, "old": {"code": "0+older"}})).to_end()
    run.check_whole()
    assert not run.cluster.samples("old")
    assert [said for said in run.progress.said if said.startswith("old is not used: its treebench")]


def wrong_data(host: str, order: Mapping[str, Any]) -> str | None:
    return "its data set toy holds other data" if (host, order["do"]) == ("i", "prepare") else None


def test_a_host_with_other_data_is_refused_by_name() -> None:
    run = Run(FakeCluster({"h": {}, "i": {}}, fails=wrong_data)).to_end()
    run.check_whole()
    assert not run.cluster.samples("i")
    assert run.progress.said == ["i is not used: its data set toy holds other data"]
    prepared = next(order for host, order in run.cluster.sent if order["do"] == "prepare")
    assert prepared["data"] == {"toy": {"data_sha256": "0" * 64, "rows": [1, 2, 3], "splits": []}}


def test_where_nobody_can_be_used_the_reasons_are_told() -> None:
    run = Run(FakeCluster({"h": {"code": "0+older"}}))
    run.crew._clock = iter(range(0, 1000, 20)).__next__
    with pytest.raises(ClusterError, match="h: its treebench is 0\\+older") as told:
        run.to_end()
    assert len(told.value.problems) == 1


def test_where_nobody_comes_the_remedy_is_told() -> None:
    run = Run(FakeCluster({}, {}))
    run.crew._clock = iter(range(0, 1000, 20)).__next__
    with pytest.raises(ClusterError, match="start `treebench worker ADDRESS` on one"):
        run.to_end()


def test_a_sample_that_loses_every_host_is_a_row_and_the_sweep_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each host dies at its first cell A, and comes back for the next."""
    for name in environment.thread_settings(os.environ):
        monkeypatch.delenv(name)  # as on the hosts, who set nothing of their own

    class Deadly(FakeCluster):
        def events(self, timeout_s: float) -> list[Any]:
            at_a = [
                host
                for host, order in self._orders.items()
                if order["do"] == "sample" and order["cell"]["spec"]["rows"] == A.spec.rows
            ]
            for host in at_a:
                del self._orders[host]
            found = super().events(timeout_s)
            return [*found, *(Left(host) for host in at_a), *(Joined(host) for host in at_a)]

    run = Run(Deadly({"h": {}, "i": {}})).to_end()
    # While a host was away the other one has taken its block, and lost it in turn.
    run.check_whole(times=LOST_AT_MOST)
    status = {(row.cell, row.status) for row in latest(run.rows)}
    assert status == {
        *((A.id, "killed"), (B.id, "ok"), (C.id, "ok"), (SWEEP.control.id, "ok")),
    }
    lost = next(row for row in run.rows if row.status == "killed")
    assert lost.error is not None
    assert f"each of the {LOST_AT_MOST} hosts" in lost.error.message
    assert lost.must_match["machine"].startswith("fp-")
    settings = environment.thread_settings(worker_environment(A.spec.threads))
    assert lost.must_match["thread_settings"] == settings


def test_a_host_whose_machine_changed_under_it_is_not_used_on() -> None:
    cluster = FakeCluster({"h": {}, "i": {}})
    run = Run(cluster)
    run.crew.meet()
    cluster.facts["i"]["machine"] = {"fingerprint": "fp-other", "cores_usable": 2}
    blocks = Blocks(EVERY)
    run.progress.to_take(blocks.missing())
    run.crew.take(blocks, run.rows)
    run.check_whole()
    assert {host_of(row) for row in run.rows} == {"h"}
    assert "i is not used: it is not the machine any more" in " ".join(run.progress.said)


def test_what_is_known_of_a_host_is_told_before_its_first_row() -> None:
    run = Run(FakeCluster({"h": {}, "i": {}}, {0: [Joined("h")], 4: [Joined("i")]}))
    run.crew.meet()
    kept: list[set[str]] = []
    run.crew.on_admitted = lambda: kept.append(set(run.vetting.admitted))
    blocks = Blocks(EVERY)
    run.progress.to_take(blocks.missing())
    run.crew.take(blocks, run.rows)
    assert kept == [{"h", "i"}]
