"""How a picking reads on the terminal and on its page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.analysis.rows import realistic
from tests.picking.world import BASELINE, MIB, World, picked, question
from treebench.analysis.overview import overview
from treebench.config.load import checked
from treebench.errors import RunFolderError
from treebench.report.files import report_files
from treebench.report.pick_blocks import pick_answer
from treebench.report.pick_chart import frontier_chart
from treebench.report.pick_folder import write_pick
from treebench.report.pick_page import page
from treebench.report.pick_screen import pick_screen
from treebench.report.pick_text import capacity
from treebench.report.terminal import Screen
from treebench.trainers.registry import TRAINERS

WIDE = Screen(120, colour=False, rules=True)


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    asked = question(BASELINE + 300 * MIB, rows=4_000_000, codes=(5,), trainers=("xgboost",))
    return picked(asked, World()).to_json()


@pytest.fixture(scope="module")
def nothing() -> dict[str, Any]:
    return picked(question(BASELINE - 20 * MIB), World()).to_json()


def test_the_screen_has_foreseen_and_verified_figures(found: dict[str, Any]) -> None:
    text = pick_screen(found, {"page": "p.html"}, WIDE)
    assert "toy: a configuration within 500MiB" in text
    assert "under an enforced limit of 500MiB" in text
    assert "on the test part" in text
    assert "ways to train a point over the budget" in text
    assert "xgb.train(parameters" in text
    assert "page: p.html" in text


def test_what_is_to_be_borne_in_mind_has_a_place_of_its_own(found: dict[str, Any]) -> None:
    warned = {**found, "notes": ["it may break"]}
    assert "Bear in mind\n  it may break" in pick_screen(warned, {}, WIDE)
    assert "Bear in mind" not in pick_screen({**found, "notes": []}, {}, WIDE)
    assert "it may break" in page(warned, None)


@pytest.mark.parametrize(("trees", "said"), [(1, "1 tree,"), (2, "2 trees,")])
def test_one_tree_is_no_trees(trees: int, said: str) -> None:
    assert capacity({"n_estimators": trees, "max_depth": 3}).startswith(said)


def test_nothing_to_pick_says_what_would_do(nothing: dict[str, Any]) -> None:
    text = pick_screen(nothing, {}, WIDE)
    assert "nothing can be trained within 180MiB" in text
    assert "the smallest budget that could be met is" in text
    assert "proven: trained under that limit" in text
    assert "Frontier" not in text


def test_where_memory_would_do_nothing_else_is_said_of_it() -> None:
    hurried = picked(question(4096 * MIB, time_budget_s=0.01), World()).to_json()
    assert hurried["pick"] is None
    text = " ".join(pick_screen(hurried, {}, WIDE).split())
    assert "nothing was proven within 4GiB and 10.0 ms" in text
    assert "the memory would do, as far as is foreseen" in text
    assert "a longer --search-time or --time allows more" in text
    assert "fewer rows" not in text
    text = pick_screen({**hurried, "attempts": [FAILED]}, {}, WIDE)
    assert "the memory would do, as far as is foreseen, but no proof stood" in text


FAILED = {
    "point": {"learner": ["xgboost", "hist", None, "dense"]},
    "holding": ["dense-c", None, None],
    "failure": "it was killed by the limit of 4GiB",
    "foreseen_bytes": {"low": 1, "mid": 2, "high": 3},
}


def test_a_narrow_screen_is_kept_to(found: dict[str, Any]) -> None:
    text = pick_screen(found, {}, Screen(80, colour=False, rules=True))
    assert max(map(len, text.splitlines())) <= 80


def test_the_budget_is_a_line_in_the_chart(found: dict[str, Any]) -> None:
    chart = frontier_chart(found)
    assert chart is not None
    assert "budget 500MiB" in json.dumps(chart.to_dict(validate=False))
    assert frontier_chart({**found, "frontier": []}) is None


def test_the_files_are_written_and_those_of_an_earlier_answer_go(
    found: dict[str, Any], nothing: dict[str, Any], tmp_path: Path
) -> None:
    files = write_pick(tmp_path, found)
    assert all(Path(path).is_file() for path in files.values())
    assert set(files) == {"page", "chart", "Python", "treebench cell"}
    assert "default-src &#x27;none&#x27;" in Path(files["page"]).read_text()
    assert set(write_pick(tmp_path, nothing)) == {"page"}
    assert [path.name for path in tmp_path.iterdir()] == ["pick.html"]


def test_the_cell_is_a_config_that_can_be_run(found: dict[str, Any], tmp_path: Path) -> None:
    files = write_pick(tmp_path, found)
    raw = yaml.safe_load(Path(files["treebench cell"]).read_text())
    config = checked(raw, "pick.yaml", tuple(TRAINERS))
    assert config.memory_limit == (500 * MIB,)
    assert config.data[0].set == ("toy",)


def test_the_report_of_its_samples_has_the_frontier_with_the_budget(
    found: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "pick.json").write_text(json.dumps({"outcome": found}))
    files = report_files(overview(*realistic()), tmp_path)
    html, markdown = files["index.html"].decode(), files["report.md"].decode()
    assert 'id="pick"' in html
    assert "budget 500MiB" in html
    assert "budget 500MiB" in files["frontier.svg"].decode()
    assert "## The pick" in markdown
    assert markdown.index("## The pick") < markdown.index("## Results")
    plain = report_files(overview(*realistic()), tmp_path / "elsewhere")
    assert not [name for name in plain if "frontier" in name]
    assert 'id="pick"' not in plain["index.html"].decode()


def test_a_picking_that_answered_nothing_yet_has_no_part_in_the_report(tmp_path: Path) -> None:
    (tmp_path / "pick.json").write_text(json.dumps({"outcome": None}))
    assert pick_answer(tmp_path) is None
    (tmp_path / "pick.json").write_text("{")
    with pytest.raises(RunFolderError, match=r"pick\.json cannot be read .*; take it away"):
        pick_answer(tmp_path)


def test_a_budget_that_some_way_may_meet_is_not_called_out_of_reach(
    nothing: dict[str, Any],
) -> None:
    assert "nothing can be trained within" in pick_screen(nothing, {}, WIDE)
    need = nothing["smallest"]["needs"][0]
    near = {**need, "foreseen_bytes": {**need["foreseen_bytes"], "low": BASELINE - 20 * MIB}}
    perhaps = {**nothing, "smallest": {**nothing["smallest"], "needs": [near]}}
    assert "nothing was proven within" in pick_screen(perhaps, {}, WIDE)
