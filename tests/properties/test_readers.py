"""Files that people, and disks, have spoilt: every reader refuses with lines a person can use, and
by no other error."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analysis.rows import facts, spec
from tests.data.making import card_facts
from tests.properties import drawn
from tests.store.test_journal import FAILED, FULL, write
from treebench.config.load import checked, load_config
from treebench.config.load_claims import owner_of, read_claim
from treebench.config.load_comparisons import presets_in, tables_in
from treebench.config.shrink import shrink_for, shrunk
from treebench.data.cards import load_card
from treebench.errors import ConfigError, DataError, RunFolderError, TreebenchError
from treebench.store.journal import problems, read_rows
from treebench.store.run_folder import open_run
from treebench.trainers.registry import TRAINERS
from treebench.written.yaml_text import yaml_text

CONFIG: dict[str, Any] = {
    "name": "x",
    "data": [{"set": ["a", "b"], "rows": [10, "all"], "layout": ["csr"]}],
    "layout": ["dense-c"],
    "samples": 2,
    "deadline": "60s",
    "memory_limit": "1GiB",
    "reference": {"trainer": "xgboost", "method": "hist", "max_bin": [15, 63], "extra": {"a": 1}},
    "variants": [{"trainer": "lightgbm", "threads": 1}],
}
CARD = card_facts(target={"column": "y"}, split={"test_share": 0.2}, drop={"z": "why"})
CLAIM: dict[str, Any] = {
    "id": "T1",
    "title": "t",
    "claim": "c",
    "source": "s",
    "sweep": {**CONFIG, "data": [{"set": "a", "rows": [100, 1000]}]},
    "cells": {"few": "max_bin=15, rows=100", "many": "max_bin=63"},
    "stated": {"rows": 1000},
    "least": {"rows": 50},
    "checks": [
        {"name": "n", "says": "s", "term": "fit_time(few)", "within": "5%", "stated": 1.5},
        {"name": "m", "says": "s", "term": "1", "between": [0, 1], "tier": "hardware"},
    ],
}
COLUMN: dict[str, Any] = {"name": "x", "title": "X", "library": "l", "setting": {"trainer": "xgb"}}
PRESET: dict[str, Any] = {
    "preset": "own",
    "title": "t",
    "says": "s",
    "published": "p",
    "sweep": "s",
    "clock": "total",
    "score": "final",
    "least": {"trees": 5},
    "shrinks": ["min_child_weight"],
    "data": [{"set": "tiny", "rows": 100, "beside": "B", "why_beside": "w"}],
    "base": {"n_estimators": 9, "min_child_weight": 100},
    "columns": [
        COLUMN,
        {**COLUMN, "name": "y", "like": "x", "search": {"a": {"low": 1, "high": 2}}},
    ],
    "compares": [{"name": "n", "figure": "time", "first": "x", "second": "y"}],
    "orders": [{"figure": "score", "columns": {"x": "a", "y": "b"}}],
    "budget": {"configurations": 3},
}
TABLE: dict[str, Any] = {
    "p": {
        "title": "t",
        "source": "s",
        "date": "d",
        "hardware": "h",
        "titles": {"a": "A", "b": "B"},
        "lead_of": ["a", "b"],
        "data": {"D": {"rows": 1, "features": 1, "metric": "AUC", "time_s": {"a": 1, "b": 2.5}}},
    }
}
FACTS = facts([spec()], name="x")

words = st.text(max_size=12) | st.sampled_from(["all", "csr", "1GiB", "60s", "../x", "\u2028", ""])
numbers = st.integers() | st.floats() | st.sampled_from([0, -1, 10**30, 1e308])
leaves = st.none() | st.booleans() | numbers | words
junk = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path to every value within."""
    if not isinstance(value, dict | list):
        return [path]
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    return [path, *(deeper for key, one in inner for deeper in places(one, (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy with another value at the path."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(copy[path[0]], path[1:], new)
    return copy


def spoilt(sound: Any) -> st.SearchStrategy[Any]:
    """The sound value with other things in up to three places."""

    @st.composite
    def draw_one(draw: st.DrawFn) -> Any:
        value = sound
        for _ in range(draw(st.integers(1, 3))):
            value = changed(value, draw(st.sampled_from(places(value))), draw(junk))
        return value

    return draw_one()


@contextlib.contextmanager
def refused_in_lines(kind: type[TreebenchError]) -> Any:
    """What is inside goes well, or is refused by that error, with something to say in each line."""
    told: tuple[str, ...] | None = None
    try:
        yield
    except kind as error:
        told = error.problems
    assert told is None or (all(map(str.strip, told)) and len(set(told)) == len(told) > 0), told


@drawn(80)
@given(raw=spoilt(CONFIG))
def test_a_spoilt_config(raw: Any, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(yaml_text(raw), encoding="utf-8")
    with refused_in_lines(ConfigError):
        load_config(str(tmp_path / "c.yaml"), [], tuple(TRAINERS))


@drawn(80)
@given(raw=spoilt(CARD))
def test_a_spoilt_card(raw: Any, tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(yaml_text(raw), encoding="utf-8")
    with refused_in_lines(DataError):
        load_card(tmp_path / "small.yaml")


@pytest.mark.parametrize("sound", [CLAIM, PRESET, TABLE], ids=["claim", "preset", "table"])
def test_a_sound_file_is_read(sound: Any, tmp_path: Path) -> None:
    read_published(sound, tmp_path)


@drawn(60)
@given(data=st.data(), sound=st.sampled_from([CLAIM, PRESET, TABLE]))
def test_a_spoilt_claim_preset_or_table(data: st.DataObject, sound: Any, tmp_path: Path) -> None:
    raw = data.draw(spoilt(sound))
    with refused_in_lines(ConfigError):
        read_published(raw, tmp_path, sound)


def read_published(raw: Any, folder: Path, sound: Any = None) -> None:
    """Read a file of the kind that `sound` is, and make the sweep of a claim smaller."""
    sound = raw if sound is None else sound
    path = folder / "own.yaml"
    path.write_text(yaml_text(raw), encoding="utf-8")
    if sound is TABLE:
        tables_in(path)
    elif sound is PRESET:
        presets_in([path])
    else:
        claim = read_claim(path)
        sweep = owner_of(claim, {}).sweep
        assert isinstance(sweep, dict)
        shrink = shrink_for(sweep, 0.5, claim.least.rows, claim.least.trees, "here")
        checked(shrunk(sweep, shrink), "here", tuple(TRAINERS))


yaml_pieces = st.lists(
    st.sampled_from(
        [
            "name: x",
            "data:",
            "- ",
            "  ",
            "\n",
            "{",
            "}",
            "[",
            "]",
            ":",
            "&a",
            "*a",
            "!!python/x",
            "!!bool ",
            "!!int ",
            "!!timestamp ",
            "1:2:3",
            "<<: ",
            "? ",
            "|",
            ">",
            "'",
            '"',
            "#",
            "\t",
            "\x00",
            "\ufeff",
            "---",
            "1e3",
            "%TAG",
            "@",
        ]
    )
    | st.text(max_size=5),
    max_size=15,
).map("".join)


@drawn(100)
@given(content=yaml_pieces.map(lambda t: t.encode("utf-8", "replace")) | st.binary(max_size=60))
def test_any_bytes_as_config_and_card(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_bytes(content)
    with refused_in_lines(ConfigError):
        load_config(str(path), [], tuple(TRAINERS))
    with refused_in_lines(DataError):
        load_card(path)
    for read in (read_claim, tables_in, lambda own: presets_in([own])):
        with refused_in_lines(ConfigError):
            read(path)


@drawn(80)
@given(override=words | st.builds("{}={}".format, words, words | yaml_pieces), more=words)
def test_any_override(override: str, more: str, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(yaml_text(CONFIG))
    for text in (override, f"reference.{more}={override}", f"data.0.rows={override}"):
        with refused_in_lines(ConfigError):
            load_config(str(tmp_path / "c.yaml"), [text], tuple(TRAINERS))


@drawn(100)
@given(raw=spoilt(json.loads(json.dumps(FULL.to_json()))))
def test_a_spoilt_row(raw: Any, tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.write_text(json.dumps(raw) + "\n")
    with refused_in_lines(RunFolderError):
        rows = read_rows(path)
        # What was read can be written, and is then read the same.
        path.unlink()
        write(path, *rows)
        assert read_rows(path) == rows
    list(problems(path))


@drawn(80)
@given(raw=spoilt(json.loads(json.dumps(FACTS))))
def test_spoilt_facts(raw: Any, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps(raw))
    with refused_in_lines(RunFolderError):
        open_run(tmp_path)


@drawn(80)
@given(
    which=st.lists(st.booleans(), max_size=3),
    cut=st.floats(0, 1),
    tail=st.binary(max_size=40),
)
def test_a_journal_cut_anywhere_keeps_what_was_whole(
    which: list[bool], cut: float, tail: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "j"
    path.unlink(missing_ok=True)
    rows = [FULL if one else FAILED for one in which]
    write(path, *rows)
    content = path.read_bytes()
    kept = content[: round(cut * len(content))]
    whole = kept.count(b"\n")
    torn = tail.replace(b"\n", b"")
    path.write_bytes(kept + torn)
    assert read_rows(path) == rows[:whole]
    write(path, FULL)
    assert read_rows(path) == [*rows[:whole], FULL]
    assert list(problems(path)) == []


@drawn(80)
@given(content=st.binary(max_size=80).map(lambda junk: junk + b"\n"), after=st.booleans())
def test_any_line_in_a_journal(content: bytes, after: bool, tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.unlink(missing_ok=True)
    write(path, FULL)
    whole = path.read_bytes()
    path.write_bytes(whole + content if after else content + whole)
    with pytest.raises(RunFolderError):
        read_rows(path)
    assert list(problems(path))
