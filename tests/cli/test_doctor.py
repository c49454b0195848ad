"""What `doctor` says, of this machine and of made-up ones."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.test_show import call
from treebench.cli import doctor, doctor_text
from treebench.cli.doctor_text import Examination
from treebench.extras import PACKAGES, Installed, install_command
from treebench.measure.capabilities import Capability
from treebench.measure.copy_bandwidth import CopyBandwidth
from treebench.measure.disturbances import Disturbance
from treebench.measure.hardware import Cache, hardware
from treebench.measure.selftest import Check
from treebench.report.terminal import Screen

MIB = 2**20
PASSED = Check("64 MiB touched", "VmHWM", "bytes", 63 * MIB, 68 * MIB, seen=64 * MIB)
FAILED = replace(PASSED, probe="cgroup v1", seen=12 * MIB)
SKIPPED = replace(PASSED, probe="cgroup v2", seen=None, skipped="there is no cgroup v2")


@pytest.fixture
def found(tmp_path: Path) -> Examination:
    known = replace(hardware(tmp_path), cpu="Some CPU", caches=(Cache(3, "Unified", 32 * MIB, 8),))
    return Examination(
        machine={
            "system": "Linux",
            "kernel": "6.1",
            "architecture": "x86_64",
            "cores_usable": 4,
            "cores_physical": 2,
            "cgroup_cpu_quota": 4.0,
            "memory_bytes": 8 * 2**30,
            "memory_available_bytes": None,
        },
        hardware=known,
        perf_event_paranoid=None,
        copy_bandwidth=CopyBandwidth({1: 9.5e9, 4: 21e9}, 128 * MIB, past_cache=True),
        capabilities=[
            Capability("time per phase", True, "the worker's own clocks"),
            Capability("hardware counters", False, "there is no perf", "install perf"),
        ],
        libraries=[
            Installed("pick", "pick", {"optuna": "4.1"}),
            Installed("dask", "Dask", {"dask": "2025.1", "distributed": None}),
        ],
        disturbances=[Disturbance("the governor is powersave", "choose performance")],
    )


def text(found: Examination, checks: list[Check] | None = None, width: int | None = None) -> str:
    return doctor_text.as_text(found, checks, Screen(width, colour=False, rules=False))


def test_what_is_possible_is_said_with_how_and_what_is_not_with_a_remedy(
    found: Examination,
) -> None:
    said = [" ".join(line.split()) for line in text(found).splitlines()]
    assert "yes time per phase the worker's own clocks" in said
    assert "no hardware counters there is no perf. To change that: install perf" in said
    assert "yes pick optuna 4.1" in said
    assert f"no Dask dask 2025.1; {install_command('dask')}" in said
    assert "the governor is powersave choose performance" in said
    assert "copy bandwidth 9.5 GB/s on 1 thread, 21.0 GB/s on 4 threads (best of" in " ".join(said)
    assert said[-1] == "next: treebench doctor --selftest"


def test_what_is_unknown_is_said_to_be(found: Examination) -> None:
    said = text(found)
    assert "clock                unknown; governor not visible" in said
    assert "perf_event_paranoid  unknown" in said
    failed = replace(found, copy_bandwidth=CopyBandwidth({}, 1, False, "no memory"))
    assert "copy bandwidth       unknown: no memory" in text(failed)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_screen(found: Examination, width: int) -> None:
    lines = text(found, [PASSED, FAILED, SKIPPED], width).splitlines()
    assert max(map(len, lines)) <= width


def test_in_a_pipe_a_check_is_one_line(found: Examination) -> None:
    said = text(found, [PASSED, FAILED, SKIPPED])
    rows = [" ".join(line.split()) for line in said.splitlines() if line[:4] in _OUTCOMES]
    assert rows == [
        "pass 64 MiB touched VmHWM expected 63.0 MiB to 68.0 MiB, saw 64.0 MiB",
        "fail 64 MiB touched cgroup v1 expected 63.0 MiB to 68.0 MiB, saw 12.0 MiB",
        "skip 64 MiB touched cgroup v2 not tried: there is no cgroup v2",
    ]
    assert "1 of 3 checks pass, 1 could not be tried here, 1 FAIL" in said


_OUTCOMES = ("pass", "fail", "skip")


def test_json_has_raw_values(found: Examination) -> None:
    said = json.loads(doctor_text.as_json(found, [PASSED]))
    assert said["copy_bandwidth"]["bytes_per_s"] == {"1": 9.5e9, "4": 21e9}
    assert said["hardware"]["governor"] is None
    assert said["selftest"][0]["outcome"] == "pass"
    assert said["selftest"][0]["seen"] == 64 * MIB
    assert json.loads(doctor_text.as_json(found, None))["selftest"] is None


@pytest.mark.parametrize(
    ("checks", "code"), [([PASSED], 0), ([PASSED, SKIPPED], 0), ([PASSED, FAILED], 4)]
)
def test_a_probe_that_fails_is_exit_code_4(
    found: Examination,
    checks: list[Check],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(doctor, "_examine", lambda: found)
    monkeypatch.setattr(doctor, "_selftest", lambda: checks)
    assert call("doctor", "--selftest", "--json") == code
    assert len(json.loads(capsys.readouterr().out)["selftest"]) == len(checks)


def test_this_machine_is_examined(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("doctor", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["machine"]["cores_usable"] >= 1
    assert said["copy_bandwidth"]["bytes_per_s"]["1"] > 0
    assert {each["extra"] for each in said["libraries"]} == set(PACKAGES)
    names = [each["name"] for each in said["capabilities"]]
    assert len(names) == len(set(names)) >= 9
