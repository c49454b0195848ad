"""A deadline that comes while iterations are scored, with a worker that has no library in it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.runner.fakes import cell
from treebench.runner.local import LocalExecutor

if TYPE_CHECKING:
    from treebench.store.row import SampleRow

SCORES_FOR_EVER = """
import json, os, sys, time
receive, send = os.fdopen(int(sys.argv[1]), "rb"), os.fdopen(int(sys.argv[2]), "wb")

def say(**message):
    send.write(json.dumps(message).encode() + b"\\n")
    send.flush()

say(say="hello", protocol=1)
receive.readline()
say(say="begin", phase="fit")
receive.readline()
say(say="end", phase="fit", wall_ns=7, cpu_ns=5)
receive.readline()
known = {"data_bytes": 4, "score": {"auc": 0.5}, "curve": {"missing": {}}}
say(say="known", **known, differing_params=DIFFERING)
say(say="begin", phase=PHASE)
receive.readline()
time.sleep(60)
"""


def measure(phase: str, differing: dict[str, list[int]]) -> SampleRow:
    code = SCORES_FOR_EVER.replace("PHASE", repr(phase)).replace("DIFFERING", repr(differing))
    command = (sys.executable, "-S", "-c", code)
    return LocalExecutor("run", {}, 2.0, {"fingerprint": "f"}, "code", command).measure(cell(1), 0)


def test_it_costs_the_scores_by_iteration_and_nothing_else() -> None:
    row = measure("curve", {})
    assert (row.status, row.error) == ("ok", None)
    assert row.score == {"auc": 0.5}
    assert row.data_bytes == 4
    assert row.curve == {"missing": {}}
    assert row.phases["fit"].wall_ns == 7
    assert row.phases["curve"].missing["wall_ns"] == "the phase did not end"


@pytest.mark.parametrize(
    ("phase", "differing", "status"),
    [("curve", {"max_bin": [255, 63]}, "error"), ("predict", {}, "timeout")],
)
def test_what_was_not_trained_as_asked_or_not_to_the_end_is_no_result(
    phase: str, differing: dict[str, list[int]], status: str
) -> None:
    assert measure(phase, differing).status == status
