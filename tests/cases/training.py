"""Training on a made set in this process, as a worker does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tests.trainers.problems import small
from treebench.data.reading.read import read_part
from treebench.trainers.base import Problem
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import Planned, resolve

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from treebench.data.manifest import Layout, Manifest


def trained_on(
    made: Path, manifest: Manifest, name: str, layout: Layout = "dense-c", **stated: Any
) -> NDArray[np.floating[Any]]:
    """Predictions for the test part of a made set."""
    cardinalities = {
        position: feature.cardinality
        for position, feature in enumerate(manifest.features)
        if feature.cardinality is not None
    }
    train, test = (
        read_part(made / f"{part}.parquet", layout, cardinalities=cardinalities)
        for part in ("train", "test")
    )
    n_rows, n_features = train.X.shape
    problem = Problem(manifest.task, n_rows, n_features, manifest.n_classes, layout, cardinalities)
    trainer = TRAINERS[name]
    planned = resolve(trainer, small(**stated), problem)
    assert isinstance(planned, Planned), planned
    trainer.import_library()
    container = trainer.construct(train, planned.native, problem)
    try:
        model = trainer.fit(container, planned.native, problem)
    finally:
        trainer.finish(container)
    predicted = trainer.predict(model, test.X, problem)
    assert np.isfinite(predicted).all()
    return predicted
