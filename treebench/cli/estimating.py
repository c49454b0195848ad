"""What is known of cells before they run: by the memory model, and by samples of this run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treebench.cli.planning import Planned
    from treebench.memory_model.estimates import Estimate
    from treebench.store.row import SampleRow


def estimates_for(planned: Planned) -> dict[str, Estimate]:
    """Of the chosen cells, by id. The first rows of their data are looked at, and what the run's
    own folder holds is learned from.

    Raises:
        DataError: a data set cannot be read.
    """
    from treebench.memory_model.estimates import Looked, estimates_of, learned

    cells = list(planned.plan.cells.values())
    looked = Looked(planned.folders)
    calibration = learned(cells, _rows_of(planned), planned.manifests, looked)
    chosen = [cell for cell in cells if cell.id in planned.chosen]
    return estimates_of(chosen, planned.manifests, looked, calibration)


def _rows_of(planned: Planned) -> list[SampleRow]:
    """The samples that `run` without `--out` has taken so far; none where it never ran, or where
    the folder is another's."""
    from treebench.errors import RunFolderError
    from treebench.store.run_folder import open_run

    folder = Path("results") / planned.config.name
    try:
        return open_run(folder).rows if folder.exists() else []
    except RunFolderError:
        return []


def warn_of_memory(planned: Planned) -> None:
    """Say on stderr which cells may not fit the machine's memory, or their own limit. The data is
    looked at only where they would not fit if every number in it were different."""
    from treebench.errors import DataError
    from treebench.machine.memory import available_memory_bytes
    from treebench.memory_model.estimates import Looked, estimates_of
    from treebench.report.memory_text import memory_warnings

    available = available_memory_bytes()
    cells = [cell for name, cell in planned.plan.cells.items() if name in planned.chosen]
    at_most = estimates_of(cells, planned.manifests)
    if not list(memory_warnings(cells, at_most, available)):
        return
    try:
        said = estimates_of(cells, planned.manifests, Looked(planned.folders))
    except DataError:
        # The samples of that data will say so, each in its row; the others are to be taken.
        said = at_most
    for line in memory_warnings(cells, said, available):
        sys.stderr.write(f"{line}\n")
