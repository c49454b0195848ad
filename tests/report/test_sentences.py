from __future__ import annotations

import pytest

from treebench.report.sentences import said_of


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("xgboost cannot have subsample=2", "xgboost cannot have subsample=2"),
        (
            "max_bin has no meaning for xgboost: exact sorts",
            "max_bin has no meaning for xgboost: exact sorts",
        ),
        ("it is written twice in the config", "xgboost: it is written twice in the config"),
        ("method: exact, as of xgboost", "xgboost: method: exact, as of xgboost"),
    ],
)
def test_a_reason_names_its_trainer_once(reason: str, said: str) -> None:
    assert said_of("xgboost", reason) == said
