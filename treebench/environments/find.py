"""From what a person asks for to an environment: found where it was built, or built now."""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING

from treebench.environments import cached, pip
from treebench.environments.environment import (
    Environment,
    EnvironmentBuildError,
    normal_name,
)
from treebench.environments.interpreter import import_failure, versions_in
from treebench.environments.oldest import OLDEST, too_old
from treebench.environments.specs import Asked, read_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

WORKER_DISTRIBUTIONS = ("numpy", "scipy", "pyarrow", "threadpoolctl", "scikit-learn")
"""What the worker itself reads data and counts threads with; LightGBM and XGBoost want
scikit-learn in some releases, so all have it."""

HERE = "here"
"""The spec of the environment that treebench itself runs in."""

_BUILD_VERSION = 1
"""Of how environments are built; a change of it builds all anew."""

_NUMPY_1 = ("numpy<2", "pyarrow<22")
"""Beside libraries from before numpy 2."""


def environment_of(
    name: str,
    spec: str,
    cache: Path,
    beside: Sequence[str] = (),
    *,
    tell: Callable[[str], None] = lambda line: None,
    worker: Sequence[str] = WORKER_DISTRIBUTIONS,
) -> Environment:
    """The environment of a spec: an interpreter as it is, or one that is built once and kept.

    Whatever the spec does not name is installed in the versions of this environment, so that two
    sides differ in what is named alone; where those do not go together with it, pip chooses.

    Args:
        name: what it is called.
        spec: requirements, a requirements file, or an interpreter's path.
        cache: folder that holds `environments/`.
        beside: more distributions to have there: the learners of the sweep.
        tell: called with a line for people where they will have to wait.
        worker: what the worker itself needs.

    Raises:
        EnvironmentBuildError: it cannot be built or used; nothing of it is left.
    """
    asked = read_spec(spec)
    wanted = tuple(dict.fromkeys([*worker, *beside]))
    try:
        if asked.python is not None:
            return _of_interpreter(name, asked, asked.python, wanted)
        _refuse_old_pins(asked)
        return _built(name, asked, _Recipe(asked, wanted), cache / "environments", tell)
    except EnvironmentBuildError as error:
        raise EnvironmentBuildError(
            *(f"environment {name}: {each}" for each in error.problems)
        ) from None


@dataclass(frozen=True)
class _Recipe:
    """What is installed: the spec, and beside it what every environment has."""

    asked: Asked
    wanted: tuple[str, ...]

    @property
    def here(self) -> dict[str, str]:
        """The versions in this environment of what the spec does not name."""
        found = {}
        for name in (each for each in self.wanted if normal_name(each) not in self.asked.names):
            try:
                found[name] = metadata.version(name)
            except metadata.PackageNotFoundError:
                continue
        return found

    @property
    def arguments(self) -> list[str]:
        """What pip is asked for."""
        own = [str(self.asked.file)] if self.asked.file else []
        named = [] if own else [each.text for each in self.asked.requirements]
        # Not installed here either: then the sweep's cells of it fail on both sides, and say so.
        more = [each for each in self.here if normal_name(each) not in self.asked.names]
        return [*(["--requirement", *own] if own else []), *named, *more]

    @property
    def constraints(self) -> list[tuple[str, ...]]:
        """Those to try, in order: all as here; learners as here, with numpy 1."""
        here = {name: f"{name}=={version}" for name, version in self.here.items()}
        learners = [text for name, text in here.items() if name not in WORKER_DISTRIBUTIONS]
        older = [each for each in _NUMPY_1 if each.partition("<")[0] in here]
        return [tuple(here.values()), (*learners, *older)]

    def key(self, versions: dict[str, str]) -> str:
        """A hash of all that decides what would be built; `versions` are the resolved ones."""
        facts = {
            "build": _BUILD_VERSION,
            "python": [sys.implementation.name, platform.python_version(), platform.machine()],
            "base": sys.base_prefix,
            "asked": self.asked.identity,
            "versions": versions,
            "here": self.here,
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:12]


def _of_interpreter(name: str, asked: Asked, python: Path, wanted: Sequence[str]) -> Environment:
    versions = versions_in(python)
    _refuse_old(versions)
    needed = [
        each for each in wanted if each in WORKER_DISTRIBUTIONS or normal_name(each) in versions
    ]
    absent = [each for each in needed if normal_name(each) not in versions]
    if absent:
        listed = " ".join(absent)
        raise EnvironmentBuildError(
            f"{python} lacks {', '.join(absent)}, which the worker needs; install it there: "
            f"{python} -m pip install {listed}"
        )
    problem = _import_problem(python, needed, versions)
    if problem is not None:
        raise problem
    return Environment(name, python, asked.spec, versions)


def _built(
    name: str, asked: Asked, recipe: _Recipe, folder: Path, tell: Callable[[str], None]
) -> Environment:
    versions: dict[str, str] = {}
    if not asked.pinned:
        versions = _resolved(recipe, folder)
    target = folder / recipe.key(versions)
    with cached.held(target, tell):
        found = _kept(name, asked, target)
        if found is not None:
            return found
        tell(f"building environment {name}: {asked.spec}")
        with cached.draft_of(target) as draft:
            _fill(draft, recipe)
            cached.put_in_place(draft, target, {"spec": asked.spec, "versions": versions})
    return Environment(name, _python_of(target), asked.spec, versions_in(_python_of(target)))


def _kept(name: str, asked: Asked, target: Path) -> Environment | None:
    """The environment that was built there; None where there is none, or where the Python that it
    was made from has gone, so that it is to be built anew."""
    if not cached.is_whole(target):
        return None
    try:
        return Environment(name, _python_of(target), asked.spec, versions_in(_python_of(target)))
    except EnvironmentBuildError:
        return None


def _python_of(folder: Path) -> Path:
    return folder / "bin" / "python"


def _resolved(recipe: _Recipe, folder: Path) -> dict[str, str]:
    """What an open spec means today."""
    with (
        cached.held(folder / "resolving", lambda line: None),
        cached.draft_of(folder / "resolving") as draft,
    ):
        python = pip.make_venv(draft)
        try:
            return pip.resolved(python, recipe.arguments, draft / "report.json")
        except pip.NotInstalledError as refusal:
            raise _told(refusal, recipe) from None


def _fill(draft: Path, recipe: _Recipe) -> None:
    """Install what is wanted, by the first constraints that let it be installed and imported."""
    problem: EnvironmentBuildError | None = None
    for constraints in recipe.constraints:
        problem = _problem_under(constraints, draft, recipe)
        if problem is None:
            return
    if problem is not None:
        raise problem


def _problem_under(
    constraints: Sequence[str], draft: Path, recipe: _Recipe
) -> EnvironmentBuildError | None:
    """Why some constraints do not lead to an environment, where others might; None if they do.

    Raises:
        EnvironmentBuildError: no constraints will.
    """
    python = pip.make_venv(draft)
    try:
        pip.install(python, recipe.arguments, constraints, draft / "constraints.txt")
    except pip.NotInstalledError as refusal:
        if refusal.conflict:
            return _told(refusal, recipe)
        raise _told(refusal, recipe) from None
    versions = versions_in(python)
    _refuse_old(versions)
    return _import_problem(python, recipe.wanted, versions)


def _told(refusal: pip.NotInstalledError, recipe: _Recipe) -> EnvironmentBuildError:
    if refusal.offline:
        return EnvironmentBuildError(
            f"{recipe.asked.spec} cannot be installed: pip does not reach its package index "
            f"({refusal.reason}); go online, or name an interpreter that has it"
        )
    return EnvironmentBuildError(
        f"{recipe.asked.spec} cannot be installed: {refusal.reason}; ask for versions that there "
        f"are for Python {platform.python_version()}, or name an interpreter"
    )


def _refuse_old_pins(asked: Asked) -> None:
    """Before anything is built, where the spec alone says it."""
    _refuse_old({each.name: each.version for each in asked.requirements if each.version})


def _refuse_old(versions: dict[str, str | None]) -> None:
    found = too_old(versions)
    if found is not None:
        raise EnvironmentBuildError(found)


def _import_problem(
    python: Path, distributions: Sequence[str], versions: dict[str, str | None]
) -> EnvironmentBuildError | None:
    installed = [each for each in distributions if normal_name(each) in versions]
    failure = import_failure(python, installed)
    if failure is None:
        return None
    name, reason = failure
    oldest = OLDEST.get(name)
    known = f"; the oldest that works is {oldest}" if oldest else ""
    return EnvironmentBuildError(
        f"{name} {versions[normal_name(name)]} cannot be imported ({reason}){known}"
    )
