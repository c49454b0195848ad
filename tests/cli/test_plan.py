"""What `treebench plan` prints is to be typed: the next step must run just what was shown."""

from __future__ import annotations

import io
import json
import shlex

import pytest

from tests.cli.test_show import call

SWEEP = ("quickstart", "--set", "data.set=tiny", "--set", "data.rows=[500]")


def test_the_next_step_keeps_what_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*SWEEP, "--only", "trainer=lightgbm, rows<=500"]
    assert call("plan", *arguments) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("next: ")
    assert shlex.split(last.removeprefix("next: ")) == ["treebench", "run", *arguments]


def test_json_lists_the_cells_that_only_leaves(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("plan", *SWEEP, "--only", "trainer=lightgbm", "--json") == 0
    cells = json.loads(capsys.readouterr().out)["cells"]
    assert [cell["spec"]["trainer"] for cell in cells] == ["lightgbm"]


def test_only_that_leaves_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("plan", *SWEEP, "--only", "trainer=catboost") == 4
    said = capsys.readouterr()
    assert said.out == ""
    assert "--only leaves none of its 4 cells" in said.err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_screen_lines_break_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    assert call("plan", *SWEEP) == 0
    lines = screen.getvalue().splitlines()
    told = lines[lines.index("What each library is told") + 1 : -1]
    assert max(map(len, told)) <= 80
    assert "num_boost_round=50," in " ".join(told).split()
    assert lines[-1] == shlex.join(["next:", "treebench", "run", *SWEEP])


def test_samples_of_kind_memory_are_announced(capsys: pytest.CaptureFixture[str]) -> None:
    asked = [*SWEEP, "--only", "trainer=lightgbm", "--set", "memory_samples=1"]
    assert call("plan", *asked) == 0
    said = capsys.readouterr().out
    assert "then 1 sample of kind memory, whose PSS is drawn over time" in said
