"""The page as a person has it: opened from the disk by a browser that has no network."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.analysis.rows import LIGHTGBM, facts, latency, realistic, sample, spec
from tests.report.html.browser import CHROMIUM, Browser, browser
from tests.report.html.page import page_of, put
from treebench.report import units

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium: apt-get install chromium"),
]

EVIL = "</script><img src=x onerror=\"document.title='hit'\">'\"<!--"
DRAWN = "[...document.querySelectorAll('.chart')].every((one) => one.dataset.drawn === 'yes')"
ROWS = (
    "[...document.querySelectorAll('#results tbody')[0].rows]"
    ".filter((row) => !row.hidden).map((row) => [...row.cells].map((cell) => cell.textContent))"
)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with hostile words, two axes, and latency."""
    run, rows = realistic()
    run["note"] = EVIL
    cells = [
        spec("lightgbm", LIGHTGBM | {"max_bin": bins, "max_leaves": leaves}, dataset=EVIL)
        for bins in (63, 127, 255)
        for leaves in (31, 63)
    ]
    more = facts(cells)["plan"]["cells"][1:]
    run["plan"]["cells"] += more
    rows += [
        sample(cell, block, 1 + block / 50, latency=latency())
        for cell in cells
        for block in range(5)
    ]
    return put(page_of(run, rows), tmp_path_factory.mktemp("page"))


@pytest.fixture
def opened(chromium: Browser, page: Path) -> Iterator[Browser]:
    """The page with all charts drawn; at the end nothing has gone wrong and nothing was asked."""
    chromium.problems.clear()
    chromium.requests.clear()
    chromium.open(page)
    chromium.wait_for(DRAWN)
    yield chromium
    assert chromium.problems == []
    assert set(chromium.requests) == {page.resolve().as_uri()}
    assert chromium.run("document.title").endswith("treebench report")


def test_every_chart_is_drawn_and_none_is_empty(opened: Browser) -> None:
    marks = opened.run(
        "[...document.querySelectorAll('.chart')].map((one) => one.hidden ? null : "
        "one.querySelectorAll('svg .mark-symbol path, svg .mark-rect path, svg .mark-line path')"
        ".length)"
    )
    assert len(marks) >= 10
    assert all(count > 3 for count in marks)


def test_a_table_sorts_by_the_keyboard_and_by_value(opened: Browser) -> None:
    opened.run(
        "[...document.querySelectorAll('#results th button')]"
        ".find((one) => one.textContent === 'construct+fit').focus()"
    )
    opened.press("Enter", "\r")
    assert opened.run("document.activeElement.parentElement.getAttribute('aria-sort')") == (
        "ascending"
    )
    rising = [row[3] for row in opened.run(ROWS)]
    opened.press(" ", " ")
    falling = [row[3] for row in opened.run(ROWS)]
    assert rising[0] == "131 ms"
    assert falling[0].endswith(" s")
    # What is not known is last, either way.
    assert rising[-1] == falling[-1] == units.DASH
    known = [text for text in rising if text != units.DASH]
    assert known == list(reversed([text for text in falling if text != units.DASH]))


def test_a_table_is_filtered_by_words(opened: Browser) -> None:
    whole = len(opened.run(ROWS))
    opened.run("document.querySelector('#results input.filter').focus()")
    for letter in "xgboost -csr":
        opened.press(letter, letter)
    kept = opened.run(ROWS)
    assert 0 < len(kept) < whole
    assert all("xgboost" in row[1] and row[2] != "csr" for row in kept)
    said = opened.run("document.querySelector('#results output').value")
    assert said == f"{len(kept)} of {whole} rows"


def chart_title(opened: Browser) -> str:
    return str(opened.run("document.querySelector('#explore-chart .role-title-text').textContent"))


def choose(opened: Browser, name: str, text: str) -> None:
    opened.run(
        f"(() => {{ const one = document.getElementById('explore-{name}');"
        f"one.value = [...one.options].find((o) => o.textContent.startsWith({json.dumps(text)}))"
        f".value; one.dispatchEvent(new Event('change')); }})()"
    )


def test_figure_and_axis_of_the_curves_are_switched(opened: Browser) -> None:
    assert chart_title(opened).endswith("against training rows")
    titled = opened.run("document.querySelector('#explore-chart svg').textContent")
    assert "wall time of construct and fit together, ms to s" in titled
    assert "construct_fit_time" not in titled
    choose(opened, "axis", "most bins")
    opened.wait_for(
        "document.querySelector('#explore-chart .role-title-text').textContent.includes('max_bin')"
    )
    assert opened.run("document.getElementById('explore-place').value") == EVIL
    choose(opened, "figure", "latency:100:p50")
    opened.wait_for(
        "document.querySelector('#explore-chart .role-title-text').textContent"
        ".startsWith('p50 of predictions')"
    )
    rows = opened.run(
        "[...document.querySelectorAll('#explore-table tbody tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    assert {row[2] for row in rows} == {"63", "127", "255"}
    assert {row[3] for row in rows} == {units.duration(90_000)}


def test_an_axis_of_a_narrow_range_has_labels(opened: Browser) -> None:
    """GIVEN peaks less than a factor of two apart THEN powers of two would be one label at most."""
    choose(opened, "figure", "peak_memory")
    opened.wait_for(
        "document.querySelector('#explore-chart .role-title-text').textContent"
        ".startsWith('largest peak RSS')"
    )
    labels = opened.run(
        "[...document.querySelectorAll('#explore-chart .role-axis-label text')]"
        ".map((one) => one.textContent).filter((text) => text.endsWith('iB'))"
    )
    assert len(set(labels)) >= 3


def test_points_of_several_series_at_one_size_do_not_hide_one_another(opened: Browser) -> None:
    choose(opened, "axis", "most bins")
    opened.wait_for(
        "document.querySelector('#explore-chart .role-title-text').textContent.includes('max_bin')"
    )
    opened.run("document.getElementById('explore-all').click()")
    opened.wait_for("document.querySelectorAll('#explore-chart .role-mark path').length >= 6")
    places = opened.run(
        "[...document.querySelectorAll('#explore-chart .mark-symbol.role-mark path')]"
        ".map((one) => one.getAttribute('transform'))"
    )
    assert len(places) == len(set(places)) == 6
    said = opened.run("document.querySelector('#explore-chart .role-title-subtitle').textContent")
    assert "a little beside one another" in said


def test_only_the_series_asked_for_are_drawn(opened: Browser) -> None:
    opened.run(
        "(() => { const one = document.getElementById('explore-filter'); one.value = 'exact -csr';"
        "one.dispatchEvent(new Event('input')); })()"
    )
    assert opened.run("document.getElementById('explore-said').textContent") == "1 series"


def test_a_point_says_what_it_is_when_it_is_pointed_at(opened: Browser) -> None:
    opened.run("document.getElementById('explore-chart').scrollIntoView()")
    x, y = opened.run(
        "(() => { const at = document.querySelector('#explore-chart .mark-symbol.role-mark path')"
        ".getBoundingClientRect(); return [at.x + at.width / 2, at.y + at.height / 2]; })()"
    )
    opened.move(x - 30, y)
    opened.move(x, y)
    opened.wait_for("document.querySelector('#vg-tooltip-element.visible') !== null")
    said = opened.run("document.getElementById('vg-tooltip-element').textContent")
    assert " at 20k" in said
    assert " ms" in said or " s" in said


def test_the_page_follows_the_system_and_the_switch_overrules_it(
    opened: Browser, page: Path
) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    ground = "document.querySelector('.chart[data-spec] svg').style.backgroundColor"
    assert opened.run(paper) == "rgb(255, 255, 255)"
    opened.open(page, dark=True)
    opened.wait_for(DRAWN)
    assert opened.run(paper) == "rgb(27, 29, 34)"
    assert opened.run(ground) == "rgb(27, 29, 34)"
    opened.run("document.querySelector('input[value=light]').click()")
    opened.wait_for(f"({DRAWN}) && ({ground}) === 'white'")
    assert opened.run(paper) == "rgb(255, 255, 255)"


def test_nothing_is_wider_than_a_telephone(opened: Browser, page: Path) -> None:
    opened.open(page, width=390, height=844)
    opened.wait_for(DRAWN)
    assert opened.run("document.documentElement.scrollWidth") <= 390


def test_it_can_be_printed(opened: Browser) -> None:
    assert opened.printed().startswith(b"%PDF")


def test_numbers_read_as_everywhere_else(opened: Browser) -> None:
    """The page's own formats are those of `units`."""
    written = {"ns": units.duration, "bytes": units.size, "count": units.rounded_count,
               "score": units.score}  # fmt: skip
    values: dict[str, list[Any]] = {
        "ns": [0, 5, 999.6, 1234, 59.94e9, 59.96e9, 61e9, 3599.6e9, 3.7e12, -5e6, 184_000_000],
        "bytes": [0, 512, 1023, 1024, 1.5 * 2**20, 99.96 * 2**20, 2**40, -(2**21)],
        "count": [0, 0.0056, 0.5, 9.996, 99.94, 100, 1_234_567],
        "score": [0.70341, -0.2, 1.0, 12.345, 1234.56],
    }
    for unit, listed in values.items():
        texts = opened.run(f"{json.dumps(listed)}.map((value) => format('{unit}', value))")
        assert texts == [written[unit](value) for value in listed]


def test_what_a_screen_reader_needs_is_named(opened: Browser) -> None:
    unnamed = opened.run(
        "[...document.querySelectorAll('input, select')].filter((one) => "
        "!one.labels.length && !one.getAttribute('aria-label')).length"
    )
    assert unnamed == 0
    assert (
        opened.run("document.querySelectorAll('[tabindex]:not([aria-label]):not(pre)').length") == 0
    )
