"""What can go wrong for a person, and the exit code it ends with.

An error is an instruction: what is wrong, where, and the remedy, in one line. `cli.main` alone
prints errors and returns codes; everything else raises.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of every verb."""

    OK = 0
    USAGE = 1
    CELLS_FAILED = 2
    REGRESSION = 3
    NOTHING_MEASURED = 4
    INTERRUPTED = 130


class TreebenchError(Exception):
    """A mistake or a state of the machine that a person can mend.

    Several mistakes found in one go are raised together: one line each in `problems`.
    """

    exit_code = ExitCode.USAGE

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class UsageError(TreebenchError):
    """A verb, option or argument that does not exist, or is missing."""


class ConfigError(TreebenchError):
    """A config that cannot be a sweep: an unknown key, a value out of bounds, a bad override."""


class DataError(TreebenchError):
    """A card, file or data set that cannot be read or trained on."""


class RunFolderError(TreebenchError):
    """A results folder that is missing, in use, damaged, or holds another sweep."""


class ClusterError(TreebenchError):
    """A cluster whose scheduler does not answer, or none of whose hosts can be used."""


class NothingMeasuredError(TreebenchError):
    """There is nothing to compute from: no sample ended well."""

    exit_code = ExitCode.NOTHING_MEASURED


class AlreadyToldError(TreebenchError):
    """A child process failed and has told the person why; there is nothing to add."""
