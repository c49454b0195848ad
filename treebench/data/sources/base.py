"""What a source of data sets is.

A source is the `source:` section of a card: its fields are the options that a person may state,
its methods turn the card into rows. Nothing heavy is imported before `prepare`.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from treebench.data.cards import Card
    from treebench.data.making.batches import Prepared
    from treebench.data.manifest import Storage


class Options(BaseModel):
    """A section of a card: unknown keys are errors, and a value never changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Source(Options):
    """A kind of source. Subclasses add `kind: Literal[...]` and their options."""

    states_target: ClassVar[bool] = True
    """Whether the card must say which column is the target (else it must not)."""
    states_split: ClassVar[bool] = True
    """Whether the card says how the test part is chosen (else the source has one of its own)."""

    def storage(self, card: Card) -> Storage:
        """How the made set is stored."""
        return "sparse-rows" if card.features.onehot else "wide"

    def card_problems(self, card: Card) -> list[tuple[str, Any, str]]:
        """What is wrong with the card for this source: key, value, what is allowed."""
        return []

    def shape(self, card: Card) -> tuple[int, int] | None:
        """Rows (over both parts) and features, where the options alone tell them."""
        return None

    @abstractmethod
    def prepare(self, card: Card, base: Path, report: Callable[[str], None]) -> Prepared:
        """The data set's facts, with its rows ready to be streamed.

        `base` is the folder that relative paths start from.

        Raises:
            DataError: a line for each problem of the source's data.
        """
