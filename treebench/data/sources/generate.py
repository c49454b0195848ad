"""Generated data sets: any size, the same bytes everywhere. `making.generation` draws the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from treebench.data.sources.base import Source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from treebench.data.cards import Card
    from treebench.data.making.batches import Prepared
    from treebench.data.manifest import Storage

Count = Annotated[int, Field(ge=1, le=2_000_000_000)]


class Generate(Source):
    """Rows drawn from a known, non-linear signal.

    `density` makes sparse rows. `cardinalities` makes the first columns categorical. `noise` is the
    standard deviation of the noise, with the signal's as 1. `positive` is the share of class 1.
    """

    states_target: ClassVar[bool] = False
    states_split: ClassVar[bool] = False
    kind: Literal["generate"]
    rows: Count
    test_rows: Count
    features: Annotated[int, Field(ge=1, le=10_000_000)]
    density: Annotated[float, Field(gt=0, le=1)] | None = None
    cardinalities: tuple[Annotated[int, Field(ge=2, le=10_000_000)], ...] = ()
    positive: Annotated[float, Field(gt=0, lt=1)] = 0.5
    classes: Annotated[int, Field(ge=3, le=1000)] | None = None
    noise: Annotated[float, Field(ge=0, le=100)] = 0.5
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0

    def storage(self, card: Card) -> Storage:
        """Sparse rows if a density is stated."""
        return "wide" if self.density is None else "sparse-rows"

    def shape(self, card: Card) -> tuple[int, int]:
        """Known before anything is made."""
        return (self.rows + self.test_rows, self.features)

    def card_problems(self, card: Card) -> list[tuple[str, Any, str]]:
        """Options that contradict each other or the task."""
        problems: list[tuple[str, Any, str]] = []
        if self.cardinalities and self.density is not None:
            allowed = "nothing: `density` makes sparse rows, which hold no categories"
            problems.append(("source.cardinalities", list(self.cardinalities), allowed))
        if len(self.cardinalities) > self.features:
            allowed = f"at most one number for each of the {self.features} features"
            problems.append(("source.cardinalities", list(self.cardinalities), allowed))
        if (card.task == "multiclass") != (self.classes is not None):
            allowed = "a number from 3 to 1000 for `task: multiclass`, nothing for other tasks"
            problems.append(("source.classes", self.classes, allowed))
        if card.task != "binary" and "positive" in self.model_fields_set:
            allowed = "a share for `task: binary`, nothing for other tasks"
            problems.append(("source.positive", self.positive, allowed))
        return problems

    def prepare(self, card: Card, base: Path, report: Callable[[str], None]) -> Prepared:
        """Fix scale and thresholds on a pilot sample; rows are drawn as they are streamed."""
        from treebench.data.making.generation import prepare_generated

        return prepare_generated(self, card.task)
