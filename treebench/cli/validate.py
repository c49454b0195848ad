"""The verb `validate`."""

from __future__ import annotations


def validate() -> None:
    """Not here yet."""
