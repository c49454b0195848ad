"""Frames as text."""

from __future__ import annotations

import pytest

from treebench.measure.stacks import INTERPRETER, UNKNOWN, WORKER, folded, frame, library_name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/x/scikit_learn.libs/libgomp-e985bcbb.so.1.0.0", "libgomp.so"),
        ("/x/libxgboost.so", "libxgboost.so"),
        ("/x/_splitter.cpython-311-x86_64-linux-gnu.so", "_splitter.so"),
        ("/usr/bin/python3.11", "python3.11"),
        ("libc.so.6", "libc.so"),
    ],
)
def test_a_library_goes_by_its_plain_name(path: str, name: str) -> None:
    assert library_name(path) == name


def test_a_frame_never_holds_what_divides_frames() -> None:
    assert frame("f<a;b>\n", "l.so") == "f<a,b> [l.so]"


def test_what_has_no_name_goes_by_its_library() -> None:
    assert frame(None, "l.so") == "[l.so]"
    assert frame(None, "") == UNKNOWN


@pytest.mark.parametrize("library", ["libpython3.11.so", "python3.11", "_ctypes.so", "libffi.so"])
def test_the_interpreters_frames_are_one(library: str) -> None:
    assert frame("anything", library) == INTERPRETER


def test_runs_are_folded_and_recursion_is_not() -> None:
    frames = [INTERPRETER, INTERPRETER, WORKER, WORKER, "[l.so]", "[l.so]", "f [l.so]", "f [l.so]"]
    assert folded(frames) == [INTERPRETER, WORKER, "[l.so]", "f [l.so]", "f [l.so]"]
