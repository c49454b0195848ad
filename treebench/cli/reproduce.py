"""`treebench reproduce NAME`: what is claimed, what this machine measures, and the verdict."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treebench.cli.options import JsonOption
from treebench.cli.streams import reader_may_leave
from treebench.errors import ExitCode, NothingMeasuredError, UsageError

if TYPE_CHECKING:
    from treebench.analysis.claims import ClaimOutcome
    from treebench.cli.claim_sweeps import ClaimSweep


def reproduce(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...",
            help="Claims such as A1, claims' files, or all; or lightgbm-vs-xgboost.",
        ),
    ],
    scale: Annotated[
        float,
        typer.Option(
            metavar="F",
            help="Smaller: rows times F, trees times its square root; of lightgbm-vs-xgboost, "
            "trees times F too.",
        ),
    ] = 1.0,
    data: Annotated[
        list[str] | None,
        typer.Option(
            "--data",
            metavar="SET=FILE",
            help="Put imported data (its file or name) in the place of a data set; repeatable.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the runs.  [default: results/claims...]"),
    ] = None,
    preset: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Of lightgbm-vs-xgboost: as-documented, as-scripted, matched, tuned (these four "
            "unless named), gbm-perf, max-bin, all, or a preset's file; repeatable.",
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure anew; earlier runs there are kept aside.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Try claims, or a published comparison, here: a verdict on each.

    What is missing is measured; samples that are there are kept, so that after Ctrl-C the same
    command goes on. A claim that fails is a result and no error.
    """
    from treebench.cli.claim_sweeps import judged, plan_sweeps, refuse_strange_data, take_all
    from treebench.cli.comparison import refuse_presets, reproduce_comparison
    from treebench.cli.replacing import known_replacements, stated_pairs
    from treebench.config.load_claims import chosen_claims, shipped_claims
    from treebench.config.load_comparisons import NAME

    if NAME in names:
        if len(names) > 1:
            raise UsageError(f"{NAME} has a page of its own: give it alone")
        return reproduce_comparison(
            names=preset or [],
            scale=scale,
            data=data or [],
            out=out,
            fresh=fresh,
            as_json=as_json,
        )
    refuse_presets(preset or [], " ".join(names))
    claims = shipped_claims()
    chosen = chosen_claims(names, claims)
    folder = out or default_folder(scale)
    refuse_strange_data(chosen, claims, stated_pairs(data or []))
    sweeps = plan_sweeps(chosen, claims, folder, scale, known_replacements(data or []))
    take_all(sweeps, fresh=fresh)
    found = {each.claim.id: each for sweep in sweeps for each in judged(sweep)}
    outcomes = [found[claim.id] for claim in chosen]
    paths = _write(folder, _page_name(names, outcomes), outcomes, sweeps)
    with reader_may_leave():
        _show(outcomes, paths, sweeps, as_json=as_json)
    return _exit_code(outcomes, sweeps)


def default_folder(scale: float) -> Path:
    """Sweeps of another scale have other cells, and so folders of their own."""
    return Path("results") / ("claims" if scale == 1 else f"claims-scale-{scale:g}")


def _raw(outcomes: list[ClaimOutcome], sweeps: list[ClaimSweep]) -> dict[str, Any]:
    from treebench.report.claims_text import raw_claims

    return raw_claims(outcomes, _runs(sweeps), _command())


def _runs(sweeps: list[ClaimSweep]) -> dict[str, str]:
    return {claim.id: str(sweep.folder) for sweep in sweeps for claim in sweep.claims}


def _command() -> str:
    return shlex.join(["treebench", *sys.argv[1:]])


def _page_name(names: list[str], outcomes: list[ClaimOutcome]) -> str:
    """Of its own, so that the page of some claims does not take the place of that of all."""
    from treebench.config.load_claims import ALL
    from treebench.report.claims_folder import OF_ALL

    return OF_ALL if ALL in names else "-".join(each.claim.id for each in outcomes)


def _write(
    folder: Path, name: str, outcomes: list[ClaimOutcome], sweeps: list[ClaimSweep]
) -> dict[str, str]:
    from treebench.report.claims_folder import write_claims
    from treebench.report.claims_html import claims_document
    from treebench.report.claims_page import claims_page

    runs, command = _runs(sweeps), _command()
    pages = {
        "md": claims_page(outcomes, runs, command, name),
        "html": claims_document(outcomes, runs, command),
    }
    return write_claims(folder, name, pages, _raw(outcomes, sweeps), outcomes)


def _show(
    outcomes: list[ClaimOutcome],
    paths: dict[str, str],
    sweeps: list[ClaimSweep],
    *,
    as_json: bool,
) -> None:
    from treebench.report.claims_screen import claims_screen
    from treebench.report.terminal import screen_of

    if as_json:
        told = {"files": paths, **_raw(outcomes, sweeps)}
        sys.stdout.write(json.dumps(told, indent=1, allow_nan=False) + "\n")
        return
    sys.stdout.write(claims_screen(outcomes, screen_of(sys.stdout)))
    sys.stdout.write(f"next: open {shlex.quote(paths['html'])} in a browser\n")


def _exit_code(outcomes: list[ClaimOutcome], sweeps: list[ClaimSweep]) -> int:
    from treebench.store.run_folder import open_run

    if all(check.measured is None for each in outcomes for check in each.checks):
        raise NothingMeasuredError("nothing could be measured; the lines above say why")
    rows = [row for sweep in sweeps if sweep.planned for row in open_run(sweep.folder).rows]
    failed = any(row.status not in ("ok", "unsupported") for row in rows)
    return ExitCode.CELLS_FAILED if failed else ExitCode.OK
