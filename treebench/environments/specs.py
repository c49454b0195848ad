"""What a person may ask an environment by: requirements, a file of them, or an interpreter."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from treebench.environments.environment import EnvironmentBuildError, normal_name

_OPERATOR = r"(?:===|==|~=|!=|<=|>=|<|>)"
_ONE = re.compile(
    rf"^(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[\w,.-]*\])?(?P<bounds>(?:,?{_OPERATOR}[\w.*+!-]+)*)$"
)
_AT_ADDRESS = re.compile(r"^(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[\w,.-]*\])?\s*@\s*\S")
_WHEEL_NAME = re.compile(r"^(?P<name>[A-Za-z0-9._]+)-(?P<version>[^-]+)-.*\.whl$")
_PINNED = re.compile(r"^={2,3}(?P<version>[^*,]+)$")


@dataclass(frozen=True)
class Requirement:
    """One thing to install. `text` is what pip is given; `version` is known where it is exact."""

    text: str
    name: str
    version: str | None = None


@dataclass(frozen=True)
class Asked:
    """A spec that was read: an interpreter, or what to install. `identity` is that of the
    contents of the files that it names. `inexact`: its file has a line that is neither an exact
    version nor a remark."""

    spec: str
    python: Path | None = None
    requirements: tuple[Requirement, ...] = ()
    file: Path | None = None
    identity: str = ""
    inexact: bool = False

    @property
    def pinned(self) -> bool:
        """Whether it names exact versions, so that it means the same tomorrow."""
        return not self.inexact and all(each.version for each in self.requirements)

    @property
    def names(self) -> frozenset[str]:
        """The distributions that it says anything about."""
        return frozenset(each.name for each in self.requirements)


def read_spec(spec: str) -> Asked:
    """A spec as a person writes it.

    Raises:
        EnvironmentBuildError: it is none of the three, or names a file that is not there.
    """
    text = spec.strip()
    path = Path(text).expanduser()
    interpreter = _interpreter(path)
    if interpreter is not None:
        return Asked(text, python=interpreter)
    if text.endswith(".txt") or (path.is_file() and path.suffix != ".whl"):
        return _of_file(text, path)
    requirements = tuple(_requirement(word) for word in _words(text))
    if not requirements:
        raise EnvironmentBuildError(
            'an environment has nothing in it; write NAME="lightgbm==4.5.0"'
        )
    _refuse_twice(requirements)
    return Asked(text, requirements=requirements, identity=_identity(requirements))


def _interpreter(path: Path) -> Path | None:
    """The interpreter that a path is, or that lies in an environment's folder. Links are left as
    they are, since an environment's interpreter is a link to another's."""
    for candidate in (path, path / "bin" / "python"):
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate.absolute()
    return None


def _of_file(spec: str, path: Path) -> Asked:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise EnvironmentBuildError(
            f"{spec} cannot be read ({error.strerror}); name a requirements file that is there"
        ) from None
    lines = content.decode(errors="replace").splitlines()
    named = [found for line in lines if (found := _of_line(line)) is not None]
    said = [line for line in lines if line.partition("#")[0].strip()]
    return Asked(
        spec,
        requirements=tuple(named),
        file=path.absolute(),
        identity=hashlib.sha256(content).hexdigest(),
        inexact=len(named) < len(said),
    )


def _of_line(line: str) -> Requirement | None:
    """What a line of a requirements file names: by bounds, or by an address (PEP 508); None for
    options, remarks and files."""
    at_address = _AT_ADDRESS.match(line.strip())
    if at_address is not None:
        return Requirement(line.strip(), normal_name(at_address["name"]))
    found = _ONE.match("".join(line.partition("#")[0].partition(";")[0].split()))
    return None if found is None else _of_match(found)


def _words(text: str) -> list[str]:
    """The requirements in a text; a comma before an operator joins two bounds of one."""
    tight = re.sub(rf"\s*(,?)\s*({_OPERATOR})\s*", r"\1\2", text)
    return [word for word in re.split(rf"\s+|,(?!{_OPERATOR})", tight) if word]


def _requirement(word: str) -> Requirement:
    if word.endswith(".whl") or "/" in word:
        return _wheel(word)
    found = _ONE.match(word)
    if found is None:
        raise EnvironmentBuildError(
            f"{word!r} is no requirement; write lightgbm==4.5.0, a requirements file, or the path "
            f"of an interpreter"
        )
    return _of_match(found)


def _of_match(found: re.Match[str]) -> Requirement:
    exact = _PINNED.match(found["bounds"])
    return Requirement(
        found.string, normal_name(found["name"]), None if exact is None else exact["version"]
    )


def _wheel(word: str) -> Requirement:
    path = Path(word).expanduser()
    named = _WHEEL_NAME.match(path.name)
    if named is None or not path.is_file():
        raise EnvironmentBuildError(
            f"{word} is neither an interpreter nor a file that pip installs; name one that is there"
        )
    return Requirement(str(path.absolute()), normal_name(named["name"]), named["version"])


def _refuse_twice(requirements: tuple[Requirement, ...]) -> None:
    seen: dict[str, str] = {}
    for each in requirements:
        if each.name in seen:
            raise EnvironmentBuildError(
                f"{each.name} is asked for twice in one environment ({seen[each.name]} and "
                f"{each.text}); leave one"
            )
        seen[each.name] = each.text


def _identity(requirements: tuple[Requirement, ...]) -> str:
    digest = hashlib.sha256()
    for each in sorted(requirements, key=lambda one: one.name):
        path = Path(each.text)
        is_file = path.is_absolute() and path.is_file()
        digest.update(path.read_bytes() if is_file else each.text.encode())
        digest.update(b"\0")
    return digest.hexdigest()
