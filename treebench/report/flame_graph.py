"""A flame graph: one SVG that a browser opens by itself, without a network.

Each box is a function; those it called stand on it; its width is its share of all that was
sampled. The form is Brendan Gregg's (The Flame Graph, CACM 59(6), 2016): the order from left to
right is the alphabet's, not time's. Everything can be read without the script, which adds zoom
and search.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from treebench.report.flame_script import SCRIPT, STYLE
from treebench.report.palette import FAINT, INK, OKABE_ITO

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

WIDTH = 1200
_MARGIN, _ROW, _FONT, _LETTER = 10, 18, 12, 7.25
_LEAST_WIDTH = 0.3
_LINE, _TITLE = 17, 17
_GREY, _PALE = "#BBBBBB", 0.45
_IN_BRACKETS = re.compile(r"(?:^| )\[([^\[\]]+)\]$")


@dataclass(frozen=True)
class Caption:
    """What stands above a flame graph: its title, lines below it, and what a width counts
    (`samples`)."""

    title: str
    lines: Sequence[str]
    unit: str


@dataclass
class _Node:
    """A box: its weight is its own and all of those on it."""

    weight: int = 0
    calls: dict[str, _Node] = field(default_factory=dict)


@dataclass(frozen=True)
class _Box:
    """Where a node stands: `start` in weight from the left, `level` from the root."""

    frame: str
    start: int
    weight: int
    level: int


def flame_graph(stacks: Mapping[tuple[str, ...], int], caption: Caption) -> str:
    """The SVG of stacks (outermost frame first) and their weights.

    A frame is `name [library]`; those of one library have one colour. Boxes under 0.3 pixels are
    left out.

    Raises:
        ValueError: there is no weight to draw.
    """
    root = _tree(stacks)
    if root.weight <= 0:
        raise ValueError("a flame graph needs at least one sample")
    scale = (WIDTH - 2 * _MARGIN) / root.weight
    boxes = [box for box in _boxes("all", root, 0, 0) if box.weight * scale >= _LEAST_WIDTH]
    colours = _colours(boxes)
    top = _MARGIN + _TITLE + _LINE * (len(caption.lines) + 2)
    height = top + _ROW * (1 + max(box.level for box in boxes)) + _MARGIN
    drawn = [_drawn(box, root.weight, scale, height, caption.unit, colours) for box in boxes]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="monospace" font-size="{_FONT}">',
        f"<title>{_text(caption.title)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect width="{WIDTH}" height="{height}" fill="#FFFFFF"/>',
        *_head(caption),
        *_legend(colours, top - _LINE),
        f'<g id="boxes" data-total="{root.weight}" data-left="{_MARGIN}" '
        f'data-width="{WIDTH - 2 * _MARGIN}" data-letter="{_LETTER}">',
        *drawn,
        "</g>",
        f"<script><![CDATA[{SCRIPT}]]></script>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _tree(stacks: Mapping[tuple[str, ...], int]) -> _Node:
    root = _Node()
    for stack, weight in stacks.items():
        node = root
        node.weight += weight
        for frame in stack:
            node = node.calls.setdefault(frame, _Node())
            node.weight += weight
    return root


def _boxes(frame: str, node: _Node, start: int, level: int) -> Iterator[_Box]:
    """A node and those on it. A stack is as deep as the program's; recursion here would be too."""
    waiting = [(frame, node, start, level)]
    while waiting:
        frame, node, start, level = waiting.pop()
        yield _Box(frame, start, node.weight, level)
        for name in sorted(node.calls):
            waiting.append((name, node.calls[name], start, level + 1))
            start += node.calls[name].weight


def _library(frame: str) -> str:
    """`libx.so` of `f [libx.so]` and of `[libx.so]`; empty for what has none."""
    match = _IN_BRACKETS.search(frame)
    return match[1] if match else ""


def _colours(boxes: Sequence[_Box]) -> dict[str, str]:
    """A colour for each library, the widest first; what has none, and the interpreter, is grey.
    Beyond the palette's colours all are grey, as the legend says."""
    widths: dict[str, int] = {}
    for box in boxes:
        library = _library(box.frame)
        if _has_colour(library):
            widths[library] = widths.get(library, 0) + box.weight
    ordered = sorted(widths, key=lambda library: (-widths[library], library))
    usable = [colour for colour in OKABE_ITO if colour != "#000000"]
    return dict(zip(ordered, usable, strict=False))


def _has_colour(library: str) -> bool:
    return bool(library) and library not in {"libpython", "treebench", "unknown", "stack cut short"}


def _drawn(
    box: _Box, total: int, scale: float, height: int, unit: str, colours: Mapping[str, str]
) -> str:
    x, width = _MARGIN + box.start * scale, box.weight * scale
    y = height - _MARGIN - _ROW * (box.level + 1)
    fill = colours.get(_library(box.frame), _GREY)
    share = 100 * box.weight / total
    tooltip = f"{box.frame}: {share:.3g} %, {box.weight:,} {unit}"
    return (
        f"<g data-s={quoteattr(str(box.start))} data-w={quoteattr(str(box.weight))} "
        f"data-n={quoteattr(_clean(_label(box.frame)))}>"
        f"<title>{_text(tooltip)}</title>"
        f'<rect x="{x:.2f}" y="{y}" width="{width:.2f}" height="{_ROW - 1}" fill="{fill}" '
        f'fill-opacity="{_PALE}"/>'
        f'<text x="{x + 3:.2f}" y="{y + 13}" fill="{INK}">{_text(_fitted(box, width))}</text></g>'
    )


def _label(frame: str) -> str:
    """A box's own words: the library is told by its colour."""
    name, _, library = frame.rpartition(" [")
    return name if library.endswith("]") and name else frame


def _fitted(box: _Box, width: float) -> str:
    label, letters = _label(box.frame), int((width - 6) / _LETTER)
    if letters >= len(label):
        return label
    return label[: letters - 1] + "\u2026" if letters >= 3 else ""


def _head(caption: Caption) -> Iterator[str]:
    yield (
        f'<text x="{_MARGIN}" y="{_MARGIN + _FONT}" font-size="15" font-weight="bold" '
        f'fill="{INK}">{_text(caption.title)}</text>'
    )
    for number, line in enumerate(caption.lines, 1):
        y = _MARGIN + _TITLE + _LINE * number
        yield f'<text x="{_MARGIN}" y="{y}" fill="{FAINT}">{_text(line)}</text>'


def _legend(colours: Mapping[str, str], y: int) -> Iterator[str]:
    """Names of the libraries by colour, as far as they fit beside the search."""
    x = float(_MARGIN)
    for library, colour in [*colours.items(), ("other", _GREY)]:
        if x + _LETTER * len(library) + 16 > WIDTH - 300:
            return
        yield (
            f'<rect x="{x:.2f}" y="{y - 10}" width="11" height="11" fill="{colour}" '
            f'fill-opacity="{_PALE}" stroke="{colour}"/>'
            f'<text x="{x + 16:.2f}" y="{y}" fill="{INK}">{_text(library)}</text>'
        )
        x += 16 + _LETTER * len(library) + 18
    yield (
        f'<foreignObject id="tools" x="{WIDTH - 290}" y="{y - 15}" width="280" height="24" '
        f'visibility="hidden"/>'
    )


def _text(words: str) -> str:
    return escape(_clean(words))


def _clean(words: str) -> str:
    """Without the control characters that XML cannot hold, escaped or not."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in words)
