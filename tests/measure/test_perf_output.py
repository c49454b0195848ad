"""Recordings of `perf stat -j`, from machines with and without counters."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from treebench.measure import perf_stat
from treebench.measure.counters import HARDWARE_GROUPS
from treebench.measure.perf_output import NEVER_RAN, NO_COUNTER, Counted, parse

RECORDINGS = Path(__file__).with_name("perf_recordings")


def recorded(name: str, *events: str, complaints: str = "") -> Counted:
    printed = (RECORDINGS / name).read_text() if name else ""
    told = (RECORDINGS / complaints).read_text() if complaints else ""
    return parse(printed, told, events, "2")


def test_real_counters() -> None:
    counted = recorded("hardware.jsonl", *HARDWARE_GROUPS[0])
    assert counted.values == {
        "cycles": 48_211_930_277,
        "instructions": 61_710_440_019,
        "cache-references": 903_118_220,
        "cache-misses": 214_007_113,
    }
    assert counted.missing == {}
    assert set(counted.running_pct.values()) == {100.0}


def test_a_multiplexed_counter_keeps_the_share_that_makes_it_an_estimate() -> None:
    counted = recorded("multiplexed.jsonl", "cycles")
    assert counted.values["cycles"] == 48_211_930_277
    assert counted.running_pct["cycles"] == 62.55


def test_two_kinds_of_cores_add_up() -> None:
    counted = recorded("hybrid.jsonl", "cycles", "instructions")
    assert counted.values == {"cycles": 9000, "instructions": 9000}
    assert counted.running_pct == {"cycles": 100.0, "instructions": 100.0}


def test_what_is_not_supported_is_missing_though_it_ran_for_100_percent() -> None:
    counted = recorded("not_supported.jsonl", "cycles", "task-clock")
    assert counted.missing == {"cycles": NO_COUNTER}
    assert counted.values == {"task-clock-ns": 72_818_181}
    assert "cycles" not in counted.running_pct


def test_what_is_not_counted_is_missing() -> None:
    assert recorded("not_counted.jsonl", "cycles").missing == {"cycles": NEVER_RAN}


def test_a_kernel_event_restricted_to_user_code_is_missing_and_not_0() -> None:
    counted = recorded("kernel_events_as_user.jsonl", "context-switches", "page-faults")
    assert counted.values == {"page-faults": 812}
    assert "perf_event_paranoid = 2" in counted.missing["context-switches"]


def test_not_permitted_names_the_setting() -> None:
    counted = recorded("", "cycles", complaints="not_permitted.txt")
    assert counted.values == {}
    assert "kernel.perf_event_paranoid = 2" in counted.missing["cycles"]


def test_an_unsupported_leader_takes_its_group_along() -> None:
    counted = recorded("", "cycles", "instructions", complaints="leader_not_supported.txt")
    assert counted.missing == {"cycles": NO_COUNTER, "instructions": NO_COUNTER}


def test_an_event_that_perf_is_silent_about_is_missing() -> None:
    counted = recorded("hardware.jsonl", "dTLB-load-misses")
    assert counted.missing == {"dTLB-load-misses": "perf printed nothing of it"}


def test_user_code_only_wherever_that_has_a_meaning() -> None:
    asked = perf_stat.event_list(
        [["cycles", "instructions"], ["context-switches"], ["page-faults"]]
    )
    assert asked == "{cycles:u,instructions:u},context-switches,page-faults:u"


def test_without_perf_every_event_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert perf_stat.count_command([["cycles"]], ["true"]).missing == {
        "cycles": perf_stat.PERF_ABSENT
    }
    with perf_stat.PerfStatProbe([["cycles"]], ["fit"]) as probe:
        probe.attach(1)
        probe.begin("fit")
        probe.end("fit")
        assert probe.counted["fit"].missing == {"cycles": perf_stat.PERF_ABSENT}


def test_a_perf_that_fails_at_once_leaves_its_words_as_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "perf"
    fake.write_text("#!/bin/sh\necho 'Problems finding threads of monitor' >&2\nexit 1\n")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with perf_stat.PerfStatProbe([["cycles"]], ["fit"]) as probe:
        probe.attach(1)
        probe.begin("fit")
        probe.end("fit")
    reason = probe.counted["fit"].missing["cycles"]
    assert reason == "perf printed nothing of it (Problems finding threads of monitor)"
