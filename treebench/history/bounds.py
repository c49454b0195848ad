"""What a change must exceed to be worth a word in the morning."""

from __future__ import annotations

from treebench.analysis.comparing.rules import Rules

NIGHTLY = Rules(bands={"time": 0.03, "memory": 0.03})
"""The bands of `compare`, save that of times: of a slowdown by 5 %, a band of 5 % would pass over
one in two, since it is measured as a little more or a little less. Interleaved samples allow for
less."""
