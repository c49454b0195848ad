from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.analysis.rows import MIB, MS, failed, phase, row, sample, samples, spec, without_figure
from treebench.analysis.statistics import Interval
from treebench.analysis.summary import NO_SAMPLE, CellSummary, summarise

if TYPE_CHECKING:
    from treebench.store.row import PhaseFigures, SampleRow

CELL = spec()


def summary(*rows: SampleRow) -> CellSummary:
    return summarise(CELL.id, CELL.to_json(), rows)


def known(block: int, construct: int, fit: int) -> SampleRow:
    return row(
        CELL,
        block,
        phases={
            "load": phase(7 * MS, 100 * MIB, 150 * MIB, 140 * MIB),
            "construct": phase(construct * MS, 140 * MIB, 190 * MIB, 160 * MIB),
            "fit": phase(fit * MS, 160 * MIB, (200 + block) * MIB, 170 * MIB),
            # The test part is in memory: the highest of all, and not training's.
            "predict": phase(9 * MS, 370 * MIB, 375 * MIB, 370 * MIB),
        },
        data_bytes=40 * MIB,
        score={"auc": 0.9, "log_loss": 0.3},
    )


def test_construct_and_fit_are_summed_within_a_sample() -> None:
    # GIVEN samples whose medians of construct and fit come from different samples
    cell = summary(known(0, 10, 130), known(1, 30, 100), known(2, 20, 90))
    # THEN theirs is the median of the sums (130), not the sum of the medians (120)
    found = cell.construct_fit_wall_ns.estimate
    assert found is not None
    assert list(found.values) == [140 * MS, 130 * MS, 110 * MS]
    assert found.median == 130 * MS
    assert found.interval == Interval(110 * MS, 140 * MS, 0.75)
    assert cell.construct_fit_cpu_ns.median == 260 * MS
    assert cell.total_wall_ns.median == 146 * MS
    assert cell.wall_ns["fit"].median == 100 * MS


def test_the_growth_of_construct_and_fit_is_the_higher_of_their_peaks() -> None:
    phases = {
        "construct": phase(MS, 100 * MIB, 190 * MIB, 120 * MIB),
        "fit": phase(MS, 120 * MIB, 150 * MIB, 130 * MIB),
    }
    assert summary(row(CELL, phases=phases)).construct_fit_growth_bytes.median == 90 * MIB
    phases["fit"] = phase(MS, 120 * MIB, None, missing={"peak_rss_bytes": "not permitted"})
    unknown = summary(row(CELL, phases=phases)).construct_fit_growth_bytes
    assert (unknown.median, unknown.missing) == (None, ("fit: not permitted",))


def test_memory_tells_data_container_and_fit_apart() -> None:
    cell = summary(known(0, 1, 1), known(1, 1, 1), known(2, 1, 1))
    assert cell.data_bytes.median == 40 * MIB
    assert cell.container_retained_bytes.median == 20 * MIB
    assert cell.container_peak_growth_bytes.median == 50 * MIB
    assert cell.fit_growth_bytes.median == 41 * MIB
    # Fit's peak (201 at the median) above construct's baseline: free of what construct's freed
    # heap lends to fit.
    assert cell.construct_fit_growth_bytes.median == 61 * MIB
    assert cell.predict_growth_bytes.median == 5 * MIB
    assert (cell.peak_rss_bytes.median, cell.peak_phase) == (201 * MIB, "fit")


def test_the_peak_is_the_largest_of_any_phase() -> None:
    made = known(0, 1, 1)
    loud = replace(made, phases=made.phases | {"load": phase(1, MIB, 900 * MIB, MIB)})
    cell = summary(loud)
    assert (cell.peak_rss_bytes.median, cell.peak_phase) == (900 * MIB, "load")


def test_reading_the_test_part_is_not_judged() -> None:
    made = known(0, 1, 1)
    loud = replace(made, phases=made.phases | {"load_test": phase(99 * MS, MIB, 900 * MIB, MIB)})
    assert summary(loud).peak_rss_bytes == summary(made).peak_rss_bytes
    assert summary(loud).total_wall_ns == summary(made).total_wall_ns


def test_a_container_that_gives_memory_back_is_negative() -> None:
    made = known(0, 1, 1)
    less = replace(made, phases=made.phases | {"construct": phase(1, 9 * MIB, 9 * MIB, 5 * MIB)})
    assert summary(less).container_retained_bytes.median == -4 * MIB


def test_failed_samples_never_enter_a_figure() -> None:
    # GIVEN a sample that was killed after a slow fit had been recorded
    dead = replace(known(1, 1, 9999), status="oom", error=failed(CELL, 1, "oom", "killed").error)
    cell = summary(known(0, 10, 100), dead, failed(CELL, 2, "timeout", "no answer"))
    assert cell.construct_fit_wall_ns.median == 110 * MS
    assert cell.counts == {"ok": 1, "oom": 1, "timeout": 1}
    assert (cell.n_ok, cell.n_failed) == (1, 2)
    assert [(failure.block, failure.status) for failure in cell.failures] == [
        (1, "oom"),
        (2, "timeout"),
    ]


def test_an_interrupted_sample_has_not_failed() -> None:
    cell = summary(known(0, 1, 1), failed(CELL, 1, "interrupted", "stopped by Ctrl-C"))
    assert (cell.n_ok, cell.n_failed) == (1, 0)


def test_no_sample_at_all_is_unknown_and_not_zero() -> None:
    cell = summary()
    assert (cell.n_ok, cell.n_failed, cell.peak_phase, cell.model) == (0, 0, None, None)
    for figure in cell.figures().values():
        assert (figure.estimate, figure.missing) == (None, (NO_SAMPLE,))


@pytest.mark.parametrize("lacking", ["fit", "load"])
def test_a_peak_that_lacks_a_phase_is_unknown(lacking: str) -> None:
    # A maximum over the other phases would pass a lower bound off as the peak.
    cell = summary(without_figure(known(0, 1, 1), lacking, "peak_rss_bytes", "not permitted"))
    assert cell.peak_rss_bytes.estimate is None
    assert cell.peak_rss_bytes.missing == (f"{lacking}: not permitted",)


def test_a_figure_that_only_some_samples_have_says_so() -> None:
    lacking = without_figure(known(1, 1, 1), "fit", "peak_rss_bytes", "not permitted")
    cell = summary(known(0, 1, 1), lacking)
    assert cell.fit_growth_bytes.estimate is not None
    assert cell.fit_growth_bytes.estimate.n == 1
    assert cell.fit_growth_bytes.missing == ("not permitted",)


def test_a_trainer_without_a_construct_phase_is_compared_on_fit_alone() -> None:
    made = known(0, 10, 100)
    phases = {name: figures for name, figures in made.phases.items() if name != "construct"}
    cell = summary(replace(made, phases=phases))
    assert cell.construct_fit_wall_ns.median == 100 * MS
    assert cell.container_retained_bytes.missing == ("the phase construct was not run",)


def test_a_sample_without_fit_has_no_construct_and_fit() -> None:
    made = known(0, 10, 100)
    cell = summary(replace(made, phases={"construct": made.phases["construct"]}))
    assert cell.construct_fit_wall_ns.missing == ("the phase fit was not run",)


def test_scores_and_model() -> None:
    cell = summary(sample(CELL, 0), replace(sample(CELL, 1), score=None))
    assert cell.score["auc"].missing == ("the sample has no such score",)
    assert cell.model is not None
    assert cell.model.n_trees == 50


def test_phase_notes_are_kept() -> None:
    made = known(0, 1, 1)
    noted = replace(made, phases=made.phases | {"fit": phase(note="includes binning")})
    assert summary(noted).phase_notes == {"fit": "includes binning"}


def test_keys_of_a_later_version_are_passed_over() -> None:
    raw = CELL.to_json() | {"colour": "blue"}
    assert summarise(CELL.id, raw, samples(CELL)).spec == CELL


def test_a_limit_is_read_back_with_what_held_it() -> None:
    limited = replace(spec(), memory_limit_bytes=2**30)
    held = {"memory_limit": {"bytes": 2**30, "by": "cgroup v1"}}
    rows = [replace(row, must_match=held, spec=limited.to_json()) for row in samples(limited, 2)]
    found = summarise(limited.id, limited.to_json(), rows)
    assert found.spec == limited
    assert found.limit_held_by == ("cgroup v1",)
    assert summarise(spec().id, spec().to_json(), samples(spec(), 1)).limit_held_by == ()


def with_children(block: int, tree: int, summed: int, source: str | None) -> SampleRow:
    """A sample whose fit was in several processes; in predict, as much again."""

    def figures(name: str, share: int) -> PhaseFigures:
        return phase(
            tree_peak_bytes=tree * MIB // share if source else None,
            tree_peak_source=source,
            summed_rss_peak_bytes=summed * MIB // share,
            shared_files_peak_bytes=0 if share > 1 else 57 * MIB,
            missing={} if source else {"tree_peak_bytes": f"no cgroup in {name}"},
        )

    shares = {"import": 9, "load": 3, "construct": 2, "fit": 1, "predict": 1}
    phases = {name: figures(name, share) for name, share in shares.items()}
    phases["predict"] = replace(phases["predict"], tree_peak_bytes=9 * tree * MIB)
    return row(CELL, block, phases=phases)


def test_memory_of_the_tree_is_that_of_training() -> None:
    cell = summary(with_children(0, 700, 900, "cgroup v1"), with_children(1, 720, 990, "cgroup v1"))
    assert cell.tree_peak_bytes.median == 710 * MIB
    assert cell.summed_rss_peak_bytes.median == 945 * MIB
    assert cell.shared_files_peak_bytes.median == 57 * MIB
    assert cell.tree_peak_sources == ("cgroup v1",)


def test_a_tree_peak_that_is_not_known_has_its_reason() -> None:
    cell = summary(with_children(0, 700, 900, None))
    assert cell.tree_peak_bytes.median is None
    assert cell.tree_peak_bytes.missing == ("import: no cgroup in import",)
    assert cell.tree_peak_sources == ()
