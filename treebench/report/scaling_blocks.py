"""How cost grows, in a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.report import scaling_text as words
from treebench.report.blocks import Heading, items, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treebench.analysis.curves.growth import AxisCurves, Growth
    from treebench.report.blocks import Block


def scaling_blocks(grown: Growth) -> list[Block]:
    """Tables and sentences; nothing where no axis has sizes enough for a curve."""
    if not grown.any_fitted:
        return []
    blocks = [block for one in grown.along for block in _of_axis(one)]
    for figure, every in grown.together:
        blocks += [
            Heading(f"{figure.name} over several axes at once, without a fixed part"),
            table(
                words.TOGETHER_TITLES,
                words.together_rows(every),
                [False, True, False, True],
                "scaling-together",
                figure.name,
            ),
        ]
    said = [*words.theory_sentences(grown.along), *words.reading(grown.along)]
    return [*blocks, *items(said)]


def _of_axis(one: AxisCurves) -> Iterator[Block]:
    for place in one.places:
        yield Heading(f"{place}: {words.heading(one)}")
        right = [False] * len(words.TITLES)
        where = f"{place}, {one.figure.name} against {one.axis}"
        yield table(words.TITLES, words.rows(one.of(place)), right, "scaling", where)
    yield from items(words.sentences(one))
