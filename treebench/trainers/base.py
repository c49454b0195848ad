"""What a trainer is.

Everything above the line "in the worker" must work without the library being installed or
imported: `plan` calls it. Everything below runs in the measured process.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from treebench.trainers import data_support

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treebench.data.manifest import Layout, Task
    from treebench.data.matrix import FloatMatrix, Part, RowSource
    from treebench.trainers.parameters import Params, Value


@dataclass(frozen=True)
class Problem:
    """What may be known of a cell's data before any of it is loaded. `has_missing` covers both
    parts: a trainer must predict on the test part too. `numbers_without_value` are the names of the
    columns, given as numbers, that are missing in each of these training rows. `stored_entries` is
    about how many the training rows have as a sparse matrix; None where they are dense."""

    task: Task
    n_rows: int
    n_features: int
    n_classes: int
    layout: Layout
    cardinalities: dict[int, int] = field(default_factory=dict)
    has_missing: bool = False
    numbers_without_value: tuple[str, ...] = ()
    stored_entries: int | None = None


@dataclass(frozen=True)
class Use:
    """What a trainer does with one canonical parameter.

    `mapped`: it has it. `no meaning`: the value changes nothing here, so it is dropped and
    cells that differ in it alone are one cell (exact has no bins). `only`: the library cannot do
    other than `value`, so any other is unsupported. `reason` says why, for people.
    """

    how: Literal["mapped", "no meaning", "only"]
    reason: str = ""
    value: Value = None


MAPPED = Use("mapped")


ONE_PROCESS = "it trains in one process, on as many threads as `threads` says"
"""Why `n_jobs` means nothing to most trainers."""


def no_meaning(reason: str) -> Use:
    """The parameter changes nothing for this trainer."""
    return Use("no meaning", reason)


def only(value: Value, reason: str) -> Use:
    """The library can do nothing but `value`."""
    return Use("only", reason, value)


@dataclass(frozen=True)
class ModelShape:
    """What was grown, read from the trained model: the totals over all trees.

    `max_depth` is the number of splits on the longest path; a single leaf has depth 0.
    """

    n_trees: int
    n_leaves: int
    max_depth: int


class Trainer(ABC):
    """One library's way to train, as phases that can be measured apart."""

    name: ClassVar[str]
    distribution: ClassVar[str]
    """Whose version is recorded: the name of the installed distribution."""
    more_distributions: ClassVar[tuple[str, ...]] = ()
    """Others that its training rests on, whose versions are recorded too."""
    phase_notes: ClassVar[Mapping[str, str]] = {}
    """What a phase's time includes that a reader would not expect, by phase."""
    sparse_meaning: ClassVar[str] = ""
    """What an entry absent from a csr or csc matrix is to this library; "" where it takes none.
    Two libraries that differ in it train different models on the same sparse data."""
    containers: ClassVar[tuple[str, ...]] = ()
    """The values of `container` that are this library's own. Any other is another library's, and
    is as if it had not been stated."""
    parallel: ClassVar[bool] = True
    """Whether training uses more than one thread; False: `threads` changes nothing in fit."""

    clocks_iterations: ClassVar[bool] = False
    """Whether `fit_with_clock` can say when each iteration ended."""
    no_clock: ClassVar[str] = "its library does not say when an iteration ends"
    """Why not, where it cannot."""
    stages: ClassVar[bool] = False
    """Whether `staged` can predict with the first iterations alone."""
    no_stages: ClassVar[str] = "its model cannot be cut off after an iteration"
    """Why not, where it cannot."""

    starts_processes: ClassVar[bool] = False
    """Whether it trains in processes beside the worker: their memory is in no figure of the
    worker alone."""
    maps_data: ClassVar[bool] = False
    """Whether its processes share the training data as memory-mapped files, for which there must
    be room (see `plan.footprint.mapped_bytes`)."""

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The layouts that it takes, by the table of `data_support`."""
        return data_support.layouts_of(self.name)

    def own_defaults(self, params: Params) -> Mapping[str, Value]:
        """This trainer's values for parameters that were not stated and have no default matched
        across libraries. A name left out has no value (no limit on leaves, say)."""
        return {}

    @abstractmethod
    def uses(self, params: Params) -> Mapping[str, Use]:
        """What is done with each canonical parameter; it may depend on the others (exact).

        `params` here, and in the three methods below, are filled in: see `support.filled`.
        """

    def unsupported(self, params: Params, problem: Problem) -> str | None:
        """Why the library cannot train this, or None; beyond `data_support` and `uses`, both of
        which are checked for every trainer alike."""
        return None

    @abstractmethod
    def native(self, params: Params, problem: Problem) -> dict[str, Any]:
        """The library's own parameters, by its own names, with nothing left to its defaults
        that a canonical parameter names. `params.extra` is merged in last.

        Raises:
            ConfigError: `extra` names what a canonical parameter already says.
        """

    def capacity_note(self, params: Params) -> str | None:
        """How the capacity asked for was turned into this library's own, where not literally."""
        return None

    def streams(self, native: dict[str, Any]) -> bool:
        """Whether training reads the rows from their file itself, by `construct_streamed`, so
        that no phase `load` brings the whole matrix into memory."""
        return False

    # ------------------------------------------------------------------ in the worker

    @abstractmethod
    def import_library(self) -> None:
        """Import what the later phases use, so that no import falls into them."""

    @abstractmethod
    def refuse_unknown(self, native: dict[str, Any], problem: Problem) -> None:
        """Refuse names that the library does not know, before any data is read: to look for them
        later would be in the time of a phase.

        Raises:
            ConfigError: one line for each such name.
        """

    @abstractmethod
    def construct(self, train: Part, native: dict[str, Any], problem: Problem) -> Any:
        """The library's own container, built in full (nothing lazy where it can be helped)."""

    def construct_streamed(
        self, source: RowSource, native: dict[str, Any], problem: Problem
    ) -> Any:
        """In place of `construct` where `streams` says so.

        Raises:
            TypeError: this trainer takes whole matrices only.
        """
        raise TypeError(f"{self.name} takes whole matrices only")

    @abstractmethod
    def fit(self, container: Any, native: dict[str, Any], problem: Problem) -> Any:
        """The trained model."""

    def fit_with_clock(
        self,
        container: Any,
        native: dict[str, Any],
        problem: Problem,
        clock: Callable[[], None],
    ) -> Any:
        """As `fit`, the same model, with `clock` called as each iteration ends. What calls it
        takes microseconds; nothing is evaluated.

        Raises:
            TypeError: this trainer does not clock its iterations.
        """
        raise TypeError(f"{self.name} does not clock its iterations: {self.no_clock}")

    def finish(self, container: Any) -> None:  # noqa: B027 - most start nothing
        """End what `construct` started (a cluster, say), outside every clock. Called once
        training is over, or has failed."""

    def warm_up(self, tiny: Part, native: dict[str, Any], problem: Problem) -> None:
        """Start thread pools and first-call work on a few rows, outside every clock. `native` is
        that of a single tree. Processes are not started here: a person waits for them too."""
        model = self.fit(self.construct(tiny, native, problem), native, problem)
        self.predict(model, tiny.X, problem)

    @abstractmethod
    def predict(self, model: Any, X: FloatMatrix, problem: Problem) -> NDArray[np.floating[Any]]:
        """Binary: shape (rows,), probability of class 1. Multiclass: (rows, classes).
        Regression: (rows,). `X` has the layout that was trained on."""

    def iterations(self, model: Any) -> int:
        """Iterations in the model: rounds, or trees where each is one."""
        return self.shape(model).n_trees

    def staged(
        self, model: Any, X: FloatMatrix, problem: Problem, iterations: Sequence[int]
    ) -> Iterator[NDArray[np.floating[Any]]]:
        """Predictions, as of `predict`, with the first so many iterations alone.

        Args:
            model: what `fit` gave.
            X: in the layout trained on.
            problem: the data.
            iterations: ascending, each from 1 to `iterations(model)`.

        Raises:
            TypeError: this trainer's models cannot be cut off.
        """
        raise TypeError(f"{self.name} cannot predict by iteration: {self.no_stages}")

    @abstractmethod
    def dump(self, model: Any) -> bytes:
        """The model as bytes, as a person would save it. Only ever measured, never loaded."""

    @abstractmethod
    def effective(self, model: Any) -> dict[str, Any]:
        """The parameters the model says it was trained with, by the names that `native` uses."""

    def ran_parallel(self, model: Any) -> dict[str, Any] | None:
        """What ran side by side, where there was more than one process: see `parallel` in
        docs/FORMAT.md. None where there was not."""
        return None

    @abstractmethod
    def shape(self, model: Any) -> ModelShape:
        """Trees, leaves and depth that were grown."""
