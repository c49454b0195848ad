"""The verb `show`."""

from __future__ import annotations


def show() -> None:
    """Not here yet."""
