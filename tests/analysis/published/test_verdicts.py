"""Agreement with what was published, on planted samples."""

from __future__ import annotations

from typing import Any

import pytest

from tests.analysis.published.tables import PUBLISHED, planted, preset, read
from treebench.analysis.expressions.evaluate import Value
from treebench.analysis.published.verdicts import (
    ComparedOutcome,
    OrderOutcome,
    _difference,
    judge_compared,
    judge_order,
    side_of,
)
from treebench.analysis.sample import Missing
from treebench.store.row import SampleRow


def compared(
    rows: list[SampleRow], beside: str = "Higgs", stated: dict[str, Any] | None = None, **more: Any
) -> ComparedOutcome:
    one = preset(**({"compares": [stated]} if stated else {}), **more)
    return judge_compared(one.compares[0], one, read(one, rows), PUBLISHED, beside)


def order(rows: list[SampleRow], figure: str, beside: str = "Higgs", **more: Any) -> OrderOutcome:
    columns = {name: name for name in ("exact", "hist", "lightgbm")}
    one = preset(orders=[{"figure": figure, "columns": columns}], **more)
    return judge_order(one.orders[0], one, read(one, rows), PUBLISHED.data[beside])


@pytest.mark.parametrize(
    ("fit_ms", "verdict"), [(80, "agrees"), (300, "differs"), (180, "cannot tell")]
)
def test_a_lead_agrees_by_its_whole_interval(fit_ms: float, verdict: str) -> None:
    """hist takes 200 ms in all; LightGBM takes 20 ms more than `fit_ms`."""
    outcome = compared(planted(noise=0.03, lightgbm={"fit_ms": fit_ms}))
    assert outcome.verdict == verdict
    assert isinstance(outcome.measured, Value)
    assert outcome.measured.point == pytest.approx(200 / (20 + fit_ms), rel=0.05)
    assert (outcome.why is None) == (verdict != "cannot tell")


def test_the_published_lead_is_that_of_the_clock() -> None:
    equal = compared(planted())
    assert (equal.published, equal.lowest, equal.highest) == (1.2, 1.2, 1.9)
    unequal = compared(planted(), clock="boosting", lead="as_published")
    assert (unequal.published, unequal.lowest, unequal.highest) == (1.3, 1.3, 2.0)
    assert isinstance(unequal.measured, Value)
    assert unequal.measured.point == pytest.approx(140 / 80, rel=0.03)
    assert compared(planted(), "Expo").published == 1.9


def test_memory_is_compared_as_a_ratio_and_unpublished_pairs_have_no_verdict() -> None:
    stated = {"name": "m", "figure": "memory", "first": "exact", "second": "lightgbm"}
    published = {**stated, "published": ["exact", "lightgbm"]}
    outcome = compared(planted(), stated=published)
    assert isinstance(outcome.measured, Value)
    assert (outcome.measured.point, outcome.published, outcome.verdict) == (4.0, 4.0, "agrees")
    assert compared(planted(), stated=stated).verdict is None
    # Of Expo no memory is published.
    nothing = compared(planted(), "Expo", stated=published)
    assert (nothing.published, nothing.lowest, nothing.verdict) == (None, 4.0, None)


@pytest.mark.parametrize(
    ("last", "verdict"), [(0.79, "agrees"), (0.8305, "differs"), (0.85, "differs")]
)
def test_scores_are_compared_as_differences(last: float, verdict: str) -> None:
    """Published: hist lies 0.04 above exact; here hist comes to 0.83."""
    stated = {"name": "s", "figure": "score", "first": "hist", "second": "exact"}
    rows = planted(exact={"aucs": [0.70, 0.75, last]})
    outcome = compared(rows, stated={**stated, "published": ["hist", "exact"]}, score="final")
    assert outcome.published == pytest.approx(0.04)
    assert outcome.verdict == verdict


def test_scores_that_were_the_same_agree_where_they_are_the_same() -> None:
    stated: dict[str, Any] = {"name": "s", "figure": "score", "first": "lightgbm"}
    stated |= {"second": "hist", "published": ["lightgbm", "hist"]}

    def with_highest(auc: float) -> str | None:
        rows = planted(lightgbm={"aucs": [0.7, auc, 0.83]})
        return compared(rows, stated=stated, score="best_on_test").verdict

    assert with_highest(0.8405) == "agrees"
    assert with_highest(0.86) == "differs"


def test_a_difference_of_scores_lies_between_the_furthest_ends_of_both() -> None:
    first, second = Value(0.84, 0.83, 0.86), Value(0.80, 0.795, 0.81)
    found = _difference(first, second)
    assert isinstance(found, Value)
    assert [found.point, found.low, found.high] == pytest.approx([0.04, 0.02, 0.065])


def test_a_difference_is_as_little_known_as_either_of_its_scores() -> None:
    whole, few = Value(0.84, 0.83, 0.86), Value(0.80, None, None, "too few samples")
    for first, second in ((whole, few), (few, whole)):
        found = _difference(first, second)
        assert isinstance(found, Value)
        assert found.point == pytest.approx(first.point - second.point)
        assert (found.low, found.high, found.why_no_interval) == (None, None, "too few samples")
    missing = Missing("it was not measured")
    assert _difference(missing, whole) is _difference(whole, missing) is missing


@pytest.mark.parametrize(
    ("low", "high", "side"),
    [
        (1.1, 1.2, "more"),
        (0.5, 0.9, "less"),
        (0.9, 1.1, None),
        (None, None, None),
        (1.0, 1.0, "same"),
    ],
)
def test_the_side_of_a_ratio(low: float | None, high: float | None, side: str | None) -> None:
    assert side_of(Value(1.0, low, high), "time") == side


@pytest.mark.parametrize(
    ("low", "high", "side"),
    [
        (0.002, 0.003, "more"),
        (-0.003, -0.002, "less"),
        (-0.0005, 0.0005, "same"),
        (0.0005, 0.002, None),
    ],
)
def test_the_side_of_a_difference_of_scores(low: float, high: float, side: str | None) -> None:
    assert side_of(Value(0.0, low, high), "score") == side


def test_an_order_agrees_pair_by_pair() -> None:
    outcome = order(planted(), "time")
    assert outcome.measured == outcome.published == ("lightgbm", "hist", "exact")
    assert (outcome.verdict, outcome.why) == ("agrees", None)
    memory = order(planted(), "memory")
    assert memory.published == ("lightgbm", "exact", "hist")
    assert memory.measured == ("lightgbm", "hist", "exact")
    assert (memory.verdict, memory.why) == ("differs", "the other way round: exact and hist")


def test_an_order_within_the_noise_is_open() -> None:
    outcome = order(planted(noise=0.05, hist={"construct_ms": 20, "fit_ms": 80}), "time")
    assert outcome.verdict == "cannot tell"
    assert outcome.why == "open: lightgbm and hist"


def test_scores_published_as_the_same_have_no_order() -> None:
    """hist and LightGBM lie within 0.001 as published: only exact's place is judged."""
    outcome = order(planted(), "score", score="final")
    assert outcome.published == ("lightgbm", "hist", "exact")
    assert outcome.verdict == "agrees"
    turned = order(planted(lightgbm={"aucs": [0.7, 0.8, 0.82]}), "score", score="final")
    assert (turned.measured[0], turned.verdict) == ("hist", "agrees")


def test_a_column_that_was_not_measured_is_in_no_order() -> None:
    rows = [one for one in planted() if one.spec["params"].get("method") != "exact"]
    outcome = order(rows, "time")
    assert outcome.published == outcome.measured == ("lightgbm", "hist")
    assert outcome.verdict == "agrees"
    alone = [one for one in rows if one.spec["trainer"] == "lightgbm"]
    assert order(alone, "time").why == "fewer than two have a figure"
    missing = compared(alone)
    assert (missing.verdict, isinstance(missing.measured, Missing)) == ("cannot tell", True)


def test_two_samples_are_no_verdict() -> None:
    outcome = compared(planted(2))
    assert (outcome.verdict, outcome.why) == ("cannot tell", "it needs 3 samples of each cell")
