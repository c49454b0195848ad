"""`extra`: parameters passed to the library under its own names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def merged(
    native: dict[str, Any], extra: Mapping[str, Any], canonical: Mapping[str, str]
) -> dict[str, Any]:
    """`native` with `extra` on top.

    `canonical` maps each name that the library has for something to the key of a config that
    says it. A library takes the one or the other of two spellings in silence, so a second
    spelling is refused.

    Raises:
        ConfigError: `extra` holds such a name; all are listed.
    """
    problems = [
        f"extra.{name} is what {canonical[name]} says; state {canonical[name]} instead"
        for name in extra
        if name in canonical
    ]
    if problems:
        raise ConfigError(*problems)
    return {**native, **extra}


def unknown(library: str, names: Iterable[str]) -> ConfigError:
    """The error for names that the library does not know, one line each."""
    return ConfigError(
        *(
            f"extra.{name} is no parameter that {library} uses here; "
            f"look it up in {library}'s documentation, or leave it out"
            for name in names
        )
    )
