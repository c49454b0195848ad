"""`treebench reproduce lightgbm-vs-xgboost`: a published comparison, tried here."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treebench.cli.streams import reader_may_leave
from treebench.config.load_comparisons import (
    NAME,
    chosen_presets,
    own_files,
    require_published,
    shipped_presets,
    shipped_tables,
)
from treebench.errors import ExitCode, NothingMeasuredError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.published.tables import JudgedTable
    from treebench.cli.comparison_plans import ComparisonSweep


def refuse_presets(presets: Sequence[str], name: str) -> None:
    """Say so where presets are named for what has none.

    Raises:
        UsageError: there are presets.
    """
    if presets:
        raise UsageError(f"--preset is for {NAME}; {name} has no presets")


def reproduce_comparison(
    *,
    names: Sequence[str],
    scale: float,
    data: Sequence[str],
    out: Path | None,
    fresh: bool,
    as_json: bool,
) -> int:
    """Take what is missing for the presets of these names, judge, write and show. `data` is what
    was written for `--data`.

    Raises:
        TreebenchError: see `cli.comparison_plans` and `cli.taking`; nothing could be measured.
        KeyboardInterrupt: Ctrl-C; all finished samples are kept.
    """
    from treebench.cli.comparison_places import left_out, refuse_unknown
    from treebench.cli.comparison_plans import plan_comparison
    from treebench.cli.comparison_take import judged_tables, take_comparison
    from treebench.cli.replacing import known_replacements, stated_pairs
    from treebench.report.comparison_files import write_comparison
    from treebench.report.comparison_raw import raw_comparison

    presets, published = shipped_presets(own_files(names)), shipped_tables()
    chosen = chosen_presets(names, presets)
    require_published(chosen, published)
    folder = out or default_folder(scale)
    refuse_unknown(chosen, stated_pairs(data))
    given = known_replacements(data)
    sweeps = plan_comparison(chosen, presets, folder, scale, given)
    for line in left_out(chosen, given, scale):
        sys.stderr.write(f"{line}\n")
    take_comparison(sweeps, fresh=fresh)
    tables = in_order([each for one in sweeps for each in judged_tables(one, published)], chosen)
    command = shlex.join(["treebench", *sys.argv[1:]])
    raw = raw_comparison(tables, published, command)
    paths = write_comparison(folder, tables, published, command, raw)
    with reader_may_leave():
        _show(tables, paths, raw, as_json=as_json)
    return _exit_code(tables, sweeps)


def default_folder(scale: float) -> Path:
    """Sweeps of another scale have other cells, and so folders of their own."""
    return Path("results") / (NAME if scale == 1 else f"{NAME}-scale-{scale:g}")


def in_order(tables: Sequence[JudgedTable], chosen: Sequence[Any]) -> list[JudgedTable]:
    """The tables preset by preset, as they were asked for."""
    places = {preset.preset: place for place, preset in enumerate(chosen)}
    return sorted(tables, key=lambda table: places[table.preset.preset])


def _show(
    tables: Sequence[JudgedTable], paths: dict[str, str], raw: dict[str, Any], *, as_json: bool
) -> None:
    from treebench.report.comparison_screen import comparison_screen
    from treebench.report.terminal import screen_of

    if as_json:
        sys.stdout.write(json.dumps({"files": paths, **raw}, indent=1, allow_nan=False) + "\n")
        return
    sys.stdout.write(comparison_screen(tables, screen_of(sys.stdout)))
    sys.stdout.write(f"next: open {shlex.quote(paths['page'])}\n")


def _exit_code(tables: Sequence[JudgedTable], sweeps: Sequence[ComparisonSweep]) -> int:
    from treebench.analysis.sample import Missing
    from treebench.store.run_folder import open_run

    readings = [each for table in tables for each in table.readings if each.planned.cell]
    if all(isinstance(each.of("boosting"), Missing) for each in readings):
        raise NothingMeasuredError("nothing could be measured; the lines above say why")
    rows = [row for sweep in sweeps if sweep.planned for row in open_run(sweep.folder).rows]
    failed = any(row.status not in ("ok", "unsupported") for row in rows)
    return ExitCode.CELLS_FAILED if failed else ExitCode.OK
