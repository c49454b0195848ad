"""A worker of Dask's that dies before the cluster is up."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("distributed")

from treebench.trainers.child_processes import WorkerLostError
from treebench.trainers.dask_cluster import DaskCluster
from treebench.trainers.dask_jobs import Jobs


@pytest.mark.parametrize(
    ("ending", "kind", "told"),
    [
        ("os.kill(os.getpid(), 9)", WorkerLostError, "was ended by SIGKILL"),
        ("os._exit(3)", ChildProcessError, "ended with exit code 3"),
    ],
)
def test_it_is_told_how_it_ended(
    ending: str, kind: type[Exception], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dask

    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(tmp_path))
    (tmp_path / "dies.py").write_text(f"import os\n{ending}\n")
    with (
        dask.config.set({"distributed.worker.preload": [str(tmp_path / "dies.py")]}),
        pytest.raises(kind, match=told),
    ):
        DaskCluster(Jobs(1, 1, 1))
