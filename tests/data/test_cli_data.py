from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from pyarrow import csv

from tests.data.making import mixed_table
from treebench.cli import main


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TREEBENCH_CACHE", str(tmp_path / "cache"))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["data", *arguments])
    out, err = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err


def test_list_shows_each_set_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "make", "tiny")
    code, out, err = run(capsys, "list")

    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0].split() == [
        "name",
        "rows",
        "x",
        "features",
        "task",
        "storage",
        "made",
        "licence",
    ]
    (flights,) = (line for line in lines if line.startswith("flights "))
    (tiny,) = (line for line in lines if line.startswith("tiny "))
    assert flights.split() == ["flights", "327,346", "x", "12", "binary", "wide", "no", "CC0-1.0"]
    assert " KiB " in tiny
    assert "next: treebench data make" in out


def test_list_as_json_has_raw_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "list", "--json")

    onehot = next(entry for entry in json.loads(out) if entry["name"] == "flights-onehot")
    assert code == 0
    assert (onehot["rows"], onehot["features"], onehot["made"]) == (327_346, 8_057, False)
    assert (onehot["disk_bytes"], onehot["folder"], onehot["manifest"]) == (None, None, None)


def test_a_broken_card_does_not_hide_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    Path("datasets").mkdir()
    Path("datasets/broken.yaml").write_text("name: broken\n")

    code, out, err = run(capsys, "list")

    assert code == 1
    assert "flights " in out
    assert "treebench: datasets/broken.yaml: licence is missing; add it\n" in err


def test_make_says_what_it_does_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "make", "tiny", "--rows", "500", "--rows", "1_000")

    assert code == 0
    assert "tiny: made 2,000 training and 1,000 test rows" in err
    assert "tiny: choosing 500 of 2,000 training rows\n" in err
    assert out.splitlines()[0].startswith("tiny: 3,000 x 8 in ")
    assert out.splitlines()[1] == (
        "next: treebench plan quickstart --set name=tiny --set data.set=tiny "
        "--set 'data.rows=[125,500,2000]'"
    )


def test_make_as_json_gives_the_manifest(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "make", "tiny", "--rows", "500", "--json")

    entry = json.loads(out)
    assert entry["manifest"]["train_rows"] == 2_000
    assert entry["subset_rows"] == [500]
    assert Path(entry["folder"], "train-500.parquet").is_file()


def test_info_before_and_after_making(capsys: pytest.CaptureFixture[str]) -> None:
    _, before, _ = run(capsys, "info", "wine")
    run(capsys, "make", "wine", "--rows", "60")
    _, after, _ = run(capsys, "info", "wine")

    assert "made             no" in before
    assert "next: treebench data make wine" in before
    assert "classes          class_0, class_1, class_2" in after
    assert "train / test     142 / 36 rows" in after
    assert "subsets          60" in after
    assert "split            20 % held out, stratified, seed 0" in after


def test_info_of_an_unmade_set_says_what_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "info", "flights")

    assert "dep_delay        known only after departure, gives the delay away" in out


def test_import_writes_a_card_and_makes_the_set(capsys: pytest.CaptureFixture[str]) -> None:
    csv.write_csv(mixed_table(), "My Data.csv")

    code, out, err = run(
        capsys, "import", "My Data.csv", "--target", "y", "--drop", "flag", "--test-share", "0.5"
    )

    assert code == 0
    assert "task: binary, since the labels have 2 different values; --task says otherwise\n" in err
    assert out.splitlines() == [
        "wrote datasets/my-data.yaml: 200 x 5, binary",
        "classes: -1, 1",
        "categorical: text (3)",
        "next: treebench plan quickstart --set name=my-data --set data.set=my-data "
        "--set 'data.rows=[6,25,100]'",
    ]
    assert run(capsys, "info", "my-data")[0] == 0


def test_the_next_step_asks_for_no_fewer_rows_than_classes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = "".join(f"{i},{i % 2}\n" for i in range(20))
    Path("few.csv").write_text(f"x,y\n{rows}")
    _, out, _ = run(capsys, "import", "few.csv", "--target", "y")
    assert "'data.rows=[2,4,16]'" in out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["make", "nope"], "no data set is called 'nope'; there are cards for: "),
        (["info", "../x"], "no data set is called '../x'"),
        (
            ["make", "tiny", "--rows", "9999"],
            "tiny: 9,999 rows were asked for; allowed: 1 to 2,000",
        ),
        (["make", "tiny", "--rows", "many"], "Invalid value for '--rows'"),
        (["import", "gone.csv", "--target", "y"], "gone.csv does not exist"),
        (["import", "x.csv", "--nonfinite", "zero"], "'zero' is not one of 'error', 'nan'"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_1(
    capsys: pytest.CaptureFixture[str], arguments: list[str], line: str
) -> None:
    code, out, err = run(capsys, *arguments)

    assert (code, out) == (1, "")
    last = err.splitlines()[-1]
    assert last.startswith("treebench: ")
    assert line in last


def test_list_imports_nothing_heavy() -> None:
    script = (
        "import sys; from treebench.cli import main\n"
        "try: main(['data', 'list'])\n"
        "except SystemExit: pass\n"
        "sys.exit(' '.join({'numpy', 'pandas', 'pyarrow', 'sklearn'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
