"""The pick as Python to paste: the library's own interface, with nothing of treebench in it.

It reads the made training part a row group at a time, as the measured worker did, so that reading
takes no more memory than was proven.
"""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

from treebench.picking.snippet_reading import parts_source, reading
from treebench.trainers.lightgbm import library_parameters
from treebench.trainers.registry import TRAINERS
from treebench.trainers.xgboost import booster_parameters, feature_types_of

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.data.manifest import Manifest
    from treebench.plan.build import PlannedCell
    from treebench.trainers.base import Problem


def snippet(cell: PlannedCell, manifest: Manifest, train: Path) -> str | None:
    """The script; None for a trainer that it cannot be written for. `train` is the Parquet file
    of the cell's rows."""
    problem = cell.problem
    if problem is None:
        return None
    fit = _fit(cell, problem)
    if fit is None:
        return None
    streamed = TRAINERS[cell.spec.trainer].streams(cell.native)
    held = [] if streamed else [reading(cell.spec.layout)]
    imports, body = fit
    return (
        "\n\n".join(
            [
                "\n".join(sorted(["import numpy as np", "import pyarrow.parquet as pq", *imports])),
                parts_source(cell, manifest, train),
                *held,
                body,
            ]
        )
        + "\n"
    )


def _fit(cell: PlannedCell, problem: Problem) -> tuple[list[str], str] | None:
    name, native = cell.spec.trainer, cell.native
    sparse = ["from scipy import sparse"] if cell.spec.layout in ("csr", "csc") else []
    if name == "xgboost":
        return [*sparse, "import xgboost as xgb"], _xgboost(native, problem)
    if name == "lightgbm":
        return [*sparse, "import lightgbm as lgb"], _lightgbm(native, cell.spec.layout)
    if name.startswith("sklearn-"):
        return _sklearn(sparse, cell, problem)
    return None


def _xgboost(native: dict[str, Any], problem: Problem) -> str:
    container, arguments = native["container"], [f"nthread={native['nthread']}"]
    parameters = f"parameters = {_written(booster_parameters(native))}"
    train = f"model = xgb.train(parameters, train, num_boost_round={native['num_boost_round']})"
    meta = []
    if native["enable_categorical"]:
        types = feature_types_of(problem.n_features, problem.cardinalities)
        meta = [f"feature_types={types!r}"]
        arguments.append("enable_categorical=True")
    if container != "DMatrix":
        arguments.append(f"max_bin={native['max_bin']}")
    said = ", ".join(arguments)
    if container in ("DMatrix", "QuantileDMatrix"):
        whole = ", ".join(["X", "label=y", *meta, *arguments])
        return f"{parameters}\ntrain = xgb.{container}({whole})\n{train}"
    prefix = 'cache_prefix="bins"' if container.startswith("ExtMem") else ""
    built = container.split(" ")[0]
    feed = _FEED.format(meta=", ".join(["", *meta]), prefix=prefix)
    return f"{feed}\n\n{parameters}\ntrain = xgb.{built}(Feed(), {said})\n{train}"


_FEED = '''class Feed(xgb.DataIter):
    """The rows a part at a time, as often as XGBoost asks."""

    def __init__(self):
        self.parts = parts()
        super().__init__({prefix})

    def reset(self):
        self.parts = parts()

    def next(self, input_data):
        part = next(self.parts, None)
        if part is None:
            return False
        input_data(data=part[0], label=part[1]{meta})
        return True
'''


def _lightgbm(native: dict[str, Any], layout: str) -> str:
    streamed = "container" in native
    categorical = native["categorical_feature"] or "auto"
    lines = [
        f"parameters = {_written(library_parameters(native))}",
        f"train = lgb.Dataset({'Rows()' if streamed else 'X'}, label=y, params=parameters, "
        f"categorical_feature={categorical!r})",
        f"model = lgb.train(parameters, train, num_boost_round={native['num_iterations']})",
    ]
    return "\n".join([*([_SEQUENCE] if streamed else []), *lines])


_SEQUENCE = '''y = np.concatenate([labels for _, labels in parts()])


class Rows(lgb.Sequence):
    """Rows by their numbers, in ascending order, a part in memory at a time."""

    batch_size = 4096

    def __init__(self):
        self.rewind()

    def rewind(self):
        self.parts, self.start, self.part = parts(), 0, np.empty((0, 0), np.float32)

    def __len__(self):
        return len(y)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return np.stack([self.row(i) for i in range(*index.indices(len(y)))])
        return self.row(index)

    def row(self, number):
        if number < self.start:
            self.rewind()
        while number >= self.start + len(self.part):
            self.start += len(self.part)
            self.part = next(self.parts)[0]
        return self.part[number - self.start].astype(np.float64)

'''


def _sklearn(sparse: list[str], cell: PlannedCell, problem: Problem) -> tuple[list[str], str]:
    """The estimator; the threads of histograms come from the environment."""
    kind = "Regressor" if problem.task == "regression" else "Classifier"
    module, stem = _ESTIMATORS[cell.spec.trainer]
    name = f"{stem}{kind}"
    stated = ",\n".join(f"    {key}={value!r}" for key, value in cell.native.items())
    threads = (
        f"# Before Python starts: export OMP_NUM_THREADS={cell.spec.threads}\n"
        if cell.spec.trainer == "sklearn-hist-gbdt"
        else ""
    )
    body = f"{threads}model = {name}(\n{stated},\n).fit(X, y)"
    return [*sparse, f"from sklearn.{module} import {name}"], body


_ESTIMATORS = {
    "sklearn-hist-gbdt": ("ensemble", "HistGradientBoosting"),
    "sklearn-gbdt": ("ensemble", "GradientBoosting"),
    "sklearn-forest": ("ensemble", "RandomForest"),
    "sklearn-tree": ("tree", "DecisionTree"),
}


def _written(values: dict[str, Any]) -> str:
    """A dictionary, as many of its items in a line as there is room for."""
    items = ", ".join(f"{name!r}: {value!r}".replace(" ", _GLUE) for name, value in values.items())
    lines = fill(
        items, 88, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False,
        break_long_words=False,
    )  # fmt: skip
    return f"{{\n{lines.replace(_GLUE, ' ')},\n}}"


_GLUE = "\x00"
"""In the place of a blank at which no line may end."""
