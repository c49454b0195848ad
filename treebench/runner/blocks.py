"""Which host takes which samples: blocks are kept whole per host.

Cells are compared within a host, never across, so a block is whole once all its samples are of one
host. What a host takes of a block is every sample of it whose last row is not its own. So a host
that comes back goes on where it was, and another one takes the block from its start; its rows then
stand in the place of the first host's, which stay in the journal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from treebench.runner.sweep import Wanted
    from treebench.store.row import Kind, SampleRow

_UNFINISHED = frozenset({"interrupted"})


class BlockName(NamedTuple):
    """What makes a block the same block."""

    kind: Kind
    number: int


class Blocks:
    """The blocks of a sweep, who holds which sample, and which block to take next.

    `every` are all samples of the sweep, in order, taken or not; `rows` the last row of each sample
    so far. With `retry_failed`, what ended badly counts as not taken.
    """

    def __init__(
        self,
        every: Sequence[Wanted],
        rows: Iterable[SampleRow] = (),
        *,
        retry_failed: bool = False,
    ) -> None:
        self._samples: dict[BlockName, list[Wanted]] = {}
        for wanted in every:
            self._samples.setdefault(BlockName(wanted.kind, wanted.block), []).append(wanted)
        self._order = {name: number for number, name in enumerate(self._samples)}
        self._holders: dict[tuple[Kind, int, str], str | None] = {}
        for row in rows:
            if row.status not in _UNFINISHED and (not retry_failed or row.status in _GOOD):
                self.took(row)

    def took(self, row: SampleRow) -> None:
        """A row is in the journal; it counts in the place of any earlier one."""
        self._holders[row.kind, row.block, row.cell] = host_of(row)

    def owed(self, block: BlockName, host: str) -> list[Wanted]:
        """What `host` takes of a block, in order."""
        return [one for one in self._samples[block] if self._holder(one) != host]

    def next_for(self, host: str, busy: Collection[BlockName]) -> BlockName | None:
        """The block that `host` is to take, of those that nobody is at; None if there is none.

        First its own that it left, then those that nobody has begun, in order; last those that
        another host has left, which may yet come back.
        """
        open_blocks = [block for block in self._samples if block not in busy and self._open(block)]
        return min(open_blocks, key=lambda block: self._rank(block, host), default=None)

    def missing(self) -> list[Wanted]:
        """What is still to be taken if every host goes on with what it left, in order."""
        return [one for block in self._samples if self._open(block) for one in self._least(block)]

    def of_block(self, block: BlockName) -> list[Wanted]:
        """All samples of a block."""
        return list(self._samples[block])

    def _least(self, block: BlockName) -> list[Wanted]:
        hosts = self._hosts(block)
        if not hosts:
            return self.of_block(block)
        return min((self.owed(block, host) for host in sorted(hosts)), key=len)

    def _open(self, block: BlockName) -> bool:
        """Whether a block is not whole. A control cell alone that ended badly opens none."""
        cells = {self._holder(one) for one in self._samples[block] if not one.cell.spec.is_control}
        return len(cells) != 1 or None in cells or len(self._hosts(block)) != 1

    def _rank(self, block: BlockName, host: str) -> tuple[int, int]:
        hosts = self._hosts(block)
        claim = 0 if host in hosts else 1 if not hosts else 2
        return claim, self._order[block]

    def _hosts(self, block: BlockName) -> set[str]:
        return {held for one in self._samples[block] if (held := self._holder(one)) is not None}

    def _holder(self, wanted: Wanted) -> str | None:
        return self._holders.get((wanted.kind, wanted.block, wanted.cell.id))


_GOOD = frozenset({"ok", "unsupported"})


def host_of(row: SampleRow) -> str | None:
    """The host that took a sample; None outside a cluster."""
    host: str | None = row.must_match.get("host")
    return host
