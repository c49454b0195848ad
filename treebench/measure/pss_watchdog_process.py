"""Holds a process tree to a memory limit: `python -m ...pss_watchdog_process PID LIMIT_BYTES`.

Says a line of JSON when it watches, and one when it kills: the memory it saw, in `pss_bytes`. It
ends when its standard input does, and then kills what is left of the tree, since its supervisor
has died or is done with it.
"""

from __future__ import annotations

import json
import os
import select
import sys

from treebench.measure.process_tree import ProcessTree

# How fast memory may grow at most: what one core can touch in pages new to it.
_BYTES_PER_S = 4 * 2**30
_SHORTEST_S, _LONGEST_S = 0.002, 0.1


def main(pid: int, limit_bytes: int) -> None:
    """Watch until the tree is over its limit or nobody listens any more."""
    if ProcessTree(os.getpid()).pss_bytes() == 0:
        sys.exit(1)  # the kernel does not tell; the supervisor says so
    tree = ProcessTree(pid)
    _say({"watching": pid})
    while True:
        seen = over(tree, limit_bytes)
        if seen is not None:
            # Said first: whoever sees the process dead must be able to read why.
            _say({"pss_bytes": seen})
            tree.kill()
            return
        if _input_ended(pause_s(tree.rss_bytes(), limit_bytes)):
            tree.kill()
            return


def over(tree: ProcessTree, limit_bytes: int) -> int | None:
    """The tree's PSS if it is above the limit. RSS, which costs little, is never below it, so
    that PSS is read only where the answer hangs on it."""
    if tree.rss_bytes() <= limit_bytes:
        return None
    pss = tree.pss_bytes()
    return pss if pss > limit_bytes else None


def pause_s(used_bytes: int, limit_bytes: int) -> float:
    """How long to look away: no longer than the rest can be filled in."""
    return min(_LONGEST_S, max(_SHORTEST_S, (limit_bytes - used_bytes) / _BYTES_PER_S))


def _input_ended(timeout_s: float) -> bool:
    readable, _, _ = select.select([sys.stdin], [], [], timeout_s)
    return bool(readable) and not sys.stdin.readline()


def _say(message: dict[str, int]) -> None:
    sys.stdout.write(f"{json.dumps(message)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:3]))
