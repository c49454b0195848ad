"""What is left of a sweep."""

from treebench.runner.estimate import Estimate


def test_nothing_seen_nothing_claimed() -> None:
    assert Estimate().remaining_s(["a"]) is None


def test_seen_cells_cost_what_they_cost_and_others_the_average() -> None:
    estimate = Estimate()
    estimate.saw("a", 1.0)
    estimate.saw("a", 3.0)
    estimate.saw("b", 6.0)
    assert estimate.remaining_s(["a", "b", "new"]) == 2.0 + 6.0 + 4.0
    assert estimate.remaining_s([]) == 0.0
