"""Flame graphs: widths that are shares, names that cannot break out of the picture."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from treebench.report.flame_caption import caption
from treebench.report.flame_graph import Caption, flame_graph
from treebench.store.row import SampleRow

SVG = "{http://www.w3.org/2000/svg}"
CAPTION = Caption("fit of <a & b>", ("cpu-clock, 99 Hz",), "samples")
STACKS = {
    ("main", "f [libx.so]", "g [libx.so]"): 30,
    ("main", "f [libx.so]"): 10,
    ("main", "h [liby.so]"): 60,
}


def boxes(svg: str) -> dict[str, ET.Element]:
    """The boxes by their tooltip's name."""
    # The text is this project's own, made a line above.
    root = ET.fromstring(svg)  # noqa: S314
    group = next(one for one in root.iter(f"{SVG}g") if one.get("id") == "boxes")
    return {_title(one).split(": ")[0]: one for one in group}


def _title(box: ET.Element) -> str:
    return str(box.findtext(f"{SVG}title"))


def rect(box: ET.Element) -> dict[str, float]:
    found = box.find(f"{SVG}rect")
    assert found is not None
    return {name: float(found.attrib[name]) for name in ("x", "y", "width")}


def test_a_width_is_a_share_of_all_and_stands_on_its_caller() -> None:
    drawn = boxes(flame_graph(STACKS, CAPTION))
    whole = rect(drawn["all"])
    f, g, h = (rect(drawn[name]) for name in ("f [libx.so]", "g [libx.so]", "h [liby.so]"))
    assert f["width"] == pytest.approx(0.4 * whole["width"], abs=0.02)
    assert g["width"] == pytest.approx(0.3 * whole["width"], abs=0.02)
    assert h["width"] == pytest.approx(0.6 * whole["width"], abs=0.02)
    assert whole["y"] > f["y"] > g["y"]
    assert f["x"] == g["x"]
    assert h["x"] == pytest.approx(f["x"] + f["width"], abs=0.02)


def test_a_tooltip_has_share_and_weight() -> None:
    assert _title(boxes(flame_graph(STACKS, CAPTION))["h [liby.so]"]) == (
        "h [liby.so]: 60 %, 60 samples"
    )


def test_a_library_has_one_colour_and_another_has_another() -> None:
    drawn = boxes(flame_graph(STACKS, CAPTION))
    fills = {name: box.find(f"{SVG}rect").attrib["fill"] for name, box in drawn.items()}  # type: ignore[union-attr]
    assert fills["f [libx.so]"] == fills["g [libx.so]"] != fills["h [liby.so]"]
    assert fills["main"] == fills["all"]


def test_names_cannot_break_out() -> None:
    evil = 'a"><script>alert(1)</script>&\x00]]>'
    svg = flame_graph({(evil,): 1}, Caption(evil, (evil,), evil))
    root = ET.fromstring(svg)  # noqa: S314
    assert len(list(root.iter(f"{SVG}script"))) == 1
    clean = evil.replace("\x00", "\ufffd")
    assert next(iter(root.iter(f"{SVG}title"))).text == clean
    assert list(boxes(svg)) == ["all", clean]


def test_nothing_is_fetched() -> None:
    svg = flame_graph(STACKS, CAPTION)
    links = svg.replace("http://www.w3.org/2000/svg", "").replace(
        "http://www.w3.org/1999/xhtml", ""
    )
    assert "http" not in links
    assert "href" not in links


def test_too_narrow_a_box_is_left_out_and_no_text_is_wider_than_its_box() -> None:
    drawn = boxes(flame_graph({("w" * 400,): 100_000, ("narrow",): 1}, CAPTION))
    assert "narrow" not in drawn
    text = str(drawn["w" * 400].findtext(f"{SVG}text"))
    assert text.endswith("\u2026")
    assert 7.25 * len(text) <= rect(drawn["w" * 400])["width"]


def test_a_deep_recursion_is_drawn() -> None:
    assert flame_graph({("f [l.so]",) * 3_000: 1}, CAPTION).count("f [l.so]:") == 3_000


def test_nothing_sampled_is_no_picture() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        flame_graph({}, CAPTION)


def row(**facts: Any) -> SampleRow:
    profile = {
        "tool": "perf",
        "event": "cpu-clock",
        "frequency_hz": 499,
        "lost": 0,
        "cut_stacks": 0,
        "python_frames": False,
        **facts,
    }
    return SampleRow("run", "c", 0, "profile", "ok", {}, {}, {}, profile=profile)


def test_a_caption_says_by_what_and_at_which_tier() -> None:
    words = caption(row(), "cpu-clock", 1812, "xgboost exact, toy")
    assert words.title == "fit of xgboost exact, toy: CPU time by function"
    assert words.lines[0] == "perf, cpu-clock (software tier), 499 Hz, 1,812 samples"
    assert "interpreter" in words.lines[1]
    assert words.unit == "samples"


def test_a_caption_says_what_was_lost_and_cut() -> None:
    words = caption(row(event="cycles", lost=7, cut_stacks=3), "cache-misses", 90, "x")
    assert words.lines[0].endswith(
        "(hardware tier), 499 Hz, 90 samples, 7 lost, 3 stacks cut short"
    )
    assert words.title.endswith("cache misses by function")
    assert words.unit == "cache misses"


def test_py_spys_caption_says_which_threads_are_not_seen() -> None:
    words = caption(row(tool="py-spy", lost=None, python_frames=True), "wall clock", 5, "x")
    assert "did not start" in words.lines[1]


def test_a_row_of_another_kind_has_no_caption() -> None:
    timed = SampleRow("run", "c", 0, "timed", "ok", {}, {}, {})
    with pytest.raises(ValueError, match="no profile"):
        caption(timed, "cycles", 1, "x")
