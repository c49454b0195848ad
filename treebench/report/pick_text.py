"""A picking in words and rows of text, for the terminal and the page alike.

Everything here reads the JSON values of `pick.json` (docs/PICK.md), so that a page can be made anew
from a folder alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.analysis.scores import score_title
from treebench.report import units
from treebench.written.size import spelled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STANDINGS = {
    "pick": "the pick",
    "failed": "failed its proof",
    "front": "on the front",
    "dominated": "bettered",
}
FRONTIER_TITLES = ("", "learner", "held as", "size", "score", "memory | at most", "time")
FRONTIER_RIGHT = (False, False, False, False, True, True, True)
_MOST_BETTERED = 5
_MOST_NEEDS = 4
READING = (
    "score: on the validation part, a fifth of the training rows (100,000 at most) that no "
    "candidate was trained on; \u00b1 is the standard deviation over seeds of the learner",
    "memory: the peak of the worker up to the end of fit, most likely and at most; the upper bound "
    "decides what is tried, or where none keeps to the budget what is likely",
    "time: load, construct and fit on all rows, most likely",
    "bettered: another is at least as good in score, memory and time, and better in one",
)


def title(raw: Mapping[str, Any]) -> str:
    """What was asked and whether there is an answer."""
    question = raw["question"]
    limit = question["time_budget_s"]
    within = spelled(question["budget_bytes"])
    within += "" if limit is None else f" and {units.duration(limit * 1e9)}"
    if raw["pick"] is None:
        told = "nothing can be trained" if _is_out_of_reach(raw) else "nothing was proven"
        return f"{question['dataset']}: {told} within {within}"
    return f"{question['dataset']}: a configuration within {within}"


def chosen(raw: Mapping[str, Any]) -> str:
    """The pick's learner and how the data is held."""
    return configuration(raw["pick"]["point"]["learner"], raw["pick"]["holding"])


def configuration(learner: Sequence[Any], holding: Sequence[Any]) -> str:
    """`xgboost hist, quantile, dense-c, native categories`."""
    trainer, method, categorical, _ = learner
    layout, container, histogram = holding
    encoded = None if categorical is None else f"{categorical} categories"
    name = f"{trainer} {method}" if method else trainer
    return ", ".join(part for part in (name, container, histogram, layout, encoded) if part)


def numbers(values: Mapping[str, float]) -> str:
    """`n_estimators 212, learning_rate 0.082`."""
    return ", ".join(f"{name} {units.number(value)}" for name, value in values.items())


def verdict_rows(raw: Mapping[str, Any]) -> list[list[str]]:
    """Foreseen and verified memory, time and score of the pick."""
    pick, question = raw["pick"], raw["question"]
    limit = spelled(question["budget_bytes"])
    apart = "; the test part beside it needed more" if pick["scored_apart"] else ""
    return [
        [
            "memory",
            interval(pick["foreseen_bytes"], units.size),
            f"{units.size(pick['peak_bytes'])} at its peak, under an enforced limit of {limit}"
            f"{apart}",
        ],
        [
            "time",
            interval(_ns(pick["foreseen_s"]), units.duration),
            f"{_seconds(pick['wall_s'])} for load, construct and fit, on "
            f"{counted_threads(question['threads'])}",
        ],
        ["score", _validation(raw), _test(raw)],
    ]


def frontier_rows(raw: Mapping[str, Any]) -> list[list[str]]:
    """The candidates, best score first; of those that are bettered, the first few."""
    return [
        [
            STANDINGS[each["standing"]],
            each["learner"],
            each["holding"],
            capacity(each["numbers"]),
            _score(each),
            units.sizes([each["foreseen_bytes"]["mid"], each["foreseen_bytes"]["high"]]),
            units.duration(None if each["foreseen_s"] is None else each["foreseen_s"]["mid"] * 1e9),
        ]
        for each in raw["frontier"]
        if each not in _left_out(raw)
    ]


def frontier_notes(raw: Mapping[str, Any]) -> list[str]:
    """What the table of the frontier leaves out."""
    more = len(_left_out(raw))
    if not more:
        return []
    return [f"left out: {more} more that {'is' if more == 1 else 'are'} bettered, of lower score"]


def capacity(values: Mapping[str, float]) -> str:
    """`217 trees, depth 8, 63 bins`."""
    trees = "{} tree" if values.get("n_estimators") == 1 else "{} trees"
    words = {
        "n_estimators": trees,
        "max_depth": "depth {}",
        "max_leaves": "{} leaves",
        "max_bin": "{} bins",
    }
    return ", ".join(
        text.format(units.number(values[name])) for name, text in words.items() if name in values
    )


def ruled_out(raw: Mapping[str, Any]) -> list[str]:
    """What was never run, one line for each reason, with the learners that it is true of."""
    budget = raw["question"]["budget_bytes"]
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for each in raw["ruled_out"]:
        reason = "over the budget" if each["kind"] == "memory" else each["reason"]
        groups.setdefault((each["kind"], reason), []).append(each)
    return [_ruled_line(kind, reason, held, budget) for (kind, reason), held in groups.items()]


def failed_proofs(raw: Mapping[str, Any]) -> list[str]:
    """Proofs that did not stand."""
    return [
        f"{configuration(each['point']['learner'], each['holding'])}: {each['failure']}; foreseen "
        f"were {interval(each['foreseen_bytes'], units.size)}"
        for each in raw["attempts"]
        if each["failure"] is not None
    ]


def smallest_lines(raw: Mapping[str, Any]) -> list[str]:
    """Where nothing fits: what would."""
    smallest, question = raw["smallest"], raw["question"]
    if smallest is None or smallest["budget_bytes"] is None:
        return [_nothing_left(raw)]
    least = spelled(smallest["budget_bytes"])
    first = smallest.get("lived") or smallest["needs"][0]
    would_do = _memory_would_do(raw)
    said = [_time_would(raw)] if would_do else []
    said += [
        f"the smallest budget that could be met is {least} ({_shown(smallest)}), with "
        f"{first['learner']}, {first['holding']}, {numbers(_small(first['numbers']))}"
    ]
    said += [] if would_do else [_fewer_rows(smallest["needs"], question["rows"])]
    said += [
        f"{each['learner']}, {each['holding']}: {units.size(each['foreseen_bytes']['high'])} "
        f"would do, as far as is foreseen"
        for each in smallest["needs"][0 if smallest.get("lived") else 1 :][:_MOST_NEEDS]
    ]
    return said


def _nothing_left(raw: Mapping[str, Any]) -> str:
    if raw["attempts"]:
        return "each way that was foreseen to keep to the budget broke it: what would do is unknown"
    return "no trainer that was asked for can be trained on this data at all"


def _shown(smallest: Mapping[str, Any]) -> str:
    """How it is known that so much is enough."""
    if (lived := smallest.get("lived")) is not None:
        peak = units.size(lived["peak_bytes"])
        return f"seen: it trained on all rows with a peak of {peak}"
    proven = smallest["proven_bytes"] is not None
    return "proven: trained under that limit" if proven else "foreseen, not proven"


def _fewer_rows(needs: Sequence[Mapping[str, Any]], rows: int) -> str:
    within = [each for each in needs if each["rows_within_budget"] is not None]
    if not within:
        return "fewer rows would not help: the libraries alone take what there is"
    most = max(within, key=lambda each: each["rows_within_budget"])
    return (
        f"or fewer rows: about {units.count(most['rows_within_budget'])} of {units.count(rows)} "
        f"fit, with {most['learner']}, {most['holding']}"
    )


def spent(raw: Mapping[str, Any]) -> str:
    """What the picking took."""
    held = raw["spent"]
    now = held["samples_now"]
    own = "" if now == held["samples"] else f", {now} of them now"
    counted = f"{held['samples']} sample{'s' * (held['samples'] != 1)}{own}"
    return (
        f"{counted}: {units.duration(held['cpu_s'] * 1e9)} of CPU, "
        f"{units.duration(held['wall_s'] * 1e9)} in their phases"
    )


def interval(forecast: Mapping[str, Any] | None, text: Any) -> str:
    """`409 MiB (395 MiB to 440 MiB)`."""
    if forecast is None:
        return units.DASH
    return f"{text(forecast['mid'])} ({text(forecast['low'])} to {text(forecast['high'])})"


def bounded(forecast: Mapping[str, Any]) -> str:
    """`409 MiB, at most 440 MiB`."""
    return f"{units.size(forecast['mid'])}, at most {units.size(forecast['high'])}"


def counted_threads(count: int) -> str:
    """`1 thread`, `2 threads`."""
    return f"{count} thread{'s' * (count != 1)}"


def _memory_would_do(raw: Mapping[str, Any]) -> bool:
    """Whether the least that is needed keeps to the budget, so that it is not memory that lacks."""
    smallest = raw["smallest"]
    if smallest is None or smallest["budget_bytes"] is None:
        return False
    return bool(smallest["budget_bytes"] <= raw["question"]["budget_bytes"])


def _is_out_of_reach(raw: Mapping[str, Any]) -> bool:
    """Whether the budget lies below what every way would need at the least."""
    needs = (raw["smallest"] or {"needs": []})["needs"]
    budget = raw["question"]["budget_bytes"]
    return bool(needs) and all(each["foreseen_bytes"]["low"] > budget for each in needs)


def _time_would(raw: Mapping[str, Any]) -> str:
    """What has to give where the memory would do."""
    if raw["attempts"]:
        return "the memory would do, as far as is foreseen, but no proof stood"
    limit = "" if raw["question"]["time_budget_s"] is None else " or --time"
    return (
        f"the memory would do, as far as is foreseen, but no candidate came to a score; a longer "
        f"--search-time{limit} allows more"
    )


def _left_out(raw: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    bettered = [each for each in raw["frontier"] if each["standing"] == "dominated"]
    return bettered[_MOST_BETTERED:]


def _ruled_line(kind: str, reason: str, held: Sequence[Mapping[str, Any]], budget: int) -> str:
    points = sum(each["points"] for each in held)
    whom = list(dict.fromkeys(f"{each['learner']}, {each['holding']}" for each in held))
    shown = "; ".join(whom[:3]) + (f"; and {len(whom) - 3} more ways" if len(whom) > 3 else "")
    told = f"{units.count(points)} way{'s' * (points != 1)} to train a point {_KINDS[kind]}"
    if kind == "memory":
        least = min(each["least_bytes"] for each in held)
        return (
            f"{told}, as far as is foreseen (they may need {units.size(least)} or more; the budget "
            f"is {spelled(budget)}): {shown}"
        )
    return f"{told}: {reason} ({shown})"


_KINDS = {
    "memory": "over the budget",
    "unsupported": "not supported",
    "time": "too slow",
    "killed": "that broke the budget or died",
}


def _score(each: Mapping[str, Any]) -> str:
    spread = each["score_sd_over_seeds"]
    own = f"{score_title(each['metric'])} {units.score(each['score'])}"
    return own if spread is None else f"{own} \u00b1 {spread:.1g}"


def _validation(raw: Mapping[str, Any]) -> str:
    own = [each for each in raw["frontier"] if each["standing"] == "pick"]
    if not own:
        return units.DASH
    return f"{_score(own[0])} on the validation part"


def _test(raw: Mapping[str, Any]) -> str:
    pick = raw["pick"]
    metric = pick.get("metric")
    name = "" if metric is None else f"{score_title(metric)} "
    return f"{name}{units.score(pick['score'])} on the test part, read for this alone"


def _small(values: Mapping[str, float]) -> dict[str, float]:
    kept = ("n_estimators", "max_depth", "max_leaves", "max_bin")
    return {name: value for name, value in values.items() if name in kept}


def _seconds(value: float | None) -> str:
    return units.duration(None if value is None else value * 1e9)


def _ns(forecast: Mapping[str, Any] | None) -> dict[str, float] | None:
    if forecast is None:
        return None
    return {name: forecast[name] * 1e9 for name in ("low", "mid", "high")}
