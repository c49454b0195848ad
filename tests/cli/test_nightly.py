"""`treebench nightly`: what it takes, keeps, says and ends with. Samples and re-runs are made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from tests.analysis.comparing.two_runs import hungrier, slower
from tests.analysis.rows import CONTROL, MIB, failed
from tests.cli.made_nights import MACHINE, Text, World, of_trainer

if TYPE_CHECKING:
    from treebench.store.row import SampleRow


def test_quiet_nights_are_exit_code_0(world: World, capsys: Text) -> None:
    world.nights(4)
    said = capsys.readouterr().out
    assert "tiny, night of 2026-03-04 (4 nights in the history): nothing got worse" in said
    assert not world.reruns
    assert len(list(Path(f"kept/{MACHINE}/nights").glob("*.parquet"))) == 4
    assert Path(f"kept/{MACHINE}/index.html").read_text().startswith("<!DOCTYPE html>")


def test_a_slowdown_fails_the_second_night_once_the_rerun_confirms_it(
    world: World, capsys: Text
) -> None:
    world.nights(6)
    world.change = world.rerun = of_trainer("lightgbm", lambda row: slower(row, 1.06))
    assert world.night() == 0, "one night alone may be a bad night"
    assert world.night("--junit", "night.xml", "--markdown", "night.md") == 3
    said = capsys.readouterr().out
    assert "lightgbm" in said
    assert "confirmed in 10 rounds side by side" in said
    assert "--acknowledge" in said
    suite = ElementTree.parse("night.xml").getroot()[0]  # noqa: S314
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert "| regression | wine" in Path("night.md").read_text()


def test_a_regression_stands_without_another_rerun_until_it_heals(world: World) -> None:
    world.nights(6)
    world.change = world.rerun = of_trainer("lightgbm", lambda row: slower(row, 1.06))
    world.night()
    assert world.night() == 3
    asked = len(world.reruns)
    assert world.night() == 3
    assert len(world.reruns) == asked
    world.change = lambda row: row
    world.night()
    assert world.night() == 0


def test_memory_that_grew_is_a_regression(world: World, capsys: Text) -> None:
    world.nights(5)
    world.change = world.rerun = of_trainer("xgboost", lambda row: hungrier(row, 80 * MIB))
    assert world.night() == 3, "a figure that repeats exactly needs no second night"
    assert "peak_memory" in capsys.readouterr().out


def test_lost_accuracy_is_a_regression(world: World, capsys: Text) -> None:
    def worse(row: SampleRow) -> SampleRow:
        return replace(row, score={name: value - 0.01 for name, value in (row.score or {}).items()})

    world.nights(3)
    world.change = world.rerun = of_trainer("xgboost", worse)
    assert world.night() == 3
    assert "score:auc" in capsys.readouterr().out


def test_a_drift_of_the_machine_is_none_and_is_not_looked_at_again(
    world: World, capsys: Text
) -> None:
    world.nights(6)
    world.change = of_trainer("lightgbm", lambda row: slower(row, 1.2))
    world.night()
    assert world.night() == 0
    assert "the machine drifted, and no library did" in capsys.readouterr().out
    asked = len(world.reruns)
    world.nights(3)
    assert len(world.reruns) == asked


def test_a_cell_that_crashes_is_an_error(world: World, capsys: Text) -> None:
    world.nights(3)
    world.versions = {"xgboost": "3.2.0"}

    def crash(row: SampleRow) -> SampleRow:
        made = failed(CONTROL, row.block, "killed", "SIGSEGV", phase="fit")
        return replace(made, cell=row.cell, spec=row.spec, must_match=row.must_match)

    world.change = of_trainer("xgboost", crash)
    assert world.night("--junit", "night.xml") == 2
    said = " ".join(capsys.readouterr().out.split())
    assert "killed in fit: SIGSEGV (3 samples); none ended well; tonight" in said
    assert "the last night without was 2026-03-03" in said
    suite = ElementTree.parse("night.xml").getroot()[0]  # noqa: S314
    assert (suite.get("tests"), suite.get("errors")) == ("2", "1")


def test_one_cell_is_no_plural(world: World, capsys: Text) -> None:
    world.nights(1)
    world.left_out = frozenset(sorted(world.plans[0].chosen)[:1])
    world.night()
    assert "figures of 1 cell were judged" in capsys.readouterr().out


def test_all_cells_missing_is_exit_code_4(world: World, capsys: Text) -> None:
    world.nights(2)
    world.left_out = world.plans[0].chosen
    assert world.night("--junit", "night.xml") == 4
    assert "planned, but no sample of it was taken" in capsys.readouterr().out
    suite = ElementTree.parse("night.xml").getroot()[0]  # noqa: S314
    assert (suite.get("tests"), suite.get("skipped")) == ("2", "2")


def test_an_environment_that_cannot_be_built_leaves_a_suspect(world: World, capsys: Text) -> None:
    world.nights(6)
    world.refusal = "lightgbm==4.5.0 cannot be had; see pip"
    world.change = of_trainer("lightgbm", lambda row: slower(row, 1.2))
    world.night()
    assert world.night("--junit", "night.xml") == 4
    assert "not measured again: lightgbm==4.5.0 cannot be had" in capsys.readouterr().out
    suite = ElementTree.parse("night.xml").getroot()[0]  # noqa: S314
    assert (suite.get("failures"), suite.get("skipped")) == ("0", "1")


def test_one_sample_a_night(world: World) -> None:
    world.samples = 1
    world.nights(6)
    world.change = world.rerun = of_trainer("lightgbm", lambda row: slower(row, 1.1))
    world.night()
    assert world.night() == 3


def test_another_machine_starts_anew(world: World, capsys: Text) -> None:
    world.nights(4)
    world.machine = "elsewhere000"
    world.change = lambda row: slower(row, 2)
    assert world.night() == 0
    said = capsys.readouterr()
    assert "this machine (elsewhere000) has no nights yet" in said.err
    assert "0 figures of 2 cells were judged" in said.out
    assert "2 cells cannot be judged yet" in said.out


def test_another_library_is_no_step_by_itself(world: World, capsys: Text) -> None:
    world.nights(5)
    world.versions = {"xgboost": "3.2.0"}
    world.change = of_trainer("xgboost", lambda row: slower(row, 1.3))
    assert world.night() == 0, "the re-run shows both sides alike"
    assert len(world.reruns) == 1, "but it is looked at on the first night"
    assert "drifted" in capsys.readouterr().out
