"""Which host takes which samples: blocks are kept whole per host.

Cells are compared within a host, never across, so a block is whole once all its samples are of one
host. What a host takes of a block is every sample of it whose last row is not its own. So a host
that comes back goes on where it was, and another one takes the block from its start; its rows then
stand in the place of the first host's, which stay in the journal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from treebench.store.row import statuses_to_retake

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from treebench.runner.sweep import Wanted
    from treebench.store.row import Kind, SampleRow


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
        self._samples: dict[BlockName, list[_Sample]] = {}
        for wanted in every:
            # An id is a hash of the whole definition: asked for once, not at every turn.
            sample = _Sample(wanted, wanted.cell.id, wanted.cell.spec.is_control)
            self._samples.setdefault(BlockName(wanted.kind, wanted.block), []).append(sample)
        self._order = {name: number for number, name in enumerate(self._samples)}
        self._holders: dict[tuple[BlockName, str], str | None] = {}
        again = statuses_to_retake(retry_failed)
        for row in rows:
            if row.status not in again:
                self._holders[_block_of(row), row.cell] = host_of(row)
        self._open: dict[BlockName, set[str]] = {}
        for name in self._samples:
            self._look_at(name)

    @property
    def unfinished(self) -> bool:
        """Whether a block is not whole yet."""
        return bool(self._open)

    def took(self, row: SampleRow) -> None:
        """A row is in the journal; it counts in the place of any earlier one."""
        self._holders[_block_of(row), row.cell] = host_of(row)
        self._look_at(_block_of(row))

    def owed(self, block: BlockName, host: str) -> list[Wanted]:
        """What `host` takes of a block, in order."""
        samples = self._samples[block]
        return [one.wanted for one in samples if self._holder(block, one) != host]

    def next_for(self, host: str, busy: Collection[BlockName]) -> BlockName | None:
        """The block that `host` is to take, of those that nobody is at; None if there is none.

        First its own that it left, then those that nobody has begun, in order; last those that
        another host has left, which may yet come back.
        """
        free = [block for block in self._open if block not in busy]
        return min(free, key=lambda block: self._rank(block, host), default=None)

    def missing(self) -> list[Wanted]:
        """What is still to be taken if every host goes on with what it left, in order."""
        blocks = sorted(self._open, key=self._order.__getitem__)
        return [wanted for block in blocks for wanted in self._least(block)]

    def _least(self, block: BlockName) -> list[Wanted]:
        hosts = self._open[block]
        if not hosts:
            return [one.wanted for one in self._samples[block]]
        return min((self.owed(block, host) for host in sorted(hosts)), key=len)

    def _look_at(self, block: BlockName) -> None:
        """Keep the block among the open ones, with the hosts that hold some of it, or take it off.
        A control cell alone that ended badly opens none."""
        samples = self._samples[block]
        hosts = {held for one in samples if (held := self._holder(block, one)) is not None}
        cells = {self._holder(block, one) for one in samples if not one.is_control}
        if len(hosts) == 1 and len(cells) == 1 and None not in cells:
            self._open.pop(block, None)
        else:
            self._open[block] = hosts

    def _rank(self, block: BlockName, host: str) -> tuple[int, int]:
        hosts = self._open[block]
        claim = 0 if host in hosts else 1 if not hosts else 2
        return claim, self._order[block]

    def _holder(self, block: BlockName, sample: _Sample) -> str | None:
        return self._holders.get((block, sample.cell))


class _Sample(NamedTuple):
    wanted: Wanted
    cell: str
    is_control: bool


def _block_of(row: SampleRow) -> BlockName:
    return BlockName(row.kind, row.block)


def host_of(row: SampleRow) -> str | None:
    """The host that took a sample; None outside a cluster."""
    host: str | None = row.must_match.get("host")
    return host
