"""The hosts of a Dask cluster, as `cluster.Cluster` sees them.

A host is a Dask worker with the resource that `treebench worker` gives it, under the name it was
given. Other workers of the cluster are left alone. Importing this costs nothing: Dask is imported
when a cluster is connected to.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import re
import time
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from treebench.errors import ClusterError, ConfigError
from treebench.extras import install_command
from treebench.runner.cluster import Answered, Joined, Left
from treebench.runner.remote_task import carry_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from treebench.runner.cluster import Event

RESOURCE = "treebench"
"""The Dask resource that a host's worker has one of, so that it takes one sample at a time."""

LOCAL_PREFIX = "local:"
_CONNECT_S = 20.0
_LOOK_S = 1.0
_LAST_PORT = 65_535
_FETCH_S = 10.0


class DaskCluster:
    """Hosts reached through a Dask client."""

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address
        self._hosts: dict[str, str] = {}
        self._futures: dict[str, Any] = {}
        self._done: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._looked_at = -_LOOK_S

    def events(self, timeout_s: float) -> list[Event]:
        """What happened; see `cluster.Cluster`."""
        found = self._finished(timeout_s)
        if time.monotonic() - self._looked_at >= _LOOK_S:
            found += self._comings_and_goings()
            self._looked_at = time.monotonic()
        return found

    def send(self, host: str, order: Mapping[str, Any]) -> None:
        """Give a host its next order; see `cluster.Cluster`."""
        future = self._client.submit(
            carry_out,
            dict(order),
            key=f"treebench-{order['do']}-{uuid.uuid4().hex}",
            workers=[self._hosts[host]],
            allow_other_workers=False,
            resources={RESOURCE: 1},
            pure=False,
            retries=0,
        )
        self._futures[host] = future
        future.add_done_callback(lambda done: self._done.put((host, done)))

    def take_back(self) -> None:
        """Take back what the hosts are at; each ends its sample at once."""
        futures = list(self._futures.values())
        self._futures.clear()
        with contextlib.suppress(OSError, TimeoutError):
            self._client.cancel(futures, force=True)

    def _finished(self, timeout_s: float) -> list[Event]:
        try:
            host, future = self._done.get(timeout=timeout_s)
        except queue.Empty:
            return []
        if host not in self._futures or self._futures[host] is not future:
            return []  # of a host that has left, or was sent something else since
        del self._futures[host]
        if future.status == "finished":
            return self._fetched(host, future)
        if host in self._hosts and future.status == "error":
            return [Answered(host, {"problem": _one_line(future.exception())})]
        return []

    def _fetched(self, host: str, future: Any) -> list[Event]:
        """The answer. Of a worker that died with it there is none, and Dask would wait for ever: so
        the wait is bounded, and begins anew once it was looked whether the host is still there."""
        try:
            return [Answered(host, future.result(timeout=_FETCH_S))]
        except TimeoutError:
            self._futures[host] = future
            self._done.put((host, future))
            return []

    def _comings_and_goings(self) -> list[Event]:
        there = self._there()
        gone = [name for name, address in self._hosts.items() if there.get(name) != address]
        found: list[Event] = []
        for name in gone:
            del self._hosts[name]
            future = self._futures.pop(name, None)
            if future is not None:
                future.cancel(force=True)
            found.append(Left(name))
        for name in sorted(there.keys() - self._hosts.keys()):
            self._hosts[name] = there[name]
            found.append(Joined(name))
        return found

    def _there(self) -> dict[str, str]:
        """The address of each host by name.

        Raises:
            ClusterError: the scheduler does not answer.
        """
        # Not scheduler_info(): every few seconds the client overwrites its answer, in another
        # thread, with one that lists no workers, and all hosts would seem to have left.
        try:
            told = self._client.sync(_identity, self._client.scheduler)
        except (OSError, TimeoutError) as error:
            raise lost_scheduler(self._address) from error
        if self._client.status != "running":
            raise lost_scheduler(self._address)
        return {
            host_name(worker["name"]): address
            for address, worker in told["workers"].items()
            if worker["resources"].get(RESOURCE)
        }


async def _identity(scheduler: Any) -> Any:
    """What the scheduler says of itself, and of all its workers.

    Raises:
        OSError: it is gone, and the client has closed itself.
    """
    if scheduler is None:
        raise ConnectionError
    return await scheduler.identity(n_workers=-1)


def host_name(worker_name: object) -> str:
    """What a host is called; Dask numbers the workers of a cluster on this machine."""
    return f"local-{worker_name}" if isinstance(worker_name, int) else str(worker_name)


def lost_scheduler(address: str) -> ClusterError:
    """The scheduler is gone in the middle of a run."""
    return ClusterError(
        f"the scheduler at {address} is gone; samples that were taken are kept: start it and its "
        f"workers again, then type the same command"
    )


@contextmanager
def connected(address: str) -> Iterator[DaskCluster]:
    """A cluster at `tcp://host:port` or `tls://host:port`, or `local:N` for N workers here.

    Raises:
        ConfigError: Dask is not installed, or the address is none.
        ClusterError: nobody answers there.
    """
    try:
        import distributed
    except ImportError:
        raise ConfigError(
            f"--cluster needs Dask, which is not installed: {install_command('dask')}"
        ) from None
    import dask

    _quieten()
    # A connection that is lost is not waited for: the run ends, and goes on when asked to.
    quick = {"distributed.comm.timeouts.connect": f"{_CONNECT_S:g}s"}
    with dask.config.set(quick), _reachable(address) as reached:
        try:
            client = distributed.Client(reached, timeout=_CONNECT_S, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterError(
                f"no Dask scheduler answers at {reached} ({_one_line(error)}); start one with "
                f"`dask scheduler`, or correct the address"
            ) from None
        cluster = DaskCluster(client, reached)
        try:
            yield cluster
        finally:
            cluster.take_back()
            with contextlib.suppress(OSError, TimeoutError):
                client.close(timeout=5)


def _quieten() -> None:
    """What Dask's client logs of lost connections is said here, in words that name the remedy."""
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


@contextmanager
def _reachable(address: str) -> Iterator[str]:
    if not address.startswith(LOCAL_PREFIX):
        yield address
        return
    with _local_cluster(local_workers(address)) as cluster:
        yield cluster.scheduler_address


def _local_cluster(count: int) -> Any:
    """Workers as processes of this machine, on loopback. Dask gives the processes it watches
    thread and allocator settings of its own, which samples elsewhere do not have: not here."""
    import dask
    from distributed import LocalCluster

    with dask.config.set({"distributed.nanny.pre-spawn-environ": {}}):
        return LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            memory_limit=0,
            resources={RESOURCE: 1},
        )


def is_scheduler(address: str) -> bool:
    """Whether it is an address that a scheduler can have. One without a port is not for Dask to
    refuse: its client would wait for 40 s for itself, and say so in a traceback."""
    parts = re.fullmatch(r"(?:tcp|tls)://[^/]+:(\d{1,5})", address, re.ASCII)
    return parts is not None and 1 <= int(parts[1]) <= _LAST_PORT


def check_address(address: str) -> str:
    """The address, if it is one.

    Raises:
        ConfigError: it is neither a scheduler's address nor `local:N`.
    """
    if address.startswith(LOCAL_PREFIX):
        local_workers(address)
    elif not is_scheduler(address):
        raise ConfigError(
            f"--cluster is {address!r}; write tcp://HOST:PORT, tls://HOST:PORT, or local:N"
        )
    return address


def local_workers(address: str) -> int:
    """N of `local:N`.

    Raises:
        ConfigError: it is no number of workers.
    """
    count = address.removeprefix(LOCAL_PREFIX)
    if not count.isdecimal() or not 1 <= int(count) <= 64:
        raise ConfigError(f"--cluster is {address!r}; N of local:N is a number from 1 to 64")
    return int(count)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
