"""The re-run of suspects: the last good environment built again, and both measured in turns."""

from __future__ import annotations

import hashlib
import platform
import sys
from typing import TYPE_CHECKING

from treebench.errors import NothingMeasuredError, RunFolderError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from treebench.analysis.comparing.runs import ComparedRuns
    from treebench.config.model import SweepConfig
    from treebench.environments.environment import Environment
    from treebench.history.night import Night
    from treebench.history.settling import NotRerun, Rerun

RERUNS, ENVIRONMENTS = "reruns", "environments"


def reruns_of(config: SweepConfig, folder: Path, night: Night) -> Rerun:
    """What measures suspects of `night` again; its samples go below `folder`."""

    def rerun(cells: Sequence[str], good: Night, rounds: int) -> ComparedRuns | NotRerun:
        from treebench.cli import interleaving
        from treebench.environments.environment import EnvironmentBuildError
        from treebench.history.settling import NotRerun

        if good.python != platform.python_version():
            return NotRerun(
                f"the night of {good.date} ran Python {good.python}, and this is "
                f"{platform.python_version()}; run the night once with that one to compare"
            )
        pinned = pinned_file(folder, good)
        try:
            before = environment_of_night(good, pinned)
            return interleaving.confirm(
                config, cells, before, None, folder / RERUNS / night.name / pinned.stem, rounds
            )
        except (EnvironmentBuildError, NothingMeasuredError) as error:
            return NotRerun("; ".join(error.problems))

    return rerun


def environment_of_night(good: Night, pinned: Path) -> Environment:
    """The environment of a night, by the file of its exact versions: found, or built now.

    Raises:
        EnvironmentBuildError: it cannot be built.
    """
    from treebench.environments.cached import cache_folder
    from treebench.environments.find import environment_of

    return environment_of(
        f"night-{good.date}",
        str(pinned),
        cache_folder(),
        tell=_tell,
    )


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def pinned_file(folder: Path, night: Night) -> Path:
    """A requirements file of a night's exact versions, named by what is in it."""
    from treebench.drafts import ROOM_OR_RIGHTS, write_whole

    content = "".join(f"{line}\n" for line in night.requirements).encode()
    path = folder / ENVIRONMENTS / f"{hashlib.sha256(content).hexdigest()[:12]}.txt"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content, RunFolderError, ROOM_OR_RIGHTS)
    return path
