"""Figures by name: each is the sample's own value, or says why there is none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.analysis.rows import MIB, MS, latency, phase, row, sample, spec
from treebench.analysis.figures import FIGURES, figure_named
from treebench.analysis.sample import Missing
from treebench.errors import ConfigError
from treebench.store.row import ModelFigures

CELL = spec(rows=1000, features=10)
COUNTERS: dict[str, Any] = {
    "tier": "simulated",
    "phases": {"fit": {"D1-read-misses": 500_000.0, "LL-read-misses": None}},
    "missing": {"predict": "it was not simulated"},
    "reduced": {"rows": 500, "n_estimators": 5},
    "functions": {
        "fit": [
            {"function": "ColMaker::EnumerateSplit", "read_misses": 0.75},
            {"function": "Other::EnumerateSplit", "read_misses": 0.15},
            {"function": "memcpy", "read_misses": None},
        ]
    },
}
ROW = row(
    CELL,
    phases={
        "construct": phase(40 * MS, 100 * MIB, 150 * MIB, 140 * MIB, tree_peak_bytes=170 * MIB),
        "fit": phase(60 * MS, 140 * MIB, 190 * MIB, 150 * MIB, tree_peak_bytes=220 * MIB),
        "predict": phase(5 * MS, 150 * MIB, 400 * MIB, 150 * MIB, tree_peak_bytes=420 * MIB),
    },
    data_bytes=40_000,
    score={"auc": 0.75, "logloss": 0.5},
    model=ModelFigures(bytes=9000, n_trees=6, n_leaves=100, max_depth=4),
    latency=latency(),
    counters=COUNTERS,
)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fit_time", 60 * MS),
        ("construct_fit_time", 100 * MS),
        ("total_time", 105 * MS),
        ("fit_time_per_tree", 10 * MS),
        ("fit_growth", 50 * MIB),
        ("construct_fit_growth", 90 * MIB),
        ("peak_memory", 190 * MIB),
        ("tree_memory", 220 * MIB),
        ("data_size", 40_000),
        ("model_size", 9000),
        ("n_leaves", 100),
        ("score:auc", 0.75),
        ("counter:fit:D1-read-misses", 500_000),
        ("per_work:fit:D1-read-misses", 500_000 / (500 * 10 * 5)),
        ("misses_in:fit:EnumerateSplit", 0.9),
        ("latency:1:p50", 20_700),
    ],
)
def test_a_figure_is_the_samples_own(name: str, value: float) -> None:
    assert figure_named(name).of(ROW) == pytest.approx(value)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("load_time", "the phase load was not run"),
        ("summed_rss", "no reason was recorded"),
        ("score:rmse", "the sample has no such score"),
        ("counter:predict:D1-read-misses", "it was not simulated"),
        ("counter:fit:LL-read-misses", "LL-read-misses was not counted"),
        ("misses_in:predict:memcpy", "functions are known of simulated samples only"),
        ("latency:7:p50", "latency was not measured"),
    ],
)
def test_what_a_sample_does_not_have_has_a_reason(name: str, reason: str) -> None:
    found = figure_named(name).of(ROW)
    assert isinstance(found, Missing)
    assert reason in found.reason


def test_a_sample_that_was_only_timed_has_no_counts() -> None:
    for name in ("counter:fit:cycles", "per_work:fit:cycles", "misses_in:fit:x", "latency:1:p50"):
        bare = replace(ROW, counters=None, latency=None)
        assert isinstance(figure_named(name).of(bare), Missing)


@pytest.mark.parametrize(
    "name", ["time", "", "score:", "counter:fit", "counter:fit:a:b", "latency:100", "nothing:x"]
)
def test_an_unknown_name_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(ConfigError, match=r"is no figure; use: .*fit_time.*latency:BATCH:QUANTILE"):
        figure_named(name)


def test_every_figure_of_a_whole_sample_is_known_or_says_why() -> None:
    whole = sample(CELL, 0)
    for figure in FIGURES.values():
        value = figure.of(whole)
        assert isinstance(value, Missing) or value >= 0
        assert figure.meaning


def test_losses_are_worse_when_they_are_more() -> None:
    ways = {name: figure_named(f"score:{name}").worse for name in ("auc", "logloss", "rmse", "r2")}
    assert ways == {"auc": "less", "logloss": "more", "rmse": "more", "r2": "less"}


def test_the_page_names_every_figure_and_family() -> None:
    page = (Path(__file__).parents[2] / "docs" / "FIGURES.md").read_text(encoding="utf-8")
    for figure in FIGURES.values():
        assert f"| `{figure.name}` | " in page
        assert f"| {figure.meaning} |" in page
    with pytest.raises(ConfigError) as refused:
        figure_named("nothing")
    for family in str(refused.value).split(", ")[-6:]:
        assert f"| `{family}` |" in page
