"""The kinds of sources. A new one is a file here and a place in `AnySource`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from treebench.data.sources.fetched import FetchedNewsgroups, FetchedSvmlight, FetchedTable
from treebench.data.sources.files import Svmlight, Table
from treebench.data.sources.flights import Flights
from treebench.data.sources.generate import Generate
from treebench.data.sources.sklearn import Sklearn

AnySource = Annotated[
    Flights
    | Generate
    | Sklearn
    | Table
    | Svmlight
    | FetchedTable
    | FetchedSvmlight
    | FetchedNewsgroups,
    Field(discriminator="kind"),
]
