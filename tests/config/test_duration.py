"""Durations."""

import pytest

from treebench.config.duration import seconds


@pytest.mark.parametrize(
    ("text", "value"),
    [("90", 90), (90, 90), (1.5, 1.5), ("45s", 45), ("10m", 600), ("1.5h", 5400), ("2 min", 120)],
)
def test_durations(text: object, value: float) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize(
    "text", ["", "soon", "-3", "0", "0s", True, None, "1d", "1h30m", "nan", "inf"]
)
def test_what_is_no_duration(text: object) -> None:
    with pytest.raises(ValueError, match="a time above 0"):
        seconds(text)
