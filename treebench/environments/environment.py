"""What an environment is: an interpreter, what was asked for, and what is installed there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.errors import TreebenchError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class EnvironmentBuildError(TreebenchError):
    """An environment that cannot be built or used: which package, the reason, the remedy."""


@dataclass(frozen=True)
class Environment:
    """An interpreter for workers. `name` is what a person calls it, `spec` what they asked for;
    `versions` has all that is installed there by the names of distributions, in lower case with
    hyphens, and Python's own."""

    name: str
    python: Path
    spec: str
    versions: dict[str, str | None]

    def versions_of(self, distributions: Sequence[str]) -> dict[str, str | None]:
        """Versions of some distributions, and Python's; None where one is not installed."""
        found = {name: self.versions.get(normal_name(name)) for name in distributions}
        return {"python": self.versions["python"], **found}

    def to_json(self) -> dict[str, Any]:
        """For `run.json`."""
        return {
            "name": self.name,
            "spec": self.spec,
            "python": str(self.python),
            "versions": dict(self.versions),
        }


def normal_name(distribution: str) -> str:
    """One spelling for `Scikit_Learn`, `scikit.learn` and `scikit--learn` (PEP 503)."""
    return re.sub(r"[-_.]+", "-", distribution).lower()
