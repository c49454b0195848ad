"""`treebench ab`: what it asks for, when it stops, and what it ends with."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from tests.analysis.comparing.two_runs import MATCHING, hungrier
from tests.analysis.rows import MIB, sample
from tests.cli.test_show import call
from treebench.cli import interleaving
from treebench.cli.ab import read_environments, settled
from treebench.environments import find
from treebench.environments.environment import EnvironmentBuildError
from treebench.errors import UsageError
from treebench.store.journal import Journal
from treebench.store.row import SampleError, SampleRow
from treebench.store.run_folder import write_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from treebench.cli.planning import Planned
    from treebench.plan.cell import CellSpec

CONFIG = """
name: tiny
data: {set: wine, rows: [100]}
threads: 1
samples: 1
reference: {trainer: xgboost, method: hist, n_estimators: 5, max_leaves: 4}
variants: [{trainer: lightgbm}]
"""
Text = pytest.CaptureFixture[str]
BOTH = ("--env", "old=here", "--env", "new=here")


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ([], "--env is said 0 times"),
        (["old=here"], "--env is said 1 times"),
        (["a=here", "b=here", "c=here"], "--env is said 3 times"),
        (["a=here", "a=xgboost==2.1.4"], "--env a is said twice"),
        (["lightgbm==4.5.0", "b=here"], "write NAME=SPEC"),
        (["../a=here", "b=here"], "write NAME=SPEC"),
        (["a=", "b=here"], "write NAME=SPEC"),
        (["a", "b=here"], "write NAME=SPEC"),
    ],
)
def test_two_environments_are_asked_for(stated: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_environments(stated)


def test_names_and_specs() -> None:
    assert read_environments(["old=lightgbm==4.5.0", "new= numpy<2 xgboost>=3"]) == {
        "old": "lightgbm==4.5.0",
        "new": "numpy<2 xgboost>=3",
    }


class Lab:
    """Takes made samples in the place of workers; `change` makes the second side's others."""

    def __init__(self) -> None:
        self.change: Callable[[SampleRow], SampleRow] = lambda row: row
        self.asked: list[tuple[int, int]] = []

    def take(
        self,
        planned: Planned,
        sides: Mapping[str, Any],
        folders: Mapping[str, Path],
        rounds: int,
        matches: Callable[[CellSpec], bool] | None = None,
    ) -> None:
        cells = [planned.plan.cells[each].spec for each in sorted(planned.chosen)]
        wanted = [cell for cell in cells if matches is None or matches(cell)]
        self.asked.append((rounds, len(wanted)))
        for number, (side, folder) in enumerate(folders.items()):
            folder.mkdir(parents=True, exist_ok=True)
            write_facts(folder, interleaving.side_facts(planned, side, None))
            with Journal(folder / "samples.jsonl") as journal:
                for block in range(rounds):
                    for cell in wanted:
                        factor = 1 + 0.001 * ((block * 7 + number) % 5)
                        row = replace(sample(cell, block, factor), must_match=MATCHING)
                        journal.append(self.change(row) if number else row)


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    made = Lab()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(interleaving, "take_interleaved", made.take)
    Path("tiny.yaml").write_text(CONFIG)
    return made


def test_two_alike_are_exit_code_0_and_have_a_page(lab: Lab, capsys: Text) -> None:
    assert call("ab", "tiny.yaml", *BOTH) == 0
    said = capsys.readouterr()
    assert said.out.startswith("results/tiny-ab/old (before) against results/tiny-ab/new (after): ")
    assert "2 cells in both: 2 same" in said.out
    assert f"old: python {sys.version.split()[0]}, xgboost " in said.err
    assert lab.asked == [(5, 2)]
    page = Path("results/tiny-ab/compare.html").read_text()
    assert "Every figure" in page
    assert "old: the environment of treebench itself" in page


def test_injected_growth_of_memory_is_exit_code_3(lab: Lab, capsys: Text) -> None:
    lab.change = lambda row: hungrier(row, 99 * MIB)
    files = ("--junit", "ab.xml", "--markdown", "ab.md")
    assert call("ab", "tiny.yaml", *BOTH, *files, "--json") == 3
    found = json.loads(capsys.readouterr().out)
    assert found["counts"] == {"worse": 2}
    assert ElementTree.parse("ab.xml").getroot().get("failures") == "2"  # noqa: S314
    assert r"peak\_memory" in Path("ab.md").read_text()


def test_lost_accuracy_is_exit_code_3(lab: Lab, capsys: Text) -> None:
    lab.change = lambda row: replace(
        row, score={name: value - 0.1 for name, value in (row.score or {}).items()}
    )
    assert call("ab", "tiny.yaml", *BOTH) == 3
    assert "score:auc" in capsys.readouterr().out


def test_nothing_to_compare_is_exit_code_4(lab: Lab, capsys: Text) -> None:
    failed = SampleError("MemoryError", "no room", phase="fit")

    def fail(row: SampleRow) -> SampleRow:
        return replace(row, status="error", error=failed, score=None, model=None)

    lab.change = fail
    assert call("ab", "tiny.yaml", *BOTH, "--only", "trainer=xgboost") == 3, "it crashes now"
    capsys.readouterr()
    other = {**MATCHING, "allocator": {"libc": "musl"}}
    lab.change = lambda row: replace(row, must_match=other)
    assert call("ab", "tiny.yaml", *BOTH, "--out", "unlike") == 4
    assert "the allocator's settings differs" in capsys.readouterr().out


def test_one_sample_of_each_side_is_unclear(lab: Lab, capsys: Text) -> None:
    assert call("ab", "tiny.yaml", *BOTH, "--rounds", "1", "--max-rounds", "1") == 0
    assert "2 cells in both: 2 unclear" in capsys.readouterr().out
    assert lab.asked == [(1, 2)]


def test_what_stays_unclear_gets_more_rounds_up_to_the_cap(lab: Lab, capsys: Text) -> None:
    # LightGBM's peaks lie on both sides of what counts, however many there are.
    def at_the_edge(row: SampleRow) -> SampleRow:
        if row.spec["trainer"] != "lightgbm":
            return row
        return hungrier(row, (14 - 10 * (-1) ** row.block) * MIB)

    lab.change = at_the_edge
    assert call("ab", "tiny.yaml", *BOTH, "--rounds", "5", "--max-rounds", "15") == 0
    assert lab.asked == [(5, 2), (10, 1), (15, 1)]
    said = capsys.readouterr()
    assert "1 cell is unclear: going on with it to 10 rounds" in said.err
    assert "1 unclear, 1 same" in said.out


def test_a_cap_below_the_first_rounds_is_refused(lab: Lab, capsys: Text) -> None:
    assert call("ab", "tiny.yaml", *BOTH, "--rounds", "6", "--max-rounds", "5") == 1
    assert "--max-rounds is 5, below the 6 rounds" in capsys.readouterr().err
    assert not lab.asked


def test_an_environment_that_cannot_be_built_is_exit_code_1(
    lab: Lab, capsys: Text, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str, *_: Any, **__: Any) -> None:
        raise EnvironmentBuildError(f"environment {name}: no such release")

    monkeypatch.setattr(find, "environment_of", refuse)
    assert call("ab", "tiny.yaml", "--env", "old=lightgbm==99", "--env", "new=here") == 1
    assert "environment old: no such release" in capsys.readouterr().err
    assert not lab.asked
    assert not Path("results").exists()


def test_settled_stops_where_all_is_clear() -> None:
    class Clear:
        cells = ()

    taken: list[int] = []
    settled(lambda rounds, _: taken.append(rounds), lambda: Clear(), 5, 20)  # type: ignore[arg-type,return-value]
    assert taken == [5]


def other_environment(folder: Path) -> Path:
    """An interpreter that has all libraries of this one, by a file of paths, and nothing of its
    own but what a test puts into the folder returned."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = folder / "lib" / version / "site-packages"
    (site / "all.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return site


@pytest.mark.slow
def test_a_cell_that_crashes_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Text
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tiny.yaml").write_text(CONFIG)
    site = other_environment(tmp_path / "new")
    (site / "lightgbm").mkdir()
    # It is imported where the environment is looked at, and ends the worker in its own phase.
    (site / "lightgbm" / "__init__.py").write_text(
        "import os, sys\nif 'treebench.worker' in sys.modules: os.abort()\n"
    )
    code = call(
        *("ab", "tiny.yaml", "--env", f"old={sys.executable}", "--env", f"new={tmp_path / 'new'}"),
        *("--rounds", "1", "--max-rounds", "1", "--junit", "ab.xml", "--json"),
    )
    assert code == 3
    found = json.loads(capsys.readouterr().out)
    assert found["counts"]["worse"] == 1
    root = ElementTree.parse("ab.xml").getroot()  # noqa: S314
    assert root.get("errors") == "1"
    journal = Path("results/tiny-ab/new/samples.jsonl").read_text()
    rows = [json.loads(line) for line in journal.splitlines()]
    (crashed,) = [row for row in rows if row["status"] != "ok"]
    assert crashed["error"]["signal"] == "SIGABRT"
    assert {row["spec"]["trainer"] for row in rows if row["status"] == "ok"} == {
        "control",
        "xgboost",
    }
