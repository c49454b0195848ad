"""A deliberately awful config: `plan` lists all that is wrong with it at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.test_show import call
from treebench.data.making.make import make

DOCS = Path(__file__).parents[2] / "docs" / "CONFIG.md"

CONFIG = """\
name: a/b
samples: many
samples: 3
title: !secret x
speed: 9
layout: [csr, square]
threads: [4_000, none]
memory_limit: 12 parsecs
deadline: soon
counters: all
validation: 0.9
curve: maybe
cost_per_hour: yes
order_seed: 99999999999999999999
7: seven
data:
  - {set: tiny, rows: [1_000, 999_999, many], features: 5_000}
  - {set: [nowhere, broken, ../secrets], rows: 0}
  - {rows: 10}
reference: {trainer: xgboost, max_bin: 1, max_leafs: 31, extra: [1]}
variants:
  - {trainer: xgbost}
  - {max_depth: deep, learning_rate: .nan, threads: -1}
  - {trainer: lightgbm, extra: {when: 2024-01-01}}
  - {trainer: loky-forest-memmap, n_jobs: 900}
  - fast
"""

# Where each line begins; every one of them must be there, and no other.
EXPECTED = """\
awful.yaml:3: the key 'samples' is written twice; remove one of them
awful.yaml:15: the key 7 is not text; put it in quotes
awful.yaml:4: the tag '!secret' is not allowed; remove it
awful.yaml: order_seed has more than 63 bits; write a smaller number
--set nothing: write it as key=value, as in samples=3
--set data.9.rows=1: '9' stands for a place in a list of 3; write a number from 0 to 2
awful.yaml: data.2.set is missing; add it
awful.yaml: speed is no key here; allowed: cost_per_hour, counters, curve, data, deadline,
awful.yaml: name is 'a/b'; it must be letters, digits, '.', '_' or '-', at most 100 of them,
awful.yaml: data.0.rows.2 is 'many'; it must be all, or be a whole number
awful.yaml: data.1.set.2 is '../secrets'; it must be letters, digits, '.', '_' or '-', at most
awful.yaml: data.1.rows is 0; it must be all, or be at least 1
awful.yaml: layout.1 is 'square'; it must be dense-c, dense-f, csr or csc
awful.yaml: threads.1 is 'none'; it must be physical or all, or be a whole number
awful.yaml: memory_limit is '12 parsecs'; it must be a size with its unit, such as 512MiB, 2GiB
awful.yaml: samples is 'many'; it must be a whole number
awful.yaml: deadline is 'soon'; it must be a time above 0, such as 90, 45s, 10m or 1.5h
awful.yaml: curve is 'maybe'; it must be true or false
awful.yaml: validation is 0.9; it must be at most 0.5
awful.yaml: counters is 'all'; it must be auto, hardware, simulated, software or none
awful.yaml: cost_per_hour is true; it must be a number, not a yes or no
awful.yaml: variants.4 is 'fast'; it must be a mapping of keys to values
awful.yaml: reference.max_bin is 1; it must be from 2 to 65535
awful.yaml: reference.max_leafs is no key here (did you mean max_leaves?); a library's own name
awful.yaml: reference.extra is [1]; it must be a mapping of the library's own parameter names
awful.yaml: variants.0.trainer is 'xgbost'; it must be xgboost, lightgbm,
awful.yaml: variants.1.max_depth is 'deep'; it must be a whole number from 1 to 1000
awful.yaml: variants.1.learning_rate is .nan; it must be from 1e-09 to 10
awful.yaml: variants.1.threads is -1; it must be physical or all, or be a whole number of at
awful.yaml: variants.2.extra is {when: 2024-01-01}; it must hold text, finite numbers, true,
--only 'colour=red': 'colour' is no field of a cell; use: cell, dataset, rows,
no data set is called 'nowhere'; there are cards for:
datasets/broken.yaml: source.path is ''; it must not be empty
awful.yaml: rows is 999,999, but the training part of tiny has 2,000; lower it, or write all
awful.yaml: features is 5,000, but tiny has 8; lower it, or write all
awful.yaml: threads is 4000, but this process may use
awful.yaml: n_jobs is 900, but this process may use
"""

BROKEN_CARD = """\
name: broken
title: A card
task: binary
licence: none
source: {kind: csv, path: ""}
"""


@pytest.fixture
def awful(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make("tiny")
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "broken.yaml").write_text(BROKEN_CARD)
    (tmp_path / "awful.yaml").write_text(CONFIG)


@pytest.mark.usefixtures("awful")
@pytest.mark.parametrize("verb", ["plan", "run"])
def test_all_that_is_wrong_is_listed_at_once(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--set", "nothing", "--set", "data.9.rows=1", "--only", "colour=red"]
    assert call(verb, "awful.yaml", *asked) == 1
    said = capsys.readouterr()
    lines = [line.removeprefix("treebench: ") for line in said.err.splitlines()]
    expected = EXPECTED.splitlines()
    assert [each for each in expected if not any(line.startswith(each) for line in lines)] == []
    assert [line for line in lines if not any(line.startswith(each) for each in expected)] == []
    assert len(lines) == len(set(lines)) == len(expected)
    assert said.out == ""
    assert not Path("results").exists()


@pytest.mark.usefixtures("awful")
def test_data_and_machine_are_looked_at_where_the_file_is_right(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("sizes.yaml").write_text(
        "name: sizes\nthreads: 4_000\nreference: {trainer: xgboost}\n"
        "data: [{set: tiny, rows: 5_000}, {set: tiny, features: 100}]\n"
        "variants: [{trainer: loky-forest-memmap, n_jobs: 900}]\n"
    )
    assert call("plan", "sizes.yaml") == 1
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines] == [
        "treebench: sizes.yaml: rows is 5",
        "treebench: sizes.yaml: threads is 4000",
        "treebench: sizes.yaml: n_jobs is 900",
        "treebench: sizes.yaml: features is 100",
    ]


@pytest.mark.usefixtures("awful")
def test_the_example_in_the_docs_is_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    text = DOCS.read_text(encoding="utf-8")
    found = re.search(
        r"```yaml\n# awful\.yaml\n(.*?)```\s+```\n\$ (.*?)\n(.*?)```", text, re.DOTALL
    )
    assert found is not None
    config, command, printed = found.groups()
    Path("awful.yaml").write_text("# awful.yaml\n" + config)
    assert call(*command.split()[1:]) == 1
    assert capsys.readouterr().err == printed
