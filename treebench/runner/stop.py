"""SIGTERM is a wish to stop, like Ctrl-C: the worker is ended and the rows are kept."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def stop_on_sigterm() -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGTERM inside the context."""
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_signal: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt
