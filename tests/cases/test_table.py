"""All forty cases have a test, and the tests that the table names are there to be run."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.cases.table import ELSEWHERE, TITLES

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent


def functions_of(path: Path) -> dict[str, ast.FunctionDef]:
    """The functions of a file that pytest collects."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def own_tests(case: int) -> list[str]:
    return [
        name
        for path in sorted(HERE.glob("test_*.py"))
        for name in functions_of(path)
        if re.match(rf"test_case_{case:02}_", name)
    ]


def test_there_are_forty() -> None:
    assert list(TITLES) == list(range(1, 41))
    assert set(ELSEWHERE) <= set(TITLES)


@pytest.mark.parametrize("case", TITLES)
def test_a_case_has_a_test(case: int) -> None:
    assert ELSEWHERE.get(case) or own_tests(case), TITLES[case]


@pytest.mark.parametrize("node", [node for nodes in ELSEWHERE.values() for node in nodes])
def test_a_test_elsewhere_is_there_and_not_put_aside(node: str) -> None:
    path, _, name = node.partition("::")
    found = functions_of(ROOT / path).get(name)
    assert found is not None, f"{node} is gone: point its case at another test"
    marks = [ast.unparse(mark) for mark in found.decorator_list]
    assert not [mark for mark in marks if "mark.skip(" in mark or "xfail" in mark]


def test_every_test_of_this_folder_is_of_a_case() -> None:
    for path in HERE.glob("test_*.py"):
        if path.name != "test_table.py":
            for name in functions_of(path):
                number = re.match(r"test_case_(\d\d)_", name)
                assert number, f"{path.name}: {name} names no case"
                assert int(number.group(1)) in TITLES
