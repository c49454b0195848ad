"""A cgroup for the time of one sample, removed whatever happens."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from treebench.measure.cgroup import Cgroup, Unavailable
from treebench.measure.tree_memory import open_cgroup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treebench.runner.caretaker import Caretaker

_PATIENCE_S = 2.0


@contextmanager
def sample_cgroup(caretaker: Caretaker | None) -> Iterator[Cgroup | Unavailable]:
    """A new cgroup, or why there is none. Its processes must be gone at the end; the kernel may
    take a moment to notice.

    A cgroup that cannot be removed even so is left to the caretaker.
    """
    cgroup = open_cgroup()
    if isinstance(cgroup, Unavailable):
        yield cgroup
        return
    if caretaker is not None:
        caretaker.made("cgroup", cgroup.folder)
    try:
        yield cgroup
    finally:
        if _removed(cgroup) and caretaker is not None:
            caretaker.gone(cgroup.folder)


def _removed(cgroup: Cgroup) -> bool:
    ends_at = time.monotonic() + _PATIENCE_S
    while True:
        try:
            cgroup.remove()
        except OSError:
            if time.monotonic() > ends_at:
                return False
            time.sleep(0.002)
        else:
            return True
