"""`treebench show --latency`: a table for each number of rows predicted at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from treebench.report.latency_text import (
    batch_title,
    batches,
    latency_columns,
    latency_missing,
    latency_reading,
)
from treebench.report.screens import fitted, head
from treebench.report.terminal import notes, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import RenderableType

    from treebench.analysis.overview import Overview
    from treebench.report.lines import Line
    from treebench.report.terminal import Screen

_NOT_MEASURED = (
    "Latency was not measured in this run: set `latency: true` in its config (or add --set "
    "latency=true) and run it with --fresh."
)


def latency_screen(
    run: Overview, grouped: Mapping[str, Sequence[Line]], typed: str, screen: Screen
) -> str:
    """The tables, or how to have them measured; `typed` is the run as the person named it."""
    listed = [line for group in grouped.values() for line in group]
    found = batches(listed)
    tables: list[RenderableType] = [] if found else [Text(_NOT_MEASURED), Text("")]
    for batch in found:
        tables.append(Text(batch_title(batch), style="bold underline"))
        tables += fitted(grouped, latency_columns(listed, batch), screen)
    return text_of(
        [
            *head(run),
            *tables,
            *notes("Missing figures", latency_missing(listed)),
            *notes("How to read this", latency_reading() if found else []),
            Text(f"next: treebench show {typed}"),
        ],
        screen,
    )
