"""What a person would write: read, construct, fit, predict, score; and nothing of treebench.

`python bare.py LIBRARY TRAIN TEST THREADS ROUNDS` prints one line of JSON. Threads are set in the
environment by the caller, before this process starts, as for a treebench worker.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd


def main(library: str, train: str, test: str, threads: int, rounds: int) -> None:
    X, y = _read(train)
    fit = {"xgboost": _xgboost, "lightgbm": _lightgbm}[library](X, y, threads, rounds)
    Path("/proc/self/clear_refs").write_text("5\n")
    baseline = _memory("VmRSS")
    start = time.perf_counter_ns()
    predict = fit()
    wall_ns = time.perf_counter_ns() - start
    growth = _memory("VmHWM") - baseline
    X_test, y_test = _read(test)
    from sklearn.metrics import roc_auc_score

    score = roc_auc_score(y_test, predict(X_test))
    print(json.dumps({"fit_ns": wall_ns, "fit_growth_bytes": growth, "auc": score}))


def _read(path: str) -> tuple[Any, Any]:
    frame = pd.read_parquet(path)
    return frame.iloc[:, :-1].to_numpy("float32"), frame.iloc[:, -1].to_numpy()


def _xgboost(X: Any, y: Any, threads: int, rounds: int) -> Any:
    import xgboost

    parameters = {
        "objective": "binary:logistic",
        "tree_method": "hist",
        "grow_policy": "lossguide",
        "max_depth": 0,
        "max_leaves": 64,
        "max_bin": 255,
        "eta": 0.1,
        "lambda": 0,
        "min_child_weight": 1e-3,
        "nthread": threads,
    }
    data = xgboost.QuantileDMatrix(X, label=y, max_bin=255, nthread=threads)

    def fit() -> Any:
        return xgboost.train(parameters, data, rounds).inplace_predict

    return fit


def _lightgbm(X: Any, y: Any, threads: int, rounds: int) -> Any:
    import lightgbm

    parameters = {
        "objective": "binary",
        "num_leaves": 64,
        "max_bin": 255,
        "learning_rate": 0.1,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 1e-3,
        "num_threads": threads,
        "force_row_wise": True,
        "verbosity": -1,
    }
    data = lightgbm.Dataset(X, label=y, params=parameters).construct()

    def fit() -> Any:
        return lightgbm.train(parameters, data, rounds).predict

    return fit


def _memory(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(name)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
