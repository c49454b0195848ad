"""Counting what was grown, from the child arrays in which libraries write their trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.trainers.base import ModelShape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def grown_from_nodes(trees: Iterable[tuple[Sequence[int], Sequence[int]]]) -> ModelShape:
    """The shape of trees given as (left children, right children), indexed by node.

    Node 0 is the root. A node whose left child is negative is a leaf (XGBoost's writing).
    """
    n_trees = n_leaves = max_depth = 0
    for left, right in trees:
        n_trees += 1
        waiting = [(0, 0)]
        while waiting:
            node, depth = waiting.pop()
            child = left[node]
            if child < 0:
                n_leaves += 1
                max_depth = max(max_depth, depth)
            else:
                waiting += ((child, depth + 1), (right[node], depth + 1))
    return ModelShape(n_trees, n_leaves, max_depth)


def grown_from_splits(trees: Iterable[tuple[Sequence[int], Sequence[int]]]) -> ModelShape:
    """The shape of trees given as (left children, right children), indexed by split.

    Split 0 is the root, a negative child is a leaf, and a tree without splits is a single leaf
    (LightGBM's writing).
    """
    n_trees = n_leaves = max_depth = 0
    for left, right in trees:
        n_trees += 1
        n_leaves += len(left) + 1
        waiting = [(0, 1)] if left else []
        while waiting:
            split, depth = waiting.pop()
            max_depth = max(max_depth, depth)
            waiting += [(child, depth + 1) for child in (left[split], right[split]) if child >= 0]
    return ModelShape(n_trees, n_leaves, max_depth)
