from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from tests.worker.test_phases import OpenStage, trial
from treebench.data.manifest import Layout
from treebench.worker.phases import run_trial


@pytest.mark.parametrize(
    ("layout", "index_type"), [("dense-c", None), ("csr", "int32"), ("csc", "int32")]
)
def test_case_17_the_type_of_indices_is_recorded(
    tmp_path: Path, layout: Layout, index_type: str | None
) -> None:
    one = trial("lightgbm", "binary", layout, tmp_path)
    assert run_trial(one, cast("Any", OpenStage()))["index_type"] == index_type
