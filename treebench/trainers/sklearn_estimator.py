"""What the scikit-learn trainers share: an estimator, its matrix, and plain fit and predict."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from treebench.errors import DataError
from treebench.trainers.base import Trainer
from treebench.trainers.extra import unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treebench.data.manifest import Task
    from treebench.data.matrix import FloatMatrix, Part
    from treebench.trainers.base import Problem

_UNEXPECTED = re.compile(r"unexpected keyword argument '(\w+)'")


@dataclass(frozen=True)
class _Unfitted:
    """scikit-learn has no container of its own: the matrix stays what it is."""

    estimator: Any
    train: Part


class SklearnTrainer(Trainer):
    """A scikit-learn estimator; `native` holds its constructor's arguments."""

    distribution: ClassVar[str] = "scikit-learn"

    @abstractmethod
    def estimator_class(self, task: Task) -> Any:
        """The class to make for a task; the library is imported here."""

    def import_library(self) -> None:
        """Import the estimators' modules."""
        self.estimator_class("binary")

    def refuse_unknown(self, native: dict[str, Any], problem: Problem) -> None:
        """The constructor takes what it knows and nothing else."""
        make = self.estimator_class(problem.task)
        try:
            make(**native)
        except TypeError as error:
            name = _UNEXPECTED.search(str(error))
            if name is None:
                raise
            raise unknown(f"scikit-learn's {make.__name__}", name.groups()) from None

    def construct(self, train: Part, native: dict[str, Any], problem: Problem) -> Any:
        """The estimator, not yet fitted, with the matrix; no data is touched."""
        return _Unfitted(self.estimator_class(problem.task)(**native), train)

    def fit(self, container: Any, native: dict[str, Any], problem: Problem) -> Any:
        """The fitted estimator.

        Raises:
            DataError: missing values or 64-bit indices that the estimator does not take.
        """
        return self.fitted(container)

    def fitted(self, container: Any, **arguments: Any) -> Any:
        """The estimator, fitted with further arguments of its `fit`.

        Raises:
            DataError: as of `fit`.
        """
        train = container.train
        try:
            return container.estimator.fit(train.X, train.y, **arguments)
        except ValueError as error:
            self._explain(error, train.X)
            raise

    def predict(self, model: Any, X: FloatMatrix, problem: Problem) -> NDArray[np.floating[Any]]:
        """Probabilities by `predict_proba`, or the target by `predict`.

        Raises:
            DataError: missing values that the estimator does not take.
        """
        try:
            if problem.task == "regression":
                target: NDArray[np.floating[Any]] = model.predict(X)
                return target
            shares = model.predict_proba(X)
        except ValueError as error:
            self._explain(error, X)
            raise
        return by_class(shares, model.classes_, problem.n_classes)

    def dump(self, model: Any) -> bytes:
        """A pickle, which is how scikit-learn's models are saved."""
        import pickle

        return pickle.dumps(model, protocol=5)

    def effective(self, model: Any) -> dict[str, Any]:
        """The estimator's parameters, and where it counts its trees, what it counted."""
        counted: Mapping[str, Any] = self.counted(model)
        return {**model.get_params(deep=False), **counted}

    def counted(self, model: Any) -> dict[str, Any]:
        """Parameters that a fitted model tells better than `get_params`, which only repeats
        what was asked for."""
        return {}

    def _explain(self, error: ValueError, X: FloatMatrix) -> None:
        """Raise what a person can mend, if `error` came from that.

        The estimator looks at every value anyway; to look before it would cost a measured pass.
        """
        if "NaN" in str(error) and _holds_missing(X):
            layout = "sparse data" if hasattr(X, "indptr") else "data"
            raise DataError(
                f"{self.name} takes no missing values (NaN) in {layout}, and this data has them "
                f"(a category that was not in the training part counts); use another trainer, "
                f"categorical: onehot if they are categories, or fill them in the file"
            ) from None
        if "index based sparse" in str(error):
            raise DataError(
                f"{self.name} takes sparse data with 32-bit indices only, and this has more than "
                f"2^31 stored entries; use fewer rows or another trainer"
            ) from None


def staged_by_estimator(
    model: Any, X: FloatMatrix, problem: Problem, iterations: Sequence[int]
) -> Iterator[NDArray[np.floating[Any]]]:
    """Predictions of a scikit-learn booster with its first iterations alone, by its own stages."""
    regression = problem.task == "regression"
    stages = model.staged_predict(X) if regression else model.staged_predict_proba(X)
    wanted = set(iterations)
    for iteration, predicted in enumerate(stages, 1):
        if iteration in wanted:
            if regression:
                yield predicted.copy()
            else:
                yield by_class(predicted, model.classes_, problem.n_classes)


def _holds_missing(X: FloatMatrix) -> bool:
    import numpy as np

    values: Any = X.data if hasattr(X, "indptr") else X
    return bool(values.size and np.isnan(values.min()))


def by_class(
    shares: NDArray[np.floating[Any]], classes: NDArray[Any], n_classes: int
) -> NDArray[np.floating[Any]]:
    """Class 1's share, or one column per class; a class that training never saw has 0."""
    import numpy as np

    if shares.shape[1] != n_classes:
        placed = np.zeros((len(shares), n_classes), shares.dtype)
        placed[:, classes.astype(np.intp)] = shares
        shares = placed
    return shares[:, 1] if n_classes == 2 else shares
