"""Every turn a sample can take, without a process."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runner.fakes import HELLO, FakeChannel, FakeClock, RecordingProbe
from treebench.runner.conversation import Conversation, Outcome

BEGIN = {"say": "begin", "phase": "fit"}
END = {"say": "end", "phase": "fit", "wall_ns": 7, "cpu_ns": 5}
KNOWN = {"say": "known", "score": {"auc": 0.5}}
RESULT = {"say": "result", "score": {"auc": 1.0}}


def hold(
    *script: dict[str, Any] | float | str, deadline_s: float = 100.0
) -> tuple[Outcome, list[str]]:
    clock = FakeClock()
    log: list[str] = []
    probe = RecordingProbe(log)
    channel = FakeChannel(clock, script)
    outcome = Conversation(channel, [probe], deadline_s, clock).hold(b"trial\n")
    log.append(f"sent {len(channel.sent)}")
    return outcome, log


def test_probes_are_armed_before_the_go_and_read_before_the_next() -> None:
    outcome, log = hold(HELLO, BEGIN, END, RESULT)
    assert outcome.ending == "result"
    assert outcome.message == RESULT
    assert log == ["begin fit", "end fit", "sent 3"]  # the trial, and a go for each word
    fit = outcome.phases["fit"]
    assert (fit.wall_ns, fit.cpu_ns, fit.peak_rss_bytes) == (7, 5, 10)
    assert fit.end_rss_bytes is None
    assert fit.missing == {"end_rss_bytes": "not asked"}


def test_the_deadline_counts_all_phases_together() -> None:
    outcome, _ = hold(HELLO, BEGIN, 60.0, END, BEGIN | {"phase": "predict"}, 60.0, deadline_s=100)
    assert outcome.ending == "timeout"
    assert outcome.phase == "predict"
    assert outcome.phases["fit"].wall_ns == 7


def test_a_phase_cut_short_keeps_its_memory_and_says_why_it_has_no_time() -> None:
    outcome, log = hold(HELLO, BEGIN, "closed")
    assert outcome.ending == "died"
    assert log[:2] == ["begin fit", "end fit"]
    fit = outcome.phases["fit"]
    assert (fit.wall_ns, fit.peak_rss_bytes) == (None, 10)
    assert fit.missing["wall_ns"] == "the phase did not end"


def test_silence_before_the_first_word_is_a_timeout() -> None:
    assert hold(500.0)[0].ending == "timeout"


def test_what_was_known_stands_where_the_deadline_came_while_iterations_were_scored() -> None:
    begin = BEGIN | {"phase": "curve"}
    outcome, log = hold(HELLO, BEGIN, END, KNOWN, begin, 500.0)
    assert outcome.ending == "timeout"
    assert outcome.result == KNOWN
    assert outcome.phases["curve"].wall_ns is None
    # The trial, and a go for each phase's word: one for `known` would let the next begin too soon.
    assert log[-1] == "sent 4"


@pytest.mark.parametrize(
    ("script", "result"),
    [
        ([HELLO, KNOWN, BEGIN, 500.0], None),
        ([HELLO, KNOWN, BEGIN | {"phase": "curve"}, "closed"], None),
        ([HELLO, BEGIN | {"phase": "curve"}, 500.0], None),
        ([HELLO, KNOWN, BEGIN, END, RESULT], RESULT),
    ],
)
def test_what_was_known_stands_for_nothing_else(
    script: list[dict[str, Any] | float | str], result: dict[str, Any] | None
) -> None:
    assert hold(*script)[0].result == result


def test_an_error_says_which_phase() -> None:
    error = {"say": "error", "kind": "ValueError", "message": "no", "phase": "fit"}
    outcome, _ = hold(HELLO, BEGIN, error)
    assert outcome.ending == "error"
    assert outcome.message["kind"] == "ValueError"


@pytest.mark.parametrize(
    "script",
    [
        [{"say": "hello", "protocol": 99}],
        [HELLO, {"say": "sing"}],
        [HELLO, END],
        [HELLO, BEGIN, BEGIN],
        [HELLO, BEGIN, END, BEGIN],
        [HELLO, BEGIN, {**END, "wall_ns": "soon"}],
    ],
)
def test_what_is_not_the_protocol_is_an_error_not_a_figure(script: list[dict[str, Any]]) -> None:
    outcome, _ = hold(*script)
    assert outcome.ending == "error"
    assert outcome.message["kind"] == "ProtocolError"
