"""The exact distributions that a learner ran with, so that its environment can be built again.

What pip would freeze, for some distributions and all they rest on, without what else is installed.
"""

from __future__ import annotations

import json
import re
from importlib import metadata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*")
_NOT_TO_BUILD = ("treebench",)
"""A rebuilt environment is measured by today's treebench."""


def requirements_of(roots: Iterable[str]) -> tuple[str, ...]:
    """Lines of a requirements file for those of `roots` that are installed, and what these rest
    on: `name==version`, or where a distribution came from by PEP 610. One that was installed from
    a folder has its version, and a remark that no index may have it."""
    found: dict[str, str] = {}
    waiting = [_canonical(name) for name in roots]
    while waiting:
        name = waiting.pop()
        if name in found or name in _NOT_TO_BUILD:
            continue
        try:
            known = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        found[name] = _pinned(name, known)
        waiting += [_canonical(each) for each in known.requires or () if not _of_an_extra(each)]
    return tuple(found[name] for name in sorted(found))


def _of_an_extra(requirement: str) -> bool:
    """Whether only an extra asks for it: its marker says so, which is behind a semicolon."""
    return "extra" in requirement.partition(";")[2]


def _pinned(name: str, known: metadata.Distribution) -> str:
    pinned = f"{name}=={known.version}"
    origin = known.read_text("direct_url.json")
    if origin is None:
        return pinned
    stated = json.loads(origin)
    if "vcs_info" in stated:
        vcs = stated["vcs_info"]
        return f"{name} @ {vcs['vcs']}+{stated['url']}@{vcs['commit_id']}"
    if "archive_info" in stated:
        return f"{name} @ {stated['url']}"
    return f"{pinned}  # installed from a folder; an index may not have it"


def _canonical(requirement: str) -> str:
    """The name in a requirement, as PEP 503 spells it."""
    match = _NAME.match(requirement)
    return re.sub(r"[-_.]+", "-", match[0]).lower() if match else ""
