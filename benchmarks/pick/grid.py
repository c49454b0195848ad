"""The full grid that a picking is held against: every combination of a few values, on all rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from treebench.written.yaml_text import yaml_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def write_grid(
    dataset: str,
    numbers: Mapping[str, Sequence[float]],
    forest: Mapping[str, Sequence[float]],
    layouts: Sequence[str],
    threads: int,
) -> Path:
    """The config's path, in this folder."""
    boosted: dict[str, Any] = {"trainer": "xgboost", "method": "hist", **numbers}
    no_booster = {"trainer": "sklearn-forest", "learning_rate": None, "max_bin": None}
    config = {
        "name": f"grid-{dataset}",
        "data": {"set": dataset},
        "layout": list(layouts),
        "threads": threads,
        "samples": 1,
        "reference": {**boosted, "container": "quantile"},
        "variants": [
            {"container": "iterator"},
            {"container": "external"},
            {"method": "exact", "container": "dmatrix", "max_bin": None},
            {"trainer": "lightgbm"},
            {"trainer": "sklearn-hist-gbdt"},
            {**no_booster, **forest},
        ],
    }
    path = Path(f"grid-{dataset}.yaml")
    path.write_text(yaml_text(config), encoding="utf-8")
    return path
