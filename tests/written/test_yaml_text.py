"""YAML that people write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treebench.errors import ConfigError, DataError
from treebench.written.yaml_text import parse_yaml, yaml_text


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
