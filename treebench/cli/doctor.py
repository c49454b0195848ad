"""`treebench doctor`: what this machine can measure, and whether the probes tell the truth."""

from __future__ import annotations

import os
import sys
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from treebench.cli.options import JsonOption
from treebench.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from treebench.cli.doctor_text import Examination
    from treebench.measure.cgroup import Cgroup, Unavailable
    from treebench.measure.selftest import Check


def doctor(
    selftest: Annotated[
        bool, typer.Option("--selftest", help="Prove the probes on known truths, in about 15 s.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Say what can be measured here, and how to change what cannot.

    The exit code is 4 if a probe fails its self-test.
    """
    from treebench.cli import doctor_text
    from treebench.report.terminal import screen_of

    _say_to_a_person("measuring the copy bandwidth ...")
    found = _examine()
    checks = None
    if selftest:
        _say_to_a_person("testing the probes on known truths ...")
        checks = _selftest()
    if as_json:
        sys.stdout.write(doctor_text.as_json(found, checks))
    else:
        sys.stdout.write(doctor_text.as_text(found, checks, screen_of(sys.stdout)))
    failed = any(check.outcome == "fail" for check in checks or ())
    return ExitCode.NOTHING_MEASURED if failed else ExitCode.OK


def _examine() -> Examination:
    from treebench.cli.doctor_text import Examination
    from treebench.extras import installed
    from treebench.machine import cpus
    from treebench.machine.memory import available_memory_bytes
    from treebench.measure import environment
    from treebench.measure.capabilities import capabilities, perf_event_paranoid
    from treebench.measure.copy_bandwidth import copy_bandwidth
    from treebench.measure.disturbances import disturbances
    from treebench.measure.hardware import hardware

    load = os.getloadavg()[0]  # before anything here adds to it
    known = hardware()
    with _cgroup() as cgroup:
        possible = capabilities(cgroup)
    return Examination(
        machine={**environment.machine(), "memory_available_bytes": available_memory_bytes()},
        hardware=known,
        perf_event_paranoid=perf_event_paranoid(),
        copy_bandwidth=copy_bandwidth(known.last_level_bytes),
        capabilities=possible,
        libraries=installed(),
        disturbances=disturbances(known, load, cpus.cgroup_quota()),
    )


def _selftest() -> list[Check]:
    from treebench.measure.selftest import selftest

    return list(selftest(_cgroup, watched=_watched))


@contextmanager
def _cgroup() -> Iterator[Cgroup | Unavailable]:
    """A cgroup as a sample has it, gone afterwards even if this process is killed."""
    from treebench.runner.caretaker import Caretaker
    from treebench.runner.sample_cgroup import sample_cgroup

    with Caretaker() as caretaker, sample_cgroup(caretaker, uuid.uuid4().hex) as cgroup:
        yield cgroup


@contextmanager
def _watched(folder: Path) -> Iterator[Mapping[str, str]]:
    """The folder, and before it what writes there, goes with this process, however that ends."""
    from treebench.runner.caretaker import Caretaker
    from treebench.runner.caretaker_process import MARK_VARIABLE

    mark = uuid.uuid4().hex
    with Caretaker() as caretaker:
        caretaker.made("mark", mark)
        caretaker.made("folder", folder)
        yield {MARK_VARIABLE: mark}


def _say_to_a_person(words: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"{words}\n")
