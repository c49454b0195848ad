"""A published comparison as it stands in its files: the presets that try it, and its own tables.

Checked here is the form; `load_comparisons` puts presets that build on others together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from treebench.config.claims import Least
from treebench.config.model import Count, Name
from treebench.data.manifest import Layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Clock = Literal["boosting", "construct_fit", "total"]
ScoreKind = Literal["final", "best_iteration", "best_on_test"]
Measure = Literal["time", "score", "memory"]
Lead = Literal["as_published", "equal_clocks"]
Text = Annotated[str, Field(min_length=1)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PublishedData(_Strict):
    """What was published of one data set, each figure by the table's own columns."""

    rows: Count
    features: Count
    metric: Text
    time_s: dict[str, Positive] = {}
    score: dict[str, Positive] = {}
    memory_gb: dict[str, Positive] = {}
    lead: dict[Lead, Positive] = {}

    def figures(self, measure: Measure) -> dict[str, float]:
        """The figures of a kind, by column."""
        return {"time": self.time_s, "score": self.score, "memory": self.memory_gb}[measure]


class PublishedTable(_Strict):
    """A table that others published: where, when, and on which hardware. `lead_of` are the two
    columns of whose times its data sets state a `lead`."""

    title: Text
    source: Text
    date: Text
    hardware: Text
    titles: dict[str, Text]
    lead_of: tuple[str, str] | None = None
    data: Annotated[dict[str, PublishedData], Field(min_length=1)]

    @model_validator(mode="after")
    def _columns_are_titled(self) -> PublishedTable:
        for name, one in self.data.items():
            for column in (*one.time_s, *one.score, *one.memory_gb):
                if column not in self.titles:
                    raise ValueError(f"must have a title for the column {column}, as {name} has it")
        return self


class PresetData(_Strict):
    """A data set of a preset, with the rows of a full run. `beside` is the published data set whose
    figures stand next to it; `stands_for` the name under which the real data can be given, of which
    a full run takes `real_rows`. Below `from_scale` it is left out, for want of time."""

    set: Name
    rows: Count
    layout: Layout = "dense-c"
    stands_for: Name | None = None
    real_rows: Count | None = None
    beside: Text
    why_beside: Text
    stands_in: str | None = None
    only_if_given: bool = False
    from_scale: Annotated[float, Field(ge=0, le=1)] = 0.0


class Range(_Strict):
    """What a parameter is drawn from: evenly, or evenly in its logarithm."""

    low: Positive
    high: Positive
    log: bool = False
    whole: bool = False

    @model_validator(mode="after")
    def _has_width(self) -> Range:
        if self.low >= self.high:
            raise ValueError("must have its lower end first")
        return self


class Column(_Strict):
    """A library in one of its ways. `like` is a column whose setting this one changes; `search`
    is the space that its settings are drawn from, where they are searched for."""

    name: Name
    title: Text
    library: Text
    setting: dict[str, Any]
    like: str | None = None
    remark: str | None = None
    search: dict[str, Range] = {}


class Compared(_Strict):
    """Two columns set against each other: a ratio of times or memory, a difference of scores.
    `published` are the table's columns that say the same; `main` is what the sentence is of."""

    name: Text
    figure: Measure
    first: str
    second: str
    published: tuple[str, str] | None = None
    main: bool = False


class Order(_Strict):
    """An order of columns, by what the published table calls each."""

    figure: Measure
    columns: Annotated[dict[str, str], Field(min_length=2)]


class Budget(_Strict):
    """How many settings are tried of each library in a full run, and the seed of the draws."""

    configurations: Count
    seed: Annotated[int, Field(ge=0)] = 0


class Preset(_Strict):
    """One way to run the comparison and to read it. Presets of one `sweep` share its samples.
    `shrinks` are parameters that bound a leaf's rows, which `--scale` lowers as it does the rows.
    """

    preset: Name
    title: Text
    says: Text
    published: Text
    sweep: Name
    clock: Clock
    score: ScoreKind
    lead: Lead = "as_published"
    curve: bool = True
    least: Least
    shrinks: tuple[Literal["min_child_weight", "min_samples_leaf"], ...] = ()
    data: Annotated[tuple[PresetData, ...], Field(min_length=1)]
    base: dict[str, Any] = {}
    columns: Annotated[tuple[Column, ...], Field(min_length=2)]
    compares: tuple[Compared, ...] = ()
    orders: tuple[Order, ...] = ()
    budget: Budget | None = None

    @model_validator(mode="after")
    def _names_its_own_columns(self) -> Preset:
        known = {column.name for column in self.columns}
        named = {each.like for each in self.columns if each.like}
        named |= {name for each in self.compares for name in (each.first, each.second)}
        named |= {name for each in self.orders for name in each.columns}
        if named - known:
            raise ValueError(f"must name its own columns, which {min(named - known)} is not")
        if (self.budget is not None) != any(column.search for column in self.columns):
            raise ValueError("must have a budget where columns have a search, and only there")
        return self

    @model_validator(mode="after")
    def _settings_can_be_read(self) -> Preset:
        names = [column.name for column in self.columns]
        if len(set(names)) < len(names):
            raise ValueError(f"must name each column once, which {sorted(names)} do not")
        for column in self.columns:
            self._not_round_in_a_circle(column)
            _require_sizes(column.name, self.setting(column), self.shrinks)
        return self

    def _not_round_in_a_circle(self, column: Column) -> None:
        likes = {each.name: each.like for each in self.columns}
        seen, name = {column.name}, column.like
        while name is not None:
            if name in seen:
                raise ValueError(f"must have columns that end; like of {name} leads to itself")
            seen.add(name)
            name = likes[name]

    def setting(self, column: Column) -> dict[str, Any]:
        """All that a column states: the base, the column that it is like, its own."""
        like = next((each for each in self.columns if each.name == column.like), None)
        return {**self.base, **(self.setting(like) if like else {}), **column.setting}


def _require_sizes(column: str, setting: Mapping[str, Any], shrinks: Iterable[str]) -> None:
    """What `--scale` makes smaller, and what tells the library, before a sweep looks at the rest.

    Raises:
        ValueError: with what must be there, as all validators here.
    """
    if not isinstance(setting.get("trainer"), str):
        raise ValueError(f"must name a trainer for the column {column}, in its setting or in base")
    trees = setting.get("n_estimators", 1)
    if type(trees) is not int or trees < 1:
        raise ValueError(f"must have a whole number of trees, not n_estimators {trees!r}")
    for name in shrinks:
        value = setting.get(name, 1)
        if type(value) not in (int, float) or not value >= 0:
            raise ValueError(
                f"must have a number that --scale can make smaller, not {name} {value!r}"
            )
