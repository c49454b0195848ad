"""XGBoost's quantile sketches: their size, and what the heap keeps of it when they are freed.

File and function names are those of XGBoost's sources, release 3.2, and of glibc's, 2.36.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.memory_model.stages import Terms
    from treebench.memory_model.workload import Workload

_SUMMARY_BYTES = 16  # quantile.h, WQSummary::Entry: four floats
_QUEUED_BYTES = 8  # quantile.h, WQSummary::Queue::QEntry: value and weight
_SKETCH_FACTOR = 8  # quantile.h, QuantileSketchTemplate::kFactor
_CUT_BYTES = 4  # hist_util.h, HistogramCuts::cut_values_: floats
_HOLE_BYTES = 128 << 10
_PINNING_BYTES = 256 << 10
_MAPPED_BYTES = 940 << 10
_HEAP_BYTES = 64 << 20  # arena.c, HEAP_MAX_SIZE
_FEW_HEAPS = 2


def kept_bytes(workload: Workload, placed: Sequence[float]) -> Terms:
    """What is held of freed sketches, less what was put in their place.

    The main arena gives back what is free at its top alone (malloc.c, systrim), so that all is
    held where something that outlives the sketches lies above them: see `_lies_on_top`. What is
    allocated next goes into that room if it fits into what is left as a whole, else beside it.
    Each further thread has an arena for its share of the columns, made of heaps of 64 MiB. As was
    seen, nothing stays of them if the cuts take no more than 256 KiB; else a tenth to nine tenths
    of the share where the main arena holds all too, and about two heaps where it does not.

    Args:
        workload: whose sketches were freed.
        placed: bytes of what is allocated after them, in that order.
    """
    max_bin, sketched = _max_bin(workload), _sketched_rows(workload)
    room = sum(_in_heap_bytes(rows, max_bin) for rows in sketched)
    cuts = _cuts_bytes(workload)
    holes = max([column_outgrown_bytes(rows, max_bin) for rows in sketched], default=0)
    held = _lies_on_top(cuts, holes)
    own = room / workload.params.threads
    left = own if held else 0.0
    for size in placed:
        left -= size if size <= left else 0.0
    others = room - own if held else min(room - own, _FEW_HEAPS * _HEAP_BYTES)
    return {
        "heap kept from sketches": left,
        "heap kept by other threads": float(others if cuts > _PINNING_BYTES else 0.0),
    }


def _lies_on_top(cuts: float, holes: float) -> bool:
    """Whether anything that is made while all sketches are there, and outlives them, lies above
    them: it does where it fits into no hole below. The cuts are one vector; if that is so large
    that glibc maps it by itself, what remains are small ones, for which any hole will do."""
    if cuts > _MAPPED_BYTES:
        return holes == 0
    return cuts > max(_HOLE_BYTES, holes)


def _cuts_bytes(workload: Workload) -> float:
    """quantile.cc, MakeCuts: a vector that doubles as it grows."""
    bins = max(1, workload.bins(_max_bin(workload)))
    return float(_CUT_BYTES * 2 ** math.ceil(math.log2(bins)))


def _in_heap_bytes(rows: int, max_bin: int) -> int:
    """Of one column: its queue, the summary of a queue, its levels and what they outgrew, without
    blocks so large that glibc maps them by themselves (malloc.c, mmap_threshold: the largest that
    was unmapped before, which loading the library has left at 940 KiB). The summary at the end is
    gone before the cuts are."""
    limit = sketch_limit(rows, max_bin)
    levels = _levels(rows, limit)
    queue = 2 * limit * _QUEUED_BYTES
    if not levels:
        return queue if queue <= _MAPPED_BYTES else 0
    summary = 2 * limit * _SUMMARY_BYTES
    room = 2 ** math.ceil(math.log2(levels)) * limit * _SUMMARY_BYTES
    blocks = [(queue, queue), (summary, summary), (room, levels * limit * _SUMMARY_BYTES)]
    outgrown = column_outgrown_bytes(rows, max_bin)
    return sum(size for block, size in [*blocks, (outgrown, outgrown)] if block <= _MAPPED_BYTES)


def sketch_bytes(workload: Workload) -> float:
    """Of all columns together: see `column_sketch_bytes`."""
    sketched = [column_sketch_bytes(rows, _max_bin(workload)) for rows in _sketched_rows(workload)]
    return float(sum(sketched) + _QUEUED_BYTES * (workload.n_features - len(sketched)))


def outgrown_bytes(workload: Workload) -> float:
    """Of all columns together: see `column_outgrown_bytes`."""
    max_bin = _max_bin(workload)
    return float(sum(column_outgrown_bytes(rows, max_bin) for rows in _sketched_rows(workload)))


def _sketched_rows(workload: Workload) -> list[int]:
    """Entries of each column with more than one value; the others' queues never grow."""
    columns = zip(workload.stored_rows(), workload.distinct(), strict=True)
    return [rows for rows, values in columns if values > 1]


def _max_bin(workload: Workload) -> int:
    return int(workload.params.or_default("max_bin"))


def column_sketch_bytes(rows: int, max_bin: int) -> float:
    """Bytes of one column's quantile sketch (quantile.h, QuantileSketchTemplate).

    The error is 1 / (8 max_bin), and the size of a level the least `limit` for which
    2^levels x limit holds all rows. There are a queue of 2 x limit values, the summary it is
    made into, and as many levels as full queues have been merged into; at the end a summary of
    8 x max_bin.
    """
    limit = sketch_limit(rows, max_bin)
    summary = min(rows, _SKETCH_FACTOR * max_bin) * _SUMMARY_BYTES
    queue = 2 * limit * _QUEUED_BYTES
    levels = _levels(rows, limit)
    return queue + summary + ((2 + levels) * limit * _SUMMARY_BYTES if levels else 0)


def column_outgrown_bytes(rows: int, max_bin: int) -> int:
    """Bytes that one column's levels were moved out of. InitLevel makes a vector larger, from two
    levels on, which doubles its room: a third level moves two, a fifth moves four. All columns
    come there at about the same row, so that nobody is left to use what they leave."""
    limit = sketch_limit(rows, max_bin)
    levels = _levels(rows, limit)
    moved = 2 ** (math.ceil(math.log2(levels)) - 1) if levels > 2 else 0
    return int(moved * limit * _SUMMARY_BYTES)


def _levels(rows: int, limit: int) -> int:
    """Levels there are once all rows were pushed, with level 0, which is room to merge in; none
    where the queue was never full. PushTemp fills them as bits are set in counting."""
    pushed = math.ceil(rows / (2 * limit)) - 1
    return int(math.log2(pushed)) + 2 if pushed >= 1 else 0


def sketch_limit(rows: int, max_bin: int) -> int:
    """`limit_size` of QuantileSketchTemplate::LimitSizeLevel."""
    precision = _SKETCH_FACTOR * min(rows, max_bin)
    level = 1
    while True:
        limit = min(rows, level * precision + 1)
        if (1 << level) * limit >= rows:
            return limit
        level += 1
