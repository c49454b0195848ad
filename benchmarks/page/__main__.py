"""`python -m benchmarks.page`: wanted at most 5 s for 10,000 samples, and at most 10 MB.

The samples are made, 2,000 cells with 5 each over three axes. What is timed, in CPU seconds, is
all that stands between the journal in memory and the page's text; starting the JavaScript engine
for Vega, which does not hang on the samples, stands apart. The collector of cycles rests, as it
does in `treebench report`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from tests.analysis.rows import EXACT, HIST, LIGHTGBM, facts, sample, spec
from treebench.analysis.curves.growth import usual_growth
from treebench.analysis.overview import overview
from treebench.report.charts import pictures
from treebench.report.html import document
from treebench.report.html.explorer import explorer
from treebench.report.lines import lines
from treebench.report.scaling_blocks import scaling_blocks
from treebench.report.scaling_chart import scaling_pictures
from treebench.report.sections import sections
from treebench.report.uncollected import uncollected

if TYPE_CHECKING:
    from collections.abc import Callable

    from treebench.plan.cell import CellSpec

_T = TypeVar("_T")


def main() -> None:
    cells = made_cells()
    rows = [sample(cell, block, 1 + block / 97) for cell in cells for block in range(5)]
    print(f"{len(cells):,} cells, {len(rows):,} samples")
    total = 0.0

    def timed(what: str, made: Callable[[], _T]) -> _T:
        nonlocal total
        start = time.process_time()
        value = made()
        taken = time.process_time() - start
        total += taken
        print(f"{what}: {taken:.2f} s")
        return value

    vega = timed("Vega as a script, apart", document.vega)
    total = 0.0
    stated = facts(cells)
    run = timed("samples summed up", lambda: overview(stated, rows))
    grown = timed("growth", lambda: usual_growth(run))
    parts = timed("tables", lambda: sections(run, lines(run), scaling_blocks(grown)))
    explored = timed("curves", lambda: explorer(run, grown))
    drawn = timed("pictures", lambda: [*pictures(run), *scaling_pictures(grown)])
    page = timed("page", lambda: document.document(run, parts, drawn, explored, "csv/"))
    print(f"together: {total:.2f} s (wanted: at most 5 s)")
    size = len(page.encode()) / 1e6
    print(f"page: {size:.2f} MB (wanted: at most 10 MB), Vega's part {len(vega) / 1e6:.2f} MB")


def made_cells() -> list[CellSpec]:
    """Four series, two layouts, five sizes, ten numbers of trees, five of bins."""
    series = (
        ("xgboost", EXACT),
        ("xgboost", HIST),
        ("lightgbm", LIGHTGBM),
        ("lightgbm", LIGHTGBM | {"histogram": "col-wise"}),
    )
    return [
        spec(
            trainer,
            params | {"n_estimators": 10 * trees, "learning_rate": rate / 50},
            rows=20_000 * size,
            layout=layout,
        )
        for trainer, params in series
        for layout in ("dense-c", "csr")
        for size in range(1, 6)
        for trees in range(1, 11)
        for rate in range(1, 6)
    ]


if __name__ == "__main__":
    with uncollected():
        main()
