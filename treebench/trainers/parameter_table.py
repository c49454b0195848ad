"""What the parameter tables of several trainers say alike."""

from __future__ import annotations

from typing import Literal

from treebench.trainers.base import MAPPED, ONE_PROCESS, Use, no_meaning, only
from treebench.trainers.parameters import PARAMETERS

Chooser = Literal["XGBoost", "LightGBM"]

_CHOICES: dict[Chooser, tuple[str, ...]] = {
    "XGBoost": ("container",),
    "LightGBM": ("histogram", "boosting"),
}


def one_process_table(*others: Chooser) -> dict[str, Use]:
    """All parameters mapped but `n_jobs`, and but those that choose between ways of one of the
    `others`."""
    table = dict.fromkeys(PARAMETERS, MAPPED)
    table["n_jobs"] = no_meaning(ONE_PROCESS)
    for other in others:
        table |= dict.fromkeys(_CHOICES[other], no_meaning(f"it is {other}'s own choice"))
    return table


def colsample_by_split(name: str) -> Use:
    """That of a library which draws features for each split, by its parameter `name`."""
    return only(
        1.0,
        f"it draws features for each split, not for each tree; that is extra: {{{name}: ...}}",
    )
