"""The full grid that a picking is held against: every combination of a few values, on all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.written.yaml_text import yaml_text

if TYPE_CHECKING:
    from pathlib import Path

_FULL = {
    "n_estimators": [100, 300],
    "learning_rate": [0.05, 0.1, 0.2],
    "max_bin": [63, 255],
    "max_depth": [4, 6, 8],
}
_SMALL = {"n_estimators": [20], "learning_rate": [0.1, 0.3], "max_bin": [255], "max_depth": [4]}


def write_grid(dataset: str, layouts: list[str], threads: int, folder: Path, small: bool) -> str:
    """The config's path; `small` is for trying the benchmark out."""
    numbers = _SMALL if small else _FULL
    boosted: dict[str, Any] = {"trainer": "xgboost", "method": "hist", **numbers}
    forest = {"trainer": "sklearn-forest", "learning_rate": None, "max_bin": None}
    config = {
        "name": f"grid-{dataset}",
        "data": {"set": dataset},
        "layout": layouts,
        "threads": threads,
        "samples": 1,
        "reference": {**boosted, "container": "quantile"},
        "variants": [
            {"container": "iterator"},
            {"container": "external"},
            {"method": "exact", "container": "dmatrix", "max_bin": None},
            {"trainer": "lightgbm"},
            {"trainer": "sklearn-hist-gbdt"},
            {**forest, "n_estimators": [20] if small else [100], "max_depth": [12]},
        ],
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"grid-{dataset}.yaml"
    path.write_text(yaml_text(config), encoding="utf-8")
    return str(path)
