from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.data.fetching.server import Served, serving
from treebench.data.fetching.download import BrokenOffError, NotThereError, ResumingDownloader
from treebench.data.fetching.transfer import Limits, Transfer
from treebench.errors import DataError

CONTENT = random.Random(5).randbytes(300_000)  # noqa: S311


class Fetching:
    """A downloader with a clock that does not wait."""

    def __init__(
        self,
        folder: Path,
        checked: bool = False,
        most_bytes: int = 1_000_000,
        silent_s: float = 60.0,
        tries: int = 5,
    ) -> None:
        self.part = folder / "data.bin.part"
        self.target = folder / "data.bin"
        self.waited: list[float] = []
        self.seen: list[tuple[int, int, int | None]] = []
        self.downloader = ResumingDownloader(
            self.part,
            Limits(most_bytes, silent_s=silent_s, tries=tries),
            checked,
            self.watch,
            self.waited.append,
        )

    def watch(self, transfer: Transfer) -> None:
        self.seen.append((transfer.resumed, transfer.done, transfer.total))

    def get(self, address: str) -> bytes:
        self.downloader(address, str(self.target), None)
        return self.target.read_bytes()


def test_a_file_comes_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    fetching = Fetching(tmp_path)
    with serving(data_bin=Served(CONTENT)) as site:
        assert fetching.get(site.address("/data.bin")) == CONTENT
    assert fetching.seen[-1] == (0, len(CONTENT), len(CONTENT))
    assert fetching.waited == []
    assert [path.name for path in tmp_path.iterdir()] == ["data.bin"]


def test_a_cut_download_goes_on_where_it_was_cut(tmp_path: Path) -> None:
    fetching = Fetching(tmp_path)
    with serving(data_bin=Served(CONTENT, cuts=[100_000, 50_000])) as site:
        assert fetching.get(site.address("/data.bin")) == CONTENT
    assert [wanted for _, wanted in site.asked] == [None, "bytes=100000-", "bytes=150000-"]
    assert fetching.seen[-1] == (150_000, len(CONTENT), len(CONTENT))


def test_another_process_goes_on_with_the_part(tmp_path: Path) -> None:
    with serving(data_bin=Served(CONTENT, cuts=[120_000, 0, 0, 0, 0])) as site:
        with pytest.raises(BrokenOffError, match="the connection broke off"):
            Fetching(tmp_path).get(site.address("/data.bin"))
        assert (tmp_path / "data.bin.part").stat().st_size == 120_000
        site.files["/data.bin"].cuts.clear()
        site.asked.clear()
        assert Fetching(tmp_path).get(site.address("/data.bin")) == CONTENT
    assert site.asked == [("/data.bin", "bytes=120000-")]


def test_a_file_that_changed_meanwhile_is_fetched_from_its_beginning(tmp_path: Path) -> None:
    other = CONTENT[::-1]
    with serving(data_bin=Served(CONTENT, cuts=[120_000, 0, 0, 0, 0])) as site:
        with pytest.raises(BrokenOffError):
            Fetching(tmp_path).get(site.address("/data.bin"))
        site.files["/data.bin"] = Served(other, etag='"two"')
        assert Fetching(tmp_path).get(site.address("/data.bin")) == other


def test_a_server_without_ranges_is_asked_for_all_of_it_again(tmp_path: Path) -> None:
    with serving(data_bin=Served(CONTENT, cuts=[120_000], ranges=False)) as site:
        assert Fetching(tmp_path).get(site.address("/data.bin")) == CONTENT


@pytest.mark.parametrize(("checked", "wanted"), [(False, None), (True, "bytes=120000-")])
def test_without_a_validator_a_part_is_gone_on_with_only_if_a_checksum_will_tell(
    tmp_path: Path, checked: bool, wanted: str | None
) -> None:
    fetching = Fetching(tmp_path, checked)
    with serving(data_bin=Served(CONTENT, cuts=[120_000], etag=None)) as site:
        assert fetching.get(site.address("/data.bin")) == CONTENT
    assert [asked for _, asked in site.asked] == [None, wanted]


def test_a_weak_etag_tells_no_bytes_apart(tmp_path: Path) -> None:
    with serving(data_bin=Served(CONTENT, cuts=[120_000], etag='W/"one"')) as site:
        Fetching(tmp_path).get(site.address("/data.bin"))
    assert [asked for _, asked in site.asked] == [None, None]


def test_a_part_that_is_whole_is_asked_for_no_more(tmp_path: Path) -> None:
    with serving(data_bin=Served(CONTENT)) as site:
        address = site.address("/data.bin")
        (tmp_path / "data.bin.part").write_bytes(CONTENT)
        facts = {"address": address, "validator": '"one"', "total": len(CONTENT)}
        (tmp_path / "data.bin.part.json").write_text(json.dumps(facts))
        assert Fetching(tmp_path).get(address) == CONTENT
    assert site.asked == []


def test_facts_that_cannot_be_read_mean_a_new_beginning(tmp_path: Path) -> None:
    (tmp_path / "data.bin.part").write_bytes(b"other")
    (tmp_path / "data.bin.part.json").write_text("{")
    with serving(data_bin=Served(CONTENT)) as site:
        assert Fetching(tmp_path).get(site.address("/data.bin")) == CONTENT


def test_a_part_longer_than_the_file_is_thrown_away(tmp_path: Path) -> None:
    with serving(data_bin=Served(CONTENT, statuses=[416])) as site:
        address = site.address("/data.bin")
        (tmp_path / "data.bin.part").write_bytes(CONTENT + b"more")
        facts = {"address": address, "validator": '"one"', "total": None}
        (tmp_path / "data.bin.part.json").write_text(json.dumps(facts))
        assert Fetching(tmp_path).get(address) == CONTENT


def test_an_empty_file_is_refused_and_not_asked_for_again(tmp_path: Path) -> None:
    with (
        serving(data_bin=Served(b"")) as site,
        pytest.raises(NotThereError, match="an empty file"),
    ):
        Fetching(tmp_path).get(site.address("/data.bin"))
    assert len(site.asked) == 1


def test_a_part_of_a_file_of_unknown_size_is_not_taken_for_the_file(tmp_path: Path) -> None:
    with (
        serving(data_bin=Served(CONTENT, part_of="*")) as site,
        pytest.raises(BrokenOffError, match="whose size it does not tell"),
    ):
        Fetching(tmp_path).get(site.address("/data.bin"))
    assert not (tmp_path / "data.bin").exists()


def test_a_server_that_does_not_tell_the_size_is_believed(tmp_path: Path) -> None:
    fetching = Fetching(tmp_path)
    with serving(data_bin=Served(CONTENT, tells_size=False)) as site:
        assert fetching.get(site.address("/data.bin")) == CONTENT
    assert fetching.seen[-1] == (0, len(CONTENT), None)


def test_a_busy_server_is_asked_again_with_longer_waits(tmp_path: Path) -> None:
    fetching = Fetching(tmp_path)
    with serving(data_bin=Served(CONTENT, statuses=[503, 429, 500])) as site:
        assert fetching.get(site.address("/data.bin")) == CONTENT
    assert fetching.waited == [1, 2, 4]


def test_a_server_that_stays_busy_is_given_up(tmp_path: Path) -> None:
    fetching = Fetching(tmp_path, tries=3)
    with (
        serving(data_bin=Served(CONTENT, statuses=[503] * 9)) as site,
        pytest.raises(BrokenOffError, match="503"),
    ):
        fetching.get(site.address("/data.bin"))
    assert len(site.asked) == 3


def test_what_is_not_there_is_not_asked_for_twice(tmp_path: Path) -> None:
    with serving() as site, pytest.raises(NotThereError, match="404"):
        Fetching(tmp_path).get(site.address("/data.bin"))
    assert len(site.asked) == 1


def test_a_machine_without_a_network_is_not_kept_waiting(tmp_path: Path) -> None:
    fetching = Fetching(tmp_path)
    with serving() as site:
        address = site.address("/data.bin")
    with pytest.raises(BrokenOffError, match=r"(?i)refused"):
        fetching.get(address)
    assert fetching.waited == [1]


def test_a_server_that_falls_silent_is_left(tmp_path: Path) -> None:
    fetching = Fetching(tmp_path, silent_s=0.2, tries=2)
    with (
        serving(data_bin=Served(CONTENT, stalls=True, cuts=[1000, 0, 0])) as site,
        pytest.raises(BrokenOffError, match="timed out"),
    ):
        fetching.get(site.address("/data.bin"))
    assert fetching.part.stat().st_size == 1000


def test_a_redirect_on_the_same_host_is_followed(tmp_path: Path) -> None:
    fetching = Fetching(tmp_path)
    with serving(old=Served(b"", redirect="/data.bin"), data_bin=Served(CONTENT)) as site:
        assert fetching.get(site.address("/old")) == CONTENT
    assert fetching.downloader.final_address == site.address("/data.bin")


def test_a_redirect_elsewhere_is_followed_only_if_a_checksum_will_tell(tmp_path: Path) -> None:
    with serving(old=Served(b""), data_bin=Served(CONTENT)) as site:
        site.files["/old"].redirect = site.address("/data.bin", host="localhost")
        with pytest.raises(NotThereError, match=r"another host .*no checksum"):
            Fetching(tmp_path).get(site.address("/old"))
        assert Fetching(tmp_path, checked=True).get(site.address("/old")) == CONTENT


@pytest.mark.parametrize("onward", ["ftp://127.0.0.1/x", "file:///etc/passwd"])
def test_a_redirect_to_another_scheme_is_refused(tmp_path: Path, onward: str) -> None:
    with (
        serving(old=Served(b"", redirect=onward)) as site,
        pytest.raises(NotThereError, match="which is not fetched"),
    ):
        Fetching(tmp_path, checked=True).get(site.address("/old"))


def test_a_redirect_from_https_to_http_is_refused(tmp_path: Path) -> None:
    downloader = Fetching(tmp_path, checked=True).downloader
    with pytest.raises(NotThereError, match="https to http"):
        downloader._judge_redirect("https://a.org/x", "http://a.org/x")


def test_a_redirect_to_no_address_is_told_as_that(tmp_path: Path) -> None:
    with (
        serving(data_bin=Served(b"", redirect="http://[bad")) as site,
        pytest.raises(NotThereError, match="makes no sense"),
    ):
        Fetching(tmp_path).get(site.address("/data.bin"))


def test_redirects_in_a_circle_end(tmp_path: Path) -> None:
    with (
        serving(old=Served(b"", redirect="/old")) as site,
        pytest.raises(NotThereError, match="more than 5 times"),
    ):
        Fetching(tmp_path).get(site.address("/old"))


def test_a_web_page_is_no_data(tmp_path: Path) -> None:
    page = Served(b"<html>log in</html>", kind="text/html; charset=utf-8")
    with serving(data_bin=page) as site, pytest.raises(NotThereError, match="web page"):
        Fetching(tmp_path).get(site.address("/data.bin"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("tells_size", [True, False])
def test_more_bytes_than_the_card_allows_are_not_taken(tmp_path: Path, tells_size: bool) -> None:
    fetching = Fetching(tmp_path, most_bytes=200_000)
    with (
        serving(data_bin=Served(CONTENT, tells_size=tells_size)) as site,
        pytest.raises(NotThereError, match="more than the 200,000 bytes"),
    ):
        fetching.get(site.address("/data.bin"))
    assert list(tmp_path.iterdir()) == []


def test_a_disk_without_room_is_not_begun_to_be_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treebench.data.fetching.transfer.SPARE_BYTES", 1 << 60)
    with (
        serving(data_bin=Served(CONTENT)) as site,
        pytest.raises(DataError, match=r"are free; free space there, .*--to"),
    ):
        Fetching(tmp_path).get(site.address("/data.bin"))
    assert not (tmp_path / "data.bin.part").exists()


def test_the_time_left_is_judged_by_what_came_now(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([100.0, 110.0, 110.0])
    monkeypatch.setattr("treebench.data.fetching.transfer.time.monotonic", lambda: next(clock))
    transfer = Transfer("x", resumed=500, done=500, total=1000, began=90.0)
    assert transfer.seconds_left is None
    transfer.done = 700
    assert transfer.seconds_left == pytest.approx(300 * 20 / 200)
    transfer.total = None
    assert transfer.seconds_left is None
