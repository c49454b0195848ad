"""What holds for every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes the data sets of whoever runs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TREEBENCH_CACHE", str(tmp_path_factory.mktemp("made-sets")))
        yield
