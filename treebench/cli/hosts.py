"""Showing a run that was taken on several hosts: each by itself."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from typing import TYPE_CHECKING, Any

from treebench.errors import ConfigError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from treebench.store.run_folder import Run


def part_called(host: str, parts: Mapping[str, Run], run: str) -> Run:
    """The part of one host.

    Raises:
        ConfigError: it took no samples of this run.
    """
    if host not in parts:
        known = f"it has samples of {', '.join(parts)}" if parts else "it was taken on no cluster"
        raise ConfigError(f"--host is {host!r}, which took no samples of {run}; {known}")
    return parts[host]


def each_host(run: Run, hosts: Sequence[str], show: Callable[..., int], *, as_json: bool) -> int:
    """Show each host by `show`; in JSON as one object, by host. Good if any has figures."""
    from treebench.report.hosts_text import hosts_head

    shown: dict[str, Any] = {}
    codes = []
    if not as_json:
        sys.stdout.write(f"{hosts_head(run, hosts)}\n\n")
    for host in hosts:
        text = io.StringIO()
        with contextlib.redirect_stdout(text) if as_json else contextlib.nullcontext():
            codes.append(show(host=host, as_json=as_json))
        if as_json:
            shown[host] = json.loads(text.getvalue())
        else:
            sys.stdout.write("\n" if host != hosts[-1] else "")
    if as_json:
        sys.stdout.write(json.dumps({"run": run.name, "hosts": shown}, indent=1) + "\n")
    return min(codes, default=ExitCode.NOTHING_MEASURED)
