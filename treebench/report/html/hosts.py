"""The page of a run on several hosts: it leads to a page for each."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from treebench.report.blocks import Code, Links, Words
from treebench.report.hosts_text import NOT_MIXED
from treebench.report.html.document import plain_page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.overview import Overview
    from treebench.report.blocks import Block
    from treebench.store.run_folder import Run


def hosts_document(run: Run, every: Sequence[Overview], names: Mapping[str, str]) -> str:
    """The page; `names` are the stems of the hosts' files, in the order of `every`."""
    of_host = dict(zip(names, every, strict=True))
    links = tuple(
        (f"{names[host]}.html", f"{host}: {known.finished_samples:,} samples")
        for host, known in of_host.items()
        if known.has_figures
    )
    silent = [host for host, known in of_host.items() if not known.has_figures]
    said = [Words(f"{host}: no sample ended well") for host in silent]
    command = Code(shlex.join(run.facts["command"]))
    blocks: list[Block] = [
        Words(NOT_MIXED),
        Links(links),
        *said,
        Words("To run it again:"),
        command,
    ]
    return plain_page(run.name, blocks)
