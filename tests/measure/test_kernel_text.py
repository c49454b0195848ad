"""What the kernel tells as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from treebench.measure.kernel_text import chosen_word, cpu_field, setting

if TYPE_CHECKING:
    from pathlib import Path

CPUINFO = """processor\t: 0
model name\t: Some CPU @ 2.0GHz
power management\t:
flags\t\t: fpu hypervisor

processor\t: 1
model name\t: Another CPU
"""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("model name", "Some CPU @ 2.0GHz"),
        ("flags", "fpu hypervisor"),
        ("power management", ""),
        ("model", None),
    ],
)
def test_a_field_is_the_first_cpus_and_ends_with_its_line(name: str, said: str | None) -> None:
    assert cpu_field(CPUINFO, name) == said
    assert cpu_field(None, name) is None


@pytest.mark.parametrize(
    ("text", "word"),
    [("always [madvise] never", "madvise"), ("[always] madvise", "always"), ("0", None)],
)
def test_the_word_in_brackets_is_the_one_chosen(text: str, word: str | None) -> None:
    assert chosen_word(text) == word
    assert chosen_word(None) is None


def test_a_setting_that_is_not_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "governor").write_text("performance\n")
    assert setting(tmp_path / "governor") == "performance"
    assert setting(tmp_path / "boost") is None
