"""A cluster without processes: hosts answer at once, leave when told to, and come back."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from tests.runner.fakes import row
from treebench.errors import ClusterError
from treebench.runner.cluster import Answered, Joined, Left
from treebench.runner.order import cell_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from treebench.runner.cluster import Event
    from treebench.runner.sweep import Wanted
    from treebench.store.row import SampleRow

CODE = "0+code"


def facts_of(host: str, **changed: Any) -> dict[str, Any]:
    """What a fake host says of itself: each is a machine of its own."""
    return {
        "machine": {"fingerprint": f"fp-{host}", "cores_usable": 2},
        "versions": {"python": "3"},
        "allocator": {"libc": "glibc"},
        "thread_settings": {},
        "code": CODE,
        "counters": {"tier": None, "absent": {}},
        "boot": f"boot-{host}",
        **changed,
    }


class FakeCluster:
    """Hosts by name, with what each says of itself. Each turn, every host that has an order answers
    it, in order of sending. `plan` gives what happens at the start of a turn, by its number: a list
    of `Joined` and `Left`, or the end of the scheduler."""

    def __init__(
        self,
        hosts: Mapping[str, Mapping[str, Any]],
        plan: Mapping[int, Sequence[Event] | str] | None = None,
        fails: Callable[[str, Mapping[str, Any]], str | None] = lambda host, order: None,
    ) -> None:
        self.facts = {name: facts_of(name, **changed) for name, changed in hosts.items()}
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.at_once: list[int] = []
        self.turn = 0
        self._plan = plan or {0: [Joined(name) for name in hosts]}
        self._fails = fails
        self._orders: dict[str, dict[str, Any]] = {}

    def send(self, host: str, order: Mapping[str, Any]) -> None:
        assert host not in self._orders, "a host carries out one order at a time"
        # Orders and answers are JSON on the wire.
        self._orders[host] = json.loads(json.dumps(order))
        self.sent.append((host, self._orders[host]))

    def events(self, timeout_s: float) -> list[Event]:
        planned = self._plan.get(self.turn, [])
        self.turn += 1
        if isinstance(planned, str):
            raise ClusterError(planned)
        for event in planned:
            if isinstance(event, Left):
                self._orders.pop(event.host, None)
        samples = [order for order in self._orders.values() if order["do"] == "sample"]
        self.at_once.append(len(samples))
        done, self._orders = self._orders, {}
        answers = [Answered(host, self._answer(host, order)) for host, order in done.items()]
        return [*planned, *answers]

    def samples(self, host: str) -> list[tuple[int, str]]:
        """What a host was sent, as block and cell."""
        return [
            (order["block"], cell_of(order["cell"]).id)
            for name, order in self.sent
            if name == host and order["do"] == "sample"
        ]

    def _answer(self, host: str, order: Mapping[str, Any]) -> dict[str, Any]:
        problem = self._fails(host, order)
        if problem is not None:
            return {"problem": problem}
        if order["do"] == "ask":
            return {"facts": self.facts[host]}
        if order["do"] == "prepare":
            return {}
        taken = row(cell_of(order["cell"]), order["block"], kind=order["kind"])
        must_match = {"machine": self.facts[host]["machine"]["fingerprint"], "host": order["host"]}
        whole = dataclasses.replace(taken, must_match=must_match)
        return {"row": json.loads(json.dumps(whole.to_json()))}


class HeardProgress:
    """Writes down what a person would be told."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.left: set[tuple[str, int, str]] = set()
        self.at_work = 0

    def to_take(self, samples: Sequence[Wanted]) -> None:
        self.left |= {(one.kind, one.block, one.cell.id) for one in samples}

    def sample_started(self, wanted: Wanted, host: str | None = None) -> None:
        assert (wanted.kind, wanted.block, wanted.cell.id) in self.left

    def sample_ended(self, wanted: Wanted, row: SampleRow) -> None:
        self.left.remove((wanted.kind, wanted.block, wanted.cell.id))

    def hosts(self, at_work: int) -> None:
        self.at_work = at_work

    def told(self, text: str) -> None:
        self.said.append(text)
