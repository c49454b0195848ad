"""Call stacks as they are drawn: from the outermost frame to the innermost, what is beside the
point folded away.

A frame is text: `name [library]`, or `[library]` alone where the library has no name for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

INTERPRETER = "Python interpreter [libpython]"
WORKER = "treebench's worker [treebench]"
CUT = "[stack cut short]"
UNKNOWN = "[unknown]"

# Python's own C frames, and what ctypes puts between Python and a library, tell nothing of a fit.
_INTERPRETER = re.compile(r"^(libpython[\d.]*\.so|python[\d.]*|_ctypes\.so|libffi\.so)$")
_HASHED = re.compile(r"-[0-9a-f]{8,}(?=\.so)")
_VERSIONED = re.compile(r"^(?P<stem>.+?)(?:\.cpython-[\w-]+|\.abi3)?\.so(?:\.[\d.]+)?$")


@dataclass
class Stacks:
    """What was sampled of one event. `weights` are by stack, in samples, or in occurrences of
    the event where a hardware counter sampled; `n_cut` are those whose outer end is unknown."""

    weights: dict[tuple[str, ...], int] = field(default_factory=dict)
    n_samples: int = 0
    n_cut: int = 0

    def add(
        self, stack: Iterable[str], weight: int, samples: int = 1, *, cut: bool = False
    ) -> None:
        """Count a stack, outermost frame first."""
        key = tuple(stack)
        self.weights[key] = self.weights.get(key, 0) + weight
        self.n_samples += samples
        self.n_cut += samples if cut else 0


def library_name(path: str) -> str:
    """`libgomp.so` of `/x/scikit_learn.libs/libgomp-e985bcbb.so.1.0.0`."""
    name = path.rpartition("/")[2]
    versioned = _VERSIONED.match(_HASHED.sub("", name))
    return f"{versioned['stem']}.so" if versioned else name


def frame(name: str | None, library: str) -> str:
    """A frame's text. A semicolon divides frames where stacks are kept as text."""
    if library and _INTERPRETER.match(library):
        return INTERPRETER
    plain = " ".join((name or "").replace(";", ",").split())
    return f"{plain} [{library}]".strip() if library else plain or UNKNOWN


def folded(frames: Iterable[str]) -> list[str]:
    """Frames with runs of the interpreter's, the worker's and one library's nameless made one."""
    kept: list[str] = []
    for one in frames:
        in_a_run = one in (INTERPRETER, WORKER) or one.startswith("[")
        if not (in_a_run and kept[-1:] == [one]):
            kept.append(one)
    return kept
