from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.data.fetching.cards import (
    ROWS,
    higgs_like_zip,
    packed_svmlight,
    sha256,
    write_card,
    write_epsilon_like,
    write_higgs_like,
)
from tests.data.fetching.server import Served, Site, serving
from tests.data.making import columns_of
from treebench.data.fetching.fetch import fetch_set
from treebench.data.fetching.place import downloads, held, known_files
from treebench.data.manifest import read_manifest
from treebench.errors import DataError


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(hits_zip=Served(higgs_like_zip())) as opened:
        yield opened


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treebench.data.fetching.download.MOST_RETRY_WAIT_S", 0.0)


def fetch(name: str = "hits", **options: object) -> tuple[Path, list[str]]:
    said: list[str] = []
    folder = fetch_set(name, said.append, lambda transfer: None, **options)  # type: ignore[arg-type]
    return folder, said


def test_a_headless_csv_in_a_gzip_in_a_zip_becomes_a_made_set(site: Site) -> None:
    write_higgs_like([site.address("/hits.zip")])
    folder, said = fetch()

    manifest = read_manifest(folder)
    assert (manifest.train_rows, manifest.test_rows) == (ROWS - 10, 10)
    assert [feature.name for feature in manifest.features] == ["a", "b"]
    assert manifest.classes == ("0", "1")
    test = columns_of(folder / "test.parquet")
    assert test["a"].tolist() == list(range(ROWS - 10, ROWS))
    assert test["__target__"].tolist() == [i % 2 for i in range(ROWS - 10, ROWS)]
    assert any("no checksum" in line for line in said)


def test_what_came_is_noted_with_its_hash(site: Site) -> None:
    write_higgs_like([site.address("/hits.zip")])
    fetch()
    known = known_files("hits")["hits.zip"]
    assert known.sha256 == sha256(higgs_like_zip())
    assert (known.origin, known.address) == ("fetched", site.address("/hits.zip"))
    assert Path(known.path).parent == downloads() / "hits"


def test_what_is_there_is_not_fetched_twice(site: Site) -> None:
    write_higgs_like([site.address("/hits.zip")])
    fetch()
    _, said = fetch()
    assert len(site.asked) == 1
    assert any("is there" in line for line in said)


def test_again_downloads_what_is_not_right_any_more(site: Site) -> None:
    write_higgs_like([site.address("/hits.zip")])
    fetch()
    path = Path(known_files("hits")["hits.zip"].path)
    fetch(again=True)
    assert len(site.asked) == 1
    path.write_bytes(b"PK damaged")
    fetch(again=True)
    assert len(site.asked) == 2
    assert path.read_bytes() == higgs_like_zip()


def test_a_known_checksum_is_held_to(site: Site) -> None:
    write_higgs_like([site.address("/hits.zip")], checksum=sha256(higgs_like_zip()))
    _, said = fetch()
    assert not any("no checksum" in line for line in said)


def test_another_file_than_the_checksum_says_is_refused(site: Site) -> None:
    write_higgs_like([site.address("/hits.zip")], checksum="0" * 64)
    with pytest.raises(DataError, match="another file than the card's checksum tells") as caught:
        fetch()
    assert len(caught.value.problems) == 1
    assert known_files("hits") == {}
    assert [path.name for path in (downloads() / "hits").iterdir()] == [".lock"]


def test_a_file_that_changed_since_the_first_fetch_is_refused(site: Site) -> None:
    write_higgs_like([site.address("/hits.zip")])
    fetch()
    first = known_files("hits")
    site.files["/hits.zip"] = Served(higgs_like_zip(rows=ROWS + 2), etag='"two"')
    Path(first["hits.zip"].path).unlink()
    with pytest.raises(DataError, match=r"another file than when it was first fetched.*delete"):
        fetch()
    assert known_files("hits") == first


def test_the_next_address_is_asked_where_one_has_nothing(site: Site) -> None:
    write_higgs_like([site.address("/old/hits.zip"), site.address("/hits.zip")])
    fetch()
    assert [path for path, _ in site.asked] == ["/old/hits.zip", "/hits.zip"]


def test_all_addresses_that_failed_are_told_in_one_line(site: Site) -> None:
    write_higgs_like([site.address("/old.zip"), site.address("/older.zip")])
    with pytest.raises(DataError) as caught:
        fetch()
    (line,) = caught.value.problems
    assert line.count("404") == 2
    assert "treebench data fetch hits --data hits=FILE" in line


def test_offline_the_file_can_be_got_elsewhere_and_given() -> None:
    with serving() as site:
        address = site.address("/hits.zip")
    write_higgs_like([address])
    with pytest.raises(DataError, match=rf"(?i)refused.*get {address} on another.*--data hits="):
        fetch()


def test_a_mirror_is_asked_under_the_files_own_name(site: Site) -> None:
    site.files["/copy/hits.zip"] = site.files["/hits.zip"]
    write_higgs_like([site.address("/gone/hits.zip")])
    fetch(mirror=site.address("/copy/"))
    assert [path for path, _ in site.asked] == ["/copy/hits.zip"]


def test_a_mirror_serves_what_has_no_open_address(site: Site) -> None:
    write_higgs_like([])
    with pytest.raises(DataError, match="cannot be downloaded by a program"):
        fetch()
    fetch(mirror=site.address(""))
    assert known_files("hits")["hits.zip"].origin == "fetched"


def test_files_can_be_put_elsewhere(site: Site, tmp_path: Path) -> None:
    write_higgs_like([site.address("/hits.zip")])
    fetch(to=tmp_path / "big disk")
    assert Path(known_files("hits")["hits.zip"].path) == tmp_path / "big disk" / "hits.zip"


def test_a_persons_own_file_is_never_replaced(site: Site, tmp_path: Path) -> None:
    own = tmp_path / "mine" / "hits.zip"
    own.parent.mkdir()
    own.write_bytes(b"precious")
    write_higgs_like([site.address("/hits.zip")])
    with pytest.raises(DataError, match="is there already") as caught:
        fetch(to=own.parent)
    assert len(caught.value.problems) == 1
    assert own.read_bytes() == b"precious"
    assert site.asked == []


def test_a_download_that_is_not_the_file_can_be_fetched_again(site: Site) -> None:
    site.files["/hits.zip"] = Served(higgs_like_zip(rows=30))
    write_higgs_like([site.address("/hits.zip")])
    with pytest.raises(DataError, match=r"the file, delete .*downloads/hits and fetch it again"):
        fetch()


def test_a_part_that_cannot_be_gone_on_with_is_not_said_to_be(site: Site) -> None:
    size = len(site.files["/hits.zip"].content)
    site.files["/hits.zip"] = Served(higgs_like_zip(), etag=None, cuts=[size - 1] * 5)
    write_higgs_like([site.address("/hits.zip")])
    with pytest.raises(DataError, match="broke off") as caught:
        fetch()
    assert "are kept" not in str(caught.value)


def test_a_cut_download_says_that_the_part_is_kept(site: Site) -> None:
    size = len(site.files["/hits.zip"].content)
    site.files["/hits.zip"].cuts = [100, 0, 0, 0, 0]
    write_higgs_like([site.address("/hits.zip")])
    with pytest.raises(DataError, match="100 bytes are kept and the same command goes on"):
        fetch()
    site.asked.clear()
    fetch()
    assert site.asked == [("/hits.zip", "bytes=100-")]
    assert known_files("hits")["hits.zip"].bytes == size


def test_a_file_of_the_wrong_width_is_refused_before_all_of_it_is_read(site: Site) -> None:
    write_higgs_like([site.address("/hits.zip")], columns=["signal", "a", "b", "c"])
    with pytest.raises(DataError, match=r"hits.zip \(HITS.csv.gz\) has 3 columns, the card says 4"):
        fetch()
    assert known_files("hits") == {}


def test_a_file_of_the_wrong_length_is_refused() -> None:
    with serving(hits_zip=Served(higgs_like_zip(rows=ROWS + 4))) as site:
        write_higgs_like([site.address("/hits.zip")])
        with pytest.raises(DataError, match=r"60 rows x 2 features, the source gives 64 x 2"):
            fetch()
    assert not list((Path("cache")).glob("hits-*"))


def test_libsvm_in_bzip2_becomes_a_wide_table_with_its_own_test_part() -> None:
    files = {"dense_bz2": Served(packed_svmlight(40)), "dense_t_bz2": Served(packed_svmlight(10))}
    with serving(**files) as site:
        write_epsilon_like(site.address("/dense.bz2"), site.address("/dense.t.bz2"))
        folder, _ = fetch("dense")
    manifest = read_manifest(folder)
    assert (manifest.storage, manifest.train_rows, manifest.test_rows) == ("wide", 40, 10)
    assert manifest.classes == ("-1", "1")
    train = columns_of(folder / "train.parquet")
    assert train["f1"].tolist() == [i / 8 for i in range(40)]
    assert train["f2"].tolist() == [-i for i in range(40)]
    assert train["__target__"].tolist() == [i % 2 for i in range(40)]


def test_csv_with_text_becomes_categories_and_classes() -> None:
    header = b"Month,Distance,late\n"
    train = header + b"".join(b"c-%d,%d,%s\n" % (i % 3, i, b"NY"[i % 2 :][:1]) for i in range(30))
    test = header + b"c-1,5,N\nc-9,6,Y\n"
    with serving(train_csv=Served(train), test_csv=Served(test)) as site:
        files = {
            name: {"addresses": [site.address(f"/{name}")], "most_bytes": 10_000}
            for name in ("train.csv", "test.csv")
        }
        write_card(
            "late",
            {
                "kind": "fetched-csv",
                "files": files,
                "path": "train.csv",
                "columns": ["Month", "Distance", "late"],
            },
            task="binary",
            target={"column": "late"},
            features={"categorical": ["Month"]},
            split={"test_file": "test.csv"},
        )
        folder, _ = fetch("late")
    manifest = read_manifest(folder)
    assert manifest.classes == ("N", "Y")
    assert [feature.cardinality for feature in manifest.features] == [3, None]
    assert str(columns_of(folder / "test.parquet")["Month"].tolist()) == "[1.0, nan]"


def test_a_set_of_another_kind_has_nothing_to_fetch() -> None:
    with pytest.raises(DataError, match="`treebench data make tiny`"):
        fetch("tiny")


def test_two_processes_do_not_fetch_the_same_set(site: Site) -> None:
    write_higgs_like([site.address("/hits.zip")])
    with held("hits"), pytest.raises(DataError, match="by another process"):
        fetch()
    fetch()


def test_without_pooch_the_line_says_how_to_install_it(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pooch", None)
    write_higgs_like([site.address("/hits.zip")])
    with pytest.raises(DataError, match="-m pip install pooch"):
        fetch()


def test_a_record_that_cannot_be_read_is_told(site: Site) -> None:
    write_higgs_like([site.address("/hits.zip")])
    fetch()
    record = downloads() / "hits" / "files.json"
    record.write_text(json.dumps({"version": 9, "files": {}}))
    with pytest.raises(DataError, match=r"files.json cannot be read .*delete it"):
        fetch()


def test_a_fetched_file_that_changed_is_not_made_into_a_set(site: Site) -> None:
    from treebench.data.making.make import make

    write_higgs_like([site.address("/hits.zip")])
    folder, _ = fetch()
    for made in folder.iterdir():
        made.unlink()
    Path(known_files("hits")["hits.zip"].path).write_bytes(b"PK")
    with pytest.raises(DataError, match="is not what the card describes"):
        make("hits")
