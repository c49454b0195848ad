"""What a person asks of `pick`, as facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from treebench.data.manifest import Manifest

Minimise = Literal["score", "time"]

SEARCH_SUFFIX = ".search"
"""What is put behind a data set's name for the set that is searched on. No card can be called so
beside another of that name, and a person who meets it in a table sees what it is."""


@dataclass(frozen=True)
class Question:
    """One question.

    `manifest` is of the data set asked about; `search_manifest` of the set that is searched on: a
    validation part is its test part, and what is left of the training part its training part.
    `time_budget_s` bounds what training takes (load, construct and fit); `search_time_s` what the
    search itself may take. `minimise` is `score` for the best score, or `time` for the fastest
    whose score is as good as the best (`proof.SAME_SCORE`).
    """

    dataset: str
    manifest: Manifest
    search_manifest: Manifest
    budget_bytes: int
    time_budget_s: float | None
    threads: int
    trainers: tuple[str, ...]
    minimise: Minimise = "score"
    search_time_s: float = 300.0
    seed: int = 0

    @property
    def search_dataset(self) -> str:
        """The name of the set that is searched on."""
        return f"{self.dataset}{SEARCH_SUFFIX}"

    @property
    def rows(self) -> int:
        """Rows of the whole training part: what the pick is trained on in the end."""
        return self.manifest.train_rows

    @property
    def search_rows(self) -> int:
        """Rows of the search set's training part."""
        return self.search_manifest.train_rows

    def to_json(self) -> dict[str, Any]:
        """The question as JSON-ready values, without what the manifests hold."""
        return {
            "dataset": self.dataset,
            "data_sha256": self.manifest.identity_sha256,
            "rows": self.rows,
            "features": self.manifest.n_features,
            "task": self.manifest.task,
            "validation_rows": self.search_manifest.test_rows,
            "budget_bytes": self.budget_bytes,
            "time_budget_s": self.time_budget_s,
            "search_time_s": self.search_time_s,
            "threads": self.threads,
            "trainers": list(self.trainers),
            "minimise": self.minimise,
            "seed": self.seed,
        }
