"""A data set that goes, or changes, during a sweep: rows that say so, and the sweep goes on."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.runner.fakes import Rows, SilentProgress
from treebench.config.model import SweepConfig
from treebench.data.making.make import make
from treebench.data.manifest import read_manifest
from treebench.plan.build import Plan, build_plan
from treebench.runner.local import LocalExecutor
from treebench.runner.sweep import missing_samples, run_sweep
from treebench.store.row import SampleRow

FAKE = (sys.executable, "-S", str(Path(__file__).with_name("fake_worker.py")))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TREEBENCH_CACHE", str(tmp_path))
    return make("tiny", [100])


def planned(folder: Path) -> Plan:
    config = SweepConfig.model_validate(
        {
            "name": "lost",
            "data": {"set": "tiny", "rows": [100]},
            "threads": 1,
            "samples": 2,
            "reference": {"trainer": "xgboost", "method": "hist", "n_estimators": 2},
        }
    )
    return build_plan(config, {"tiny": read_manifest(folder)})


def replaced(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["content_sha256"] = "0" * 64
    (folder / "manifest.json").write_text(json.dumps(manifest))


class LosesData(Rows):
    """Keeps rows; something happens to the data once there are two."""

    def __init__(self, folder: Path, loss: str) -> None:
        super().__init__()
        self.folder, self.loss = folder, loss

    def append(self, row: SampleRow) -> None:
        super().append(row)
        if len(self) == 2:
            shutil.rmtree(self.folder) if self.loss == "removed" else replaced(self.folder)


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        ("removed", "no data set in {folder}; make it with `treebench data make`"),
        ("replaced", "{folder} holds other data than when the run began; "),
    ],
)
def test_it_is_a_row_and_the_sweep_goes_on(folder: Path, loss: str, said: str) -> None:
    sweep = planned(folder)
    rows = LosesData(folder, loss)
    executor = LocalExecutor(
        "lost", {"tiny": folder}, 60.0, {"fingerprint": "f"}, "code", command=FAKE
    )
    sweep.control.native["steps"] = []
    for one in sweep.cells.values():
        one.native["steps"] = [["fit", "sleep", 0]]
    run_sweep(missing_samples(sweep, [], set(sweep.cells), False), executor, rows, SilentProgress())
    assert [row.status for row in rows] == ["ok", "ok", "ok", "error"]
    error = rows[-1].error
    assert error is not None
    assert error.kind == "DataError"
    assert error.message.startswith(said.format(folder=folder))
    assert rows[-1].must_match["machine"] == "f"
