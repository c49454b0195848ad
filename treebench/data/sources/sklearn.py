"""The small real data sets that come with scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from treebench.data.sources.base import Source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from treebench.data.cards import Card
    from treebench.data.making.batches import Prepared


class Sklearn(Source):
    """One of scikit-learn's bundled data sets, under the name of its loader."""

    states_target: ClassVar[bool] = False
    kind: Literal["sklearn"]
    name: Literal["digits", "breast_cancer", "wine", "diabetes"]

    def prepare(self, card: Card, base: Path, report: Callable[[str], None]) -> Prepared:
        """Load the arrays; classes get their names from scikit-learn."""
        from treebench.data.making.readers.memory import MemoryReader, bundled_with_sklearn
        from treebench.data.making.tables import prepare_table

        report(f"loading {self.name} from scikit-learn")
        table = bundled_with_sklearn(self.name)
        return prepare_table(card, MemoryReader(f"scikit-learn {self.name}", table), None, report)
