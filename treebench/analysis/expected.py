"""What a person expected of a run, `--expect`, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.analysis.expressions.calls import calls
from treebench.analysis.expressions.tree import leaves, read_expectation
from treebench.analysis.summary import cell_spec
from treebench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.expressions.evaluate import Outcome, Value
    from treebench.analysis.overview import Overview
    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow


@dataclass(frozen=True)
class Expected:
    """An expectation and its outcome. `left` and `right` are its two sides as measured, None where
    they could not be computed; `why` says what hindered a verdict."""

    text: str
    outcome: Outcome
    left: Value | None = None
    right: Value | None = None
    why: str | None = None


def check_cells(text: str, specs: Sequence[CellSpec]) -> None:
    """Refuse an expectation that no run of these cells could answer.

    Raises:
        ConfigError: it cannot be read, or calls a cell that there is not.
    """
    expectation = read_expectation(text)
    words = [leaf.cells for leaf in (*leaves(expectation.left), *leaves(expectation.right))]
    lost = [each for each in words if not any(map(calls(each), specs))]
    if lost:
        raise ConfigError(
            *(
                f"--expect: no cell is called {each!r}; use a word that a cell has (exact, hist, "
                f'lightgbm), or conditions in quotes: "trainer=xgboost, rows<=80000"'
                for each in dict.fromkeys(lost)
            )
        )


def expected_of(facts: Mapping[str, Any], rows: Sequence[SampleRow]) -> Expected | None:
    """The outcome of a run's expectation from its `run.json` and samples; None if none was given.

    A text that cannot be read, as runs of earlier versions may have, has no verdict.
    """
    text = facts.get("expect")
    if not text:
        return None
    try:
        return _judged(text, facts, rows)
    except ConfigError as error:
        return Expected(text, "cannot tell", why="; ".join(error.problems))


def expected_in(run: Overview) -> Expected | None:
    """The same of a run that is summed up already."""
    known = (*run.timed_rows.values(), *run.simulated_rows.values())
    return expected_of(run.facts, [row for rows in known for row in rows])


def _judged(text: str, facts: Mapping[str, Any], rows: Sequence[SampleRow]) -> Expected:
    from treebench.analysis.expressions.evaluate import Samples, UnknownError

    expectation = read_expectation(text)
    specs = {cell["id"]: cell_spec(cell["spec"]) for cell in facts["plan"]["cells"]}
    samples = Samples(rows, specs, calls)
    try:
        left, right = samples.value(expectation.left), samples.value(expectation.right)
        outcome, difference = samples.judge(expectation)
    except UnknownError as error:
        return Expected(text, "cannot tell", why=str(error))
    why = difference.why_no_interval
    if outcome == "cannot tell" and why is None:
        why = "the interval of their difference has 0 in it"
    return Expected(text, outcome, left, right, why)
