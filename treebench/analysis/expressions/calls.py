"""What a word or conditions in quotes call: a test of cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.plan.only import matcher

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from treebench.plan.cell import CellSpec

_CONDITION_SIGNS = ("=", "<", ">")


def calls(words: str, named: Mapping[str, str] | None = None) -> Callable[[CellSpec], bool]:
    """The test for `words`: a name of `named` (whose conditions are taken), conditions as `--only`
    takes them, or a word that a cell has for its trainer, layout, data set or any parameter.

    Raises:
        ConfigError: conditions that cannot be read.
    """
    conditions = (named or {}).get(words, words)
    if any(sign in conditions for sign in _CONDITION_SIGNS):
        return matcher(conditions)
    return lambda spec: conditions in _words_of(spec)


def _words_of(spec: CellSpec) -> set[str]:
    return {spec.trainer, spec.layout, spec.dataset, *map(str, spec.params.values())}
