"""The journal: whole rows, whatever happens."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import resource
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analysis.rows import spec
from treebench.errors import RunFolderError
from treebench.store.journal import Journal, latest, problems, read_rows, row_from_json
from treebench.store.row import ModelFigures, PhaseFigures, SampleError, SampleRow

if TYPE_CHECKING:
    from pathlib import Path

FULL = SampleRow(
    run="r",
    cell="c",
    block=1,
    kind="timed",
    status="ok",
    spec=spec().to_json(),
    must_match={"a": "b"},
    info={"load": 0.5, "governor": None},
    phases={"fit": PhaseFigures(wall_ns=5, peak_rss_bytes=None, missing={"peak_rss_bytes": "why"})},
    data_bytes=12,
    score={"auc": 0.5},
    model=ModelFigures(1, 2, 3, 4),
    effective_params={"x": [1]},
)
FAILED = dataclasses.replace(
    FULL,
    block=2,
    status="oom",
    score=None,
    model=None,
    error=SampleError(
        "OutOfMemory", "ü \u2028 line", phase="fit", signal="SIGKILL", stderr_tail="a\nb"
    ),
)


def write(path: Path, *rows: SampleRow) -> None:
    with Journal(path) as journal:
        for row in rows:
            journal.append(row)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "j"
    write(path, FULL, FAILED)
    write(path, dataclasses.replace(FULL, block=3))
    assert read_rows(path) == [FULL, FAILED, dataclasses.replace(FULL, block=3)]
    assert list(problems(path)) == []


def test_no_journal_is_no_rows(tmp_path: Path) -> None:
    assert read_rows(tmp_path / "none") == []


def test_a_journal_cut_at_any_byte_keeps_every_whole_row_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "j"
    write(path, FULL, FAILED)
    content = path.read_bytes()
    first = content.index(b"\n") + 1
    for cut in range(len(content)):
        path.write_bytes(content[:cut])
        whole = [FULL] if cut >= first else []
        assert read_rows(path) == whole
        assert bool(list(problems(path))) == (cut not in (0, first))
        write(path, FAILED)
        assert read_rows(path) == [*whole, FAILED]


def test_a_full_disk_loses_nothing_and_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "j"
    write(path, FULL)

    def full(_fd: int) -> None:
        raise OSError(28, "No space left on device")

    with Journal(path) as journal:
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(RunFolderError, match="No space left on device"):
            journal.append(FAILED)
        monkeypatch.undo()
        journal.append(FAILED)
    assert read_rows(path) == [FULL, FAILED]


def test_a_disk_that_becomes_read_only_is_told_and_a_later_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "j"
    write(path, FULL)

    def refused(*_: int) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    class HalfWritten:
        def __init__(self, file: Any) -> None:
            self.fileno, self.tell, self.close = file.fileno, file.tell, file.close
            self._file, self._written = file, False

        def write(self, rest: memoryview) -> int:
            if self._written:
                refused()
            self._written = True
            return int(self._file.write(rest[:50]))

    with Journal(path) as journal:
        monkeypatch.setattr(os, "ftruncate", refused)
        monkeypatch.setattr(journal, "_file", HalfWritten(journal._file))
        with pytest.raises(RunFolderError, match=r"Read-only file system\); make room"):
            journal.append(FAILED)
        monkeypatch.undo()
    assert read_rows(path) == [FULL]
    write(path, FAILED)
    assert read_rows(path) == [FULL, FAILED]


def test_a_write_that_stops_half_way_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "j"
    write(path, FULL)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Journal(path) as journal:
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 10, limits[1]))
        try:
            with pytest.raises(RunFolderError, match="cannot write"):
                journal.append(FAILED)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert read_rows(path) == [FULL]
        journal.append(FAILED)
    assert read_rows(path) == [FULL, FAILED]


def test_a_journal_that_was_removed_is_not_written_in_vain(tmp_path: Path) -> None:
    with Journal(tmp_path / "j") as journal:
        journal.append(FULL)
        (tmp_path / "j").unlink()
        with pytest.raises(RunFolderError, match="j was removed while its samples were being"):
            journal.append(FAILED)


def test_nan_is_refused_rather_than_written(tmp_path: Path) -> None:
    with Journal(tmp_path / "j") as journal, pytest.raises(ValueError, match="Out of range"):
        journal.append(dataclasses.replace(FULL, score={"auc": float("nan")}))
    assert read_rows(tmp_path / "j") == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a sample row"),
        ('{"schema": 1}', "is not a sample row"),
        (
            json.dumps({**FULL.to_json(), "spec": {"trainer": "x"}}),
            r"spec\.dataset: field required",
        ),
        ("[" * 100_000, "is not JSON"),
        ('{"schema": 99}', "has schema 99, this treebench reads up to 1; upgrade"),
    ],
)
def test_a_spoilt_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "j"
    write(path, FULL)
    with path.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(RunFolderError, match=message) as caught:
        read_rows(path)
    assert str(caught.value).startswith(f"{path}:2 ")
    assert len(list(problems(path))) == 1


def test_every_status_that_is_unknown_is_refused() -> None:
    raw = json.loads(json.dumps({**FULL.to_json(), "status": "fine"}))
    with pytest.raises(RunFolderError, match="status"):
        row_from_json(raw, "here")


def test_the_last_row_of_a_sample_counts() -> None:
    again = dataclasses.replace(FAILED, status="ok", error=None)
    assert latest([FULL, FAILED, again]) == [FULL, again]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(info=st.dictionaries(st.text(), json_values, max_size=4), message=st.text())
def test_any_words_survive(
    tmp_path_factory: pytest.TempPathFactory, info: dict[str, Any], message: str
) -> None:
    path = tmp_path_factory.mktemp("journal") / "j"
    row = dataclasses.replace(FULL, info=info, error=SampleError("K", message))
    write(path, row)
    assert read_rows(path) == [row]
