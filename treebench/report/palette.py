"""Colours, shapes and dashes: one look for a series in every picture of a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.store.row import PHASES

if TYPE_CHECKING:
    from collections.abc import Sequence

OKABE_ITO = (
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
    "#000000",
    "#8C7B00",
)
"""Okabe and Ito's colours, told apart with any colour vision (jfly.uni-koeln.de/color, 2008), in
their order; black is moved behind the others, as axes are black, and yellow is darkened, as it
cannot be seen on white."""

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
"""One fewer than the colours, so that a pair of colour and shape comes again only after 56."""

DASHES = {"dense-c": [1, 0], "dense-f": [8, 3], "csr": [2, 2], "csc": [6, 2, 1, 2]}
"""How the line of each layout is drawn."""

PHASE_COLOURS = dict(
    zip(
        PHASES,
        ("#BBBBBB", "#999999", "#777777", "#56B4E9", "#0072B2", "#E69F00", "#CC79A7"),
        strict=True,
    )
)
"""Greys for what comes before the library's own work."""

PART_COLOURS = {"data": "#999999", "container": "#56B4E9", "fit": "#0072B2"}
INK = "#333333"
FAINT = "#777777"


@dataclass(frozen=True)
class Look:
    """The series of one picture, and their colours and shapes in all pictures of the report."""

    labels: tuple[str, ...]
    numbers: dict[str, int]

    @property
    def colours(self) -> list[str]:
        """A colour for each label."""
        return [OKABE_ITO[self.numbers[label] % len(OKABE_ITO)] for label in self.labels]

    @property
    def shapes(self) -> list[str]:
        """A shape for each label."""
        return [SHAPES[self.numbers[label] % len(SHAPES)] for label in self.labels]

    def only(self, labels: Sequence[str]) -> Look:
        """The same looks for these series alone, so that a legend names no absent one."""
        return Look(tuple(dict.fromkeys(labels)), self.numbers)


def look_of(labels: Sequence[str]) -> Look:
    """The look of these series; repeated labels count once."""
    unique = tuple(dict.fromkeys(labels))
    return Look(unique, {label: number for number, label in enumerate(unique)})


DARK = {
    "white": "#1b1d22",
    INK: "#e4e4e4",
    FAINT: "#a8a8a8",
    "#444444": "#cfcfcf",
    "#E6E6E6": "#363a42",
    "#E3E3E3": "#4a505b",
    "#000000": "#f5f5f5",
    "#8C7B00": "#c9b41e",
}
"""What each colour of a picture becomes on a dark page; others can be seen on both."""
