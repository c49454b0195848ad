"""What a trained XGBoost booster tells of itself: its configuration, and the trees it grew."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from treebench.trainers.grown import grown_from_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treebench.trainers.base import ModelShape

_LEFT_CHILDREN = re.compile(rb'"left_children":\[([^\]]*)\]')
_RIGHT_CHILDREN = re.compile(rb'"right_children":\[([^\]]*)\]')


def configuration(booster: Any) -> dict[str, Any]:
    """All that the booster keeps of its parameters, by XGBoost's names; values are text."""
    return dict(_leaves_of(json.loads(booster.save_config())["learner"]))


def shape_of(booster: Any) -> ModelShape:
    """Counted from the child arrays of the JSON model. Nodes that were pruned stay in those
    arrays, so each tree is walked from its root."""
    text = bytes(booster.save_raw("json"))
    lefts = _LEFT_CHILDREN.findall(text)
    rights = _RIGHT_CHILDREN.findall(text)
    return grown_from_nodes(
        (json.loads(b"[%b]" % left), json.loads(b"[%b]" % right))
        for left, right in zip(lefts, rights, strict=True)
    )


def _leaves_of(node: Any) -> Iterator[tuple[str, Any]]:
    """The scalars of a nested configuration by their own names; names are unique in XGBoost's,
    save for `name`, which says what a section is."""
    items = node.items() if isinstance(node, dict) else ()
    for name, value in items:
        if isinstance(value, dict):
            yield from _leaves_of(value)
        elif isinstance(value, list):
            for item in value:
                yield from _leaves_of(item)
        elif name != "name":
            yield name, value
