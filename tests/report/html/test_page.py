"""What is in the page, without a browser."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from tests.analysis.rows import CONTROL, HIST, facts, realistic, row, sample, samples, spec
from tests.report.html.page import page_of
from treebench.analysis.curves.growth import Growth
from treebench.analysis.overview import overview
from treebench.report.blocks import Section, Words, table
from treebench.report.html.document import document, plain_page
from treebench.report.html.explorer import explorer
from treebench.report.html.markup import Markup, data, element, script
from treebench.report.html.tables import MOST_ROWS, rendered
from treebench.report.lines import lines
from treebench.report.sections import sections
from treebench.store.row import SampleError

EVIL = "</script><img src=x onerror=alert(1)>\"'&<!--"


class Seen(HTMLParser):
    """Every element, and the text outside of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("input", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.texts.append(data)


def test_every_part_of_a_run_is_there_and_every_element_is_closed() -> None:
    seen = Seen(page_of(*realistic()))
    assert seen.open == []
    ids = [attrs.get("id") for tag, attrs in seen.tags if tag == "section"]
    assert ids == [
        *("results", "explore", "scaling", "against", "pareto", "scores", "phases", "memory"),
        *("failed", "unsupported", "collapsed", "unmeasured", "series", "machine", "versions"),
        *("config", "reading"),
    ]
    links = {attrs["href"] for tag, attrs in seen.tags if tag == "a" and "nav" not in attrs}
    assert {f"#{name}" for name in ids} <= links
    assert any("HistGradientBoosting takes no sparse input" in said for said in seen.texts)


def test_samples_that_failed_beside_the_timed_ones_are_told() -> None:
    cell = spec()
    failed = row(cell, 0, kind="memory", status="timeout", error=SampleError("timeout", "too slow"))
    seen = Seen(page_of(facts([cell]), [*samples(cell), failed]))
    sections_seen = [attrs.get("id") for tag, attrs in seen.tags if tag == "section"]
    assert "failed-beside" in sections_seen
    assert any("memory sample, timeout: too slow" in said for said in seen.texts)


def test_the_title_of_the_config_is_told() -> None:
    run, rows = realistic()
    run["config"] = run["config"] | {"title": "Is <exact> worth it?"}
    assert "<strong>Is &lt;exact&gt; worth it?</strong>" in page_of(run, rows)


def test_buttons_that_sort_have_a_name_for_those_who_do_not_see_them() -> None:
    rows = [(f"cell {n}", str(n)) for n in range(50)]
    page = str(rendered(table(("", "time"), rows, (False, True)), ""))
    assert page.count("<button") == 2
    assert page.count('aria-label="sort by') == 1


def test_tables_of_a_page_without_charts_sort_and_filter() -> None:
    page = plain_page(
        "two runs", [table(("cell", "time"), [(f"{n}", "1") for n in range(50)], (False, True))]
    )
    assert 'class="filter"' in page
    assert "function filterBy" in page
    assert "script-src 'sha256-" in page.replace("&#x27;", "'")


def test_no_section_is_left_out_for_its_name() -> None:
    run = overview(*realistic())
    unheard_of = Section("unheard-of", "Unheard of", (Words("told all the same"),))
    page = document(run, [*sections(run, lines(run)), unheard_of], [], None, "csv/")
    assert "told all the same" in page


def test_words_of_a_run_are_never_markup() -> None:
    run, rows = realistic()
    run["note"], run["run"], run["machine"]["cpu"] = EVIL, EVIL, EVIL
    plain = Seen(page_of(*realistic()))
    seen = Seen(page_of(run, rows))
    assert [tag for tag, _ in seen.tags if tag == "img"] == []
    extra = len(seen.tags) - len(plain.tags)
    assert extra == 1  # the paragraph of the note
    assert sum(EVIL in said for said in seen.texts) >= 2


def test_names_within_charts_and_tables_are_never_markup() -> None:
    cells = [spec("xgboost", HIST | {EVIL: 1}, rows=n, dataset=EVIL) for n in (20_000, 80_000)]
    rows = [each for cell in cells for each in samples(cell)] + samples(CONTROL)
    seen = Seen(page_of(facts(cells), rows))
    assert seen.open == []
    assert [tag for tag, _ in seen.tags if tag == "img"] == []


def test_the_page_asks_for_nothing_and_allows_only_what_it_holds() -> None:
    page = page_of(*realistic())
    seen = Seen(page)
    policy = next(
        str(attrs["content"])
        for tag, attrs in seen.tags
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "http" not in policy
    for tag, attrs in seen.tags:
        assert tag not in ("link", "iframe", "object", "base")
        assert not any(name == "src" or name.startswith("on") for name in attrs)
        assert "style" not in attrs
        assert not str(attrs.get("href", "")).startswith(("http", "//", "javascript"))


@pytest.mark.slow
def test_the_size_of_a_page_of_ten_thousand_samples_is_bounded() -> None:
    """One chart, one axis: what grows with samples is values, not pictures."""
    cells = [
        spec("lightgbm", {"n_estimators": trees, "max_bin": bins}, rows=20_000 * size)
        for size in range(1, 6)
        for trees in range(1, 21)
        for bins in range(2, 22)
    ]
    rows = [sample(cell, block, 1 + block / 97) for cell in cells for block in range(5)]
    assert len(rows) == 10_000
    run = overview(facts(cells), rows)
    parts = sections(run, lines(run))
    page = document(run, parts, [], explorer(run, Growth((), ())), "csv/")
    assert 1_500_000 < len(page.encode()) < 10_000_000


def test_a_table_can_be_sorted_by_raw_values_and_a_long_one_is_cut_and_says_so() -> None:
    rows = [[f"row {number}", str(number)] for number in range(MOST_ROWS + 5)]
    made = rendered(table(["name", "n"], rows, [False, True], "long"), "csv/")
    assert made.count("<tr>") == MOST_ROWS + 1
    assert "5 more rows are in csv/long.csv" in made
    page = page_of(*realistic())
    keys = re.findall(r'<td class="n" data-k="([^"]+)">167 ms</td>', page)
    assert keys
    assert all(166e6 < float(key) < 168e6 for key in keys)


def test_markup_is_not_escaped_twice_and_text_is_once() -> None:
    assert element("p", Markup("<b>x</b>"), " & ", title='"') == (
        '<p title="&quot;"><b>x</b> &amp; </p>'
    )
    assert rendered(Words("a<", "b&", "\x00c"), "") == "<p>a&lt;<strong>b&amp;</strong>\\x00c</p>"


def test_data_and_scripts_cannot_end_their_element() -> None:
    held = data({EVIL: EVIL}, "x")
    inside = held.partition(">")[2].removesuffix("</script>")
    assert "<" not in inside
    assert json.loads(inside) == {EVIL: EVIL}
    made, _ = script('f("</script>", "<!--")')
    assert made.count("</script>") == 1
    assert "<!--" not in made


def test_what_is_not_finite_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        data(float("nan"), "x")
