"""The data of a cell as its trainer will meet it, known before any of it is loaded."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, cast

from treebench.data.reading.expansion import width as onehot_width
from treebench.plan.cell import rows_trained
from treebench.trainers.base import Problem
from treebench.trainers.data_support import SPARSE

if TYPE_CHECKING:
    from treebench.config.expand import Candidate
    from treebench.data.manifest import Layout, Manifest
    from treebench.trainers.parameters import Params


def without_idle_categorical(params: Params, manifest: Manifest, candidate: Candidate) -> Params:
    """Without categorical columns there is nothing to encode, so that whatever was asked for is
    the default, and cells that differ in it alone are one."""
    if cardinalities_of(candidate, manifest):
        return params
    return dataclasses.replace(params, categorical=None)


def cardinalities_of(candidate: Candidate, manifest: Manifest) -> dict[int, int]:
    """The number of codes of each categorical column that is used, by its position."""
    used = manifest.features[: candidate.features]
    return {
        position: feature.cardinality
        for position, feature in enumerate(used)
        if feature.cardinality is not None
    }


def problem_of(candidate: Candidate, manifest: Manifest, params: Params) -> Problem:
    """The data as the trainer will meet it: one-hot columns are already spread out, and a
    missing category is a row of zeros there."""
    n_features = candidate.features or manifest.n_features
    cardinalities = cardinalities_of(candidate, manifest)
    without_value = _numbers_without_value(candidate, manifest, params)
    missing = {position for position in manifest.features_with_missing if position < n_features}
    spread = params.or_default("categorical") == "onehot" and bool(cardinalities)
    if spread:
        missing -= cardinalities.keys()
        n_features, cardinalities = onehot_width(n_features, cardinalities), {}
    return Problem(
        task=manifest.task,
        n_rows=rows_trained(candidate.rows or manifest.train_rows, candidate.validation_share),
        n_features=n_features,
        n_classes=manifest.n_classes,
        layout=cast("Layout", candidate.layout),
        cardinalities=cardinalities,
        has_missing=bool(missing),
        numbers_without_value=without_value,
        stored_entries=_stored_entries(candidate, manifest, spread=spread),
    )


def _stored_entries(candidate: Candidate, manifest: Manifest, *, spread: bool) -> int | None:
    """About as many as a sparse matrix of the training rows has: the density is that of the whole
    training part, and spread columns are taken to have a value in every row."""
    if candidate.layout not in SPARSE:
        return None
    rows = rows_trained(candidate.rows or manifest.train_rows, candidate.validation_share)
    used = candidate.features or manifest.n_features
    return round(rows * used * (1 if spread else manifest.density))


def _numbers_without_value(
    candidate: Candidate, manifest: Manifest, params: Params
) -> tuple[str, ...]:
    """Categories count only where their codes are given as numbers."""
    rows = candidate.rows or manifest.train_rows
    known = manifest.columns_without_value(rows, candidate.validation_share) or ()
    apart = (
        set()
        if params.or_default("categorical") == "ordinal"
        else cardinalities_of(candidate, manifest).keys()
    )
    used = candidate.features or manifest.n_features
    names = [feature.name for feature in manifest.features]
    return tuple(
        names[position] if names else f"column {position}"
        for position in known
        if position < used and position not in apart
    )
