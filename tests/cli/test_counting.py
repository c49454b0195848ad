"""The copy bandwidth that a run with hardware counters begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.analysis.rows import facts, spec
from tests.cli.runs import put_run
from treebench.cli import counting
from treebench.cli.counting import copy_bandwidth_for
from treebench.measure.counters import Choice

if TYPE_CHECKING:
    from pathlib import Path

HARDWARE = Choice("hardware")
COPIED: dict[str, Any] = {
    "bytes_per_s": {"1": 9.5e9},
    "array_bytes": 2**26,
    "past_cache": True,
    "reason": None,
}


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many passes were asked for, each time that it was measured."""
    from treebench.measure import copy_bandwidth as module

    asked: list[int] = []

    def measure(_last_level_bytes: int | None, passes: int) -> module.CopyBandwidth:
        asked.append(passes)
        return module.CopyBandwidth({1: 9.5e9}, 2**26, past_cache=True)

    monkeypatch.setattr(module, "copy_bandwidth", measure)
    return asked


def test_it_is_measured_for_hardware_counters_and_said(
    tmp_path: Path, measured: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert copy_bandwidth_for(HARDWARE, tmp_path, "here") == COPIED
    assert capsys.readouterr().err == "copy bandwidth: 9.50 GB/s on 1 thread\n"
    assert len(measured) == 1


@pytest.mark.parametrize("tier", ["simulated", "software", None])
def test_no_other_tier_needs_it(tmp_path: Path, measured: list[int], tier: Any) -> None:
    assert copy_bandwidth_for(Choice(tier), tmp_path, "here") is None
    assert measured == []


@pytest.mark.parametrize(("fingerprint", "times"), [("here", 0), ("elsewhere", 1)])
def test_a_run_that_goes_on_keeps_what_it_measured(
    tmp_path: Path, measured: list[int], fingerprint: str, times: int
) -> None:
    known = facts([spec()])
    known = known | {"copy_bandwidth": COPIED, "machine": {"fingerprint": fingerprint}}
    folder = put_run(tmp_path / "run", known, [])
    assert copy_bandwidth_for(HARDWARE, folder, "here") == COPIED
    assert len(measured) == times


def test_what_could_not_be_measured_is_tried_again(tmp_path: Path, measured: list[int]) -> None:
    failed = COPIED | {"bytes_per_s": {}, "reason": "no memory"}
    known = facts([spec()]) | {"copy_bandwidth": failed, "machine": {"fingerprint": "here"}}
    folder = put_run(tmp_path / "run", known, [])
    assert copy_bandwidth_for(HARDWARE, folder, "here") == COPIED
    assert len(measured) == 1


def test_what_cannot_be_made_so_small_is_refused_before_a_folder_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from treebench.cli import taking
    from treebench.errors import ConfigError

    def refuse(_planned: Any, choice: Choice) -> None:
        raise ConfigError(f"simulation: no, not {choice.tier}")

    monkeypatch.setattr(counting, "chosen_counters", lambda _: Choice("simulated"))
    monkeypatch.setattr(counting, "refuse_what_cannot_be_small", refuse)
    folder = tmp_path / "run"
    planned: Any = None
    with pytest.raises(ConfigError, match="not simulated"):
        taking.take_here(planned, folder, {}, retry_failed=False)
    assert not folder.exists()
