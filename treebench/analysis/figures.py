"""Every figure that can be asked for by name: of one sample, with its unit.

The names are those that people write in expectations and claims and pass to `scaling`; each has a
line in docs/FIGURES.md.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from treebench.analysis import iterations, sample
from treebench.analysis.counters import work_counted
from treebench.analysis.sample import Missing
from treebench.errors import ConfigError
from treebench.store.row import PHASES

if TYPE_CHECKING:
    from collections.abc import Callable

    from treebench.store.row import Kind, SampleRow

Unit = Literal["ns", "bytes", "count", "score", "share"]


@dataclass(frozen=True)
class NamedFigure:
    """One figure. `of` gives a sample's value or why it has none; `kinds` are the kinds of sample
    that can hold it; `worse` says which way is the wrong one."""

    name: str
    unit: Unit
    meaning: str
    of: Callable[[SampleRow], float | Missing]
    kinds: tuple[Kind, ...] = ("timed",)
    worse: Literal["more", "less", "neither"] = "more"


def _phase_time(phase: str) -> NamedFigure:
    return NamedFigure(
        f"{phase}_time",
        "ns",
        f"wall time of the phase {phase}",
        lambda row: sample.phase_value(row, phase, "wall_ns"),
    )


def _phase_growth(phase: str) -> NamedFigure:
    return NamedFigure(
        f"{phase}_growth",
        "bytes",
        f"peak RSS of the phase {phase}, above its own baseline",
        lambda row: sample.growth(row, phase),
    )


def _training_peak(name: str, field: str, meaning: str) -> NamedFigure:
    return NamedFigure(name, "bytes", meaning, lambda row: sample.training_peak(row, field))


def _fit_time_per_tree(row: SampleRow) -> float | Missing:
    wall = sample.phase_value(row, "fit", "wall_ns")
    if isinstance(wall, Missing):
        return wall
    return Missing("no tree was grown") if not row.model else wall / max(1, row.model.n_trees)


def _of_model(field: str) -> Callable[[SampleRow], float | Missing]:
    def of(row: SampleRow) -> float | Missing:
        return (
            Missing("there is no model") if row.model is None else float(getattr(row.model, field))
        )

    return of


def _score(name: str) -> NamedFigure:
    """Of `score:auc`, say. More is better, save for the scores that are losses."""
    loss = any(word in name for word in ("loss", "rmse", "mae", "error"))
    of = partial(_score_of, name=name)
    return NamedFigure(
        f"score:{name}", "score", f"{name} on the test part", of, worse="more" if loss else "less"
    )


def _score_of(row: SampleRow, name: str) -> float | Missing:
    return sample.score_named(row, name)


def _counter(phase: str, event: str) -> NamedFigure:
    return NamedFigure(
        f"counter:{phase}:{event}",
        "count",
        f"{event} in {phase}, by the tier that the run has",
        lambda row: _counted(row, phase, event),
        kinds=("timed", "simulated"),
    )


def _per_work(phase: str, event: str) -> NamedFigure:
    def of(row: SampleRow) -> float | Missing:
        value = _counted(row, phase, event)
        if isinstance(value, Missing):
            return value
        work = work_counted(row)
        return Missing("the number of trees is not known") if not work else value / work

    return NamedFigure(
        f"per_work:{phase}:{event}",
        "count",
        f"{event} in {phase} for each row, feature and tree",
        of,
        kinds=("timed", "simulated"),
    )


def _counted(row: SampleRow, phase: str, event: str) -> float | Missing:
    if row.counters is None:
        return Missing("nothing was counted in the sample")
    value: float | None = row.counters["phases"].get(phase, {}).get(event)
    if value is None:
        reasons = row.counters["missing"]
        return Missing(reasons.get(event) or reasons.get(phase) or f"{event} was not counted")
    return value


def _misses_in(phase: str, function: str) -> NamedFigure:
    return NamedFigure(
        f"misses_in:{phase}:{function}",
        "share",
        f"share of the D1 read misses of {phase} that fall in functions named {function}",
        lambda row: _share_of(row, phase, function, "read_misses"),
        kinds=("simulated",),
        worse="neither",
    )


def _instructions_in(phase: str, function: str) -> NamedFigure:
    return NamedFigure(
        f"instructions_in:{phase}:{function}",
        "share",
        f"share of the instructions of {phase} that fall in functions named {function}",
        lambda row: _share_of(row, phase, function, "instructions"),
        kinds=("simulated",),
        worse="neither",
    )


def _share_of(row: SampleRow, phase: str, function: str, share: str) -> float | Missing:
    functions = (row.counters or {}).get("functions", {}).get(phase)
    if functions is None:
        return Missing("functions are known of simulated samples only")
    return sum(each[share] or 0.0 for each in functions if function in each["function"])


def _latency(batch: str, quantile: str) -> NamedFigure:
    return NamedFigure(
        f"latency:{batch}:{quantile}",
        "ns",
        f"{quantile} of predictions of {batch} rows at once",
        lambda row: _latency_of(row, batch, f"{quantile}_ns"),
    )


def _latency_of(row: SampleRow, batch: str, name: str) -> float | Missing:
    found = (row.latency or {}).get(batch)
    if found is None or name not in found:
        return Missing("latency was not measured; write latency: true")
    value: float | None = found[name]
    return Missing(found["missing"].get(name, sample.NO_REASON)) if value is None else value


def _validation(name: str) -> NamedFigure:
    return dataclasses.replace(
        _score(name),
        name=f"validation:{name}",
        meaning=f"{name} of the whole model on the validation part",
        of=lambda row: iterations.validation_score(row, name),
    )


def _time_to(text: str) -> NamedFigure:
    wanted = iterations.target(text)
    return NamedFigure(
        f"time_to:{text}",
        "ns",
        f"wall time of fit until {text} on the test part",
        lambda row: iterations.time_to(row, wanted),
    )


def _construct_time_to(text: str) -> NamedFigure:
    wanted = iterations.target(text)
    return NamedFigure(
        f"construct_time_to:{text}",
        "ns",
        f"wall time of construct, and of fit until {text} on the test part",
        lambda row: iterations.construct_time_to(row, wanted),
    )


_FAMILIES: dict[str, tuple[Callable[..., NamedFigure], str]] = {
    "score": (_score, "score:NAME"),
    "counter": (_counter, "counter:PHASE:EVENT"),
    "per_work": (_per_work, "per_work:PHASE:EVENT"),
    "misses_in": (_misses_in, "misses_in:PHASE:FUNCTION"),
    "instructions_in": (_instructions_in, "instructions_in:PHASE:FUNCTION"),
    "latency": (_latency, "latency:BATCH:QUANTILE"),
    "validation": (_validation, "validation:NAME"),
    "time_to": (_time_to, "time_to:SCORE>=VALUE"),
    "construct_time_to": (_construct_time_to, "construct_time_to:SCORE>=VALUE"),
}


def _of_best_iteration() -> list[NamedFigure]:
    """Those of the iteration with the best score on the validation part."""
    return [
        NamedFigure(
            "best_iteration",
            "count",
            "the iteration with the best main score on the validation part",
            iterations.best_iteration,
            worse="neither",
        ),
        NamedFigure(
            "best_score",
            "score",
            "the main score on the test part at the best iteration",
            iterations.best_score,
            worse="less",
        ),
        NamedFigure(
            "best_validation",
            "score",
            "the main score on the validation part at the best iteration",
            lambda row: iterations.best_score(row, "validation"),
            worse="less",
        ),
        NamedFigure(
            "best_time",
            "ns",
            "wall time of fit until the best iteration ended",
            iterations.time_at_best,
        ),
    ]


def _listed() -> dict[str, NamedFigure]:
    listed = [
        *(_phase_time(phase) for phase in PHASES),
        NamedFigure(
            "construct_fit_time",
            "ns",
            "wall time of construct and fit together: what libraries are compared on",
            lambda row: sample.added(row, ("construct", "fit"), "wall_ns"),
        ),
        NamedFigure(
            "total_time",
            "ns",
            "wall time of all judged phases together",
            lambda row: sample.added(row, PHASES, "wall_ns"),
        ),
        NamedFigure(
            "fit_time_per_tree",
            "ns",
            "wall time of fit divided by the trees grown",
            _fit_time_per_tree,
        ),
        *(_phase_growth(phase) for phase in ("construct", "fit", "predict")),
        NamedFigure(
            "construct_fit_growth",
            "bytes",
            "the higher peak RSS of construct and fit, above the baseline of the first",
            sample.construct_fit_growth,
        ),
        _training_peak("peak_memory", "peak_rss_bytes", "largest peak RSS up to the end of fit"),
        _training_peak(
            "tree_memory", "tree_peak_bytes", "peak of the process tree, shared pages once"
        ),
        _training_peak(
            "summed_rss", "summed_rss_peak_bytes", "RSS added up over processes, as top shows it"
        ),
        NamedFigure("data_size", "bytes", "the matrix itself", sample.data_bytes, worse="neither"),
        NamedFigure("model_size", "bytes", "the model as saved", _of_model("bytes")),
        NamedFigure(
            "n_leaves", "count", "leaves of all trees", _of_model("n_leaves"), worse="neither"
        ),
        *_of_best_iteration(),
    ]
    return {each.name: each for each in listed}


FIGURES = _listed()
"""All but the families, by name."""


def figure_named(name: str) -> NamedFigure:
    """The figure of a name: one of `FIGURES`, or of a family: `score:auc`,
    `counter:fit:D1-read-misses` (`per_work:...` for each row, feature and tree),
    `misses_in:fit:EnumerateSplit` (a function's share of the D1 read misses; `instructions_in:...`
    of the instructions) or `latency:100:p50`.

    Raises:
        ConfigError: there is none of that name.
    """
    if name in FIGURES:
        return FIGURES[name]
    family, _, rest = name.partition(":")
    parts = rest.split(":")
    if family in _FAMILIES and all(parts) and len(parts) == _FAMILIES[family][1].count(":"):
        return _FAMILIES[family][0](*parts)
    patterns = ", ".join(pattern for _, pattern in _FAMILIES.values())
    raise ConfigError(f"{name!r} is no figure; use: {', '.join(FIGURES)}, {patterns}")
