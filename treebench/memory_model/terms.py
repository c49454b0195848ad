"""The terms of a cell's memory, by stage; one function for each way to train."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.errors import ConfigError
from treebench.memory_model import lightgbm_terms, sklearn_terms, xgboost_terms
from treebench.memory_model.stages import matrix_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from treebench.memory_model.stages import Stages, Terms
    from treebench.memory_model.workload import Workload

_STAGES: dict[str, Callable[[Workload], Stages]] = {
    "xgboost": xgboost_terms.stages,
    "lightgbm": lightgbm_terms.stages,
    "sklearn-hist-gbdt": sklearn_terms.hist_gbdt,
    "sklearn-gbdt": sklearn_terms.exact_gbdt,
    "sklearn-tree": sklearn_terms.one_tree,
    "sklearn-forest": sklearn_terms.forest,
}

LEFT_BYTES = 10.0 * 2**20
_READ_PER_BYTE = 3.0
_READ_BYTES = 28.0 * 2**20
_READ_BYTES_PER_FEATURE = 0.15 * 2**20
_MOST_READ_BYTES = 60.0 * 2**20

_STREAMED = ("iterator", "external", "sequence")

MODELLED = tuple(_STAGES)
"""Trainers whose memory is modelled: those that train in one process."""


def is_modelled(workload: Workload) -> bool:
    """Whether anything can be said of its memory beforehand."""
    return workload.trainer in _STAGES


def terms(workload: Workload) -> Stages:
    """Bytes by stage and term, by the structures alone: no coefficient, no baseline.

    Raises:
        ConfigError: the trainer's memory is not modelled.
    """
    try:
        stages = _STAGES[workload.trainer]
    except KeyError:
        raise ConfigError(
            f"the memory of {workload.trainer} is not modelled; modelled are {', '.join(_STAGES)}"
        ) from None
    return {stage: _with_reading(stage, held, workload) for stage, held in stages(workload).items()}


def _with_reading(stage: str, held: Terms, workload: Workload) -> Terms:
    """Reading decodes pages of all columns of one row group beside the matrix; some of that, and
    what every library allocates once, stays. Sparse rows that XGBoost reads itself it reads again
    for the cuts, beside what Arrow's pool holds from before."""
    again = stage == "construct/cuts" and workload.is_sparse and _reads_itself(workload)
    if stage not in ("load", "construct/reading") and not again:
        return {**held, "left after loading": LEFT_BYTES}
    most = min(_MOST_READ_BYTES, _READ_BYTES + _READ_BYTES_PER_FEATURE * workload.n_features)
    pages = min(most, _READ_PER_BYTE * matrix_bytes(workload))
    return {**held, "left after loading": LEFT_BYTES, "read buffers": pages}


def baseline_of(workload: Workload) -> str:
    """What shares its baseline: a trainer; who reads as it constructs has its reader loaded."""
    return f"{workload.trainer} streamed" if _reads_itself(workload) else workload.trainer


def _reads_itself(workload: Workload) -> bool:
    return workload.params.container in _STREAMED


def family_of(workload: Workload) -> str:
    """What shares its coefficients: trainer, method and container, dense and sparse apart."""
    params = workload.params
    own = [workload.trainer]
    if workload.trainer == "xgboost":
        own += [str(params.method), str(params.container)]
    if workload.trainer == "lightgbm":
        own += [str(params.histogram), str(params.container)]
    return " ".join([*own, "sparse" if workload.is_sparse else "dense"])
