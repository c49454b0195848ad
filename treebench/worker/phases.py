"""What a worker does with a trial: the phases, in order, and what is read back afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from treebench.trainers.base import Problem
from treebench.trainers.registry import TRAINERS

if TYPE_CHECKING:
    from treebench.data.manifest import Layout
    from treebench.data.matrix import Part
    from treebench.trainers.base import Trainer
    from treebench.worker.protocol import Trial
    from treebench.worker.stage import Stage

_WARM_UP_ROWS, _WARM_UP_FEATURES = 64, 4


def run_trial(trial: Trial, stage: Stage) -> dict[str, Any]:
    """Run every phase and return what the worker knows of the outcome, ready for JSON.

    The raw matrix stays alive through `fit`, as it does in the script a person would write.
    """
    if trial.problem is None or trial.train_path is None or trial.test_path is None:
        raise ValueError(f"a trial of {trial.trainer} needs data")
    trainer, problem, native = TRAINERS[trial.trainer], Problem(**trial.problem), trial.native
    with stage("import"):
        _import_readers()
        trainer.import_library()
    trainer.refuse_unknown(native, problem)
    _warm_up(trainer, trial.warm_up_native, problem)
    with stage("load"):
        train = _read(trial, trial.train_path, problem.layout)
        _release_memory()
    _check_rows(trial.train_path, train, problem)
    with stage("convert"):
        if trial.onehot:
            train = _one_hot(train)
            # Only now is the matrix that it was made of gone, and its room to be given back.
            _release_memory()
    with stage("construct"):
        container = trainer.construct(train, native, problem)
    with stage("fit"):
        model = trainer.fit(container, native, problem)
    with stage("load_test"):
        test = _read(trial, trial.test_path, problem.layout)
        if trial.onehot:
            test = _one_hot(test)
        _release_memory()
    with stage("predict"):
        predictions = trainer.predict(model, test.X, problem)
    with stage("save"):
        saved = trainer.dump(model)
    latency = _latency(trial, stage, trainer, model, test, problem)
    return {
        "data_bytes": train.data_bytes,
        "score": _score(problem, test, predictions),
        "model": {"bytes": len(saved), **_shape(trainer, model)},
        **_parameters(trainer, model, native),
        "phase_notes": dict(trainer.phase_notes),
        "latency": latency,
        "threads_seen": threads_seen(),
    }


def threads_seen() -> dict[str, int]:
    """Threads of each pool that threadpoolctl finds loaded, by library file."""
    from threadpoolctl import threadpool_info

    return {Path(pool["filepath"]).name: int(pool["num_threads"]) for pool in threadpool_info()}


def _import_readers() -> None:
    """What every trainer alike needs, so that no later phase pays for it."""
    import numpy  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import scipy.sparse  # noqa: F401

    from treebench.data.reading import onehot, read  # noqa: F401
    from treebench.worker import score  # noqa: F401


def _read(trial: Trial, path: str, layout: Layout) -> Part:
    from treebench.data.reading import read

    return read.read_part(
        Path(path), layout, features=trial.features, cardinalities=trial.cardinalities
    )


def _check_rows(path: str, train: Part, problem: Problem) -> None:
    """What was read is what the cell says; a file may have been put in another's place."""
    if len(train.y) != problem.n_rows:
        raise ValueError(
            f"{path} holds {len(train.y):,} rows, not {problem.n_rows:,}; "
            f"delete its folder and make the data set again"
        )


def _one_hot(part: Part) -> Part:
    """What is left to convert once the matrix stands: reading builds the layout itself."""
    from treebench.data.reading import onehot

    return onehot.one_hot(part, part.layout)


def _release_memory() -> None:
    from treebench.data.reading import read

    read.release_memory()


def _warm_up(trainer: Trainer, native: dict[str, Any], problem: Problem) -> None:
    """Start thread pools and first-call work on tiny unrelated data, outside every clock."""
    import dataclasses

    import numpy as np

    from treebench.data.matrix import Part

    rng = np.random.default_rng(0)
    dense = rng.random((_WARM_UP_ROWS, _WARM_UP_FEATURES), dtype=np.float32)
    labels = np.arange(_WARM_UP_ROWS, dtype=np.float32) % max(problem.n_classes, 2)
    tiny = Part(_in_layout(dense, problem.layout), labels, problem.layout, {})
    small = dataclasses.replace(
        problem, n_rows=_WARM_UP_ROWS, n_features=_WARM_UP_FEATURES, cardinalities={}
    )
    model = trainer.fit(trainer.construct(tiny, native, small), native, small)
    trainer.predict(model, tiny.X, small)


def _in_layout(dense: Any, layout: Layout) -> Any:
    import numpy as np
    from scipy import sparse

    if layout == "csr":
        return sparse.csr_matrix(dense)
    if layout == "csc":
        return sparse.csc_matrix(dense)
    return np.asfortranarray(dense) if layout == "dense-f" else dense


def _latency(
    trial: Trial, stage: Stage, trainer: Trainer, model: Any, test: Part, problem: Problem
) -> dict[str, Any] | None:
    """Latency by batch, in a phase of its own; None where it was not asked for."""
    if not trial.latency:
        return None
    from treebench.worker.latency import predict_latency

    with stage("latency"):
        return predict_latency(
            lambda part: trainer.predict(model, part, problem), test.X, problem.layout
        )


def _score(problem: Problem, test: Part, predictions: Any) -> dict[str, float]:
    from treebench.worker import score

    return score.scores(problem.task, test.y, predictions)


def _shape(trainer: Trainer, model: Any) -> dict[str, int]:
    grown = trainer.shape(model)
    return {
        "n_trees": grown.n_trees,
        "n_leaves": grown.n_leaves,
        "max_depth": grown.max_depth,
    }


def _parameters(trainer: Trainer, model: Any, native: dict[str, Any]) -> dict[str, Any]:
    from treebench.trainers.effective import differences

    effective = trainer.effective(model)
    differing = {
        name: [asked, used] for name, (asked, used) in differences(native, effective).items()
    }
    return {"effective_params": effective, "differing_params": differing}
