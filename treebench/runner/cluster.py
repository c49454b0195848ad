"""A sweep on the hosts of a cluster: the parallel sibling of `sweep.run_sweep`.

Nothing here knows Dask: a cluster is a stream of events, and somewhere to send orders to. So every
turn that hosts can take is tested without one.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from treebench.errors import ClusterError
from treebench.runner.worker_environment import held_to
from treebench.store.journal import row_from_json
from treebench.store.row import SampleError, SampleRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from treebench.runner.blocks import BlockName, Blocks
    from treebench.runner.hosts import Vetting
    from treebench.runner.order import Orders
    from treebench.runner.sweep import RowSink, Wanted

POLL_S = 0.5
LOST_AT_MOST = 3
"""A sample that was running on so many hosts as they were lost is held to be the cause."""

Stage = Literal["asked", "known", "preparing", "ready", "refused"]


@dataclass(frozen=True)
class Joined:
    """A host is there."""

    host: str


@dataclass(frozen=True)
class Left:
    """A host is gone, and with it what it was at."""

    host: str


@dataclass(frozen=True)
class Answered:
    """A host has carried out its order; see `order`."""

    host: str
    answer: dict[str, Any]


Event = Joined | Left | Answered


class Cluster(Protocol):
    """Hosts, each of which carries out one order at a time."""

    def events(self, timeout_s: float) -> Sequence[Event]:
        """What happened; empty once `timeout_s` seconds passed without anything.

        Raises:
            ClusterError: the scheduler is gone.
        """

    def send(self, host: str, order: Mapping[str, Any]) -> None:
        """Give a host its next order."""


class HostProgress(Protocol):
    """Something that tells a person how far a sweep on several hosts is."""

    def to_take(self, samples: Sequence[Wanted]) -> None:
        """These samples are to be taken, perhaps again."""

    def sample_started(self, wanted: Wanted, host: str | None = None) -> None:
        """A sample begins."""

    def sample_ended(self, wanted: Wanted, row: SampleRow) -> None:
        """A sample ended, and its row is kept."""

    def hosts(self, at_work: int) -> None:
        """So many machines take samples side by side."""

    def told(self, text: str) -> None:
        """Something about a host that a person should read."""


@dataclass
class _Host:
    stage: Stage = "asked"
    boot: str = ""
    busy: bool = True
    wanted: Wanted | None = None
    block: BlockName | None = None
    queue: list[Wanted] = field(default_factory=list)
    why_refused: str = ""


class Crew:
    """The hosts that are there, from their joining to the last sample."""

    def __init__(
        self,
        cluster: Cluster,
        vetting: Vetting,
        orders: Orders,
        progress: HostProgress,
        wait_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.orders = orders
        self.on_admitted: Callable[[], None] = lambda: None
        self._cluster = cluster
        self._vetting = vetting
        self._progress = progress
        self._wait_s = wait_s
        self._clock = clock
        self._hosts: dict[str, _Host] = {}
        self._usable_at = clock()
        self._blocks: Blocks | None = None
        self._journal: RowSink | None = None
        self._lost: Counter[tuple[str, int, str]] = Counter()

    def meet(self) -> None:
        """Wait until a host is there that may be used.

        Raises:
            ClusterError: none came in time, or the scheduler is gone.
        """
        while not any(host.stage == "known" for host in self._hosts.values()):
            self._turn()

    def take(self, blocks: Blocks, journal: RowSink) -> None:
        """Take every sample that is missing, each block whole on one host.

        Raises:
            ClusterError: the scheduler is gone, or no host is left that may be used.
        """
        self._blocks, self._journal = blocks, journal
        while blocks.unfinished:
            self._assign()
            self._turn()

    def _turn(self) -> None:
        for event in self._cluster.events(POLL_S):
            match event:
                case Joined(host):
                    self._hosts[host] = _Host()
                    self._cluster.send(host, self.orders.ask())
                case Left(host):
                    self._left(host)
                case Answered(host, answer):
                    self._answered(host, answer)
        self._check_that_some_are_left()

    # ------------------------------------------------------------------ answers

    def _answered(self, name: str, answer: dict[str, Any]) -> None:
        host = self._hosts[name]
        host.busy = False
        if "problem" in answer:
            self._refuse(name, answer["problem"])
        elif host.stage == "asked":
            self._meet(name, answer["facts"])
        elif host.stage == "preparing":
            host.stage = "ready"
            self._tell_at_work()
        else:
            self._keep(name, answer["row"])

    def _meet(self, name: str, facts: Mapping[str, Any]) -> None:
        host = self._hosts[name]
        refusal = self._vetting.refusal(name, facts)
        if refusal is not None:
            self._refuse(name, refusal)
            return
        host.stage, host.boot = "known", facts["boot"]
        for other, one in self._hosts.items():
            if other != name and one.boot == host.boot:
                self._progress.told(
                    f"{other} and {name} are one machine: they take turns, one sample at a time"
                )
        self.on_admitted()

    def _keep(self, name: str, raw: Any) -> None:
        host = self._hosts[name]
        row = row_from_json(raw, f"the answer of {name}")
        its_machine = self._vetting.admitted[name]["machine"]["fingerprint"]
        if row.must_match["machine"] != its_machine:
            self._refuse(name, "it is not the machine any more that it was when it joined")
            return
        wanted, host.wanted = host.wanted, None
        assert wanted is not None  # noqa: S101 - it answers what it was sent
        self._append(wanted, row)

    def _append(self, wanted: Wanted, row: SampleRow) -> None:
        assert self._journal is not None  # noqa: S101 - set before any sample is sent
        assert self._blocks is not None  # noqa: S101
        self._journal.append(row)
        self._blocks.took(row)
        self._progress.sample_ended(wanted, row)

    # ------------------------------------------------------------------ hosts that go

    def _refuse(self, name: str, why: str) -> None:
        host = self._hosts[name]
        host.stage, host.why_refused = "refused", why
        self._give_back(host)
        self._progress.told(f"{name} is not used: {why}")

    def _left(self, name: str) -> None:
        host = self._hosts.pop(name)
        if host.stage == "refused":
            return
        back = "; its block goes on with it, or is another host's" if host.wanted else ""
        self._give_back(host)
        self._progress.told(f"{name} is gone{back}")

    def _give_back(self, host: _Host) -> None:
        if host.wanted is not None:
            self._lost[_name(host.wanted)] += 1
        host.wanted, host.block, host.queue, host.busy = None, None, [], False
        self._tell_at_work()

    def _tell_at_work(self) -> None:
        """How many samples run side by side: hosts that are one machine take turns."""
        ready = {host.boot for host in self._hosts.values() if host.stage == "ready"}
        self._progress.hosts(len(ready))

    def _check_that_some_are_left(self) -> None:
        if any(host.stage != "refused" for host in self._hosts.values()):
            self._usable_at = self._clock()
        elif self._clock() - self._usable_at >= self._wait_s:
            raise ClusterError(self._why_none())

    def _why_none(self) -> str:
        refused = [f"{name}: {host.why_refused}" for name, host in self._hosts.items()]
        said = f" ({'; '.join(refused)})" if refused else ""
        return (
            f"no host of the cluster can be used{said}; start `treebench worker ADDRESS` on one, "
            f"then type the same command again: samples that were taken are kept"
        )

    # ------------------------------------------------------------------ work

    def _assign(self) -> None:
        for name, host in list(self._hosts.items()):
            taken = {one.boot for one in self._hosts.values() if one.busy and one.boot}
            if host.busy or host.boot in taken:
                continue
            if host.stage == "known":
                host.stage, host.busy = "preparing", True
                self._cluster.send(name, self.orders.prepare())
            elif host.stage == "ready" and (wanted := self._next(name, host)) is not None:
                host.wanted, host.busy = wanted, True
                self._cluster.send(name, self.orders.sample(wanted, name))
                self._progress.sample_started(wanted, name)
                # The others of one machine come first next time.
                self._hosts[name] = self._hosts.pop(name)

    def _next(self, name: str, host: _Host) -> Wanted | None:
        """The next sample of the host's block, or the first of a new one. What loses its hosts is
        not sent to one more."""
        for wanted in self._queued(name, host):
            if self._lost[_name(wanted)] < LOST_AT_MOST:
                return wanted
            self._progress.sample_started(wanted, name)
            self._append(wanted, self._lost_row(wanted, name))
        return None

    def _queued(self, name: str, host: _Host) -> Iterator[Wanted]:
        assert self._blocks is not None  # noqa: S101 - set before any host is given work
        while True:
            if not host.queue:
                busy = {one.block for one in self._hosts.values() if one.block and one is not host}
                host.block = self._blocks.next_for(name, busy)
                if host.block is None:
                    return
                host.queue = self._blocks.owed(host.block, name)
                self._progress.to_take(host.queue)
            yield host.queue.pop(0)

    def _lost_row(self, wanted: Wanted, name: str) -> SampleRow:
        facts = self._vetting.admitted[name]
        own = facts["thread_settings"]
        must_match = {
            **facts,
            "machine": facts["machine"]["fingerprint"],
            # As the sample's worker had them, like every other row of the cell.
            "thread_settings": {**own, **held_to(wanted.cell.spec.threads)},
            "host": name,
        }
        message = f"each of the {LOST_AT_MOST} hosts that took it was lost while it ran"
        return SampleRow(
            run=self.orders.run,
            cell=wanted.cell.id,
            block=wanted.block,
            kind=wanted.kind,
            status="killed",
            spec=wanted.cell.spec.to_json(),
            must_match=must_match,
            info={},
            error=SampleError("HostLost", message),
        )


def _name(wanted: Wanted) -> tuple[str, int, str]:
    return wanted.kind, wanted.block, wanted.cell.id
