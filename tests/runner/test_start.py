"""Whether a run goes on, and with what."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from tests.runner.fakes import cell, plan, row
from treebench.config.load import checked
from treebench.errors import RunFolderError
from treebench.runner.start import begin, facts_of
from treebench.store.journal import Journal
from treebench.store.run_folder import JOURNAL_NAME, read_facts
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


def test_the_same_sweep_goes_on_with_its_samples(tmp_path: Path) -> None:
    assert begin(tmp_path, facts(A, B)) == []
    with Journal(tmp_path / JOURNAL_NAME) as journal:
        journal.append(row(A, 0))
    assert [one.cell for one in begin(tmp_path, facts(B, A))] == [A.id]


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
