"""Capacity: how many leaves a tree may have, so that libraries are compared at equal size.

A limit on depth alone means at most 2^depth leaves everywhere; LightGBM must be told so, since
`max_depth=10` leaves it at its default of 31 leaves (LightGBM#2898). A limit on leaves alone
means best-first growth without a limit on depth everywhere, save where a library has no such
limit (XGBoost's exact method), and there the shallowest depth that has room for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treebench.trainers.parameters import Params, Value

BOOSTED_MAX_DEPTH = 6
"""The limit of boosted trees for which none was stated: XGBoost's own default."""


def boosted_default(params: Params) -> dict[str, Value]:
    """The limit a booster gets when neither depth nor leaves are stated; else nothing."""
    if params.max_depth is None and params.max_leaves is None:
        return {"max_depth": BOOSTED_MAX_DEPTH}
    return {}


def leaves_at_depth(max_depth: int) -> int:
    """Most leaves of a binary tree of this depth."""
    return 1 << max_depth


def depth_for_leaves(max_leaves: int) -> int:
    """The shallowest depth with room for so many leaves: ceil(log2(max_leaves))."""
    return (max_leaves - 1).bit_length()


def depth_alone(params: Params) -> int | None:
    """The depth limit of a library that can limit nothing else; None where none was stated."""
    depths = [] if params.max_depth is None else [params.max_depth]
    if params.max_leaves is not None:
        depths.append(depth_for_leaves(params.max_leaves))
    return min(depths, default=None)


def depth_alone_note(params: Params) -> str | None:
    """How a limit on leaves was turned into one on depth, where it does not say the same."""
    if params.max_leaves is None:
        return None
    depth = depth_alone(params)
    if depth is None or (room := leaves_at_depth(depth)) == params.max_leaves:
        return None
    return (
        f"there is no max_leaves here: max_depth={depth} instead, so {room:,} leaves at most "
        f"for the {params.max_leaves:,} asked for"
    )


def unlimited_note(params: Params) -> str | None:
    """Says that trees grow until their leaves are pure, where no limit was stated."""
    if params.max_depth is None and params.max_leaves is None:
        return "trees grow until their leaves are pure, as is the custom: no limit was stated"
    return None
