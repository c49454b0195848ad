"""The verb `plan`."""

from __future__ import annotations


def plan() -> None:
    """Not here yet."""
