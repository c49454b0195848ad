"""What supervisor and worker say to each other: JSON lines over two pipes.

The supervisor sends one trial. Then the worker leads: it announces each phase, waits for the go,
runs it, says how long it took by its own clocks, and waits again, so that every probe is read
while the worker stands still. It closes with a result, or with an error. Before scores by iteration
are found it says what is `known`, which is the result without them, should its time be over first;
that word alone is not answered.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

PROTOCOL_VERSION = 1


@dataclass(frozen=True)
class Trial:
    """All a worker needs to know. Paths are absolute; `problem` is `trainers.base.Problem`.

    `native` are the library's own parameters, `warm_up_native` the same with a single tree.
    `cardinalities` are those of the stored columns, before any one-hot encoding.
    `streamed`: the trainer reads the rows itself, and there is no phase `load`.
    `curve`: scores by iteration are wanted. `validation_path`: rows held out to be scored too.
    """

    trainer: str
    native: dict[str, Any] = field(default_factory=dict)
    warm_up_native: dict[str, Any] = field(default_factory=dict)
    problem: dict[str, Any] | None = None
    train_path: str | None = None
    test_path: str | None = None
    features: int | None = None
    onehot: bool = False
    cardinalities: dict[int, int] = field(default_factory=dict)
    latency: bool = False
    streamed: bool = False
    curve: bool = False
    validation_path: str | None = None
    protocol: int = PROTOCOL_VERSION

    def to_line(self) -> bytes:
        """The trial as the line that is sent."""
        return encode(asdict(self))

    @classmethod
    def from_line(cls, line: bytes) -> Trial:
        """The trial in a received line; JSON made text of the keys that were numbers."""
        raw = json.loads(line)
        raw["cardinalities"] = _whole_keys(raw["cardinalities"])
        if raw["problem"] is not None:
            raw["problem"]["cardinalities"] = _whole_keys(raw["problem"]["cardinalities"])
        return cls(**raw)


def encode(message: dict[str, Any]) -> bytes:
    """One message as one line. NaN and infinity are refused: they are no JSON."""
    return json.dumps(message, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def _whole_keys(mapping: dict[str, int]) -> dict[int, int]:
    return {int(key): value for key, value in mapping.items()}
