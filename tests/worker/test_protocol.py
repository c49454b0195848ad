"""What goes over the pipe."""

import pytest

from treebench.worker.protocol import Trial, encode


def test_a_trial_survives_the_pipe_with_its_whole_number_keys() -> None:
    trial = Trial(
        trainer="xgboost",
        native={"eta": 0.1},
        problem={"task": "binary", "cardinalities": {3: 9}},
        train_path="/a ü",
        test_path="/b",
        features=4,
        onehot=True,
        cardinalities={3: 9},
    )
    assert Trial.from_line(trial.to_line()) == trial
    assert Trial.from_line(Trial("control").to_line()) == Trial("control")


def test_no_message_carries_nan() -> None:
    with pytest.raises(ValueError, match="Out of range"):
        encode({"score": float("nan")})
