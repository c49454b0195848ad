"""No sample is kept that other code may have taken than the run says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import treebench
from tests.runner.fakes import FakeExecutor, Rows, SilentProgress, cell, plan
from treebench.errors import RunFolderError
from treebench.runner import code_version as module
from treebench.runner.code_version import code_version
from treebench.runner.steady_code import SteadyCode
from treebench.runner.sweep import missing_samples, run_sweep
from treebench.store.row import SampleRow


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sources, which may be edited."""
    package = tmp_path / "treebench"
    shutil.copytree(Path(treebench.__file__).parent, package)
    monkeypatch.setattr(module, "__file__", str(package / "runner/code_version.py"))
    return package


class EditedAfter(Rows):
    """Keeps rows; after `n` of them somebody edits a file."""

    def __init__(self, n: int, file: Path) -> None:
        super().__init__()
        self.n, self.file = n, file

    def append(self, row: SampleRow) -> None:
        super().append(row)
        if len(self) == self.n:
            self.file.write_text(self.file.read_text() + "# edited\n")


def test_an_edit_ends_the_run_and_keeps_what_was_taken_before(sources: Path) -> None:
    sweep = plan(cell(1), cell(2), samples=2)
    rows = EditedAfter(3, sources / "worker/phases.py")
    before = code_version()
    missing = missing_samples(sweep, [], set(sweep.cells), False)
    with pytest.raises(RunFolderError, match="code changed during the run") as raised:
        run_sweep(missing, SteadyCode(FakeExecutor(), before), rows, SilentProgress())
    assert len(rows) == 3
    assert f"it was {before}, now {code_version()}" in str(raised.value)


def test_an_edit_of_what_takes_no_sample_is_none_of_it(sources: Path) -> None:
    sweep = plan(cell(1), samples=2)
    rows = EditedAfter(1, sources / "report/charts.py")
    missing = missing_samples(sweep, [], set(sweep.cells), False)
    run_sweep(missing, SteadyCode(FakeExecutor(), code_version()), rows, SilentProgress())
    assert len(rows) == len(missing)


def test_samples_of_another_kind_are_watched_too(sources: Path) -> None:
    fake = FakeExecutor()
    watched = SteadyCode(fake, "other code").of_kind("memory")
    with pytest.raises(RunFolderError):
        watched.measure(cell(1), 0)
    assert fake.kinds == ["memory"]
