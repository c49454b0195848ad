"""XGBoost's containers that are built a part of the rows at a time, so that the matrix as floats is
never whole in memory: a QuantileDMatrix keeps its bins there, an ExtMemQuantileDMatrix on disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.trainers.scratch import scratch_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from tempfile import TemporaryDirectory

    from treebench.data.matrix import Part

FROM_ITERATOR = "QuantileDMatrix from DataIter"
EXTERNAL = "ExtMemQuantileDMatrix"
STREAMED = (FROM_ITERATOR, EXTERNAL)


@dataclass
class StreamedMatrix:
    """A container, which class it is, and the folder of its cache where it has one."""

    matrix: Any
    kind: str
    cache: TemporaryDirectory[str] | None = None

    def close(self) -> None:
        """Let go of the matrix, and then of its cache: XGBoost warns if that is gone first."""
        self.matrix = None
        if self.cache is not None:
            self.cache.cleanup()


def quantile_from(
    parts: Callable[[], Iterator[Part]], meta: dict[str, Any], arguments: dict[str, Any]
) -> StreamedMatrix:
    """A QuantileDMatrix, all its bins in memory.

    Args:
        parts: gives all rows from the first on, each time it is called; XGBoost goes through them
            several times.
        meta: what goes with every part (`feature_types`, say).
        arguments: of the container itself.
    """
    import xgboost as xgb

    matrix = xgb.QuantileDMatrix(_feed(parts, meta), **arguments)
    return StreamedMatrix(matrix, f"{type(matrix).__name__} from DataIter")


def external_from(
    parts: Callable[[], Iterator[Part]], meta: dict[str, Any], arguments: dict[str, Any]
) -> StreamedMatrix:
    """An ExtMemQuantileDMatrix, its bins in files of a folder on disk, a page for each part.

    Arguments as of `quantile_from`.
    """
    import xgboost as xgb

    cache = scratch_folder("xgboost")
    try:
        feed = _feed(parts, meta, cache_prefix=f"{cache.name}/bins")
        matrix = xgb.ExtMemQuantileDMatrix(feed, **arguments)
    except BaseException:
        cache.cleanup()
        raise
    return StreamedMatrix(matrix, type(matrix).__name__, cache)


def _feed(
    parts: Callable[[], Iterator[Part]], meta: dict[str, Any], cache_prefix: str | None = None
) -> Any:
    """XGBoost's DataIter over the parts; what they raise comes out of its container."""
    import xgboost as xgb

    class Feed(xgb.DataIter):  # type: ignore[misc]
        def __init__(self) -> None:
            self._parts = parts()
            super().__init__(cache_prefix=cache_prefix)

        def reset(self) -> None:
            self._parts = parts()

        def next(self, input_data: Callable[..., None]) -> bool:
            part = next(self._parts, None)
            if part is None:
                return False
            # It takes no csc; a QuantileDMatrix of a whole csc matrix copies it to csr as well.
            matrix: Any = part.X
            X = matrix.tocsr() if part.layout == "csc" else matrix
            input_data(data=X, label=part.y, **meta)
            return True

    return Feed()
