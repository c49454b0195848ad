"""Making a report without the collector of cycles."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for cycles of dead objects meanwhile.

    A report holds a few hundred thousand records, all of them until it is written, and the
    collector would walk through them again and again to find nothing: a quarter of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
