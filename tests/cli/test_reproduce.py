"""`reproduce` as far as nothing is measured: names, data put in place, sweeps without data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.data.fetching.cards import headless_csv, write_higgs_like
from treebench.cli import claim_sweeps, main
from treebench.cli.claim_sweeps import judged, plan_sweeps, with_data
from treebench.cli.replacing import replacements
from treebench.cli.reproduce import default_folder
from treebench.config.load_claims import shipped_claims
from treebench.errors import AlreadyToldError, ConfigError, DataError

CLAIMS = shipped_claims()


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["A99"], "no claim A99; give all, a YAML file, or one of: A1, A2"),
        (["A1", "lightgbm-vs-xgboost"], "lightgbm-vs-xgboost has a page of its own: give it alone"),
        (["A1", "--scale", "2"], "--scale is 2; it must be at least 1e-06 and at most 1"),
        (["A7", "--data", "flights"], "write it as SET=FILE"),
        (["A7", "--data", "flights=here.parquet"], "treebench data import here.parquet --target"),
        (
            ["A7", "--data", "flights=nonexist"],
            "--data flights=nonexist: there is no file of that name, and no data set is called "
            "'nonexist'",
        ),
        (
            ["A7", "A5", "--data", "fligths=tiny"],
            "--data fligths=...: the claims asked for are not on data of that name; they are on: "
            "flights, synthetic-dense\n",
        ),
        (
            ["A7", "--data", "higgs=HIGGS.csv.gz"],
            "they are on: flights; `--data flights=higgs` puts it in the place of one\n",
        ),
    ],
)
def test_a_mistake_is_told_before_anything_is_made(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "here.parquet").write_bytes(b"")
    assert call("reproduce", *arguments) == 1
    assert said in capsys.readouterr().err
    assert not Path("results").exists()


def test_each_scale_has_a_folder_of_its_own() -> None:
    assert str(default_folder(1)) == "results/claims"
    assert str(default_folder(0.1)) == "results/claims-scale-0.1"


def test_a_file_stands_for_the_data_set_that_was_imported_from_it(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    lines = [f"{n},{n % 2},{n % 7}" for n in range(60)]
    (folder / "trips.csv").write_text("\n".join(["a,late,b", *lines, ""]))
    stated = ["--target", "late", "--name", "my-trips"]
    assert call("data", "import", "elsewhere/trips.csv", *stated) == 0
    assert replacements(["flights=elsewhere/trips.csv"]) == {"flights": "my-trips"}
    assert replacements([f"flights={folder / 'trips.csv'}"]) == {"flights": "my-trips"}
    assert replacements(["flights=my-trips", "d=tiny"]) == {"flights": "my-trips", "d": "tiny"}


def test_the_file_of_a_public_set_is_checked_against_its_card(tmp_path: Path) -> None:
    write_higgs_like([])
    (tmp_path / "HITS.csv").write_bytes(headless_csv())
    assert replacements(["hits=HITS.csv"]) == {"hits": "hits"}
    (tmp_path / "other.csv").write_bytes(b"1,2\n")
    with pytest.raises(DataError, match="is made already, of another file"):
        replacements(["hits=other.csv"])


def test_data_of_ones_own_is_put_in_place_and_gives_the_run_another_name() -> None:
    sweep: dict[str, Any] = {"name": "s", "data": [{"set": "flights", "rows": [5]}, {"set": "d"}]}
    changed, replaced = with_data(sweep, {"flights": "mine", "higgs": "other"})
    assert changed["data"] == [{"set": "mine", "rows": [5]}, {"set": "d"}]
    assert (changed["name"], replaced) == ("s-mine", {"flights": "mine"})
    assert with_data(sweep, {"higgs": "other"}) == (sweep, {})


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (DataError("flights cannot be had: no network"), "flights cannot be had: no network"),
        (AlreadyToldError(), "its data could not be made"),
    ],
)
def test_a_sweep_without_data_leaves_its_claims_untold_and_the_others_go_on(
    error: Exception, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_data(*_: object) -> None:
        raise error

    monkeypatch.setattr(claim_sweeps, "plan_checked", without_data)
    sweeps = plan_sweeps([CLAIMS["A1"], CLAIMS["A7"], CLAIMS["A2"]], CLAIMS, Path("out"), 0.1, {})
    assert [[claim.id for claim in sweep.claims] for sweep in sweeps] == [["A1", "A2"], ["A7"]]
    for outcome in judged(sweeps[0]):
        assert outcome.verdict == "cannot tell here"
        assert {each.why for each in outcome.checks} == {why}


def test_other_errors_of_a_plan_are_a_persons_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_few_rows(*_: object) -> None:
        raise ConfigError("rows is 1,000,000, but mine has 10")

    monkeypatch.setattr(claim_sweeps, "plan_checked", too_few_rows)
    with pytest.raises(ConfigError, match="but mine has 10"):
        plan_sweeps([CLAIMS["A1"]], CLAIMS, Path("out"), 1, {})
