"""Workers in an environment where treebench is not installed, and its own libraries must not be
found.

The folder above an installed package holds all of its environment's libraries too. So the worker
is shown a folder of its own, with a link to the package alone.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from treebench.runner.process import worker_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from treebench.runner.caretaker import Caretaker

_PACKAGE = Path(__file__).absolute().parent.parent


@dataclass(frozen=True)
class Elsewhere:
    """An interpreter for workers. `folder` has treebench alone; `versions_of` gives the installed
    versions of distributions, and Python's own."""

    python: Path
    folder: Path
    versions_of: Callable[[Sequence[str]], dict[str, str | None]]

    @property
    def command(self) -> tuple[str, ...]:
        """What starts a worker."""
        return worker_command(str(self.python))

    @property
    def variables(self) -> dict[str, str]:
        """What the worker's environment has in place of this process's; empty is as if unset."""
        return {"PYTHONPATH": str(self.folder), "PYTHONHOME": "", "VIRTUAL_ENV": ""}


@contextmanager
def treebench_alone(caretaker: Caretaker | None) -> Iterator[Path]:
    """A folder that has the package and nothing else, for as long as samples are taken."""
    folder = Path(tempfile.mkdtemp(prefix="treebench-alone-"))
    if caretaker is not None:
        caretaker.made("folder", folder)
    try:
        (folder / _PACKAGE.name).symlink_to(_PACKAGE, target_is_directory=True)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if caretaker is not None:
            caretaker.gone(folder)
