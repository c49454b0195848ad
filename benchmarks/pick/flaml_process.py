"""FLAML in a process of its own: `python -m benchmarks.pick.flaml_process TRAIN TEST TASK SECONDS
THRESHOLD_BYTES THREADS`. Prints its score on the test part and the process's peak as JSON.

FLAML is nothing that treebench needs: `pip install flaml` first. Its `mem_thres` is
about the size of the model, which is what its users find a memory limit to be.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import warnings
from pathlib import Path
from typing import Any


def main(train: str, test: str, task: str, seconds: str, threshold: str, threads: str) -> None:
    warnings.simplefilter("ignore")
    from flaml import AutoML

    from treebench.worker.score import scores

    X, y = _read(train)
    model = AutoML()
    model.fit(
        X,
        y,
        task="regression" if task == "regression" else "classification",
        time_budget=float(seconds),
        mem_thres=int(threshold),
        n_jobs=int(threads),
        estimator_list=["lgbm", "xgboost", "xgb_limitdepth", "rf"],
        metric={"binary": "roc_auc", "multiclass": "accuracy", "regression": "rmse"}[task],
        verbose=0,
        seed=0,
    )
    peak = _peak_bytes()
    X_test, y_test = _read(test)
    predicted: Any
    if task == "regression":
        predicted = model.predict(X_test)
    else:
        predicted = model.predict_proba(X_test)
        predicted = predicted[:, 1] if task == "binary" else predicted
    found = scores(task, y_test, predicted)  # type: ignore[arg-type]
    sys.stdout.write(
        json.dumps({"score": found, "peak_bytes": peak, "estimator": model.best_estimator}) + "\n"
    )


def _read(path: str) -> tuple[Any, Any]:
    import numpy as np
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path)
    columns = file.metadata.num_columns - 1
    X = np.empty((file.metadata.num_rows, columns), dtype=np.float32)
    y, start = np.empty(len(X), dtype=np.float32), 0
    for group in range(file.num_row_groups):
        table = file.read_row_group(group)
        rows = slice(start, start + table.num_rows)
        for column in range(columns):
            X[rows, column] = table.column(column).to_numpy()
        y[rows] = table.column("__target__").to_numpy()
        start = rows.stop
    return X, y


def _peak_bytes() -> int:
    held = re.search(r"^VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert held is not None
    return int(held[1]) * 1024


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    main(*sys.argv[1:])
