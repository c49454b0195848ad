"""Two sides in turns: the order, what is kept, and what their `run.json` says."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.analysis.comparing.two_runs import MATCHING, hungrier
from tests.analysis.rows import MIB, sample
from treebench.cli import interleaving
from treebench.cli.interleaving import confirm, in_turns, take_interleaved
from treebench.environments.environment import Environment
from treebench.errors import NothingMeasuredError, RunFolderError
from treebench.plan.build import control_cell
from treebench.runner.elsewhere import treebench_alone
from treebench.runner.local import LocalExecutor, SampleInterrupted
from treebench.runner.sweep import Wanted
from treebench.store.journal import read_rows
from treebench.store.row import SampleError, SampleRow

if TYPE_CHECKING:
    from treebench.cli.planning import Planned
    from treebench.config.model import SweepConfig
    from treebench.plan.build import PlannedCell

CONFIG = """
name: tiny
data: {set: wine, rows: [100]}
samples: 2
reference: {trainer: xgboost, method: hist, n_estimators: 5, max_leaves: 4}
variants: [{trainer: lightgbm}]
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SweepConfig:
    from treebench.config.load import load_config
    from treebench.trainers.registry import TRAINERS

    monkeypatch.chdir(tmp_path)
    Path("tiny.yaml").write_text(CONFIG)
    return load_config("tiny.yaml", [], tuple(TRAINERS))


@pytest.fixture
def planned(config: SweepConfig) -> Planned:
    from treebench.cli.planning import plan_checked

    return plan_checked(config)


class Machine:
    """Takes samples in the place of workers: where, of what, and whether it is interrupted."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, int, str]] = []
        self.interrupted_at: int | None = None

    def measure(self, executor: LocalExecutor, cell: PlannedCell, block: int) -> SampleRow:
        python = "here" if executor.elsewhere is None else executor.elsewhere.python.name
        row = replace(
            sample(cell.spec, block),
            run=executor.run,
            cell=cell.id,
            must_match={**MATCHING, "versions": executor._versions(cell)},
        )
        if len(self.taken) == self.interrupted_at:
            self.interrupted_at = None
            stopped = SampleError("Interrupted", "the run was interrupted")
            raise SampleInterrupted(replace(row, status="interrupted", error=stopped))
        self.taken.append((python, block, cell.spec.trainer))
        return hungrier(row, 99 * MIB) if python == "hungry" else row


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine()
    monkeypatch.setattr(LocalExecutor, "measure", lambda *given: made.measure(*given))
    return made


def environment(name: str, version: str = "2.1.4") -> Environment:
    return Environment(
        name, Path("/env") / name, f"xgboost=={version}", {"python": "3.11.7", "xgboost": version}
    )


SIDES = {"old": environment("old"), "new": None}


def folders(place: Path = Path("out")) -> dict[str, Path]:
    return {side: place / side for side in SIDES}


def test_blocks_stand_back_to_back_and_who_goes_first_alternates(
    planned: Planned, machine: Machine
) -> None:
    take_interleaved(planned, SIDES, folders(), 3)
    blocks = list(dict.fromkeys((where, block) for where, block, _ in machine.taken))
    assert blocks == [("old", 0), ("here", 0), ("here", 1), ("old", 1), ("old", 2), ("here", 2)]
    of_block = {
        key: [cell for where, block, cell in machine.taken if (where, block) == key]
        for key in blocks
    }
    assert of_block["old", 0][0] == "control"
    assert of_block["old", 1] == of_block["here", 1]
    assert of_block["old", 0][1:] == of_block["old", 1][:0:-1]


def test_each_side_is_a_run_that_says_what_it_ran_in(planned: Planned, machine: Machine) -> None:
    take_interleaved(planned, SIDES, folders(), 2)
    old, new = (json.loads((each / "run.json").read_text()) for each in folders().values())
    assert old["environment"] == {
        "name": "old",
        "spec": "xgboost==2.1.4",
        "python": "/env/old",
        "versions": {"python": "3.11.7", "xgboost": "2.1.4"},
    }
    assert old["versions"]["xgboost"] == "2.1.4"
    assert old["versions"]["lightgbm"] is None
    assert old["versions"]["treebench"] == new["versions"]["treebench"]
    assert new["environment"]["spec"] == "here"
    assert new["environment"]["python"] == sys.executable
    assert (old["run"], new["run"]) == ("tiny-old", "tiny-new")
    rows = read_rows(folders()["old"] / "samples.jsonl")
    versions = {row.must_match["versions"].get("xgboost") for row in rows}
    assert versions == {"2.1.4", None}, "the control cell has no learner"


def test_more_rounds_take_what_is_missing_alone(planned: Planned, machine: Machine) -> None:
    take_interleaved(planned, SIDES, folders(), 2)
    before = len(machine.taken)
    take_interleaved(planned, SIDES, folders(), 2)
    assert len(machine.taken) == before
    take_interleaved(planned, SIDES, folders(), 3, lambda spec: spec.trainer == "lightgbm")
    assert sorted(machine.taken[before:]) == [
        ("here", 2, "control"),
        ("here", 2, "lightgbm"),
        ("old", 2, "control"),
        ("old", 2, "lightgbm"),
    ]


def test_ctrl_c_keeps_what_was_taken_and_the_same_call_goes_on(
    planned: Planned, machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.interrupted_at = 4
    with pytest.raises(KeyboardInterrupt):
        take_interleaved(planned, SIDES, folders(), 2)
    assert "4 of 12 samples were taken and are kept in out" in capsys.readouterr().err
    take_interleaved(planned, SIDES, folders(), 2)
    assert "going on: 4 samples are there, 8 are still to take" in capsys.readouterr().err
    assert len(machine.taken) == len(set(machine.taken)) == 12


def test_another_environment_does_not_go_on_with_its_samples(
    planned: Planned, machine: Machine
) -> None:
    take_interleaved(planned, SIDES, folders(), 2)
    other = {"old": environment("old", "2.0.3"), "new": None}
    with pytest.raises(RunFolderError, match=r"xgboost was 2\.1\.4, now 2\.0\.3"):
        take_interleaved(planned, other, folders(), 2)


def test_what_is_no_timed_block_comes_last() -> None:
    control = control_cell(1)
    timed, memory = Wanted(0, control), Wanted(0, control, "memory")
    turns = list(in_turns({"old": [timed, memory], "new": [timed, memory]}))
    assert [(turn.side, turn.wanted.kind, turn.place) for turn in turns] == [
        ("old", "timed", 0),
        ("new", "timed", 1),
        ("old", "memory", 0),
        ("new", "memory", 1),
    ]


def test_confirm_measures_the_suspects_alone(
    config: SweepConfig, planned: Planned, machine: Machine
) -> None:
    suspect = next(
        key for key, cell in planned.plan.cells.items() if cell.spec.trainer == "xgboost"
    )
    found = confirm(config, {suspect}, environment("old"), environment("hungry"), Path("c"), 5)
    assert {trainer for _, _, trainer in machine.taken} == {"control", "xgboost"}
    (cell,) = found.cells
    assert cell.spec.id == suspect
    assert cell.verdict == "worse"
    assert [each.figure.name for each in cell.compared.judged if each.verdict == "worse"] == [
        "peak_memory"
    ]


def test_confirm_of_cells_that_are_gone(config: SweepConfig, machine: Machine) -> None:
    with pytest.raises(NothingMeasuredError, match="none of the 1 cells to confirm"):
        confirm(config, {"0" * 12}, environment("old"), None, Path("c"), 5)


def test_the_worker_is_shown_the_package_and_nothing_beside_it() -> None:
    with treebench_alone(None) as folder:
        assert [each.name for each in folder.iterdir()] == ["treebench"]
        assert (folder / "treebench" / "worker" / "__main__.py").is_file()
    assert not folder.exists()
    assert Path(interleaving.__file__).is_file(), "the package itself is still there"
