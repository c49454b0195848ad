"""A claim as it stands in its file: what was said, the sweep that tries it, what would bear it out.

Checked here is the form; that terms can be read and name cells is `analysis.claims`' to say.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from treebench.config.model import Count

Bound = Annotated[float, Field(allow_inf_nan=False)]
_ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9-]{0,40}$"
_SHARE_PATTERN = r"^\d{1,3}%$"
PATTERNS = {
    _ID_PATTERN: "letters, digits or '-', at most 41 of them, beginning with a letter or digit",
    _SHARE_PATTERN: "a share such as 10%",
}
"""What each regular expression of a claim asks for, in words."""

Share = Annotated[str, Field(pattern=_SHARE_PATTERN)]
_BOUNDS = ("at_least", "at_most", "between", "within")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Check(_Strict):
    """One figure of a claim: a term over cells, what was stated, and what counts as holding.

    Exactly one of the four bounds is given. `within` is a distance from `stated`, or in percent
    of it. `tier` says that the figure is one of the CPU's own counters. An interval that reaches
    below `doubtful_below` has no verdict: such a value speaks of other work on the machine.
    """

    name: Annotated[str, Field(min_length=1, max_length=100)]
    term: Annotated[str, Field(min_length=1)]
    says: Annotated[str, Field(min_length=1)]
    stated: Bound | None = None
    at_least: Bound | None = None
    at_most: Bound | None = None
    between: tuple[Bound, Bound] | None = None
    within: Annotated[float, Field(gt=0)] | Share | None = None
    tier: Literal["hardware"] | None = None
    doubtful_below: Bound | None = None

    @model_validator(mode="after")
    def _one_bound(self) -> Check:
        given = [name for name in _BOUNDS if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"must have one of {', '.join(_BOUNDS)}")
        if self.within is not None and self.stated is None:
            raise ValueError("must have a stated value for `within` to be a distance from")
        if self.between is not None and self.between[0] >= self.between[1]:
            raise ValueError("must have its lower bound first in `between`")
        return self

    @property
    def low(self) -> float:
        """The least value that bears the claim out; minus infinity where there is none."""
        if self.within is not None and self.stated is not None:
            return self.stated - self._distance(self.stated)
        if self.between is not None:
            return self.between[0]
        return float("-inf") if self.at_least is None else self.at_least

    @property
    def high(self) -> float:
        """The greatest value that bears the claim out; infinity where there is none."""
        if self.within is not None and self.stated is not None:
            return self.stated + self._distance(self.stated)
        if self.between is not None:
            return self.between[1]
        return float("inf") if self.at_most is None else self.at_most

    def _distance(self, stated: float) -> float:
        if isinstance(self.within, str):
            return float(self.within.removesuffix("%")) / 100 * abs(stated)
        return self.within or 0.0


class Least(_Strict):
    """The smallest a sweep is made by `--scale`: rows and trees of its smallest cell."""

    rows: Count = 500
    trees: Count = 4


class Claim(_Strict):
    """A claim. `sweep` is a config's body, or the id of another claim, whose sweep it shares;
    `cells` are names for conditions as `--only` takes them. `stated` is the size at which the
    claim was made, where it says so."""

    id: Annotated[str, Field(pattern=_ID_PATTERN)]
    title: Annotated[str, Field(min_length=1)]
    claim: Annotated[str, Field(min_length=1)]
    source: Annotated[str, Field(min_length=1)]
    sweep: Annotated[str, Field(min_length=1)] | dict[str, Any]
    checks: Annotated[tuple[Check, ...], Field(min_length=1)]
    cells: dict[str, str] = {}
    stated: dict[str, Count] = {}
    stands_in: str | None = None
    least: Least = Least()
