"""Files of claims, presets and tables that are none: one line each, soon."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from treebench.config.load import find_config, load_config
from treebench.config.load_claims import claims_named, read_claim
from treebench.config.load_comparisons import own_files, presets_in, tables_in
from treebench.errors import ConfigError

MERGES = "".join(
    f"m{level}: &m{level} {{<<: [{', '.join([f'*m{level - 1}'] * 10)}], k{level}: 1}}\n"
    for level in range(1, 9)
)
ALIASES = "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 9)
)
SPOILT: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "mapping"),
    "a list": (b"- a\n- b\n", "mapping"),
    "binary": (bytes(range(256)), "is not UTF-8 text; give a UTF-8 YAML file"),
    "zeros": (bytes(2000), "not YAML"),
    "100 MB": (b"# " + b"x" * 100_000_000, "has more than 4,194,304 bytes; give a shorter YAML"),
    "billion laughs": (("a0: &a0 [1]\n" + ALIASES).encode(), "once its aliases are written out"),
    "merged a billion times": (
        ("m0: &m0 {k0: 1}\n" + MERGES).encode(),
        "m0 is no key|m0.k0 is no key",
    ),
    "of itself": (b"a: &a [*a]\n", "unconstructable recursive node; mend the YAML"),
    "a key twice": (b"id: A\nid: B\n", ":2: the key 'id' is written twice; remove one of them"),
    "another program": (b"a: !!python/name:os.system x\n", "is not allowed; remove it"),
    "no truth": (b"a: !!bool maybe\n", "a value does not fit its tag; remove the tag"),
    "no number": (b"a: !!int ''\n", "a value does not fit its tag; remove the tag"),
    "no time": (b"a: !!timestamp soon\n", "a value does not fit its tag; remove the tag"),
    "beyond": (b"a: 1" + b":00" * 300 + b".5\n", "not YAML"),
}


def load(path: Path) -> Any:
    return load_config(str(path), [], ("xgboost",))


READERS: dict[str, Callable[[Path], Any]] = {
    "claim": read_claim,
    "preset": lambda path: presets_in([path]),
    "table": tables_in,
    "config": load,
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", SPOILT)
def test_a_file_that_is_none_is_told_soon(reader: str, name: str, tmp_path: Path) -> None:
    content, said = SPOILT[name]
    path = tmp_path / "own.yaml"
    path.write_bytes(content)
    began = time.process_time()
    with pytest.raises(ConfigError, match=said) as raised:
        READERS[reader](path)
    assert time.process_time() - began < 5
    for line in raised.value.problems:
        assert line.startswith((f"{path}:", f"{path} "))
        assert "\n" not in line
        assert ";" in line


@pytest.mark.parametrize("name", ["folder", "nothing", "x" * 5000, "a\0b", ""])
def test_what_is_no_file_is_no_claim_preset_or_config(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(ConfigError, match=r"no claim .*; give all, a YAML file, or one of: "):
        claims_named(name, {})
    assert own_files([name, f"{name}.yaml"]) == []
    with pytest.raises(ConfigError, match=r"no config .*; give a YAML file, or one of: "):
        find_config(name)


def test_a_file_of_either_ending_is_a_preset_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.yaml", "b.yml", "c.txt"):
        (tmp_path / name).write_text("x: 1")
    assert own_files(["a.yaml", "b.yml", "c.txt", "all"]) == [Path("a.yaml"), Path("b.yml")]
