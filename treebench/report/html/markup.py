"""HTML from parts, every string escaped unless it is markup already."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_ENDS_SCRIPT = re.compile(r"<(?=/script|!--|script)", re.IGNORECASE)
_VOID = ("input", "meta")


class Markup(str):
    """Text that is HTML and is not escaped again."""

    __slots__ = ()


def text(value: object) -> Markup:
    """A string as HTML that shows it, in an attribute too; control characters are spelt out."""
    shown = _CONTROL.sub(lambda found: ascii(found[0])[1:-1], str(value))
    return Markup(html.escape(shown, quote=True))


def element(tag: str, *inside: object, **attributes: object) -> Markup:
    """An element. `class_` and `for_` lose their underscore and others become hyphens; an
    attribute that is None is left out, and True has no value."""
    written = "".join(_attribute(name, value) for name, value in attributes.items())
    if tag in _VOID:
        return Markup(f"<{tag}{written}>")
    return Markup(f"<{tag}{written}>{joined(inside)}</{tag}>")


def joined(parts: Iterable[object]) -> Markup:
    """Parts one after another; those that are no markup are escaped."""
    return Markup("".join(each if isinstance(each, Markup) else text(each) for each in parts))


def data(value: Any, name: str) -> Markup:
    """A value as JSON in the page, where no text in it can end the element: every `<` is
    written as its code."""
    written = json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return Markup(f'<script type="application/json" id="{text(name)}">{written}</script>')


def script(source: str) -> tuple[Markup, str]:
    """A script and the hash by which the page's own policy lets it run."""
    # In the strings and expressions of JavaScript `\\x3c` is the same letter.
    held = _ENDS_SCRIPT.sub(r"\\x3c", source)
    return Markup(f"<script>{held}</script>"), _hash(held)


def style(source: str) -> tuple[Markup, str]:
    """A style sheet and its hash."""
    return Markup(f"<style>{source}</style>"), _hash(source)


def _hash(source: str) -> str:
    digest = hashlib.sha256(source.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    written = name.rstrip("_").replace("_", "-")
    return f" {written}" if value is True else f' {written}="{text(value)}"'
