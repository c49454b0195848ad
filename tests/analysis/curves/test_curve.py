"""Curves through runs whose truth is known."""

from __future__ import annotations

import dataclasses

import pytest

from tests.analysis.curves.growing import (
    MS,
    SIZES,
    grown_rows,
    grown_run,
    hist,
    lightgbm,
    only_curve,
    stepped,
)
from tests.analysis.rows import EXACT, facts, failed, phase, row, spec
from treebench.analysis.curves.curve import NoCurveThereError, curves, foretold, is_too_far
from treebench.analysis.curves.peaks import several_peaks
from treebench.analysis.figures import figure_named
from treebench.analysis.overview import overview
from treebench.analysis.scaling.extrapolation import TooFarError
from treebench.errors import ExitCode

BEYOND = (12_500, 25_000, 50_000, 100_000, 200_000, 400_000, 800_000, 1_600_000)


def test_an_exponent_and_a_fixed_part_are_found() -> None:
    run = grown_run(map(hist, SIZES), lambda cell: 100 * MS + 2000 * cell.rows**1.0)
    curve = only_curve(run)
    band = curve.last.band
    assert band is not None
    assert band.low < 1.0 < band.high
    assert curve.last.exponent == pytest.approx(1.0, abs=0.1)
    assert curve.last.fit is not None
    assert curve.last.fit.a == pytest.approx(100 * MS, rel=0.25)
    assert curve.verdict == "as expected"
    assert "n" in [each.shape for each in curve.shapes if each.allowed]
    assert curve.held_out is not None
    assert abs(curve.held_out.relative_error) < 0.15
    assert (curve.change, curve.problem, curve.cautions) == (None, None, ())


@pytest.mark.parametrize(("power", "said"), [(1.6, "steeper"), (0.5, "gentler")])
def test_what_lies_beside_theory_is_said(power: float, said: str) -> None:
    run = grown_run(map(hist, SIZES), lambda cell: 1000 * cell.rows**power)
    assert only_curve(run).verdict == said


def test_a_level_figure_is_level_and_gentler_than_linear() -> None:
    curve = only_curve(grown_run(map(hist, SIZES), lambda _: 50 * MS, noise=0.0))
    assert curve.last.exponent is None
    assert curve.last.band is None
    assert curve.verdict == "gentler"


def test_without_theory_there_is_no_verdict() -> None:
    cells = [hist(learning_rate=rate) for rate in (0.05, 0.1, 0.2, 0.4)]
    run = grown_run(cells, lambda cell: 1000 * MS / cell.params["learning_rate"])
    curve = only_curve(run, "learning_rate")
    assert curve.expected is None
    assert curve.verdict is None
    assert curve.last.exponent == pytest.approx(-1, abs=0.3)


def test_a_change_at_a_known_step_has_its_name_and_both_exponents() -> None:
    curve = only_curve(grown_run(map(lightgbm, BEYOND), lambda cell: stepped(cell.rows)))
    assert curve.change is not None
    assert (curve.change.after, curve.change.before) == (200_000, 400_000)
    assert curve.step is not None
    assert "LightGBM finds bins on 200,000 rows" in curve.step.what
    first, last = curve.segments
    assert first.exponent == pytest.approx(1.0, abs=0.15)
    assert last.exponent == pytest.approx(0.5, abs=0.2)
    assert curve.held_out is None, "three sizes are beyond the break, and one more is needed"


def test_the_same_change_in_another_library_is_unexplained() -> None:
    cells = [spec("xgboost", EXACT, rows=rows) for rows in BEYOND]
    curve = only_curve(grown_run(cells, lambda cell: stepped(cell.rows)))
    assert curve.change is not None
    assert (curve.step, curve.suspect) == (None, None)


def test_a_change_elsewhere_on_sparse_data_has_a_suspect() -> None:
    cells = [lightgbm(rows, layout="csr") for rows in BEYOND]
    curve = only_curve(grown_run(cells, lambda cell: stepped(cell.rows, at=100_000)))
    assert curve.change is not None
    assert curve.step is None
    assert "bundling" in str(curve.suspect)


def test_a_step_with_too_few_sizes_beyond_is_said_to_be_beyond_telling() -> None:
    run = grown_run(map(lightgbm, SIZES), lambda cell: 2000.0 * cell.rows)
    (said,) = only_curve(run).cautions
    assert said.startswith("1 of 6 sizes lies beyond rows 200,000, where LightGBM finds bins")


@pytest.mark.parametrize(("sizes", "has"), [(SIZES[:2], "2 sizes"), (SIZES[:0], None)])
def test_too_few_sizes_are_a_problem_with_its_remedy(
    sizes: tuple[int, ...], has: str | None
) -> None:
    run = grown_run(map(hist, sizes), lambda cell: 2000.0 * cell.rows)
    found = curves(run, "rows", figure_named("fit_time"))
    if has is None:
        assert found == []
        return
    assert found[0].problem == "2 sizes with samples; a curve needs 3: measure 1 more"
    assert not found[0].is_fitted
    with pytest.raises(NoCurveThereError, match="no curve was fitted"):
        foretold(found[0], 40_000)


def test_three_sizes_have_a_curve_and_no_verdict() -> None:
    curve = only_curve(grown_run(map(hist, SIZES[:3]), lambda cell: 1000 * cell.rows**1.6))
    assert curve.last.exponent is not None
    assert curve.verdict is None
    assert curve.cautions[0].startswith("3 sizes or fewer at the end")


def test_a_size_that_failed_is_left_out_with_its_reason() -> None:
    cells = [hist(rows) for rows in SIZES]
    rows = grown_rows(cells[:-1], lambda cell: 2000.0 * cell.rows)
    rows += [failed(cells[-1], 0, "oom", "killed")]
    curve = only_curve(overview(facts(cells), rows))
    assert curve.cautions[0] == "rows 320,000 is left out: no sample ended well"
    assert curve.last.high == 160_000


def test_a_size_that_was_never_taken_is_not_called_failed() -> None:
    cells = [hist(rows) for rows in SIZES]
    rows = grown_rows(cells[:-1], lambda cell: 2000.0 * cell.rows)
    curve = only_curve(overview(facts(cells), rows))
    assert curve.cautions[0] == "rows 320,000 is left out: no sample of it was taken"


def test_a_size_with_a_zero_is_left_out_whole() -> None:
    cells = [hist(rows) for rows in SIZES]
    rows = grown_rows(cells, lambda cell: 2000.0 * cell.rows)
    fit = dataclasses.replace(rows[0].phases["fit"], peak_rss_bytes=200 * 2**20)
    rows[0] = dataclasses.replace(rows[0], phases={"fit": fit})
    curve = only_curve(overview(facts(cells), rows), figure="fit_growth")
    assert "rows 10,000 is left out: a value that is not above 0" in curve.cautions[0]
    assert min(curve.family.sizes) == 20_000


def test_a_prediction_holds_to_four_times_and_further_only_when_asked() -> None:
    curve = only_curve(grown_run(map(hist, SIZES), lambda cell: 2000.0 * cell.rows))
    value, band = foretold(curve, 1_280_000)
    assert value == pytest.approx(2000 * 1_280_000, rel=0.1)
    assert band.low <= value <= band.high
    assert band.low < 2000 * 1_280_000 < band.high
    assert is_too_far(curve, 1_280_001)
    with pytest.raises(TooFarError, match="--far") as refused:
        foretold(curve, 3_200_000)
    assert refused.value.exit_code == ExitCode.USAGE
    value, _ = foretold(curve, 3_200_000, far=True)
    assert value == pytest.approx(2000 * 3_200_000, rel=0.15)


def test_an_interval_holds_its_own_exponent() -> None:
    """Nearly level, the best exponent lies between the last step of the grid and 0."""
    run = grown_run(map(hist, SIZES), lambda cell: 50 * MS * cell.rows**0.01, noise=0.0005)
    curve = only_curve(run)
    assert curve.last.exponent is not None
    assert curve.last.band is not None
    assert curve.last.band.low <= curve.last.exponent <= curve.last.band.high


def test_a_prediction_is_by_the_regime_in_which_it_lies() -> None:
    curve = only_curve(grown_run(map(lightgbm, BEYOND), lambda cell: stepped(cell.rows)))
    for rows in (70_000, 3_000_000):
        assert foretold(curve, rows)[0] == pytest.approx(stepped(rows), rel=0.15)


def test_a_regime_of_two_sizes_has_a_slope_and_foretells_nothing() -> None:
    run = grown_run(map(lightgbm, BEYOND[:-1]), lambda cell: stepped(cell.rows))
    curve = only_curve(run)
    assert curve.change is not None
    assert curve.last.fit is None
    assert curve.last.exponent == pytest.approx(0.5, abs=0.2)
    assert curve.verdict is None
    with pytest.raises(NoCurveThereError, match="a curve needs 3: measure one more"):
        foretold(curve, 1_000_000)


def test_a_peak_that_another_phase_takes_over_names_the_change() -> None:
    """Fit takes 40 MiB at any size and construct 200 bytes a row: the larger is a bend."""
    cells = [hist(rows) for rows in BEYOND]
    mib = 2**20
    rows = [
        row(
            cell,
            block,
            phases={
                "construct": phase(1, 100 * mib, 100 * mib + 200 * cell.rows + block * 4096),
                "fit": phase(1, 100 * mib, 140 * mib + block * 4096),
            },
        )
        for cell in cells
        for block in range(3)
    ]
    curve = only_curve(overview(facts(cells), rows), figure="construct_fit_growth")
    assert curve.change is not None
    assert (curve.change.after, curve.change.before) == (200_000, 400_000)
    assert curve.step is not None
    assert curve.step.what == "the peak moves from fit to construct"
    assert curve.last.exponent == pytest.approx(1, abs=0.02)
    assert curve.cautions[-1].startswith(
        "the peak moves from fit to construct at rows 400,000, so that one curve hardly fits"
    )


def test_peaks_that_go_to_and_fro_are_counted() -> None:
    peaks = [(1.0, "fit"), (2.0, "construct"), (3.0, "fit"), (4.0, "construct")]
    said = several_peaks("rows", peaks)
    assert said is not None
    assert said.startswith("the peak moves 3 times between fit and construct")
    assert several_peaks("rows", peaks[:1]) is None
