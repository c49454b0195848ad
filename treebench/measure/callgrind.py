"""The simulated tier: caches of a stated geometry, simulated by callgrind for each phase.

Instrumentation is off at the start, switched on at a phase's start and off at its end, and then
what was counted is dumped, which also sets the counts back to 0. The result is a fact about the
algorithm's shape on that geometry, not about this machine, and repeats to a few parts in 100,000.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import tempfile
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from treebench.measure.callgrind_output import Profile, parse
from treebench.measure.owner import owned_name
from treebench.measure.probe import Probe, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

VALGRIND_ABSENT = "valgrind is not installed (Debian, Ubuntu: apt install valgrind)"
_SWITCH_TIMEOUT_S = 120.0
_LEAST_SHARE = 0.01
_SHARES = {
    "read_misses": "D1-read-misses",
    "write_misses": "D1-write-misses",
    "instructions": "instructions",
}


@dataclass(frozen=True)
class Geometry:
    """The caches that are simulated, as `bytes,ways,line bytes`. Always stated: what valgrind
    detects in a virtual machine can be nonsense."""

    I1: str = "32768,8,64"
    D1: str = "32768,8,64"
    LL: str = "8388608,16,64"

    def options(self) -> list[str]:
        """The geometry as callgrind takes it."""
        return [f"--{level}={size}" for level, size in asdict(self).items()]


class CallgrindProbe(Probe):
    """Switches callgrind for the given phases. Use it as a context manager: all its files lie in
    `folder`, which it makes and removes at the end. Whoever must know of the folder before there
    is one finds its name here."""

    name: ClassVar[str] = "callgrind"

    def __init__(self, phases: Sequence[str], geometry: Geometry = Geometry()) -> None:
        self.geometry = geometry
        self._phases = phases
        self._pid = 0
        self._on = False
        self._dumped: list[str] = []
        self._missing: dict[str, str] = {}
        self.folder = Path(tempfile.gettempdir()) / owned_name("callgrind", uuid.uuid4().hex)

    def command(self, command: Sequence[str]) -> list[str]:
        """The command under callgrind, at the same addresses each time. It keeps its pid."""
        # Valgrind gives up where TMPDIR cannot be written, and takes a % in the name for its own.
        return [
            *unshuffled(),
            *("env", f"TMPDIR={tempfile.gettempdir()}"),
            *("valgrind", "--tool=callgrind", "--instr-atstart=no", "--cache-sim=yes"),
            *self.geometry.options(),
            "--quiet",
            self._pipes,
            f"--callgrind-out-file={str(self._dumps).replace('%', '%%')}",
            *command,
        ]

    def attach(self, pid: int) -> None:
        """The worker, and valgrind around it, run as `pid`."""
        self._pid = pid

    def begin(self, phase: str) -> None:
        """Start counting. After a switch that failed there is no more of it: what was counted
        since, and the number of the next dump, are not known."""
        if phase not in self._phases:
            return
        if self._missing:
            self._missing[phase] = f"callgrind could not be switched in {next(iter(self._missing))}"
            return
        self._on = self._control(phase, "instrumentation", "on")

    def end(self, phase: str) -> Reading:
        """Stop counting and dump; the figures stand in `profiles`."""
        if (
            self._on
            and self._control(phase, "instrumentation", "off")
            and self._control(phase, "dump", phase)
        ):
            self._dumped.append(phase)
        self._on = False
        return Reading()

    def profiles(self) -> dict[str, Profile]:
        """What was counted, by phase. A dump that is not there is left out: see `missing`."""
        found = {}
        for number, phase in enumerate(self._dumped, 1):
            try:
                with self._dumps.with_name(f"{self._dumps.name}.{number}").open() as lines:
                    found[phase] = parse(lines)
            except (OSError, ValueError) as error:
                self._missing[phase] = f"callgrind's dump cannot be read: {error}"
        return found

    @property
    def missing(self) -> dict[str, str]:
        """Why a phase that was to be counted was not."""
        return dict(self._missing)

    def __enter__(self) -> CallgrindProbe:
        self.folder.mkdir(mode=0o700)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder)

    @property
    def _dumps(self) -> Path:
        return self.folder / "dump"

    @property
    def _pipes(self) -> str:
        """Where valgrind and what switches it meet: a valgrind that is killed leaves its pipes."""
        return f"--vgdb-prefix={self.folder / 'vgdb'}"

    def _control(self, phase: str, *words: str) -> bool:
        """Tell the running callgrind one thing; whether it did it. callgrind_control would pass
        the same words on, but through a shell, which a blank in the name of a folder breaks."""
        try:
            done = subprocess.run(
                ["vgdb", self._pipes, f"--pid={self._pid}", *words],
                check=False,
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
                timeout=_SWITCH_TIMEOUT_S,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            self._missing[phase] = f"callgrind could not be switched: {error}"
            return False
        if done.returncode == 0:
            return True
        said = " ".join((done.stdout + done.stderr).split())[:200]
        self._missing[phase] = f"callgrind could not be switched: {said}"
        return False


def unshuffled() -> list[str]:
    """A prefix that gives every process the same addresses, where one can be had: they decide
    which lines share a set of the cache."""
    if shutil.which("setarch") is None:
        return []
    prefix = ["setarch", platform.machine(), "-R"]
    works = subprocess.run([*prefix, "true"], check=False, capture_output=True).returncode == 0
    return prefix if works else []


def why_absent() -> str | None:
    """Why nothing can be simulated here, or None."""
    if shutil.which("valgrind") is None or shutil.which("vgdb") is None:
        return VALGRIND_ABSENT
    return None


def version() -> str | None:
    """The version of valgrind, such as `3.19.0`; None where there is none."""
    if why_absent() is not None:
        return None
    told = subprocess.run(["valgrind", "--version"], check=False, capture_output=True, text=True)
    match = re.search(r"\d[\w.]*", told.stdout)
    return match[0] if match else None


def leading_functions(profile: Profile, most: int = 12) -> list[dict[str, Any]]:
    """The functions with at least 1 % of the phase's D1 read misses, D1 write misses or
    instructions, as shares of the whole phase between 0 and 1; None where the phase had none.
    Those with most read misses come first. Of more than `most` those are kept that lead in any of
    the three: half of all instructions may miss nothing."""
    shares = {function: _shares(profile, cost) for function, cost in profile.functions.items()}
    largest = {
        function: max(value or 0 for value in share.values()) for function, share in shares.items()
    }
    leading = [function for function, share in largest.items() if share >= _LEAST_SHARE]
    leading = sorted(leading, key=lambda function: -largest[function])[:most]
    leading.sort(key=lambda function: [-(value or 0) for value in shares[function].values()])
    return [{"function": function, **shares[function]} for function in leading]


def _shares(profile: Profile, cost: dict[str, int]) -> dict[str, float | None]:
    return {
        name: round(cost.get(event, 0) / total, 4) if (total := profile.totals.get(event)) else None
        for name, event in _SHARES.items()
    }
