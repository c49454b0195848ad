"""YAML that people write."""

import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treebench.errors import ConfigError, DataError
from treebench.written.shown import shown
from treebench.written.yaml_text import parse_leniently, parse_yaml, read_yaml, yaml_text


def test_numbers_without_a_dot_are_numbers() -> None:
    assert parse_yaml("a: 1e-3\nb: 20_000\nc: -2E5", "f", ConfigError) == {
        "a": 1e-3,
        "b": 20000,
        "c": -2e5,
    }


def test_text_that_looks_like_code_stays_text() -> None:
    with pytest.raises(ConfigError, match="f:1"):
        parse_yaml("a: !!python/object/apply:os.system ['true']", "f", ConfigError)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "f:3: the key 'a' is written twice; remove one of them"),
        ("a: {b: 1, b: 2}", "f:1: the key 'b' is written twice; remove one of them"),
        ("1: x", "f:1: the key 1 is not text; put it in quotes"),
        ("a: [1, 2", "f:1"),
        ("a: b: c", "f:1"),
        ("\x00", "f: not YAML"),
        ("a: 0x" + "f" * 6000, "f: a has more than 63 bits; write a smaller number"),
        ("a: " + "9" * 6000, "f: not YAML (Exceeds the limit"),
        ("[" * 5000, "f: not YAML"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_yaml(text, "f", ConfigError)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_aliases_of_aliases_are_refused_before_they_are_written_out() -> None:
    levels = [f"{name}: &{name} [{','.join([f'*{below}'] * 10)}]" for below, name in pairs()]
    with pytest.raises(ConfigError, match="more than 100,000 values once its aliases"):
        parse_yaml("\n".join(["a: &a [1]", *levels]), "f", ConfigError)


def pairs() -> list[tuple[str, str]]:
    return list(zip("abcdefghij", "bcdefghijk", strict=True))


def test_whose_file_it_is_decides_the_kind_of_error() -> None:
    with pytest.raises(DataError):
        parse_yaml("a: [", "f", DataError)


@given(
    st.dictionaries(
        st.text(),
        st.text() | st.sampled_from(["1e5", "-2E3", "0x1", "yes", "1_0", "2020-01-01", "null"]),
    )
)
def test_what_is_written_is_read_back(facts: dict[str, str]) -> None:
    """`1e5` is text to YAML 1.1 and a number to this reader, so the writer must quote it."""
    assert parse_yaml(yaml_text(facts), "f", ConfigError) == facts


def test_a_merge_key_gives_way_to_what_is_stated() -> None:
    text = "base: &base {a: 1, b: 2}\nown: {<<: *base, b: 3}\n"
    assert parse_yaml(text, "f", ConfigError)["own"] == {"a": 1, "b": 3}


def test_all_that_is_wrong_is_listed_and_the_rest_is_read() -> None:
    text = f"a: 1\na: 2\n3: x\nb: !tag x\nc: [{10**30}, 5]\nd: {{e: {10**30}}}\nf: 6\n"
    value, problems = parse_leniently(text, "f", ConfigError)
    assert value == {"a": 1, "c": [5], "d": {}, "f": 6}
    assert problems == [
        "f:2: the key 'a' is written twice; remove one of them",
        "f:3: the key 3 is not text; put it in quotes",
        "f:4: the tag '!tag' is not allowed; remove it",
        "f: c.0 has more than 63 bits; write a smaller number",
        "f: d.e has more than 63 bits; write a smaller number",
    ]


def test_the_mark_that_editors_put_first_is_no_part_of_a_key(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n")
    assert read_yaml(path, ConfigError) == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "null"),
        (True, "true"),
        (float("nan"), ".nan"),
        (float("-inf"), "-.inf"),
        (datetime.date(2024, 1, 31), "2024-01-31"),
        ({"a": [None, "x"], "b c": 1}, "{a: [null, 'x'], 'b c': 1}"),
        ("x" * 100, "'" + "x" * 59 + "..."),
        ([[[[[[[[1]]]]]]]], "[[[[[[...]]]]]]"),
    ],
)
def test_values_are_quoted_as_yaml_writes_them(value: Any, expected: str) -> None:
    assert shown(value) == expected
