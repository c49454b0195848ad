"""What is said of a run on several hosts as a whole; its figures stand by host."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from treebench.analysis.overview import overview
from treebench.report import units
from treebench.report.markdown_table import escaped, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.overview import Overview
    from treebench.store.run_folder import Run

NOT_MIXED = (
    "Each block of samples was taken whole on one host. Figures are of one host; none is mixed "
    "from two, and cells are to be compared within a host."
)


def hosts_head(run: Run, hosts: Sequence[str]) -> str:
    """Which run this is, on which hosts, and how far it got."""
    said = f"{run.name}: {len(hosts)} hosts ({', '.join(hosts)}); figures of two are not mixed"
    partial = _partial(run)
    return said if partial is None else f"{said}\n{partial}"


def stems(hosts: Sequence[str]) -> dict[str, str]:
    """A name for the files of each host, which no two share, whatever hosts are called."""
    return {
        host: f"host{number}-{re.sub(r'[^A-Za-z0-9._-]', '_', host)}"
        for number, host in enumerate(hosts, 1)
    }


def hosts_page(run: Run, every: Sequence[Overview], names: Mapping[str, str]) -> str:
    """The page that leads to those of the hosts, as Markdown."""
    of_host = dict(zip(names, every, strict=True))
    rows = [
        (host, str(known.facts["machine"].get("cpu") or units.DASH), _steadiness(known))
        for host, known in of_host.items()
    ]
    titles = ("host", "CPU", "control cell")
    partial = _partial(run)
    parts = [
        f"# {run.name}",
        NOT_MIXED,
        *([partial] if partial else []),
        table(titles, rows, (False,) * len(titles)),
        "\n".join(_link(host, names[host], known) for host, known in of_host.items()),
        f"To run it again: `{shlex.join(run.facts['command'])}`",
    ]
    return "\n\n".join(parts) + "\n"


def _link(host: str, stem: str, known: Overview) -> str:
    if not known.has_figures:
        return f"- {escaped(host)}: no sample ended well"
    return f"- [{escaped(host)}]({stem}.md): {known.finished_samples:,} samples"


def _steadiness(known: Overview) -> str:
    if known.control is None:
        return units.DASH
    fit = known.control.fit_wall_ns
    return f"{units.duration(fit.median)}, spread {units.percent(fit.spread_percent)}"


def _partial(run: Run) -> str | None:
    """How far the whole run got. Without rows the plan alone speaks, whoever takes its samples."""
    planned = overview(run.facts, []).planned_samples
    control = {row.cell for row in run.rows if row.spec["trainer"] == "control"}
    done = sum(
        row.status != "interrupted" and row.kind != "profile" and row.cell not in control
        for row in run.rows
    )
    if done >= planned:
        return None
    return f"partial run: {done:,} of {planned:,} samples have an outcome"
