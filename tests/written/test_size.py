"""Sizes as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treebench.written.size import size_bytes, spelled


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("2GiB", 2 * 2**30),
        ("1.5 GiB", 3 * 2**29),
        ("1TiB", 2**40),
        ("512MiB", 2**29),
        ("20000KiB", 20_000 * 1024),
        ("2GB", 2 * 10**9),
        ("500MB", 500 * 10**6),
        ("20000kB", 20_000_000),
        (2**30, 2**30),
        ("1073741824B", 2**30),
    ],
)
def test_every_unit(text: object, amount: int) -> None:
    assert size_bytes(text) == amount


@pytest.mark.parametrize("text", ["2G", "2gib", "GiB", "-2GiB", "1e9", True, None, [], "2 GiB x"])
def test_what_is_no_size(text: object) -> None:
    with pytest.raises(ValueError, match="with its unit"):
        size_bytes(text)


@pytest.mark.parametrize("text", [2, "15MiB", "0GiB", "9999999GiB"])
def test_a_size_that_cannot_be_meant(text: object) -> None:
    with pytest.raises(ValueError, match="at least 16MiB"):
        size_bytes(text)


@given(st.integers(16 * 2**20, 2**50))
def test_what_is_spelled_is_read_back(amount: int) -> None:
    assert size_bytes(spelled(amount)) == amount


def test_the_spelling_is_the_one_people_write() -> None:
    spellings = [spelled(amount) for amount in (2 * 2**30, 3 * 2**29, 5 * 10**8, 2**29)]
    assert spellings == ["2GiB", "1.5GiB", "500MB", "512MiB"]
