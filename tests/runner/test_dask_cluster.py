"""The hosts of a Dask client, with a client that is none: what happens when an answer is lost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from treebench.errors import ClusterError
from treebench.runner.cluster import Answered, Joined, Left
from treebench.runner.dask_cluster import RESOURCE, DaskCluster

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

ADDRESS = "tcp://10.0.0.2:4000"


class Future:
    """A task that has ended; its answer comes at the last of so many attempts."""

    status = "finished"

    def __init__(self, attempts: int) -> None:
        self._left = attempts

    def add_done_callback(self, call: Callable[[Any], object]) -> None:
        call(self)

    def result(self, timeout: float | None = None) -> dict[str, Any]:
        assert timeout is not None, "it would wait for ever"
        self._left -= 1
        if self._left:
            raise TimeoutError
        return {"facts": {}}

    def cancel(self, *, force: bool) -> None:
        assert force


class Client:
    """A client of a scheduler with one host, as long as it is there."""

    status = "running"

    def __init__(self, future: Future) -> None:
        self._future = future
        self.there = True

    @property
    def scheduler(self) -> Client:
        return self

    def sync(self, call: Callable[..., Coroutine[Any, Any, Any]], *arguments: Any) -> Any:
        return asyncio.run(call(*arguments))

    async def identity(self, n_workers: int) -> dict[str, Any]:
        assert n_workers == -1
        host = {ADDRESS: {"name": "h", "resources": {RESOURCE: 1}}}
        return {"workers": host if self.there else {}}

    def scheduler_info(self, n_workers: int) -> dict[str, Any]:
        """As after the client's own look, every few seconds, in a thread of its own."""
        return {"workers": {}}

    def submit(self, *_: Any, workers: list[str], **__: Any) -> Future:
        assert workers == [ADDRESS]
        return self._future


def at_work(attempts: int) -> tuple[Client, DaskCluster]:
    """A cluster whose one host has carried out an order."""
    client = Client(Future(attempts))
    cluster = DaskCluster(client, "tcp://scheduler")
    assert cluster.events(0) == [Joined("h")]
    cluster.send("h", {"do": "ask"})
    return client, cluster


def test_a_host_is_there_whatever_the_client_lists_by_itself() -> None:
    _, cluster = at_work(attempts=2)
    assert Left("h") not in looked_long_ago(cluster).events(0)


def test_a_client_that_has_closed_has_lost_its_scheduler() -> None:
    class Closed(Client):
        scheduler = None  # type: ignore[assignment]

    with pytest.raises(ClusterError, match="the scheduler at tcp://scheduler is gone"):
        DaskCluster(Closed(Future(1)), "tcp://scheduler").events(0)


def looked_long_ago(cluster: DaskCluster) -> DaskCluster:
    """So that it is looked anew who is there."""
    cluster._looked_at = float("-inf")
    return cluster


def test_an_answer_that_is_slow_to_come_is_asked_for_again() -> None:
    _, cluster = at_work(attempts=2)
    assert cluster.events(0) == []
    assert cluster.events(0) == [Answered("h", {"facts": {}})]


def test_an_answer_that_died_with_its_worker_is_not_waited_for() -> None:
    client, cluster = at_work(attempts=3)
    assert cluster.events(0) == []
    client.there = False
    assert looked_long_ago(cluster).events(0) == [Left("h")]
    # The answer would come now; of a host that is gone it is no longer wanted.
    assert cluster.events(0) == []
