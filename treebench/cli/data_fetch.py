"""`treebench data fetch NAME`: the files of a public data set, downloaded or given."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from treebench.cli.options import JsonOption
from treebench.errors import ExitCode, UsageError
from treebench.report import units

if TYPE_CHECKING:
    from treebench.data.fetching.transfer import Transfer

LIVE_EVERY_S, PLAIN_EVERY_S = 0.2, 10.0


def fetch(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A data set, as listed.")],
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            metavar="NAME=FILE",
            help="You have the data: the file, or the folder of its files. Nothing is downloaded.",
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="DIR", help="Where to put the files; the downloads if not."),
    ] = None,
    mirror: Annotated[
        str | None,
        typer.Option("--mirror", metavar="URL", help="Ask below this address instead."),
    ] = None,
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="Check what is there by its hash; download what is not right."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Get a public data set, check it, and make it.

    A download that was cut goes on with the same command.
    """
    from treebench.cli.data_text import print_json, print_made
    from treebench.data.listing import described

    if data is not None:
        _give(name, data, alone=to is None and mirror is None and not again)
    else:
        _download(name, to, mirror, again=again)
    entry = described(name)
    if as_json:
        print_json(entry.to_json())
    else:
        print_made(entry)
    return ExitCode.OK


def _give(name: str, data: str, *, alone: bool) -> None:
    from treebench.cli.data_text import say
    from treebench.data.fetching.give import give_files

    stated, equals, path = data.partition("=")
    if not equals or stated != name or not path:
        raise UsageError(f"--data {data}: write it as {name}=FILE, with the file that you have")
    if not alone:
        raise UsageError("--data downloads nothing; leave out --to, --mirror and --again")
    give_files(name, Path(path), say)


def _download(name: str, to: Path | None, mirror: str | None, *, again: bool) -> None:
    from treebench.data.fetching.fetch import fetch_set

    if mirror is not None and not mirror.startswith(("http://", "https://")):
        raise UsageError(f"--mirror {mirror}: give an address that begins with https:// or http://")
    shown = TransferLine(sys.stderr)
    try:
        fetch_set(name, shown.say, shown.show, to, mirror, again)
    finally:
        shown.end()


class TransferLine:
    """How far a download is: one line that changes on a terminal, a line now and then elsewhere."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._live = stream.isatty()
        self._last: float | None = None
        self._open = False

    def show(self, transfer: Transfer) -> None:
        """The state of a transfer, if the last was shown some time ago, or it is the end."""
        now = time.monotonic()
        if self._last is None:
            self._last = now if not self._live else float("-inf")
        every = LIVE_EVERY_S if self._live else PLAIN_EVERY_S
        if now - self._last < every and transfer.done != transfer.total:
            return
        self._last = now
        self._stream.write(f"\r\x1b[2K{state(transfer)}" if self._live else f"{state(transfer)}\n")
        self._stream.flush()
        self._open = self._live

    def say(self, line: str) -> None:
        """A line that stays."""
        self.end()
        self._stream.write(f"{line}\n")
        self._stream.flush()

    def end(self) -> None:
        """Leave the changing line."""
        if self._open:
            self._stream.write("\n")
            self._open = False


def state(transfer: Transfer) -> str:
    """A transfer in a few words: how much of how much, how fast, how long yet."""
    total = "" if transfer.total is None else f" of {units.size(transfer.total)}"
    parts = [f"{transfer.file}: {units.size(transfer.done)}{total}"]
    if transfer.resumed:
        parts.append(f"{units.size(transfer.resumed)} were there")
    left = transfer.seconds_left
    if left:
        parts.append(f"{units.time_left(left)} left")
    return ", ".join(parts)
