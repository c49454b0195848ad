"""Sizes at which a library is known to change its ways, so that a change found there has a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.plan.cell import CellSpec

_BIN_SAMPLE = 200_000


@dataclass(frozen=True)
class KnownStep:
    """From `first` on, the library does otherwise than below; `what` says how."""

    axis: str
    first: float
    what: str
    source: str

    def lies_between(self, after: float, before: float) -> bool:
        """Whether a change between two sizes can be this one."""
        return after < self.first <= before


def known_steps(spec: CellSpec, axis: str) -> list[KnownStep]:
    """The steps of this cell's library along the axis, wherever they lie."""
    return [step for step in (_sampling(spec), _two_byte_bins(spec)) if step and step.axis == axis]


def suspects(spec: CellSpec, axis: str) -> str | None:
    """What may be behind a change that lies at no known step, where something may."""
    if _is_lightgbm(spec) and spec.layout in ("csr", "csc") and axis in ("rows", "features"):
        return (
            "on sparse data LightGBM's bundling of exclusive features can fail at some sizes, "
            "which makes fit slower at once; fit_time_per_tree against n_estimators tells"
        )
    return None


def _is_lightgbm(spec: CellSpec) -> bool:
    return "lightgbm" in spec.trainer


def _sampling(spec: CellSpec) -> KnownStep | None:
    """The rows on which bins are found."""
    if _is_lightgbm(spec):
        stated = spec.extra.get("bin_construct_sample_cnt", _BIN_SAMPLE)
        return _sampled("LightGBM", stated, "LightGBM's parameter bin_construct_sample_cnt")
    if spec.trainer == "sklearn-hist-gbdt":
        return _sampled("scikit-learn", _BIN_SAMPLE, "scikit-learn's _BinMapper, subsample")
    return None


def _sampled(library: str, rows: float, source: str) -> KnownStep:
    what = f"{library} finds bins on {rows:,.0f} rows, however many more there are"
    return KnownStep("rows", rows + 1, what, source)


def _two_byte_bins(spec: CellSpec) -> KnownStep | None:
    """A bin's number takes a byte up to 256 bins."""
    what = "a stored bin takes two bytes instead of one"
    if _is_lightgbm(spec):
        return KnownStep("max_bin", 257, what, "LightGBM#6319")
    # XGBoost stores the bins of data with gaps in wider numbers at any max_bin.
    hist = spec.params.get("method") == "hist" and "xgboost" in spec.trainer
    if hist and spec.layout.startswith("dense"):
        return KnownStep("max_bin", 257, what, "XGBoost's GHistIndexMatrix::ResizeIndex")
    return None


def too_few_beyond(spec: CellSpec, axis: str, sizes: Sequence[float], least: int) -> list[str]:
    """What cannot be told of known steps that the sizes span with too few on a side."""
    said = []
    for step in known_steps(spec, axis):
        beyond = sum(size >= step.first for size in sizes)
        below = len(sizes) - beyond
        if 0 < min(beyond, below) < least:
            side = "beyond" if beyond < below else "below"
            few = min(beyond, below)
            said.append(
                f"{few} of {len(sizes)} sizes lies {side} {axis} {step.first - 1:,.0f}, "
                f"where {step.what}; a change there is told from {least} sizes on"
            )
    return said
