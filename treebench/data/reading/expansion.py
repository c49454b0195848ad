"""Where the columns of a matrix go when categories become columns of their own.

Columns stay in place: a categorical column becomes as many neighbouring columns as it has codes,
in the order of the codes, and numeric columns keep their order around them. `plan` asks here for
the width, so nothing heavy is imported.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Expansion:
    """Where each column goes: `starts[j]` is the first output column of input column j.

    `starts` has one item more than there are input columns; the last is the output's width.
    `cardinalities` maps the position of each categorical column to its number of codes.
    """

    starts: tuple[int, ...]
    cardinalities: dict[int, int]

    @property
    def width(self) -> int:
        """Number of columns after the expansion."""
        return self.starts[-1]


def width(n_features: int, cardinalities: dict[int, int]) -> int:
    """Number of columns that `one_hot` makes of `n_features` columns."""
    return n_features - len(cardinalities) + sum(cardinalities.values())


def expansion(n_features: int, cardinalities: dict[int, int]) -> Expansion:
    """Where the columns of a matrix of `n_features` go."""
    starts = [0]
    for position in range(n_features):
        starts.append(starts[-1] + cardinalities.get(position, 1))
    return Expansion(tuple(starts), cardinalities)
