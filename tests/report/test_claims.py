"""Verdicts on claims as a reader sees them: on the screen, on the page, drawn, and for programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from treebench.analysis.claims import CheckOutcome, ClaimOutcome, Foretelling
from treebench.analysis.expressions.evaluate import Value
from treebench.config.claims import Check, Claim
from treebench.errors import RunFolderError
from treebench.report.claims_chart import claims_chart, comparable
from treebench.report.claims_folder import write_claims
from treebench.report.claims_html import claims_document
from treebench.report.claims_page import claims_page
from treebench.report.claims_screen import claims_screen
from treebench.report.claims_text import bound, raw_claims, remarks, tally, verdict_words
from treebench.report.terminal import Screen

SCREEN = Screen(width=120, colour=False, rules=False, encoding="utf-8")


def check(**more: Any) -> Check:
    return Check.model_validate({"name": "ratio", "term": "1", "says": "so it is", **more})


SIZE = CheckOutcome(
    check(name="by as much", stated=4.1, within="25%"),
    "holds",
    Value(3.9, 3.8, 4.05),
    foretold=Foretelling(1_000_000, 10.0, Value(4.4, 3.0, 6.2), "cannot tell here"),
)
DIRECTION = CheckOutcome(check(name="less | more", at_least=1), "fails", Value(0.5, 0.4, 0.6))
UNTOLD = CheckOutcome(
    check(name="counted", at_most=1), "cannot tell here", None, "there is no PMU", "simulated cache"
)


def outcome(*checks: CheckOutcome, verdict: Any = "holds in part") -> ClaimOutcome:
    written = {"id": "A1", "title": "Time", "claim": "4.1 times", "source": "an article"}
    claim = Claim.model_validate({**written, "sweep": "A2", "checks": [c.check for c in checks]})
    return ClaimOutcome(claim, verdict, checks, ("a scaled run: 10 rows at most, for 100",))


MIXED = outcome(SIZE, DIRECTION, UNTOLD)


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"at_least": 1}, "at least 1"),
        ({"at_most": 0.001}, "at most 0.001"),
        ({"between": [-1, 1]}, "-1 to 1"),
        ({"stated": 4, "within": "25%"}, "3 to 5"),
        ({"stated": 0, "within": 0.001}, "-0.001 to 0.001"),
        ({"at_least": 12_345}, "at least 12,345"),
    ],
)
def test_a_bound_in_words(stated: dict[str, Any], words: str) -> None:
    assert bound(check(**stated)) == words


def test_the_verdict_says_how_many_checks_and_that_it_is_of_a_scaled_run_and_a_stand_in() -> None:
    assert verdict_words(MIXED) == (
        "holds in part (1 holds, 1 fails, 1 cannot tell here, scaled, simulated)"
    )
    assert tally([MIXED, MIXED]) == "2 holds in part"


def test_remarks_say_why_what_is_foretold_and_under_which_conditions() -> None:
    assert remarks(MIXED) == [
        "by as much: at 1,000,000 rows (10 times the largest measured) the curves foretell "
        "4.4 (3 to 6.2): cannot tell here",
        "counted: cannot tell, since there is no PMU",
        "simulated cache",
        "a scaled run: 10 rows at most, for 100",
    ]


def test_the_screen_has_claimed_measured_and_verdict_side_by_side() -> None:
    shown = claims_screen([MIXED], SCREEN)
    line = next(each for each in shown.splitlines() if each.startswith("by as much"))
    for part in ("4.1", "3.07 to 5.12", "3.9 (3.8 to 4.05)", "holds"):
        assert part in line
    assert "claimed: 4.1 times" in shown
    assert shown.splitlines()[-1] == "1 holds in part"


def test_the_page_is_markdown_with_every_claim_and_its_samples() -> None:
    page = claims_page([MIXED], {"A1": "results/claims/sizes"}, "treebench reproduce A1", "A1")
    assert "Made by `treebench reproduce A1`" in page
    assert "| A1 | Time | holds in part" in page
    assert r"less \| more" in page
    assert "results/claims/sizes" in page
    assert "(A1.png)" in page


def test_the_page_for_a_browser_has_every_claim_as_text_and_its_picture() -> None:
    runs = {"A1": "results/claims/sizes"}
    page = claims_document([MIXED], runs, "treebench reproduce A1 --data 'a&b=<x>'")
    assert "--data &#x27;a&amp;b=&lt;x&gt;&#x27;" in page
    assert "1 holds in part" in page
    assert 'id="A1"' in page
    assert "Samples: results/claims/sizes" in page
    assert 'data-spec="spec-claims"' in page
    assert "data-spec=" not in claims_document([outcome(DIRECTION)], {}, "x").split("<script")[0]


def test_only_what_has_a_ratio_to_what_was_stated_is_drawn() -> None:
    [point] = comparable([MIXED])
    assert point["check"] == "A1  by as much"
    assert point["value"] == pytest.approx(3.9 / 4.1)
    assert (point["from"], point["to"]) == (pytest.approx(0.75), pytest.approx(1.25))
    assert claims_chart([MIXED]) is not None
    assert claims_chart([outcome(DIRECTION, UNTOLD)]) is None
    assert "png" not in claims_page([outcome(DIRECTION)], {}, "x", "A1")


def test_programs_get_every_number_and_no_infinity(tmp_path: Path) -> None:
    raw = raw_claims([MIXED], {"A1": "results/claims/sizes"}, "treebench reproduce A1")
    paths = write_claims(tmp_path / "out", "claims", {"md": "page"}, raw, [MIXED])
    [said] = json.loads(Path(paths["claims"]).read_text())["claims"]
    assert said["verdict"] == "holds in part"
    first, second, third = said["checks"]
    assert first["measured"] == {"point": 3.9, "low": 3.8, "high": 4.05}
    assert first["foretold"]["times_largest"] == 10
    assert (second["low"], second["high"]) == (1, None)
    assert (third["measured"], third["why"]) == (None, "there is no PMU")
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == [
        "claims.json",
        "claims.md",
        "claims.png",
        "claims.svg",
    ]


def test_the_verdicts_on_other_claims_stay_and_the_same_claim_has_its_last(tmp_path: Path) -> None:
    other = MIXED.claim.model_copy(update={"id": "A2"})
    first = [MIXED, ClaimOutcome(other, "fails", MIXED.checks)]
    write_claims(tmp_path, "claims", {"md": "page"}, raw_claims(first, {}, "all"), first)
    again = outcome(SIZE, verdict="holds")
    write_claims(tmp_path, "A1", {"md": "page"}, raw_claims([again], {}, "one"), [again])
    held = json.loads((tmp_path / "claims.json").read_text())["claims"]
    assert [(each["id"], each["verdict"], each["command"]) for each in held] == [
        ("A2", "fails", "all"),
        ("A1", "holds", "one"),
    ]
    (tmp_path / "claims.json").write_text("{")
    with pytest.raises(RunFolderError, match=r"claims.json is damaged .*; delete it"):
        write_claims(tmp_path, "A1", {"md": "page"}, raw_claims([again], {}, "one"), [again])


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFolderError, match="choose --out"):
        write_claims(tmp_path / "file", "claims", {"md": "page"}, {"claims": []}, [])
