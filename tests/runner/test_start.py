"""Whether a run goes on, and with what."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.runner.fakes import cell, plan, row
from treebench.config.load import checked
from treebench.errors import RunFolderError
from treebench.runner.start import _MEASURED_DEFAULTS, begin, facts_of
from treebench.store.journal import Journal
from treebench.store.run_folder import FACTS_NAME, JOURNAL_NAME, START_ANEW, read_facts
from treebench.trainers.registry import TRAINERS

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.plan.build import PlannedCell

A, B = cell(1), cell(2)
CONFIG = checked(
    {"name": "r", "data": {"set": "toy"}, "reference": {"trainer": "xgboost"}},
    "f",
    tuple(TRAINERS),
)


def facts(*cells: PlannedCell, note: str | None = None, **changed: Any) -> dict[str, Any]:
    return {**facts_of(CONFIG, plan(*cells), ["treebench"], note, None), **changed}


def configured(**config: Any) -> dict[str, Any]:
    """The same cell and machine under another config."""
    facts_now = facts(A)
    return {**facts_now, "config": {**facts_now["config"], **config}}


def from_before(*keys: str) -> dict[str, Any]:
    """What a run wrote whose config did not know those keys yet."""
    facts_now = facts(A)
    known = {key: value for key, value in facts_now["config"].items() if key not in keys}
    return {**facts_now, "config": known}


def test_the_same_sweep_goes_on_with_its_samples(tmp_path: Path) -> None:
    assert begin(tmp_path, facts(A, B)) == []
    with Journal(tmp_path / JOURNAL_NAME) as journal:
        journal.append(row(A, 0))
    assert [one.cell for one in begin(tmp_path, facts(B, A))] == [A.id]


def test_one_that_is_damaged_can_be_started_anew(tmp_path: Path) -> None:
    (tmp_path / FACTS_NAME).write_text("{")
    with pytest.raises(RunFolderError, match=rf"damaged .*; {START_ANEW}$"):
        begin(tmp_path, facts(A))


def test_a_note_outlives_a_continuation_that_says_none(tmp_path: Path) -> None:
    begin(tmp_path, facts(A, note="before the change"))
    begin(tmp_path, facts(A))
    assert read_facts(tmp_path)["note"] == "before the change"
    begin(tmp_path, facts(A, note="better said"))
    assert read_facts(tmp_path)["note"] == "better said"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"machine": {"fingerprint": "other"}}, "taken on another machine"),
        ({"allocator": {"libc": "musl"}}, "the allocator's settings changed"),
        ({"thread_settings": {"OMP_PROC_BIND": "true"}}, "thread settings changed"),
        ({"code": "0.0.0+00000000"}, "measuring code was"),
        ({"versions": {"numpy": "0.1"}}, "numpy was .*, now 0.1"),
    ],
)
def test_what_must_match_and_does_not_is_named(
    tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    begin(tmp_path, facts(A))
    with pytest.raises(RunFolderError, match=said):
        begin(tmp_path, facts(A, **changed))


def test_other_cells_are_another_sweep(tmp_path: Path) -> None:
    begin(tmp_path, facts(A))
    with pytest.raises(RunFolderError, match="1 cells are new and 1 are gone"):
        begin(tmp_path, facts(B))


def test_the_same_cells_given_other_parameters_are_another_sweep(tmp_path: Path) -> None:
    """A card whose task was changed: the values, and so the ids, are the same."""
    begin(tmp_path, facts(dataclasses.replace(A, native={"objective": "binary"})))
    with pytest.raises(RunFolderError, match="1 cells are given other parameters"):
        begin(tmp_path, facts(dataclasses.replace(A, native={"objective": "regression"})))


def test_the_persons_thread_settings_are_kept_and_the_workers_own_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    settings = facts(A)["thread_settings"]
    assert settings["OMP_WAIT_POLICY"] == "passive"
    assert "OMP_NUM_THREADS" not in settings


def test_samples_with_and_without_latency_do_not_mix(tmp_path: Path) -> None:
    begin(tmp_path, configured(latency=True))
    assert begin(tmp_path, configured(latency=True)) == []
    with pytest.raises(RunFolderError, match="latency was true, now false"):
        begin(tmp_path, configured(latency=False))


def test_a_run_from_before_there_was_latency_goes_on(tmp_path: Path) -> None:
    begin(tmp_path, from_before("latency"))
    assert begin(tmp_path, configured(latency=False)) == []


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ({"counters": "none"}, {"counters": "auto"}, "counters was none, now auto"),
        (
            {"simulation": {"rows": 0.1, "trees": 0.1}},
            {"simulation": {"rows": 0.5, "trees": 0.1}},
            'simulation was {"rows": 0.1, "trees": 0.1}, now {"rows": 0.5, "trees": 0.1}',
        ),
    ],
)
def test_samples_with_other_counters_do_not_mix(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any], said: str
) -> None:
    begin(tmp_path, configured(**before))
    assert begin(tmp_path, configured(**before)) == []
    with pytest.raises(RunFolderError, match=re.escape(said)):
        begin(tmp_path, configured(**after))


def test_auto_that_comes_to_another_tier_is_refused(tmp_path: Path) -> None:
    """A tool was installed, or rights were given, between two halves of a run."""
    begin(tmp_path, {**configured(counters="auto"), "counters": {"tier": "software", "absent": {}}})
    with pytest.raises(RunFolderError, match="counters were software, now hardware"):
        begin(
            tmp_path,
            {**configured(counters="auto"), "counters": {"tier": "hardware", "absent": {}}},
        )


def test_a_run_from_before_there_were_counters_goes_on(tmp_path: Path) -> None:
    begin(tmp_path, from_before("counters", "simulation"))
    assert begin(tmp_path, configured()) == []


def test_the_defaults_of_a_run_that_knew_no_such_key_are_the_configs_own() -> None:
    assert _MEASURED_DEFAULTS.items() <= CONFIG.model_dump(mode="json").items()
