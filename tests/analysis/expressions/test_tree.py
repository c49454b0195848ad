"""Expressions as trees: what is read, and what is refused with its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treebench.analysis.expressions.tree import (
    Arithmetic,
    Expectation,
    ExponentOf,
    FigureOf,
    Number,
    leaves,
    read_expectation,
    read_term,
)
from treebench.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("3", Number(3)),
        ("-2.5", Arithmetic("-", Number(0), Number(2.5))),
        ("fit_time(hist)", FigureOf("fit_time", "hist")),
        ("score(auc, sklearn-forest)", FigureOf("score:auc", "sklearn-forest")),
        ("latency(1, p50, csr)", FigureOf("latency:1:p50", "csr")),
        (
            "misses_in(fit, EnumerateSplit, exact)",
            FigureOf("misses_in:fit:EnumerateSplit", "exact"),
        ),
        (
            'counter(fit, "D1-read-misses", "trainer=xgboost, rows<=80_000")',
            FigureOf("counter:fit:D1-read-misses", "trainer=xgboost, rows<=80_000"),
        ),
        ("exponent(fit_time, rows, hist)", ExponentOf("fit_time", "rows", "hist")),
        (
            "fit_time(a) / fit_time(b) + 1",
            Arithmetic(
                "+",
                Arithmetic("/", FigureOf("fit_time", "a"), FigureOf("fit_time", "b")),
                Number(1),
            ),
        ),
    ],
)
def test_a_term_is_read(text: str, tree: object) -> None:
    assert read_term(text) == tree


def test_an_expectation_is_read() -> None:
    assert read_expectation("fit_time(hist) < 0.3 * fit_time(exact)") == Expectation(
        FigureOf("fit_time", "hist"),
        "<",
        Arithmetic("*", Number(0.3), FigureOf("fit_time", "exact")),
    )


def test_leaves_come_from_left_to_right() -> None:
    term = read_term("fit_time(a) * 2 - exponent(fit_time, rows, b)")
    assert leaves(term) == [FigureOf("fit_time", "a"), ExponentOf("fit_time", "rows", "b")]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "cannot be read"),
        ("fit_time(", "cannot be read at character"),
        ("fit_time", "neither a number nor a figure of cells"),
        ("fit_time()", "of which cells"),
        ("speed(hist)", "'speed' is no figure"),
        ("score(hist)", "'score' is no figure"),
        ("fit_time(hist) ** 2", "neither a number nor a figure"),
        ("fit_time(hist, key=1)", "neither a number nor a figure"),
        ("fit_time([1])", "names nothing"),
        ("exponent(fit_time, hist)", "write exponent"),
        ("'text'", "neither a number nor a figure"),
        ("__import__('os').system('true')", "neither a number nor a figure"),
        ("(lambda: 1)()", "neither a number nor a figure"),
        ("1 + " * 400 + "1", "characters; 1,000 are allowed"),
    ],
)
def test_what_is_no_term_is_refused(text: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        read_term(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("fit_time(hist)", "compares nothing"),
        ("1 < fit_time(hist) < 2", "compares nothing"),
        ("fit_time(a) == fit_time(b)", "samples are never equal"),
    ],
)
def test_what_is_no_expectation_is_refused(text: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        read_expectation(text)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    refused = ""
    try:
        read_expectation(text)
    except ConfigError as error:
        refused = str(error)
    assert "\n" not in refused
