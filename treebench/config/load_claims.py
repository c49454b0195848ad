"""The claims that come with treebench, or one of a person's own: read and checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from treebench.errors import ConfigError
from treebench.shipped import shipped_folder
from treebench.written.refusals import refusals
from treebench.written.yaml_text import is_file, read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treebench.config.claims import Claim

FOLDER = "claims"
ALL = "all"


def shipped_claims() -> dict[str, Claim]:
    """Every claim that comes with treebench, by its id, in the order of their numbers.

    Raises:
        ConfigError: a file is damaged; all problems are listed.
    """
    files = sorted((shipped_folder("configs") / FOLDER).glob("*.yaml"))
    claims = [read_claim(file) for file in files]
    return {claim.id: claim for claim in sorted(claims, key=_place)}


def chosen_claims(names: Iterable[str], claims: dict[str, Claim]) -> list[Claim]:
    """The claims of these names, each once, as :func:`claims_named` finds them.

    Raises:
        ConfigError: there is none of a name, or two that differ have one id.
    """
    found: dict[str, Claim] = {}
    for claim in (claim for name in names for claim in claims_named(name, claims)):
        if found.setdefault(claim.id, claim) != claim:
            raise ConfigError(
                f"two claims that differ have the id {claim.id}; give one of them another"
            )
    return list(found.values())


def claims_named(name: str, claims: dict[str, Claim]) -> list[Claim]:
    """The claims of a name: `all`, an id in any case, or the path of a claim's file.

    Raises:
        ConfigError: there is none of that name.
    """
    if name == ALL:
        return list(claims.values())
    by_name = {key.lower(): claim for key, claim in claims.items()}
    if name.lower() in by_name:
        return [by_name[name.lower()]]
    if is_file(Path(name)):
        return [read_claim(Path(name))]
    raise ConfigError(f"no claim {name}; give {ALL}, a YAML file, or one of: {', '.join(claims)}")


def read_claim(path: Path) -> Claim:
    """The claim in a file.

    Raises:
        ConfigError: with one line for each problem, naming the key.
    """
    from pydantic import ValidationError

    from treebench.config.claims import PATTERNS, Claim

    raw = read_yaml(path, ConfigError)
    if not isinstance(raw, dict):
        raise ConfigError(f"{path}: a claim is a mapping with id, sweep and checks; write these")
    try:
        return Claim.model_validate(raw)
    except ValidationError as error:
        lines = refusals(error, Claim, raw, PATTERNS)
        raise ConfigError(*(f"{path}: {line}" for line in lines)) from None


def owner_of(claim: Claim, claims: dict[str, Claim]) -> Claim:
    """The claim whose sweep this one uses: itself, or the one it names.

    Raises:
        ConfigError: the claim it names is not there, or has no sweep of its own.
    """
    if not isinstance(claim.sweep, str):
        return claim
    owner = claims.get(claim.sweep)
    if owner is None or isinstance(owner.sweep, str):
        raise ConfigError(
            f"claim {claim.id}: sweep is {claim.sweep!r}, which is no claim with a sweep of its own"
        )
    return owner


def _place(claim: Claim) -> tuple[str, int]:
    letters = claim.id.rstrip("0123456789")
    return letters, int(claim.id[len(letters) :] or 0)
