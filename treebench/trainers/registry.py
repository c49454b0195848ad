"""All trainers by name: one file and one line each. Importing this imports no learner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.errors import ConfigError
from treebench.trainers.catboost import CatBoost
from treebench.trainers.dask_forest import DaskForest
from treebench.trainers.dask_joblib_forest import DaskJoblibForest
from treebench.trainers.dask_lightgbm import DaskLightGBM
from treebench.trainers.dask_xgboost import DaskXGBoost
from treebench.trainers.joblib_forest import (
    MemmapLokyForest,
    MultiprocessingForest,
    PickledLokyForest,
)
from treebench.trainers.lightgbm import LightGBM
from treebench.trainers.sklearn_forest import SklearnForest
from treebench.trainers.sklearn_gbdt import SklearnGBDT
from treebench.trainers.sklearn_hist_gbdt import SklearnHistGBDT
from treebench.trainers.sklearn_tree import SklearnTree
from treebench.trainers.xgboost import XGBoost

if TYPE_CHECKING:
    from treebench.trainers.base import Trainer

_ALL: tuple[Trainer, ...] = (
    XGBoost(),
    LightGBM(),
    CatBoost(),
    SklearnHistGBDT(),
    SklearnGBDT(),
    SklearnTree(),
    SklearnForest(),
    PickledLokyForest(),
    MemmapLokyForest(),
    MultiprocessingForest(),
    DaskJoblibForest(),
    DaskForest(),
    DaskXGBoost(),
    DaskLightGBM(),
)

TRAINERS: dict[str, Trainer] = {one.name: one for one in _ALL}


def trainer(name: str) -> Trainer:
    """The trainer of a name.

    Raises:
        ConfigError: there is none; the message names those there are.
    """
    try:
        return TRAINERS[name]
    except KeyError:
        raise ConfigError(f"trainer is {name!r}; allowed: {', '.join(TRAINERS)}") from None
