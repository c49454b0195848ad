"""What a worker says of an error."""

from __future__ import annotations

from typing import Any

import pytest

from treebench.worker.__main__ import _told


class RemoteTraceback(Exception):  # noqa: N818 - the pools' own name
    """As those of pools: a traceback's text."""


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


HIDDEN = RemoteTraceback(
    '\n"""\nTraceback (most recent call last):\n  File "a"\nOSError: No space left on device\n"""'
)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("plain"), "plain"),
        (caused(ValueError("plain"), KeyError("how it came about")), "plain"),
        (
            caused(ValueError("No pickling."), HIDDEN),
            "No pickling: OSError: No space left on device",
        ),
        (caused(OSError("No space left on device"), HIDDEN), "No space left on device"),
        (caused(ValueError("No pickling."), RemoteTraceback()), "No pickling."),
    ],
)
def test_the_error_that_another_hides_is_told(error: Any, told: str) -> None:
    assert _told(error) == told
