from __future__ import annotations

import bz2
import gzip
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from tests.data.fetching.cards import zipped
from treebench.data.making.packed import PackedFile
from treebench.errors import DataError

TEXT = b"line one\nline two\n" * 1000


def read(path: Path, content: bytes, member: str | None = None, most: int = 1 << 20) -> bytes:
    path.write_bytes(content)
    with PackedFile(path, member, most).open() as stream:
        return stream.read()


@pytest.mark.parametrize(
    "content",
    [
        TEXT,
        gzip.compress(TEXT),
        bz2.compress(TEXT),
        zipped(t_txt=TEXT),
        zipped(t_txt=gzip.compress(TEXT)),
        gzip.compress(TEXT[:9000]) + gzip.compress(TEXT[9000:]),
        bz2.compress(TEXT[:9000]) + bz2.compress(TEXT[9000:]),
    ],
    ids=["plain", "gzip", "bzip2", "zip", "gzip in zip", "gzips", "bzip2s"],
)
def test_bytes_come_out_as_they_went_in_whatever_the_name(tmp_path: Path, content: bytes) -> None:
    assert read(tmp_path / "any.name", content, "t.txt") == TEXT


@pytest.mark.parametrize("name", ["../../etc/evil", "/abs/evil", "a\\..\\evil"])
def test_a_members_name_never_becomes_a_path(tmp_path: Path, name: str) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    path = inner / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, TEXT)
    with PackedFile(path, "evil", 1 << 20).open() as stream:
        assert stream.read() == TEXT
    assert [each.name for each in tmp_path.rglob("*")] == ["inner", "x.zip"]


@pytest.mark.parametrize(
    "pack", [gzip.compress, bz2.compress, lambda content: zipped(t_txt=content)]
)
def test_a_bomb_ends_at_the_bytes_allowed_in_little_memory(tmp_path: Path, pack: object) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(pack(bytes(64 << 20)))  # type: ignore[operator]
    assert path.stat().st_size < 1 << 20
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match="unpacks to more than the 1,048,576 bytes"):
            read_through(PackedFile(path, None, 1 << 20))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def read_through(file: PackedFile) -> None:
    with file.open() as stream:
        while stream.read(1 << 16):
            pass


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_a_file_that_is_cut_off_is_told(tmp_path: Path, pack: object) -> None:
    content = pack(TEXT)[:-9]  # type: ignore[operator]
    with pytest.raises(DataError, match=r"cannot be read to its end .*fetch or copy it again"):
        read(tmp_path / "cut", content)


def test_a_member_with_a_wrong_sum_is_told(tmp_path: Path) -> None:
    content = bytearray(zipped(t_txt=TEXT))
    content[60] ^= 0xFF
    with pytest.raises(DataError, match="cannot be read to its end"):
        read(tmp_path / "bad.zip", bytes(content), "t.txt")


def test_members_are_found_by_their_last_name_and_named_when_not(tmp_path: Path) -> None:
    content = zipped(a__t_txt=TEXT, b__u_txt=b"other")
    assert read(tmp_path / "x.zip", content, "t.txt") == TEXT
    with pytest.raises(DataError, match=r"no member 'v.txt'; it has a/t.txt, b/u.txt"):
        read(tmp_path / "x.zip", content, "v.txt")


def test_a_first_line_without_an_end_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"a" * 5000)
    with pytest.raises(DataError, match="its first line has no end"):
        PackedFile(path, None, 1 << 20).first_line(most_bytes=1000)
    assert PackedFile(path, None, 1 << 20).first_line(most_bytes=6000) == b"a" * 5000
