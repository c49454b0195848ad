"""How many nodes and leaves a tree can have at most, by its limits and its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treebench.trainers.parameters import Params

_DEEPEST_POWER = 40
_ROWS_PER_LEAF = 14


def most_leaves(params: Params, rows: float, hessian: float = 1.0) -> float:
    """Most leaves of a tree: by `max_leaves`, by 2^`max_depth`, one for each row, or for as many as
    `min_samples_leaf` and `min_child_weight` ask for, where a row weighs `hessian` at most."""
    limits = [rows / max(1, params.min_samples_leaf or 1)]
    if params.min_child_weight:
        limits.append(rows * hessian / params.min_child_weight)
    if params.max_leaves is not None:
        limits.append(params.max_leaves)
    if params.max_depth is not None:
        limits.append(2.0 ** min(params.max_depth, _DEEPEST_POWER))
    return max(1.0, min(limits))


def grown_leaves(params: Params, rows: float, outputs: int, hessian: float = 1.0) -> float:
    """Leaves that a tree is likely to have: all that `max_leaves` allows. Trees to a depth are
    seldom full: their leaves were seen to share the rows by 14 for each class."""
    most = most_leaves(params, rows, hessian)
    if params.max_leaves is not None:
        return most
    return min(most, max(2.0, rows / (_ROWS_PER_LEAF * outputs)))


def is_bounded(params: Params) -> bool:
    """Whether a limit on depth or leaves was stated: else rows alone limit a tree."""
    return params.max_leaves is not None or params.max_depth is not None


def split_nodes(params: Params, rows: float, hessian: float = 1.0) -> float:
    """Most nodes whose histogram is made to search a split: by levels all those above the last;
    best-first the root and both children of every split but the last."""
    leaves = most_leaves(params, rows, hessian)
    if params.max_leaves is None:
        return max(1.0, leaves - 1)
    return max(1.0, 2 * (leaves - 1) - 1)
