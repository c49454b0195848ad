"""How cost grows, on the report's page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.report import scaling_text as words
from treebench.report.markdown_table import bullets, escaped, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treebench.analysis.curves.growth import AxisCurves, Growth


def scaling_blocks(grown: Growth) -> list[str]:
    """Tables and sentences; nothing where no axis has sizes enough for a curve."""
    if not grown.any_fitted:
        return []
    blocks = [block for one in grown.along for block in _of_axis(one)]
    for figure, every in grown.together:
        blocks += [
            f"### {escaped(figure.name)} over several axes at once, without a fixed part",
            table(words.TOGETHER_TITLES, words.together_rows(every), [False, True, False, True]),
        ]
    said = [*words.theory_sentences(grown.along), *words.reading(grown.along)]
    return [*blocks, *bullets(said)]


def _of_axis(one: AxisCurves) -> Iterator[str]:
    for place in one.places:
        yield f"### {escaped(place)}: {escaped(words.heading(one))}"
        yield table(words.TITLES, words.rows(one.of(place)), [False] * len(words.TITLES))
    yield from bullets(words.sentences(one))
