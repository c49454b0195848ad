"""The two tables of docs/PICK.md, and the lines that are printed as figures come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.analysis.scores import lower_is_better, score_title

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.pick.kept import Kept, Record

_MIB = 1 << 20
_NEAR, _NEAR_SHARE, _CPU_SHARE = 0.002, 0.01, 0.10
RIVALS = {"tpe": "constrained TPE", "flaml": "FLAML"}


def behind(grid: Record, pick: Record) -> float | None:
    """By how much the pick's score is worse than the grid's best that keeps to the budget: of an
    error the share of it."""
    if pick["score"] is None:
        return None
    best = grid["budgets"][pick["budget"]]["score"]
    if lower_is_better(grid["metric"]):
        return float((pick["score"] - best) / best)
    return float(best - pick["score"])


def is_near(grid: Record, pick: Record) -> bool:
    """Within 0.002, or of errors within 1 %."""
    far = behind(grid, pick)
    return far is not None and far <= (_NEAR_SHARE if lower_is_better(grid["metric"]) else _NEAR)


def pick_line(grid: Record, pick: Record) -> str:
    """One pick in words."""
    held = grid["budgets"][pick["budget"]]
    head = (
        f"{grid['data']}, {pick['budget']} {_mib(held['bytes'])}: grid's best "
        f"{score_title(grid['metric'])} {held['score']:.4f}"
    )
    return f"{head}; {_picked(grid, pick, held['bytes'])}; {_cost(grid, pick)}"


def rival_line(what: str, told: Record, budget: int) -> str:
    """One rival in words, with the time that it was given and what it took in all."""
    took = "" if "took_s" not in told else f", took {told['took_s']:.0f} s in all"
    trials = f"; {_trials(told)}" if "trials" in told else ""
    given = f"given {told['given_s']:.0f} s{took}"
    return f"{RIVALS[what]} ({given}): {_reached(told, budget)}{trials}"


def print_tables(every: Iterable[Kept]) -> None:
    """Pick against the grid, and pick against its rivals."""
    known = [(each, grid) for each in every if (grid := each.of("grid")) is not None]
    found = [
        (each, grid, pick)
        for each, grid in known
        for budget in grid["budgets"]
        if (pick := each.of("pick", budget)) is not None
    ]
    if not found:
        print("nothing is kept yet")
        return
    for _, grid in known:
        print(_grid_line(grid))
    _print_against_grid(found)
    _print_against_rivals(found)


def _grid_line(grid: Record) -> str:
    return (
        f"{grid['data']} ({grid['size']}): {grid['rows']:,} x {grid['features']:,} on "
        f"{grid['threads']} thread{'s' * (grid['threads'] != 1)}; {grid['ended']} of "
        f"{grid['cells']} grid cells ended well, in {grid['cpu_s']:,.0f} s of CPU"
    )


def _print_against_grid(found: list[tuple[Kept, Record, Record]]) -> None:
    print(
        "\n| data | budget | grid's best | pick | behind | its peak | search | CPU of its samples |"
    )
    print("|--|--|--|--|--|--|--|--|")
    for _, grid, pick in found:
        held = grid["budgets"][pick["budget"]]
        print(
            f"| {grid['data']} | {pick['budget']} {_mib(held['bytes'])} "
            f"| {score_title(grid['metric'])} {held['score']:.4f} | {_score(pick)} "
            f"| {_behind(grid, pick)} | {_peak(pick, held['bytes'])} "
            f"| {pick['search_s']:.0f} s, call {pick['call_wall_s']:.0f} s "
            f"| {pick['cpu_s']:.0f} s, {pick['cpu_s'] / grid['cpu_s']:.1%} of the grid's "
            f"(call {pick['call_cpu_s']:.0f} s) |"
        )
    near = sum(is_near(grid, pick) for _, grid, pick in found)
    cheap = sum(pick["cpu_s"] <= _CPU_SHARE * grid["cpu_s"] for _, grid, pick in found)
    broken = sum(_is_broken(pick, grid) for _, grid, pick in found)
    print(
        f"\nwithin 0.002 (errors: 1 %) of the grid's best: {near} of {len(found)}; at 10 % of its "
        f"CPU or less: {cheap}; over the budget: {broken}"
    )


def _print_against_rivals(found: list[tuple[Kept, Record, Record]]) -> None:
    asked = [
        (grid, pick, tpe, kept.of("flaml", pick["budget"]))
        for kept, grid, pick in found
        if (tpe := kept.of("tpe", pick["budget"])) is not None
    ]
    if not asked:
        return
    print("\n| data | budget | pick took | pick | given | constrained TPE | its trials | FLAML |")
    print("|--|--|--|--|--|--|--|--|")
    for grid, pick, tpe, flaml in asked:
        limit = grid["budgets"][pick["budget"]]["bytes"]
        print(
            f"| {grid['data']} | {pick['budget']} {_mib(limit)} | {pick['call_wall_s']:.0f} s "
            f"| {_score(pick)}, {_peak(pick, limit)} "
            f"| {tpe['given_s']:.0f} s | {_reached(tpe, limit)} | {_trials(tpe)} "
            f"| {'-' if flaml is None else _reached(flaml, limit)} |"
        )


def _picked(grid: Record, pick: Record, budget: int) -> str:
    if pick["score"] is None:
        return "nothing was picked"
    return (
        f"pick {pick['score']:.4f} ({pick['learner']}), behind by {_behind(grid, pick)}, "
        f"{_peak(pick, budget)}"
    )


def _cost(grid: Record, pick: Record) -> str:
    return (
        f"searched for {pick['search_s']:.0f} s, {pick['samples']} samples of "
        f"{pick['cpu_s']:.0f} s of CPU, {pick['cpu_s'] / grid['cpu_s']:.1%} of the grid's "
        f"{grid['cpu_s']:,.0f} s; the whole call {pick['call_wall_s']:.0f} s, "
        f"{pick['call_cpu_s']:.0f} s of CPU"
    )


def _score(record: Record) -> str:
    return "nothing" if record["score"] is None else f"{record['score']:.4f}"


def _behind(grid: Record, pick: Record) -> str:
    far = behind(grid, pick)
    if far is None:
        return "-"
    return f"{far:+.1%}" if lower_is_better(grid["metric"]) else f"{far:+.4f}"


def _is_broken(pick: Record, grid: Record) -> bool:
    peak = pick["peak_bytes"]
    return peak is not None and peak > grid["budgets"][pick["budget"]]["bytes"]


def _peak(record: Record, budget: int) -> str:
    peak = record["peak_bytes"]
    if peak is None:
        return "-"
    return f"{_mib(peak)}{' OVER THE BUDGET' if peak > budget else ''}"


def _reached(told: Record, budget: int) -> str:
    if (why := told.get("untried") or told.get("failed")) is not None:
        return str(why)
    if told["score"] is None:
        return "nothing that kept to it"
    return f"{told['score']:.4f}, {_peak(told, budget)}"


def _trials(told: Record) -> str:
    return f"{told['trials']}, {told['broke']} over the budget"


def _mib(n_bytes: float) -> str:
    return f"{n_bytes / _MIB:,.0f} MiB"
