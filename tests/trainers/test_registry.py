from __future__ import annotations

import subprocess
import sys

import pytest

from treebench.errors import ConfigError
from treebench.trainers.registry import TRAINERS, trainer

HEAVY = (
    "numpy",
    "scipy",
    "pandas",
    "sklearn",
    "xgboost",
    "lightgbm",
    "catboost",
    "pyarrow",
    "dask",
    "joblib",
)


def test_every_trainer_stands_under_its_own_name() -> None:
    assert list(TRAINERS) == [
        "xgboost",
        "lightgbm",
        "catboost",
        "sklearn-hist-gbdt",
        "sklearn-gbdt",
        "sklearn-tree",
        "sklearn-forest",
        "loky-forest-pickled",
        "loky-forest-memmap",
        "multiprocessing-forest",
        "dask-joblib-forest",
        "dask-forest",
        "dask-xgboost",
        "dask-lightgbm",
    ]
    assert all(trainer(name).name == name for name in TRAINERS)


def test_an_unknown_name_is_told_which_names_there_are() -> None:
    with pytest.raises(ConfigError, match=r"trainer is 'catbost'; allowed: xgboost, lightgbm"):
        trainer("catbost")


def test_planning_imports_no_learner_and_no_numpy() -> None:
    script = f"""
import sys
from importlib.util import find_spec
from treebench.trainers.base import Problem
from treebench.trainers.parameters import Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import Planned, resolve
problem = Problem("binary", 100, 4, 2, "dense-c", {{0: 3}})
for trainer in TRAINERS.values():
    if trainer.name == "catboost" and find_spec("catboost") is None:
        continue
    assert isinstance(resolve(trainer, Params(), problem), Planned)
print([name for name in {HEAVY!r} if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
