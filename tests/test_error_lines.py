"""What a person reads after a mistake: what, where and the remedy, in one line, and the exit code.

Each line stands here in full, so that it can be read as a person would read it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.cli.test_show import call
from treebench.data.making.make import make

CONFIG = "name: c\ndata: {{set: tiny}}\nreference: {{trainer: xgboost{more}}}\n{rest}"
CSV = "x,y\n" + "".join(f"{i},{i % 2}\n" for i in range(40))


@dataclass(frozen=True)
class Misuse:
    """The words typed, the files there are, and the lines read; `...` stands for any text."""

    typed: str
    lines: str
    files: dict[str, str | bytes] = field(default_factory=dict)
    code: int = 1


def config(rest: str = "", more: str = "") -> dict[str, str | bytes]:
    return {"c.yaml": CONFIG.format(rest=rest, more=more)}


BINARY: dict[str, str | bytes] = {"own.yaml": bytes(range(256))}
PLAN = "plan c.yaml"
IMPORT = "data import d.csv --target y"
MISUSES = (
    # The command line
    Misuse("fly", "No such command 'fly'; see `treebench --help`"),
    Misuse("run", "Missing argument 'CONFIG'; see `treebench run --help`"),
    Misuse("plan c.yaml --fast", "No such option: --fast...; see `treebench plan --help`"),
    Misuse("plan nowhere", "no config nowhere; give a YAML file, or one of: ..."),
    Misuse("show nowhere", "no run in nowhere nor in results/nowhere; make one: treebench run ..."),
    Misuse(
        "plan c.yaml --set samples",
        "--set samples: write it as key=value, as in samples=3",
        config(),
    ),
    Misuse(
        "plan c.yaml --set samples.x=3",
        "--set samples.x=3: there is nothing at 'x', since what stands above it is 4; set that "
        "instead",
        config("samples: 4"),
    ),
    Misuse(
        "plan c.yaml --only rows",
        "--only 'rows': cannot read 'rows'; write conditions such as trainer=xgboost, rows<=80000",
        config(),
    ),
    Misuse(
        "plan c.yaml --only rows<many",
        "--only 'rows<many': rows < many compares sizes; write a number there",
        config(),
    ),
    Misuse(
        "plan c.yaml --only trainer=lightgbm",
        "c.yaml: --only leaves none of its 1 cells; `treebench plan c.yaml` lists them",
        config(),
        code=4,
    ),
    # A config
    Misuse(PLAN, "c.yaml:1: ...; mend the YAML", {"c.yaml": "a: [1"}),
    Misuse(PLAN, "c.yaml is not UTF-8 text; give a UTF-8 YAML file", {"c.yaml": b"\xff\xfe"}),
    Misuse(
        PLAN,
        "c.yaml: a config is a mapping with name, data and reference; write these",
        {"c.yaml": ""},
    ),
    Misuse(
        PLAN, "c.yaml:4: the key 'name' is written twice; remove one of them", config("name: d")
    ),
    Misuse(PLAN, "c.yaml:4: the key 1 is not text; put it in quotes", config("1: x")),
    Misuse(PLAN, "c.yaml:4: the tag '!x' is not allowed; remove it", config("title: !x y")),
    Misuse(
        PLAN,
        "c.yaml: order_seed has more than 63 bits; write a smaller number",
        config(f"order_seed: {10**30}"),
    ),
    Misuse(
        PLAN,
        "c.yaml: smaples is no key here (did you mean samples?); allowed: ...",
        config("smaples: 3"),
    ),
    Misuse(PLAN, "c.yaml: samples is null; it must be a whole number", config("samples: null")),
    Misuse(PLAN, "c.yaml: samples is 0; it must be at least 1", config("samples: 0")),
    Misuse(PLAN, "c.yaml: latency is 'often'; it must be true or false", config("latency: often")),
    Misuse(PLAN, "c.yaml: title is 2024-01-31; it must be text", config("title: 2024-01-31")),
    Misuse(
        PLAN,
        "c.yaml: layout.1 is 'dense'; it must be dense-c, dense-f, csr or csc",
        config("layout: [csr, dense]"),
    ),
    Misuse(
        PLAN,
        "c.yaml: deadline is 'soon'; it must be a time above 0, such as 90, 45s, 10m or 1.5h",
        config("deadline: soon"),
    ),
    Misuse(
        PLAN,
        "c.yaml: memory_limit is '2 gigs'; it must be a size with its unit, such as 512MiB, 2GiB "
        "or 1.5GB",
        config("memory_limit: 2 gigs"),
    ),
    Misuse(
        PLAN,
        "c.yaml: cost_per_hour is true; it must be a number, not a yes or no",
        config("cost_per_hour: yes"),
    ),
    Misuse(
        PLAN,
        "c.yaml: reference.max_bin is 1; it must be from 2 to 65535",
        config(more=", max_bin: 1"),
    ),
    Misuse(
        PLAN,
        "c.yaml: reference.max_bins is no key here (did you mean max_bin?); a library's own name "
        "goes under extra",
        config(more=", max_bins: 63"),
    ),
    Misuse(
        PLAN,
        "c.yaml: reference.'' is no key here; allowed: ...; a library's own name goes under extra",
        config(more=", '': 1"),
    ),
    Misuse(
        PLAN,
        "c.yaml: reference.method is 'fast'; it must be exact, approx or hist",
        config(more=", method: fast"),
    ),
    Misuse(
        PLAN,
        "c.yaml: variants.0.max_depth is [1, 2]; it must be a whole number from 1 to 1000",
        config("variants: [{max_depth: [[1, 2]]}]"),
    ),
    Misuse(
        PLAN,
        "c.yaml: rows is 9,999, but the training part of tiny has 2,000; lower it, or write all",
        {"c.yaml": "name: c\ndata: {set: tiny, rows: 9_999}\nreference: {trainer: xgboost}"},
    ),
    Misuse(
        PLAN,
        "c.yaml: threads is 4000, but this process may use ... core(s); lower it, or set "
        "oversubscribe: true",
        config("threads: 4_000"),
    ),
    Misuse(
        PLAN,
        "no data set is called 'tinny' (did you mean tiny?); for a file of your own: `treebench "
        "data import FILE --target COLUMN`",
        {"c.yaml": "name: c\ndata: {set: tinny}\nreference: {trainer: xgboost}"},
    ),
    # A claim, a preset
    Misuse(
        "reproduce own.yaml",
        "own.yaml: source is missing; add it\n"
        "own.yaml: checks.0.at_leest is no key here (did you mean at_least?); allowed: ...\n"
        "own.yaml: checks.0.says is 3; it must be text",
        {
            "own.yaml": "id: T1\ntitle: t\nclaim: c\nsweep: A1\n"
            "checks: [{name: n, term: '1', says: 3, at_leest: 1}]"
        },
    ),
    Misuse("reproduce own.yaml", "own.yaml is not UTF-8 text; give a UTF-8 YAML file", BINARY),
    Misuse("reproduce own", "no claim own; give all, a YAML file, or one of: ..."),
    Misuse(
        "reproduce lightgbm-vs-xgboost --preset own.yaml",
        "own.yaml: it must be a mapping of keys to values; write some",
        {"own.yaml": ""},
    ),
    Misuse(
        "reproduce lightgbm-vs-xgboost --preset own.yaml",
        "own.yaml: lead is 'mine'; it must be as_published or equal_clocks",
        {"own.yaml": "like: matched\npreset: own\nlead: mine"},
    ),
    # A card
    Misuse(
        "data make mine",
        "datasets/mine.yaml: source.kind is missing; allowed: ...\n"
        "datasets/mine.yaml: licence is missing; add it\n"
        "datasets/mine.yaml: colour is no key here; allowed: ...\n"
        "datasets/mine.yaml: task is 'rank'; it must be binary, multiclass or regression",
        {"datasets/mine.yaml": "name: mine\ntitle: t\nsource: {}\ntask: rank\ncolour: red"},
    ),
    Misuse(
        "data make mine",
        "datasets/mine.yaml: name is 'other'; it must be the name of its file, 'mine'\n"
        "datasets/mine.yaml: target is missing; add a `target` section, which `kind: csv` needs\n"
        "datasets/mine.yaml: split is missing; add a `split` section, which `kind: csv` needs",
        {
            "datasets/mine.yaml": "name: other\ntitle: t\nsource: {kind: csv, path: x}\n"
            "task: binary\nlicence: none"
        },
    ),
    # A file
    Misuse(IMPORT, "d.csv does not exist; give a file, or a folder of files"),
    Misuse(IMPORT, "d.csv is empty (0 bytes); remove it or write it again", {"d.csv": ""}),
    Misuse(IMPORT, "d.csv: there are no rows; give a file that has some", {"d.csv": "x,y\n"}),
    Misuse(IMPORT, "d.csv is not UTF-8 text; save it as UTF-8", {"d.csv": b"x\xe9,y\n1,0\n"}),
    Misuse(
        "data import d.csv --target Yes",
        "d.csv: the target 'Yes' is no column; did you mean 'yes'?",
        {"d.csv": CSV.replace("y", "yes")},
    ),
    Misuse(
        IMPORT,
        "d.csv: the target 'y' is no column; there are: 'x;y'",
        {"d.csv": CSV.replace(",", ";")},
    ),
    Misuse(
        "data import d.csv",
        "d.csv: say which column is the label, with --target COLUMN",
        {"d.csv": CSV},
    ),
    Misuse(
        IMPORT,
        "d.csv: the target 'y' has one class only, '1', so there is nothing to learn; name another "
        "column",
        {"d.csv": "x,y\n" + "1,1\n" * 20},
    ),
    Misuse(
        IMPORT,
        "d.csv: column 'x' has 1 infinite value (first in row 2); `nonfinite: nan` (`--nonfinite "
        "nan`) makes such values missing",
        {"d.csv": CSV.replace("\n1,", "\ninf,", 1)},
    ),
    Misuse(
        "data import d.dat --target y",
        "d.dat: its name does not tell a format; say --format csv, parquet or svmlight",
        {"d.dat": CSV},
    ),
    Misuse(
        "data import d.parquet --target y",
        "d.parquet is not a whole Parquet file (...); write or copy it again",
        {"d.parquet": "PAR1 and no more"},
    ),
    # A run
    Misuse(
        "show r",
        "r/run.json is damaged (...); put a whole copy of it back, or measure anew: treebench run "
        "CONFIG --fresh",
        {"r/run.json": "{"},
    ),
    Misuse(
        "show r",
        "r/run.json has schema 99, this treebench reads up to 1; upgrade treebench to read this "
        "run",
        {"r/run.json": '{"schema": 99}'},
    ),
)


@pytest.fixture(scope="module", autouse=True)
def _tiny(_own_cache: None) -> None:
    make("tiny")


@pytest.mark.parametrize("misuse", MISUSES, ids=lambda one: one.lines[:50].replace("\n", " "))
def test_a_mistake_reads(
    misuse: Misuse,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in misuse.files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    words = misuse.typed.split(" ")
    assert call(*words) == misuse.code
    said = capsys.readouterr()
    assert said.out == ""
    lines = [line for line in said.err.splitlines() if line.startswith("treebench: ")]
    expected = misuse.lines.splitlines()
    assert len(lines) == len(expected), said.err
    for line, wanted in zip(lines, expected, strict=True):
        assert reads_as(line.removeprefix("treebench: "), wanted), line
    assert "Traceback" not in said.err


def reads_as(line: str, wanted: str) -> bool:
    beginning, gap, end = wanted.partition("...")
    return line == wanted if not gap else line.startswith(beginning) and line.endswith(end)


def test_every_line_says_what_to_do() -> None:
    """What, where, and after it the remedy."""
    for misuse in MISUSES:
        for line in misuse.lines.splitlines():
            told = ("; ", ": write it as ", "make one:", ": say which ")
            assert any(words in line for words in told), line
            assert line.endswith("...") or not line.endswith("."), line
