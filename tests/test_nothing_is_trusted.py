"""What a run, a card or a data set holds is read, never carried out; and no name leaves its
folder."""

from __future__ import annotations

import ast
import os
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treebench
from tests.analysis.rows import facts, row, samples, spec
from tests.cli.test_show import call
from tests.report.html.page import page_of
from treebench.config.load import checked
from treebench.data.cards import find_card
from treebench.errors import ConfigError, DataError, RunFolderError
from treebench.report.html.markup import element
from treebench.store.row import SampleError
from treebench.store.run_folder import find_run

SOURCES = sorted(Path(treebench.__file__).parent.rglob("*.py"))

# Whatever makes objects, or code, of bytes; by the last names of what is called.
FORBIDDEN_CALLS = {
    "eval",
    "exec",
    "pickle.load",
    "pickle.loads",
    "pickle.Unpickler",
    "cloudpickle.load",
    "cloudpickle.loads",
    "joblib.load",
    "torch.load",
    "marshal.load",
    "marshal.loads",
    "shelve.open",
    "yaml.load",
    "yaml.unsafe_load",
    "yaml.full_load",
    "numpy.load",
    "np.load",
    "os.system",
    "os.popen",
}
FORBIDDEN_METHODS = {"load_model", "load_raw", "model_from_string", "__setstate__"}
FORBIDDEN_KEYWORDS = {"allow_pickle", "model_file", "xgb_model", "init_model", "shell"}
FORBIDDEN_IMPORTS = {"cloudpickle", "dill", "torch", "marshal", "shelve"}


def dotted(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([*([node.id] if isinstance(node, ast.Name) else []), *reversed(parts)])


def dangers(tree: ast.AST) -> list[str]:
    """What in a module makes objects or code of bytes."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = dotted(node.func)
            keywords = {word.arg for word in node.keywords} & FORBIDDEN_KEYWORDS
            if name in FORBIDDEN_CALLS or name.split(".")[-1] in FORBIDDEN_METHODS or keywords:
                found.append(f"{name}({', '.join(map(str, keywords))}) in line {node.lineno}")
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names]
            module = getattr(node, "module", None) or ""
            if {name.split(".")[0] for name in [*names, module]} & FORBIDDEN_IMPORTS:
                found.append(f"import of {module} {names} in line {node.lineno}")
            if module in ("pickle", "joblib", "yaml") and set(names) & {"load", "loads"}:
                found.append(f"import of {module} {names} in line {node.lineno}")
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.name))
def test_no_pickle_and_no_model_is_ever_loaded(path: Path) -> None:
    assert dangers(ast.parse(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "code",
    [
        "pickle.loads(x)",
        "from pickle import loads",
        "booster.load_model('m')",
        "lgb.Booster(model_file='m')",
        "np.load('x', allow_pickle=True)",
        "yaml.load(text)",
        "import dill",
        "subprocess.run('x', shell=True)",
    ],
)
def test_the_search_finds_what_it_looks_for(code: str) -> None:
    assert dangers(ast.parse(code))


NAMES = [
    "../up",
    "..",
    ".",
    "/etc/passwd",
    "a/b",
    "a\0b",
    "",
    "a\nb",
    ".hidden",
    "-x",
    "a" * 200,
    "a\\b/..",
]


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_a_run_cannot_leave_results(name: str) -> None:
    raw = {"name": name, "data": {"set": "tiny"}, "reference": {"trainer": "xgboost"}}
    with pytest.raises(ConfigError, match=r"name is .*; it must be letters, digits"):
        checked(raw, "f", ("xgboost",))


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_a_data_set_cannot_leave_its_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "up.yaml").write_text("name: up")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match="no data set is called"):
        find_card(name)
    raw = {"name": "n", "data": {"set": name}, "reference": {"trainer": "xgboost"}}
    with pytest.raises(ConfigError, match=r"data.set is .*; it must be letters, digits"):
        checked(raw, "f", ("xgboost",))


def test_the_name_in_a_card_is_that_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the made set would lie, and another be deleted, where the name leads."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "mine.yaml").write_text("name: ../../mine\ntitle: t\n")
    with pytest.raises(DataError) as raised:
        find_card("mine")
    assert any("name is '../../mine'; it must be small" in each for each in raised.value.problems)


@pytest.mark.parametrize("name", ["nowhere", "a\0b", "", "x" * 400])
def test_a_run_that_is_not_there_is_one_line(name: str) -> None:
    with pytest.raises(RunFolderError, match="no run in"):
        find_run(name)


class _Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


special = st.text(alphabet=st.sampled_from(list("<>&\"'`=/! -\n\x00]ascript")) | st.characters())


@given(special, special)
def test_a_string_in_a_page_is_neither_a_tag_nor_an_attribute(text: str, value: str) -> None:
    found = _Tags(element("p", text, title=value))
    assert found.tags == ["p"]
    assert [name for name, _ in found.attributes] == ["title"]


@settings(max_examples=6, deadline=None, derandomize=True)
@given(special)
def test_no_string_of_a_run_makes_an_element_in_its_report(text: str) -> None:
    """Name of the data, title, note, versions, messages of errors: all of it is text there."""
    quiet, loud = "plain", f"<b {text}><script>"
    assert sorted(_page(loud).tags) == sorted(_page(quiet).tags)


def _page(told: str) -> _Tags:
    cell = replace(spec(), dataset=told)
    failed = row(cell, 0, kind="memory", status="error", error=SampleError(told, told))
    run = facts([cell])
    run |= {"note": told, "versions": {**run["versions"], told: told}}
    run["config"] = run["config"] | {"title": told}
    return _Tags(page_of(run, [*samples(cell), failed]))


def test_a_config_asks_for_no_object_of_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.yaml").write_text("name: !!python/object/apply:os.mkdir ['made']\n")
    assert call("plan", "c.yaml") == 1
    assert "is not allowed; remove it" in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["c.yaml"]
