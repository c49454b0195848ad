"""`treebench worker ADDRESS`: make this machine a host of a cluster."""

from __future__ import annotations

import os
import shlex
import socket
import sys
from typing import Annotated, NoReturn

import typer

from treebench.errors import ConfigError
from treebench.extras import install_command

_LOOPBACK = "127.0.0.1"


def worker(
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="The scheduler: tcp://HOST:PORT or tls://...")
    ],
    host_name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What to call this host.  [default: its host name]"),
    ] = None,
    listen: Annotated[
        str,
        typer.Option(metavar="IP", help="The address of this host that the scheduler can reach."),
    ] = _LOOPBACK,
) -> None:
    """Take samples here, one at a time, for `run --cluster`.

    One per host: a second one of the same name is turned away. It is a `dask worker`, so
    a `tls://` scheduler needs Dask's own TLS settings (see docs/CLUSTER.md). It ends with Ctrl-C,
    or with its scheduler.
    """
    name = host_name or socket.gethostname()
    _check(address, listen)
    _check_alone(address, name)
    command = dask_command(address, name, listen)
    sys.stderr.write(f"{shlex.join(['dask', *command[command.index('dask') + 1 :]])}\n")
    sys.stderr.flush()
    _become(command)


def dask_command(address: str, name: str, listen: str) -> list[str]:
    """The `dask worker` that a host is. Memory is the samples' own affair: Dask's limit would
    pause a worker whose machine they fill."""
    from treebench.runner.dask_cluster import RESOURCE

    return [
        *(sys.executable, "-P", "-m", "dask", "worker", address),
        *("--name", name, "--host", listen, "--nthreads", "1", "--no-nanny", "--no-dashboard"),
        *("--resources", f"{RESOURCE}=1", "--memory-limit", "0", "--death-timeout", "60"),
    ]


def _become(command: list[str]) -> NoReturn:
    """In place of this process, so that signals reach the worker itself."""
    os.execv(command[0], command)  # noqa: S606 - a list, and no shell


def _check(address: str, listen: str) -> None:
    from treebench.runner.dask_cluster import is_scheduler

    if not is_scheduler(address):
        raise ConfigError(f"ADDRESS is {address!r}; write tcp://HOST:PORT or tls://HOST:PORT")
    if listen == _LOOPBACK and not _is_loopback(address.partition("://")[2]):
        raise ConfigError(
            f"the scheduler at {address} cannot reach this worker on {_LOOPBACK}; say with "
            f"--listen at which address of this host it can"
        )
    _check_installed()


def _check_alone(address: str, name: str) -> None:
    """Two workers of one host would measure each other. Between this look and the worker's start
    another may come: then the scheduler itself turns the second one away."""
    if name in hosts_at(address):
        raise ConfigError(
            f"a worker called {name} takes samples for {address} already, and one per host is "
            f"right; end that one, or, if this is another host, name it with --host-name"
        )


def hosts_at(address: str) -> set[str]:
    """The hosts that are there already.

    Raises:
        ClusterError: no scheduler answers.
    """
    from treebench.runner.cluster import Joined
    from treebench.runner.dask_cluster import connected

    with connected(address) as cluster:
        return {event.host for event in cluster.events(0) if isinstance(event, Joined)}


def _is_loopback(place: str) -> bool:
    name = place.rpartition(":")[0].strip("[]")
    return name in ("localhost", "::1") or name.startswith("127.")


def _check_installed() -> None:
    from importlib.util import find_spec

    if find_spec("distributed") is None:
        raise ConfigError(
            f"`treebench worker` needs Dask, which is not installed: {install_command('dask')}"
        )
