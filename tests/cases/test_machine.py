from __future__ import annotations

import json
import subprocess
import sys

import pytest

from treebench.runner.worker_environment import THREAD_VARIABLES, worker_environment

SEEN = """
import json, numpy, scipy.linalg, sklearn.ensemble, xgboost, lightgbm
from treebench.worker.phases import threads_seen
print(json.dumps(threads_seen()))
"""


def test_case_36_every_pool_of_a_worker_has_its_threads_before_anything_is_imported() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SEEN],
        env=worker_environment(1),
        capture_output=True,
        text=True,
        check=True,
    )
    seen = json.loads(done.stdout)
    assert len(seen) >= 2, "a BLAS and an OpenMP"
    assert set(seen.values()) == {1}


def test_case_36_a_persons_own_settings_do_not_reach_a_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in THREAD_VARIABLES:
        monkeypatch.setenv(name, "64")
    environment = worker_environment(2)
    assert {environment[name] for name in THREAD_VARIABLES} == {"2"}
