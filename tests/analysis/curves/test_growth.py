from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from tests.analysis.rows import HIST, facts, sample, spec
from treebench.analysis.curves import growth
from treebench.analysis.curves.curve import curve_of
from treebench.analysis.overview import overview

if TYPE_CHECKING:
    from treebench.analysis.curves.curve import Curve
    from treebench.analysis.curves.families import Family
    from treebench.analysis.figures import NamedFigure


def blas_threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_curves_are_fitted_in_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """More threads only wait for one another at these sizes, and take the machine meanwhile."""
    cells = [spec("xgboost", HIST, rows=rows) for rows in (10_000, 20_000, 40_000, 80_000)]
    run = overview(facts(cells), [sample(cell, block) for cell in cells for block in range(2)])
    seen: list[set[int]] = []

    def watched(family: Family, figure: NamedFigure) -> Curve:
        seen.append(blas_threads())
        return curve_of(family, figure)

    monkeypatch.setattr(growth, "curve_of", watched)
    with threadpool_limits(2, user_api="blas"):
        assert growth.usual_growth(run).any_fitted
        after = blas_threads()
    assert seen
    assert set().union(*seen) == {1}
    assert after == {2}
