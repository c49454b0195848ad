"""The verb `report`."""

from __future__ import annotations


def report() -> None:
    """Not here yet."""
