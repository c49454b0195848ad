"""Callgrind for real, on a walk whose misses are known."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.processes import PATIENCE_S, started
from treebench.measure.callgrind import VALGRIND_ABSENT, CallgrindProbe, Geometry, why_absent
from treebench.measure.callgrind_walk import EXPECTED_RATIO, READS, WalkMisses, simulate_walks

needs_valgrind = pytest.mark.skipif(why_absent() is not None, reason=str(why_absent()))


@pytest.mark.slow
@needs_valgrind
def test_a_random_walk_misses_as_much_more_often_as_it_must() -> None:
    misses = simulate_walks()
    assert isinstance(misses, WalkMisses), misses
    # Beside the array the interpreter itself is read in: about a thousand lines, once.
    assert misses.sequential == pytest.approx(READS / 8, rel=0.05)
    assert misses.random == pytest.approx(READS * 15 / 16, rel=0.02)
    assert misses.ratio == pytest.approx(EXPECTED_RATIO, rel=0.03)


def test_the_geometry_is_always_stated() -> None:
    with CallgrindProbe(["fit"], Geometry(LL="1048576,16,64")) as probe:
        command = probe.command(["worker", "3"])
    assert command[-2:] == ["worker", "3"]
    assert {"--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64"} <= set(command)
    assert "--instr-atstart=no" in command


def test_the_dumps_folder_is_gone_afterwards() -> None:
    with CallgrindProbe(["fit"]) as probe:
        out = next(word for word in probe.command([]) if word.startswith("--callgrind-out-file="))
        folder = Path(out.partition("=")[2]).parent
        assert folder.is_dir()
    assert not folder.exists()


@needs_valgrind
def test_a_process_that_is_not_under_callgrind_gives_reasons_not_figures() -> None:
    with CallgrindProbe(["fit"]) as probe:
        probe.attach(os.getpid())
        probe.begin("fit")
        probe.end("fit")
        assert probe.profiles() == {}
        assert "could not be switched" in probe.missing["fit"]


def test_after_a_switch_that_failed_no_phase_is_given_anothers_figures(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answers = tmp_path / "vgdb"
    answers.write_text('#!/bin/sh\ncase "$*" in *"dump construct") exit 1;; esac\n')
    answers.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with CallgrindProbe(["construct", "fit"]) as probe:
        # The dump that was not confirmed may be there all the same, under the first number.
        (probe.folder / "dump.1").write_text("events: Ir\ntotals: 5\n")
        for phase in ("construct", "fit"):
            probe.begin(phase)
            probe.end(phase)
        assert probe.profiles() == {}
        assert "could not be switched" in probe.missing["construct"]
        assert probe.missing["fit"] == "callgrind could not be switched in construct"


@needs_valgrind
@pytest.mark.parametrize("name", ["a b", "quo'te", "per%qcent", "two\nlines"])
def test_the_temporary_folder_may_have_any_name_and_tmpdir_be_unusable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "gone"))
    with CallgrindProbe(["fit"]) as probe:
        command = probe.command(["cat"])
        with started(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(b"ready\n")
            process.stdin.flush()
            process.stdout.readline()
            probe.attach(process.pid)
            probe.begin("fit")
            process.stdin.write(b"go\n")
            process.stdin.flush()
            process.stdout.readline()
            probe.end("fit")
            process.stdin.close()
            process.wait(PATIENCE_S)
        assert probe.missing == {}
        assert probe.profiles()["fit"].totals["instructions"] > 0


def test_without_valgrind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert why_absent() == VALGRIND_ABSENT
