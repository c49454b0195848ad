"""Reading `perf script`, over a recording and over one written by hand after perf-script(1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from treebench.measure.perf_script import event_name, parse
from treebench.measure.stacks import CUT, INTERPRETER

RECORDINGS = Path(__file__).with_name("perf_recordings")
WORKER = 4100
ENUMERATE = "ColMaker::Builder::EnumerateSplit [libxgboost.so]"


def lines(name: str) -> list[str]:
    return (RECORDINGS / name).read_text().splitlines(keepends=True)


def test_a_recorded_fit_reaches_from_the_interpreter_to_the_split() -> None:
    recorded = parse(lines("script_cpu_clock.txt"), WORKER)
    assert list(recorded.by_event) == ["cpu-clock"]
    stacks = recorded.by_event["cpu-clock"]
    assert (stacks.n_samples, stacks.n_cut, recorded.n_lost) == (5, 0, 0)
    whole = [stack for stack in stacks.weights if ENUMERATE in stack and stack[0] == "main thread"]
    assert whole
    for stack in whole:
        assert stack[1:4] == (
            INTERPRETER,
            "XGBoosterUpdateOneIter [libxgboost.so]",
            "xgboost::LearnerImpl::UpdateOneIter [libxgboost.so]",
        )
    assert any(ENUMERATE in stack and stack[0] == "other threads" for stack in stacks.weights)


def test_a_clocks_samples_weigh_one_each() -> None:
    stacks = parse(lines("script_cpu_clock.txt"), WORKER).by_event["cpu-clock"]
    assert sum(stacks.weights.values()) == stacks.n_samples


def test_a_counters_samples_weigh_their_period() -> None:
    recorded = parse(lines("script_hardware_by_hand.txt"), WORKER)
    assert recorded.by_event["cycles"].weights == {
        ("main thread", ENUMERATE): 200_000,
        ("other threads", CUT, "[unknown]"): 300_000,
        ("child processes", "[libgomp.so]"): 100_000,
    }
    assert recorded.by_event["cache-misses"].weights == {("other threads", ENUMERATE): 700}


def test_what_was_lost_and_what_was_cut_is_counted() -> None:
    recorded = parse(lines("script_hardware_by_hand.txt"), WORKER)
    assert recorded.n_lost == 7
    assert recorded.by_event["cycles"].n_cut == 1
    assert recorded.by_event["cycles"].n_samples == 3


def test_what_is_told_twice_was_lost_once() -> None:
    lost = "python  4100/4101     PERF_RECORD_LOST lost {}\n"
    at_the_end = "python  4100/4100     PERF_RECORD_LOST_SAMPLES lost 9\n"
    text = [lost.format(4), "\n", lost.format(5), "\n", at_the_end]
    assert parse(text, WORKER).n_lost == 9


def test_a_last_sample_without_an_empty_line_counts() -> None:
    text = lines("script_cpu_clock.txt")
    while not text[-1].strip():
        text.pop()
    assert parse(text, WORKER).by_event["cpu-clock"].n_samples == 5


def test_nothing_recorded_is_no_event() -> None:
    assert parse([], WORKER).by_event == {}


@pytest.mark.parametrize(
    ("text", "what"),
    [("no head\n", "a sample begins"), ("p 1/1 1 cycles:u: \nno frame\n", "a frame belongs")],
)
def test_what_perf_does_not_print_is_an_error(text: str, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        parse(text.splitlines(), WORKER)


def test_events_go_by_their_plain_names() -> None:
    assert [event_name(one) for one in ("cycles", "cycles:u", "cpu_core/cycles/u")] == [
        "cycles"
    ] * 3
