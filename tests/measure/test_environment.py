"""What must match."""

import pytest

from treebench.measure import environment


def test_the_fingerprint_is_steady_and_ignores_a_boots_few_megabytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = environment.machine()["fingerprint"]
    assert environment.machine()["fingerprint"] == first
    total = environment.machine()["memory_bytes"]
    monkeypatch.setattr(environment, "_memory_total", lambda: total + 2**20)
    assert environment.machine()["fingerprint"] == first
    monkeypatch.setattr(environment, "_cpu_model", lambda: "another")
    assert environment.machine()["fingerprint"] != first


def test_versions_of_what_is_not_installed_are_unknown() -> None:
    found = environment.versions(("numpy", "no-such-distribution"))
    assert found["no-such-distribution"] is None
    assert found["numpy"] is not None


def test_allocator_settings_are_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_ARENA_MAX", "2")
    assert environment.allocator()["MALLOC_ARENA_MAX"] == "2"
