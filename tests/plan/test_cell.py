"""What identifies a cell."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

from treebench.plan.cell import CellSpec

SPEC = CellSpec("flights", "ab" * 32, 1000, 9, "csr", "xgboost", {"max_bin": 63, "seed": 0}, {}, 2)


def test_the_id_is_the_same_in_every_process_and_release() -> None:
    assert SPEC.id == "49d0bb456a4e"
    code = "from tests.plan.test_cell import SPEC; print(SPEC.id)"
    other = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "77", "PATH": ""},
    )
    assert other.stdout.strip() == SPEC.id


def test_a_limit_that_is_not_there_leaves_ids_as_they_were() -> None:
    assert "memory_limit_bytes" not in SPEC.to_json()
    limited = dataclasses.replace(SPEC, memory_limit_bytes=2**30)
    assert limited.to_json()["memory_limit_bytes"] == 2**30
    assert limited.id != SPEC.id


def test_the_order_of_parameters_does_not_matter_and_every_field_does() -> None:
    turned = dataclasses.replace(SPEC, params=dict(reversed(SPEC.params.items())))
    assert turned.id == SPEC.id
    changes = [
        {"dataset": "x"},
        {"data_sha256": "0"},
        {"rows": 1},
        {"features": 8},
        {"layout": "csc"},
        {"trainer": "lightgbm"},
        {"params": {}},
        {"extra": {"a": 1}},
        {"threads": 1},
        {"memory_limit_bytes": 2**30},
    ]
    ids = {dataclasses.replace(SPEC, **change).id for change in changes}  # type: ignore[arg-type]
    assert len(ids) == len(changes)
    assert SPEC.id not in ids
