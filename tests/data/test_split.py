from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from treebench.data.making.split import held_out_mask, subset_mask

class_sizes = st.lists(st.integers(1, 60), min_size=1, max_size=6)
seeds = st.integers(0, 2**31 - 1)


def shuffled_labels(sizes: list[int], seed: int) -> np.ndarray:
    labels = np.repeat(np.arange(len(sizes), dtype=np.float32), sizes)
    return np.random.default_rng(seed).permutation(labels)


@given(class_sizes, st.floats(0.01, 0.99), seeds)
@settings(max_examples=150, deadline=None)
def test_the_test_part_has_its_share_of_each_class(
    sizes: list[int], share: float, seed: int
) -> None:
    labels = shuffled_labels([*sizes, 2], seed)
    rows, classes = len(labels), len(sizes) + 1

    mask = held_out_mask(labels, True, share, seed)

    wanted = min(max(round(share * rows), 1), rows - 1)
    assert mask.sum() == wanted
    for code, size in enumerate([*sizes, 2]):
        held_out = mask[labels == code].sum()
        assert abs(held_out - wanted * size / rows) <= 0.5 + classes * size / rows + 1e-9


@given(class_sizes, st.integers(1, 400), st.integers(1, 400), seeds)
@settings(max_examples=150, deadline=None)
def test_subsets_are_nested_and_in_proportion(
    sizes: list[int], one: int, other: int, seed: int
) -> None:
    labels = shuffled_labels(sizes, seed)
    rows = len(labels)
    small, large = sorted((min(one, rows), min(other, rows)))

    inner, outer = (subset_mask(labels, True, n, seed) for n in (small, large))

    assert (inner.sum(), outer.sum()) == (small, large)
    assert not (inner & ~outer).any()
    for code, size in enumerate(sizes):
        chosen = outer[labels == code].sum()
        assert abs(chosen - large * size / rows) <= 1 + len(sizes) * size / rows + 1e-9
        assert chosen >= 1 or large < len(sizes)


@given(st.integers(2, 300), st.floats(0.01, 0.99), seeds)
@settings(max_examples=80, deadline=None)
def test_without_classes_any_rows_are_drawn(rows: int, share: float, seed: int) -> None:
    labels = np.linspace(0, 1, rows, dtype=np.float32)

    mask = held_out_mask(labels, False, share, seed)

    assert mask.sum() == min(max(round(share * rows), 1), rows - 1)


def test_a_class_of_one_row_stays_in_training() -> None:
    labels = np.array([0] * 50 + [1] * 50 + [2], dtype=np.float32)

    assert not any(held_out_mask(labels, True, 0.2, seed)[-1] for seed in range(50))


def test_the_seed_alone_decides() -> None:
    labels = shuffled_labels([300, 100], 1)

    first, again, other = (held_out_mask(labels, True, 0.2, seed) for seed in (4, 4, 5))

    assert (first == again).all()
    assert (first != other).any()


def test_every_row_is_equally_likely_to_be_held_out() -> None:
    labels = np.zeros(40, dtype=np.float32)
    times = sum(held_out_mask(labels, True, 0.25, seed).astype(int) for seed in range(2_000))

    # 500 times each; five standard deviations of a binomial with p = 1/4 are 97.
    assert np.abs(np.asarray(times) - 500).max() < 97


def test_test_rows_and_subsets_are_drawn_apart() -> None:
    labels = np.zeros(1_000, dtype=np.float32)

    held_out = held_out_mask(labels, True, 0.5, 0)
    subset = subset_mask(labels, True, 500, 0)

    assert 200 < (held_out & subset).sum() < 300
