"""The pictures of functions and of memory over time, and the page's words on counters."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.rows import EXACT, HIST, facts, samples, spec
from tests.analysis.test_memory_bound import COPIED, measured, recorded
from tests.analysis.test_timelines import SEEN
from tests.report.test_charts import data_of, drawn
from tests.report.test_counters import CELL, SIMULATED, counting
from treebench.analysis.overview import Overview, overview
from treebench.report.counters_screen import counters_screen
from treebench.report.functions_chart import short_names
from treebench.report.lines import by_dataset, lines
from treebench.report.markdown import page
from treebench.report.raw import raw
from treebench.report.render import png, svg
from treebench.report.sections import sections
from treebench.report.terminal import Screen
from treebench.store.row import SampleRow

FUNCTIONS = [
    {"function": f"f{n}", "read_misses": share, "write_misses": None, "instructions": share}
    for n, share in enumerate((0.4, 0.2, 0.1, 0.05, 0.05, 0.04, 0.03))
]


def run_with(*rows: SampleRow, **more: Any) -> Overview:
    return overview(facts([CELL], planned=1) | more, [*samples(CELL, 1), *rows])


def text_of(run: Overview) -> str:
    return page(run, sections(run, lines(run)), [])


def screen_of(run: Overview) -> str:
    grouped = by_dataset(lines(run), "rows", reverse=False)
    return counters_screen(run, grouped, "test", Screen(None, colour=False, rules=False))


def test_functions_are_drawn_with_the_rest_as_one() -> None:
    counters = SIMULATED | {"functions": {"fit": FUNCTIONS}}
    picture = drawn(run_with(*counting(counters, kind="simulated")))["functions"]
    bars = data_of(picture)
    assert list(dict.fromkeys(bar["function"] for bar in bars)) == [
        *(f"f{n}" for n in range(6)),
        "all other functions",
    ]
    reads = [bar["share"] for bar in bars if bar["of"] == "D1 read misses"]
    assert sum(reads) == pytest.approx(1)
    assert reads[-1] == pytest.approx(1 - 0.84)
    assert {bar["of"] for bar in bars} == {"D1 read misses", "instructions"}
    assert "tier: simulated, by callgrind 3.19.0" in svg(picture.chart)
    assert png(picture.chart)[:4] == b"\x89PNG"


def test_without_functions_or_timelines_there_is_no_such_picture() -> None:
    names = drawn(run_with())
    assert "functions" not in names
    assert "memory-over-time" not in names


def test_long_names_lose_their_outer_scopes_but_stay_apart() -> None:
    scope = "a_scope_that_is_long_enough_to_be_left_out"
    assert short_names([f"{scope}::Builder::Update"]) == ["Builder::Update"]
    alike = [f"{scope}::one::Update", f"{scope}::two::Update"]
    assert len(set(short_names(alike))) == 2
    same_end = [f"{scope}{n}::{scope}::Update" for n in (1, 2)]
    assert short_names(same_end) == same_end
    assert short_names(["lib.so+0x0000000000064b77"]) == ["lib.so+0x64b77"]
    assert short_names(["x" * 60]) == ["x" * 41 + "\u2026"]


def test_memory_over_time_states_ticks_gap_and_the_kernels_peaks() -> None:
    seen = replace(samples(CELL, 1)[0], kind="memory", timeline=SEEN)
    picture = drawn(run_with(seen))["memory-over-time"]
    shown = svg(picture.chart)
    assert "6 readings, at most 70.0 ms apart" in shown
    assert "VmHWM" in shown
    assert "cgroup" not in shown
    spans = [each for each in data_of(picture) if "start" in each]
    assert [each["phase"] for each in spans] == ["load", "fit"]
    dots = [each for each in data_of(picture) if "x" in each]
    assert max(each["value"] for each in dots) == 150 * 2**20


def test_a_long_timeline_is_thinned_and_keeps_its_largest_reading() -> None:
    n = 5000
    timeline = {
        "source": "smaps_rollup",
        "interval_ns": 1,
        "ticks": n,
        "largest_gap_ns": 1,
        "t_ns": list(range(n)),
        "pss_bytes": [10**9 if at == 3333 else 10**8 for at in range(n)],
        "phase": ["fit"] * n,
    }
    seen = replace(samples(CELL, 1)[0], kind="memory", timeline=timeline)
    dots = [each for each in data_of(drawn(run_with(seen))["memory-over-time"]) if "x" in each]
    assert len(dots) < 1000
    assert (3333, 10**9) in {(each["x"], each["value"]) for each in dots}


def test_the_page_has_the_tier_in_words_and_a_row_for_each_phase() -> None:
    counters = SIMULATED | {
        "phases": {"fit": {"D1-read-misses": 240_000}, "predict": {"D1-read-misses": 1_500}}
    }
    run = run_with(*counting(counters, kind="simulated"))
    text = text_of(run)
    assert "misses per cell only hint at it" in screen_of(run)
    assert "Tier: **simulated**: a small copy of each cell ran under callgrind" in text
    assert "| fit | 240 k |" in text
    assert "| predict | 1.50 k |" in text
    assert "no hardware counters: no PMU" in text
    assert "not known: it needs hardware counters" in text
    assert "there are none: no PMU; misses per cell only hint at it" in text


def hardware_run(**more: Any) -> Overview:
    both = recorded("hardware.jsonl", 0), recorded("hardware_caches.jsonl", 1)
    rows = measured(CELL, *both, wall_ns=15_000_000_000)
    return overview(facts([CELL], planned=2) | more, rows)


def test_hardware_counters_give_ipc_and_the_share_of_copying() -> None:
    run = hardware_run(copy_bandwidth=COPIED)
    for text in (text_of(run), screen_of(run)):
        words = text.replace("|", " ").split()
        at = words.index("copy", words.index("IPC"))
        assert "1.28 503 MB/s 2.5 %" in " ".join(words[at:])
        assert "8.00 GB/s on 1 thread, 20.0 GB/s on 4 threads" in text
        assert "lower bound" in text


def test_programs_get_the_same_as_raw_values() -> None:
    run = hardware_run(copy_bandwidth=COPIED)
    [cell] = json.loads(json.dumps(raw(run, lines(run))))["cells"]
    assert cell["counters"]["tier"] == "hardware"
    assert cell["counters"]["phases"]["fit"]["LLC-load-misses"] == 118_003_125
    assert cell["counters"]["bound"]["copy_threads"] == 4
    assert cell["counters"]["bound"]["share_of_copy"] == pytest.approx(0.025174)
    assert cell["thread_scaling"] is None
    [uncounted] = raw(run_with(), lines(run_with()))["cells"]
    assert uncounted["counters"] is None


@pytest.mark.parametrize(
    ("copied", "said"),
    [
        (None, "was not measured"),
        (COPIED | {"bytes_per_s": {}, "reason": "no room"}, "could not be measured: no room"),
    ],
)
def test_a_share_that_is_not_known_says_why(copied: Any, said: str) -> None:
    text = screen_of(hardware_run(copy_bandwidth=copied))
    assert said in text
    assert "503 MB/s" in text


def test_without_counters_threads_scale_and_no_more_is_said() -> None:
    cells = [spec("xgboost", params, threads=n) for params in (EXACT, HIST) for n in (1, 4)]
    run = overview(facts(cells), [row for cell in cells for row in samples(cell)])
    for text in (text_of(run), screen_of(run)):
        assert "speed-up over 1 thread" in text
        assert "none were asked for" in text
        assert "thread scaling only hint at it" in text


def test_a_run_without_counters_and_threads_has_no_word_of_it() -> None:
    text = text_of(run_with())
    assert "## Counters" not in text
    assert "## Compute- or memory-bound" not in text
