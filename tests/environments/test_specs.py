"""What a spec is read as."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.environments.wheels import put_wheel
from treebench.environments.environment import EnvironmentBuildError
from treebench.environments.specs import read_spec


@pytest.mark.parametrize(
    ("spec", "texts"),
    [
        ("lightgbm==4.5.0", ["lightgbm==4.5.0"]),
        ("lightgbm == 4.5.0", ["lightgbm==4.5.0"]),
        ("xgboost==2.1.4 scikit-learn==1.5.2", ["xgboost==2.1.4", "scikit-learn==1.5.2"]),
        ("xgboost==2.1.4,numpy<2", ["xgboost==2.1.4", "numpy<2"]),
        ("xgboost>=2, <3 numpy", ["xgboost>=2,<3", "numpy"]),
    ],
)
def test_requirements_are_split_at_spaces_and_commas(spec: str, texts: list[str]) -> None:
    assert [each.text for each in read_spec(spec).requirements] == texts


@pytest.mark.parametrize(
    ("spec", "pinned"),
    [
        ("a==1 b==2.0rc1", True),
        ("a==1.*", False),
        ("a>=1", False),
        ("a", False),
        ("a==1,!=2", False),
    ],
)
def test_exact_versions_mean_the_same_tomorrow(spec: str, pinned: bool) -> None:
    assert read_spec(spec).pinned is pinned


@pytest.mark.parametrize(
    ("lines", "pinned"),
    [
        ("a==1\n\n  # the old one\nb===2.0  # frozen\n", True),
        ("a==1 ; python_version > '3'\n", True),
        ("a==1\nb>=2\n", False),
        ("a==1\nb\n", False),
        ("a==1.*\n", False),
        ("a==1\n-r more.txt\n", False),
        ("a==1\n--extra-index-url https://example.org\n", False),
        ("a==1 \\\n  --hash=sha256:00\n", False),
        ("a==1\nb @ git+https://example.org/b@main\n", False),
    ],
)
def test_a_file_of_exact_versions_means_the_same_tomorrow(
    tmp_path: Path, lines: str, pinned: bool
) -> None:
    file = tmp_path / "night.txt"
    file.write_text(lines)
    assert read_spec(str(file)).pinned is pinned


def test_names_are_those_of_the_index(tmp_path: Path) -> None:
    assert read_spec("Scikit_Learn==1.5").names == {"scikit-learn"}
    assert read_spec("scikit-_learn").names == {"scikit-learn"}
    wheel = put_wheel(tmp_path, "tinylib", "1.0")
    assert read_spec(str(wheel)).names == {"tinylib"}
    assert read_spec(str(wheel)).pinned


def test_a_file_names_what_it_takes_from_an_address(tmp_path: Path) -> None:
    file = tmp_path / "pinned.txt"
    file.write_text(
        "scikit_learn[all] @ https://example.org/scikit_learn-1.5-cp311.whl\n"
        "xgboost @ git+https://example.org/xgboost@0123abc ; python_version > '3'\n"
        "-c held@here.txt\n"
    )
    assert read_spec(str(file)).names == {"scikit-learn", "xgboost"}


def test_an_interpreter_by_its_path_or_its_environments_folder(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    link = tmp_path / "bin" / "python"
    link.symlink_to(sys.executable)
    assert read_spec(sys.executable).python == Path(sys.executable)
    assert read_spec(str(tmp_path)).python == link
    assert read_spec(str(link)).python == link, "a link is an environment of its own"


def test_a_requirements_file_is_known_by_its_content(tmp_path: Path) -> None:
    file = tmp_path / "old.txt"
    file.write_text("lightgbm==4.5.0  # the old one\nnumpy<2\n-r other.txt\n")
    first = read_spec(str(file))
    assert first.file == file
    assert first.names == {"lightgbm", "numpy"}
    file.write_text("lightgbm==4.6.0\n")
    assert read_spec(str(file)).identity != first.identity


def test_the_order_of_requirements_is_no_difference() -> None:
    assert read_spec("a==1 b==2").identity == read_spec("b==2, a==1").identity
    assert read_spec("a==1 b==2").identity != read_spec("a==1 b==3").identity


def test_a_wheel_is_known_by_its_content(tmp_path: Path) -> None:
    wheel = put_wheel(tmp_path, "tinylib", "1.0")
    before = read_spec(str(wheel)).identity
    wheel.write_bytes(wheel.read_bytes() + b"more")
    assert read_spec(str(wheel)).identity != before


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("lightgbm=4.5", "is no requirement"),
        ("a==1 a==2", "a is asked for twice"),
        ("gone/requirements.txt", "cannot be read"),
        ("gone/bin/python", "neither an interpreter nor"),
        ("  ", "nothing in it"),
    ],
)
def test_what_is_none_of_them_is_refused_in_one_line(spec: str, said: str) -> None:
    with pytest.raises(EnvironmentBuildError, match=said) as caught:
        read_spec(spec)
    assert "\n" not in str(caught.value)
