"""How many processes a Dask cluster has, and what a trainer says of it in its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from treebench.trainers.extra import merged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treebench.trainers.parameters import Params

_OF_A_CLUSTER = {"workers": "n_jobs", "threads_per_worker": "threads", "threads": "threads"}


@dataclass(frozen=True)
class Jobs:
    """The processes of a cluster, and the threads that each computes on; `threads` are those of
    the whole cell, on which the calling process predicts."""

    workers: int
    threads_per_worker: int
    threads: int

    NAMES: ClassVar[tuple[str, ...]] = tuple(_OF_A_CLUSTER)

    @classmethod
    def of(cls, params: Params) -> Jobs:
        """What filled-in parameters say."""
        workers = params.n_jobs or params.threads
        return cls(workers, max(1, params.threads // workers), params.threads)

    @classmethod
    def from_native(cls, native: Mapping[str, Any]) -> Jobs:
        """What a trainer was given."""
        return cls(*(native[name] for name in cls.NAMES))

    def native(self) -> dict[str, int]:
        """As part of a trainer's native parameters."""
        return {name: getattr(self, name) for name in self.NAMES}


def beside_cluster(native: Mapping[str, Any]) -> dict[str, Any]:
    """The native parameters without those of the cluster: the library's own."""
    return {name: value for name, value in native.items() if name not in Jobs.NAMES}


def with_cluster(native: dict[str, Any], params: Params) -> dict[str, Any]:
    """The library's own parameters and those of the cluster.

    Raises:
        ConfigError: `extra` names one of the cluster's.
    """
    own = {name: value for name, value in params.extra.items() if name in _OF_A_CLUSTER}
    return {**native, **merged(Jobs.of(params).native(), own, _OF_A_CLUSTER)}
