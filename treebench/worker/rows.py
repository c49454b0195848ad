"""The rows of a trial: read whole into the memory, or left in their file for the trainer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from treebench.data.matrix import Part, RowSource
    from treebench.trainers.base import Problem, Trainer
    from treebench.worker.protocol import Trial
    from treebench.worker.stage import Stage


def import_readers() -> None:
    """What every trainer alike needs, so that no later phase pays for it."""
    import numpy  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import scipy.sparse  # noqa: F401

    from treebench.data.reading import onehot, read, stream  # noqa: F401


def load(trial: Trial, stage: Stage, problem: Problem) -> Part:
    """The training part, by the phases `load` and `convert`."""
    assert trial.train_path is not None  # noqa: S101 - checked where the trial began
    with stage("load"):
        train = _read(trial, trial.train_path, problem)
        release_memory()
    _check_rows(trial.train_path, len(train.y), problem)
    with stage("convert"):
        if trial.onehot:
            train = _one_hot(train)
            # Only now is the matrix that it was made of gone, and its room to be given back.
            release_memory()
    return train


def load_test(trial: Trial, problem: Problem) -> Part | RowSource:
    """The test part; where the trainer streams, it stays in its file too."""
    assert trial.test_path is not None  # noqa: S101 - checked where the trial began
    return load_other(trial, trial.test_path, problem)


def load_other(trial: Trial, path: str, problem: Problem) -> Part | RowSource:
    """Rows that are not trained on; as `load_test`."""
    if trial.streamed:
        return _source(trial, path, problem)
    part = _read(trial, path, problem)
    return _one_hot(part) if trial.onehot else part


def source(trial: Trial, problem: Problem) -> RowSource:
    """The training part, for a trainer that reads it itself."""
    assert trial.train_path is not None  # noqa: S101 - checked where the trial began
    rows = _source(trial, trial.train_path, problem)
    _check_rows(trial.train_path, rows.n_rows, problem)
    return rows


def predict(trainer: Trainer, model: Any, test: Part | RowSource, problem: Problem) -> Any:
    """Predictions for all of the test part, shape (rows,) or (rows, classes)."""
    import numpy as np

    from treebench.data.matrix import Part

    if isinstance(test, Part):
        return trainer.predict(model, test.X, problem)
    return np.concatenate([trainer.predict(model, part.X, problem) for part in test.parts()])


def staged(
    trainer: Trainer,
    model: Any,
    part: Part | RowSource,
    problem: Problem,
    iterations: Sequence[int],
) -> Iterator[Any]:
    """As `predict`, by iteration. Of rows that stay in their file each part is predicted at all
    iterations before the next is read, so that all predictions are held."""
    import numpy as np

    from treebench.data.matrix import Part

    if isinstance(part, Part):
        yield from trainer.staged(model, part.X, problem, iterations)
        return
    by_part = [[*trainer.staged(model, p.X, problem, iterations)] for p in part.parts()]
    for pieces in zip(*by_part, strict=True):
        yield np.concatenate(pieces)


def labels(test: Part | RowSource) -> Any:
    """The labels of the test part, shape (rows,)."""
    from treebench.data.matrix import Part

    return test.y if isinstance(test, Part) else test.labels()


def release_memory() -> None:
    """Give back what reading left behind."""
    from treebench.data.reading import read

    read.release_memory()


def _read(trial: Trial, path: str, problem: Problem) -> Part:
    from treebench.data.reading import read

    return read.read_part(
        Path(path), problem.layout, features=trial.features, cardinalities=trial.cardinalities
    )


def _source(trial: Trial, path: str, problem: Problem) -> RowSource:
    from treebench.data.reading.stream import RowStream

    return RowStream(
        Path(path),
        problem.layout,
        trial.cardinalities,
        features=trial.features,
        onehot=trial.onehot,
    )


def _check_rows(path: str, rows: int, problem: Problem) -> None:
    """What was read is what the cell says; a file may have been put in another's place."""
    if rows != problem.n_rows:
        raise ValueError(
            f"{path} holds {rows:,} rows, not {problem.n_rows:,}; "
            f"delete its folder and make the data set again"
        )


def _one_hot(part: Part) -> Part:
    """What is left to convert once the matrix stands: reading builds the layout itself."""
    from treebench.data.reading import onehot

    return onehot.one_hot(part, part.layout)


def held(test: Part | RowSource) -> Part:
    """The test part in memory, or as much of it as one row group holds where it stays in its
    file: what latency is measured on."""
    from treebench.data.matrix import Part

    return test if isinstance(test, Part) else next(iter(test.parts()))
