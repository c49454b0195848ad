"""What a probe is: something outside the measured process that reads one thing per phase."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar


@dataclass(frozen=True)
class Reading:
    """What a probe read of one phase: figures by their name in the row, and for every figure
    that could not be had, why."""

    figures: dict[str, int | str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)


class Probe(ABC):
    """Reads the worker's process from the supervisor, bracketed by the handshake.

    `begin` is called after the worker announced the phase and before it may start; `end` after
    the worker said it has ended and before it may go on. A probe never raises for a figure that
    cannot be had: it says why in `missing`.
    """

    name: ClassVar[str]

    @abstractmethod
    def attach(self, pid: int) -> None:
        """The worker runs as `pid`."""

    @abstractmethod
    def begin(self, phase: str) -> None:
        """Arm for a phase."""

    @abstractmethod
    def end(self, phase: str) -> Reading:
        """Read what the phase did."""
