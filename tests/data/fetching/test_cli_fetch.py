from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.data.fetching.cards import headless_csv, higgs_like_zip, write_higgs_like
from tests.data.fetching.server import Served, serving
from treebench.cli import main
from treebench.cli.data_fetch import TransferLine, state
from treebench.data.cards import card_paths, load_card
from treebench.data.fetching.transfer import Transfer
from treebench.data.sources.fetched import Fetched
from treebench.shipped import shipped_folder

FETCHED = {
    "20newsgroups",
    "airline-0.1m",
    "airline-10m",
    "airline-1m",
    "allstate",
    "bosch",
    "covtype",
    "epsilon",
    "fraud",
    "higgs",
    "mslr-web30k",
    "year",
}
BY_HAND = {"allstate", "bosch", "fraud", "mslr-web30k"}


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["data", *arguments])
    out, err = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err


def test_fetch_downloads_makes_and_says_what_is_next(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(hits_zip=Served(higgs_like_zip())) as site:
        write_higgs_like([site.address("/hits.zip")])
        code, out, err = run(capsys, "fetch", "hits")
    assert code == 0
    assert out.startswith("hits: 60 x 2 in ")
    assert "next: treebench plan quickstart" in out
    assert "licence: CC0-1.0" in err


def test_a_file_at_hand_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    write_higgs_like([])
    Path("HITS.csv").write_bytes(headless_csv())
    code, out, _ = run(capsys, "fetch", "hits", "--data", "hits=HITS.csv", "--json")
    assert (code, json.loads(out)["files"], json.loads(out)["made"]) == (0, "here", True)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--data", "HITS.csv"), "write it as hits=FILE"),
        (("--data", "other=HITS.csv"), "write it as hits=FILE"),
        (("--data", "hits=x", "--again"), "leave out --to, --mirror and --again"),
        (("--mirror", "ftp://x"), "begins with https://"),
    ],
)
def test_options_that_cannot_be_are_one_line(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], problem: str
) -> None:
    write_higgs_like([])
    code, out, err = run(capsys, "fetch", "hits", *options)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert problem in err


def test_the_list_tells_what_is_here_and_how_the_rest_is_got(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, out, _ = run(capsys, "list", "--json")
    files = {entry["name"]: entry["files"] for entry in json.loads(out)}
    assert {name for name, where in files.items() if where == "open"} == FETCHED - BY_HAND
    assert {name for name, where in files.items() if where == "by hand"} == BY_HAND
    assert files["tiny"] is None
    _, out, _ = run(capsys, "list")
    lines = {line.split()[0]: line for line in out.splitlines() if line}
    assert " to fetch " in lines["higgs"]
    assert " by hand " in lines["bosch"]


def test_info_says_where_the_files_can_be_had(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "info", "higgs")
    assert "to be downloaded, about 2.62 GiB; https://archive.ics.uci.edu/dataset/280" in out
    assert "next: treebench data fetch higgs" in out


def test_a_set_that_is_not_here_says_how_to_get_it(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "make", "mslr-web30k")
    assert (code, err.count("\n")) == (1, 1)
    assert "agree to its licence at https://www.microsoft.com" in err
    assert "`treebench data fetch mslr-web30k --data mslr-web30k=FILE`" in err


@pytest.mark.parametrize("name", sorted(FETCHED))
def test_shipped_cards_say_shape_split_licence_and_a_page(name: str) -> None:
    card = load_card(shipped_folder("datasets") / f"{name}.yaml").card
    source = card.source
    assert isinstance(source, Fetched)
    assert card.shape is not None
    assert source.page.startswith("http")
    assert source.is_open == (name not in BY_HAND)
    assert source.is_open or (source.by_hand and "download" in source.by_hand)
    columns = getattr(source, "columns", ())
    if columns:
        assert len(columns) == len(set(columns)) == card.shape[1] + 1 + len(card.drop)
    assert {*card.features.named, *card.drop} <= set(columns) | {"Id"}


def test_an_address_that_moves_leaves_the_made_set_where_it_is() -> None:
    write_higgs_like(["http://localhost/one.zip"])
    one = load_card(Path("datasets/hits.yaml"))
    write_higgs_like(["http://localhost/two.zip"])
    assert load_card(Path("datasets/hits.yaml")).made_folder == one.made_folder


def test_no_other_shipped_card_is_fetched() -> None:
    cards = [load_card(path).card for path in card_paths()]
    assert {card.name for card in cards if isinstance(card.source, Fetched)} == FETCHED


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_one_changing_line_on_a_terminal() -> None:
    stream = Terminal()
    line = TransferLine(stream)
    line.show(Transfer("a.zip", 0, 1 << 20, 4 << 20))
    line.show(Transfer("a.zip", 0, 2 << 20, 4 << 20))
    line.show(Transfer("a.zip", 0, 4 << 20, 4 << 20))
    line.say("done")
    first, second, rest = stream.getvalue().split("\r\x1b[2K")[0:3]
    assert first == ""
    assert second.startswith("a.zip: 1.00 MiB of 4.00 MiB")
    assert rest == "a.zip: 4.00 MiB of 4.00 MiB\ndone\n"


def test_progress_is_a_line_now_and_then_elsewhere() -> None:
    stream = io.StringIO()
    line = TransferLine(stream)
    for done in range(1, 5):
        line.show(Transfer("a.zip", 0, done << 20, 4 << 20))
    assert stream.getvalue() == "a.zip: 4.00 MiB of 4.00 MiB\n"


def test_a_resumed_transfer_tells_what_was_there_and_what_is_left() -> None:
    transfer = Transfer("a.zip", 1 << 20, 2 << 20, 4 << 20, began=-1e9)
    text = state(transfer)
    assert text.startswith("a.zip: 2.00 MiB of 4.00 MiB, 1.00 MiB were there, about ")
