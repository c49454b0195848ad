"""The full grid that a picking is held against: every combination of a few values, on all rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from treebench.written.yaml_text import yaml_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.pick.sizes import Size


def write_grid(dataset: str, layouts: Sequence[str], threads: int, size: Size) -> Path:
    """The config's path, in this folder."""
    boosted: dict[str, Any] = {"trainer": "xgboost", "method": "hist", **size.numbers}
    forest = {"trainer": "sklearn-forest", "learning_rate": None, "max_bin": None, **size.forest}
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
            forest,
        ],
    }
    path = Path(f"grid-{dataset}.yaml")
    path.write_text(yaml_text(config), encoding="utf-8")
    return path
