"""A cgroup for the time of one sample; whatever happens, it goes, and what runs in it with it."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from treebench.measure.cgroup import Cgroup, Unavailable
from treebench.measure.tree_memory import open_cgroup
from treebench.runner.caretaker_process import kill_marked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from treebench.runner.caretaker import Caretaker

_PATIENCE_S = 2.0


@contextmanager
def sample_cgroup(
    caretaker: Caretaker | None,
    mark: str,
    make: Callable[[], Cgroup | Unavailable] = open_cgroup,
) -> Iterator[Cgroup | Unavailable]:
    """A new cgroup, or why there is none.

    At the end every process of the sample is killed, orphans among them: those in the cgroup,
    or, without one, those with `mark` in their environment. The kernel may take a moment to
    take them apart; a cgroup that cannot be removed even so is left to the caretaker.
    """
    cgroup = make()
    if isinstance(cgroup, Unavailable):
        with _marked(caretaker, mark):
            yield cgroup
        return
    if caretaker is not None:
        caretaker.made("cgroup", cgroup.folder)
    try:
        yield cgroup
    finally:
        if _removed(cgroup) and caretaker is not None:
            caretaker.gone(cgroup.folder)


@contextmanager
def _marked(caretaker: Caretaker | None, mark: str) -> Iterator[None]:
    if caretaker is not None:
        caretaker.made("mark", mark)
    try:
        yield
    finally:
        kill_marked(mark)
        if caretaker is not None:
            caretaker.gone(mark)


def _removed(cgroup: Cgroup) -> bool:
    ends_at = time.monotonic() + _PATIENCE_S
    while True:
        try:
            cgroup.kill_all()
            cgroup.remove()
        except OSError:
            if time.monotonic() > ends_at:
                return False
            time.sleep(0.002)
        else:
            return True
