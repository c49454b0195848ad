"""Which hosts of a cluster may take samples of a run, and why the others may not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KEPT = ("machine", "versions", "allocator", "thread_settings", "code")
"""What `run.json` keeps of a host."""


@dataclass
class Vetting:
    """Holds each host to the run: to the client's code and versions, to the counters of the first
    host, to the cores that the plan needs, and to itself when the run began.

    `counters` is None until a host was admitted; `admitted` are the facts of hosts by name, those
    of an earlier part of the run among them.
    """

    code: str
    versions: Mapping[str, str | None]
    cores_needed: int = 1
    counters: dict[str, Any] | None = None
    admitted: dict[str, dict[str, Any]] = field(default_factory=dict)

    def refusal(self, host: str, facts: Mapping[str, Any]) -> str | None:
        """Why `host` cannot be used, with the remedy; else None, and it is admitted."""
        reasons = [*self._software(facts), *self._cores(facts), *self._since(host, facts)]
        if reasons:
            return "; ".join(reasons)
        if self.counters is None:
            self.counters = dict(facts["counters"])
        self.admitted[host] = {name: facts[name] for name in KEPT}
        return None

    def _software(self, facts: Mapping[str, Any]) -> Iterator[str]:
        if facts["code"] != self.code:
            yield (
                f"its treebench is {facts['code']}, the client's {self.code}; "
                f"install the same code there"
            )
        for name, version in self.versions.items():
            its = facts["versions"].get(name)
            if its != version and not (name == "treebench" and facts["code"] != self.code):
                yield (
                    f"its {name} is {its or 'absent'}, the client's {version or 'absent'}; "
                    f"install the same one there"
                )
        tier = facts["counters"]["tier"]
        if self.counters is not None and tier != self.counters["tier"]:
            yield (
                f"its counters are {tier or 'none'}, the run's {self.counters['tier'] or 'none'}; "
                f"name a tier that all hosts have in `counters`"
            )

    def _cores(self, facts: Mapping[str, Any]) -> Iterator[str]:
        usable = facts["machine"]["cores_usable"]
        if usable < self.cores_needed:
            yield (
                f"it may use {usable} core(s), a cell of this run takes {self.cores_needed}; "
                f"lower threads, or set oversubscribe: true"
            )

    def _since(self, host: str, facts: Mapping[str, Any]) -> Iterator[str]:
        """What changed since an earlier part of the run; its samples there could not stand beside
        new ones."""
        before = self.admitted.get(host)
        if before is None:
            return
        remedy = "start its worker under another --host-name, or the run anew with --fresh"
        if before["machine"]["fingerprint"] != facts["machine"]["fingerprint"]:
            yield f"a host of that name was another machine earlier in this run; {remedy}"
        for name, words in (
            ("allocator", "its allocator's settings"),
            ("thread_settings", "its environment's thread settings"),
        ):
            if before[name] != facts[name]:
                yield f"{words} changed since an earlier part of this run; {remedy}"
