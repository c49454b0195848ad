"""What a worker does with a trial: the phases, in order, and what is read back afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from treebench.trainers.base import Problem
from treebench.trainers.registry import TRAINERS
from treebench.worker import rows
from treebench.worker.clock import IterationClock

if TYPE_CHECKING:
    from treebench.data.manifest import Layout
    from treebench.data.matrix import Part, RowSource
    from treebench.trainers.base import Trainer
    from treebench.worker.curve import Curve
    from treebench.worker.protocol import Trial
    from treebench.worker.stage import Stage

_WARM_UP_ROWS, _WARM_UP_FEATURES = 64, 4
_STREAMED_NOTES = {
    "construct": "reads the rows from their file, since they are never all in memory",
    "predict": "reads the test part from its file",
}


def run_trial(trial: Trial, stage: Stage) -> dict[str, Any]:
    """Run every phase and return what the worker knows of the outcome, ready for JSON.

    The raw matrix stays alive through `fit`, as it does in the script a person would write.
    """
    if trial.problem is None or trial.train_path is None or trial.test_path is None:
        raise ValueError(f"a trial of {trial.trainer} needs data")
    trainer, problem, native = TRAINERS[trial.trainer], Problem(**trial.problem), trial.native
    with stage("import"):
        rows.import_readers()
        from treebench.worker import score  # noqa: F401

        trainer.import_library()
    trainer.refuse_unknown(native, problem)
    _warm_up(trainer, trial.warm_up_native, problem)
    clock = _clock(trial, trainer)
    train, model = _train(trial, stage, trainer, problem, clock)
    with stage("load_test"):
        test = rows.load_test(trial, problem)
        rows.release_memory()
    with stage("predict"):
        predictions = rows.predict(trainer, model, test, problem)
    with stage("save"):
        saved = trainer.dump(model)
    latency = _latency(trial, stage, trainer, model, test, problem)
    known = {
        "data_bytes": train.data_bytes,
        "index_type": _index_type(train),
        "score": _score(problem, test, predictions),
        "model": {"bytes": len(saved), **_shape(trainer, model)},
        **_parameters(trainer, model, native),
        "phase_notes": _phase_notes(trial, trainer),
        "latency": latency,
        "parallel": trainer.ran_parallel(model),
        "threads_seen": threads_seen(),
    }
    curve = _curve(trial, trainer, problem, clock)
    return {**known, "curve": None if curve is None else _curved(curve, stage, known, model, test)}


def _index_type(train: Part | RowSource) -> str | None:
    """What a sparse matrix counts its entries with; None for dense data, and for rows that were
    never all in memory."""
    indices = getattr(getattr(train, "X", None), "indices", None)
    return None if indices is None else str(indices.dtype)


def threads_seen() -> dict[str, int]:
    """Threads of each pool that threadpoolctl finds loaded, by library file; the most, where two
    libraries brought a file of that name each."""
    from threadpoolctl import threadpool_info

    seen: dict[str, int] = {}
    for pool in threadpool_info():
        name = Path(pool["filepath"]).name
        seen[name] = max(int(pool["num_threads"]), seen.get(name, 0))
    return seen


def _train(
    trial: Trial,
    stage: Stage,
    trainer: Trainer,
    problem: Problem,
    clock: IterationClock | None,
) -> tuple[Part | RowSource, Any]:
    """What was trained on, and the model."""
    train: Part | RowSource
    if trial.streamed:
        train = rows.source(trial, problem)
        with stage("construct"):
            container = trainer.construct_streamed(train, trial.native, problem)
    else:
        train = rows.load(trial, stage, problem)
        with stage("construct"):
            container = trainer.construct(train, trial.native, problem)
    try:
        with stage("fit"):
            if clock is None:
                model = trainer.fit(container, trial.native, problem)
            else:
                clock.start()
                model = trainer.fit_with_clock(container, trial.native, problem, clock)
    finally:
        trainer.finish(container)
    return train, model


def _warm_up(trainer: Trainer, native: dict[str, Any], problem: Problem) -> None:
    """Let the trainer warm up on tiny unrelated data."""
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
    trainer.warm_up(tiny, native, small)


def _in_layout(dense: Any, layout: Layout) -> Any:
    import numpy as np
    from scipy import sparse

    if layout == "csr":
        return sparse.csr_matrix(dense)
    if layout == "csc":
        return sparse.csc_matrix(dense)
    return np.asfortranarray(dense) if layout == "dense-f" else dense


def _latency(
    trial: Trial,
    stage: Stage,
    trainer: Trainer,
    model: Any,
    test: Part | RowSource,
    problem: Problem,
) -> dict[str, Any] | None:
    """Latency by batch, in a phase of its own; None where it was not asked for."""
    if not trial.latency:
        return None
    from treebench.worker.latency import predict_latency

    X = rows.held(test).X
    with stage("latency"):
        return predict_latency(
            lambda part: trainer.predict(model, part, problem), X, problem.layout
        )


def _clock(trial: Trial, trainer: Trainer) -> IterationClock | None:
    """What the fit tells of its iterations; None where it was not asked for, or cannot."""
    return IterationClock() if trial.curve and trainer.clocks_iterations else None


def _curve(
    trial: Trial, trainer: Trainer, problem: Problem, clock: IterationClock | None
) -> Curve | None:
    """What finds scores by iteration; None where nothing of it was asked for."""
    if not trial.curve and trial.validation_path is None:
        return None
    from treebench.worker.curve import Curve

    return Curve(trial, trainer, problem, clock)


def _curved(
    curve: Curve, stage: Stage, known: dict[str, Any], model: Any, test: Part | RowSource
) -> dict[str, Any]:
    """Scores by iteration, in a phase of their own. What is known is said before it: a deadline
    that comes meanwhile shall cost no more than them."""
    stage.say({"say": "known", **known, "curve": curve.unscored(model, known["score"])})
    with stage("curve"):
        return curve.of(model, test)


def _score(problem: Problem, test: Part | RowSource, predictions: Any) -> dict[str, float]:
    from treebench.worker import score

    return score.scores(problem.task, rows.labels(test), predictions)


def _shape(trainer: Trainer, model: Any) -> dict[str, int]:
    grown = trainer.shape(model)
    return {
        "n_trees": grown.n_trees,
        "n_leaves": grown.n_leaves,
        "max_depth": grown.max_depth,
    }


def _phase_notes(trial: Trial, trainer: Trainer) -> dict[str, str]:
    """What a reader must know of a phase, by the trainer and by the way the rows came."""
    own = dict(trainer.phase_notes)
    if not trial.streamed:
        return own
    return own | {
        phase: "; ".join(part for part in (note, own.get(phase)) if part)
        for phase, note in _STREAMED_NOTES.items()
    }


def _parameters(trainer: Trainer, model: Any, native: dict[str, Any]) -> dict[str, Any]:
    from treebench.trainers.effective import differences

    effective = trainer.effective(model)
    differing = {
        name: [asked, used] for name, (asked, used) in differences(native, effective).items()
    }
    return {"effective_params": effective, "differing_params": differing}
