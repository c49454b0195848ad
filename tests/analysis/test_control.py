from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.analysis.rows import CONTROL, MS, failed, phase, row
from treebench.analysis.control import summarise_control

if TYPE_CHECKING:
    from treebench.store.row import SampleRow


def control(block: int, wall_ns: int) -> SampleRow:
    return row(CONTROL, block, phases={"fit": phase(wall_ns)})


def test_a_machine_that_slows_down_shows_its_drift() -> None:
    # GIVEN 100 ms that grow by 1 ms a block, in any order of rows
    found = summarise_control([control(block, (100 + block) * MS) for block in (4, 0, 2, 1, 3)])
    assert found is not None
    assert found.fit_wall_ns.values == tuple((100 + block) * MS for block in range(5))
    assert found.drift_percent == pytest.approx(100 * 4 / 102)
    assert found.low_percent == pytest.approx(-100 * 2 / 102)
    assert found.high_percent == pytest.approx(100 * 2 / 102)
    assert not found.unsteady


def test_a_spread_above_five_percent_is_unsteady() -> None:
    steady = summarise_control([control(0, 100 * MS), control(1, 105 * MS), control(2, 102 * MS)])
    shaky = summarise_control([control(0, 100 * MS), control(1, 106 * MS), control(2, 102 * MS)])
    assert steady is not None
    assert shaky is not None
    assert (steady.unsteady, shaky.unsteady) == (False, True)


def test_one_sample_has_no_drift() -> None:
    found = summarise_control([control(0, 100 * MS)])
    assert found is not None
    assert (found.drift_percent, found.unsteady) == (None, False)


def test_failed_or_absent_control_samples_say_nothing() -> None:
    assert summarise_control([]) is None
    assert summarise_control([failed(CONTROL, 0, "timeout", "no answer")]) is None
    assert summarise_control([row(CONTROL, 0, phases={"fit": phase(None)})]) is None
