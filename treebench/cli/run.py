"""The verb `run`."""

from __future__ import annotations


def run() -> None:
    """Not here yet."""
