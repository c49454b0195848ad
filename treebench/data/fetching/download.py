"""Downloads one file, going on where an earlier attempt was cut.

pooch decides whether a file must be fetched, compares its hash and puts it in place; it has no way
to go on with a part. This is the downloader that it is given: what has come lies in `NAME.part`,
beside it what the server said of the file, and the next attempt asks for the rest (HTTP Range with
If-Range, RFC 9110, sections 13.1.5 and 14.2). Where the server says nothing that tells one version
of the file from another, and no checksum is known, a part is not gone on with: two halves of two
versions would look like one file.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from treebench.data.fetching.transfer import Transfer, require_space

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from treebench.data.fetching.transfer import Limits

CHUNK_BYTES = 1 << 18
MOST_REDIRECTS = 5
MOST_RETRY_WAIT_S = 10.0
TRIES_TO_REACH = 2
"""Where no network is, waiting for it helps nobody."""
PARTIAL, RANGE_REFUSED = 206, 416
PASSING = (408, 425, 429, 500, 502, 503, 504)
"""Statuses of a server that may well answer in a moment."""


class BrokenOffError(Exception):
    """The connection failed; what came is kept, and another attempt may go on.

    `reached` tells a server that was spoken to from one that could not be.
    """

    def __init__(self, message: str, *, reached: bool = True) -> None:
        super().__init__(message)
        self.reached = reached


class NotThereError(Exception):
    """This address does not give the file, however often it is asked."""


@dataclass
class ResumingDownloader:
    """What pooch calls with an address and the name of a file to write.

    `checked` says whether a checksum is known: without one, a redirect to another host is refused,
    since nothing would tell that host's file from the right one. `final_address` is where the
    bytes came from.
    """

    part: Path
    limits: Limits
    checked: bool
    watch: Callable[[Transfer], None]
    wait: Callable[[float], None] = time.sleep
    final_address: str = field(default="", init=False)

    def __call__(self, url: str, output_file: str, _pooch: object) -> None:
        """Fetch `url` to `output_file`, by way of `part`.

        Raises:
            NotThereError: the address does not give the file.
            BrokenOffError: it broke off too often; the part is kept.
            DataError: no room, or more bytes than allowed.
        """
        failures = 0
        while not self._is_whole(url):
            before = _size(self.part)
            try:
                self._attempt(url)
            except BrokenOffError as error:
                # A server that cuts each answer short still gets us there.
                failures = 1 if _size(self.part) > before else failures + 1
                if failures >= (self.limits.tries if error.reached else TRIES_TO_REACH):
                    raise
                self.wait(min(2.0 ** (failures - 1), MOST_RETRY_WAIT_S))
        os.replace(self.part, output_file)
        _facts_of(self.part).unlink(missing_ok=True)

    def goes_on(self, url: str) -> bool:
        """Whether the next attempt asks for the rest of what came from `url`, not for all of it."""
        known = _read_facts(self.part)
        told_apart = bool(known.get("validator")) or self.checked
        return _size(self.part) > 0 and known.get("address") == url and told_apart

    def _is_whole(self, url: str) -> bool:
        """Whether a process that was killed had all of the file."""
        known, have = _read_facts(self.part), _size(self.part)
        whole = have > 0 and known.get("address") == url and known.get("total") == have
        if whole:
            self.final_address = self.final_address or url
        return whole

    def _attempt(self, url: str) -> None:
        import requests

        try:
            with requests.Session() as session:
                self._receive(url, self._answer(session, url))
        except requests.ConnectionError as error:
            raise BrokenOffError(_reason(error), reached=False) from None
        except (requests.RequestException, _protocol_error()) as error:
            raise BrokenOffError(_reason(error)) from None
        except ValueError as error:
            # Such as an address to go on to that is none, at which requests looks as well.
            raise NotThereError(f"its answer makes no sense ({_reason(error)})") from None

    def _answer(self, session: Any, url: str) -> Any:
        """The server's answer, after redirects."""
        address, headers = url, self._headers(url)
        for _ in range(MOST_REDIRECTS + 1):
            answer = session.get(
                address,
                headers=headers,
                stream=True,
                allow_redirects=False,
                timeout=(self.limits.connect_s, self.limits.silent_s),
            )
            if not answer.is_redirect:
                self.final_address = address
                return answer
            onward = urljoin(address, answer.headers["Location"])
            self._judge_redirect(address, onward)
            answer.close()
            address = onward
        raise NotThereError(f"it redirects more than {MOST_REDIRECTS} times")

    def _judge_redirect(self, address: str, onward: str) -> None:
        old, new = urlsplit(address), urlsplit(onward)
        if new.scheme not in ("http", "https"):
            raise NotThereError(f"it redirects to {new.scheme or 'nothing'}:, which is not fetched")
        if old.scheme == "https" and new.scheme == "http":
            raise NotThereError(f"it redirects from https to http ({new.netloc}), which is refused")
        if not self.checked and not _same_host(old.netloc, new.netloc):
            raise NotThereError(
                f"it redirects to another host ({new.netloc}), and no checksum is known to tell "
                f"whether that is the same file"
            )

    def _headers(self, url: str) -> dict[str, str]:
        headers = {"Accept-Encoding": "identity"}
        if self.goes_on(url):
            headers["Range"] = f"bytes={_size(self.part)}-"
            if validator := _read_facts(self.part).get("validator"):
                headers["If-Range"] = validator
        return headers

    def _receive(self, url: str, answer: Any) -> None:
        have = _size(self.part) if answer.status_code == PARTIAL else 0
        if answer.status_code == RANGE_REFUSED:
            # The part is as long as the file or longer; whether it is the file, nothing tells.
            _forget(self.part)
            raise BrokenOffError("the server has no more of the file than came before")
        _judge_status(answer)
        total = _total(answer, have)
        if answer.status_code == PARTIAL and total is None:
            # Its end need not be the file's, so that a part of a part would pass for the whole.
            _forget(self.part)
            raise BrokenOffError("the server sent a part of a file whose size it does not tell")
        self._judge_size(have, total)
        _write_facts(self.part, {"address": url, "validator": _validator(answer), "total": total})
        transfer = Transfer(self.part.name.removesuffix(".part"), have, have, total)
        with self.part.open("ab" if have else "wb") as file:
            # read1 hands over what has come; read loses up to a chunk when a connection breaks.
            while chunk := answer.raw.read1(CHUNK_BYTES, decode_content=False):
                file.write(chunk)
                transfer.done += len(chunk)
                if transfer.done > self.limits.most_bytes:
                    self._too_large()
                self.watch(transfer)
        if total is not None and transfer.done != total:
            raise BrokenOffError(f"the answer ended after {transfer.done:,} of {total:,} bytes")
        if transfer.done == 0:
            raise NotThereError("it gives an empty file")
        # A server that does not tell the size ends its answer where the file ends.
        _write_facts(self.part, {"address": url, "total": transfer.done})

    def _judge_size(self, have: int, total: int | None) -> None:
        if total is None:
            return
        if total > self.limits.most_bytes:
            self._too_large()
        require_space(self.part.parent, total - have, self.part.name.removesuffix(".part"))

    def _too_large(self) -> None:
        _forget(self.part)
        raise NotThereError(
            f"it gives more than the {self.limits.most_bytes:,} bytes that the card allows"
        )


def _judge_status(answer: Any) -> None:
    status = answer.status_code
    if status in PASSING:
        raise BrokenOffError(f"the server answers {status} {answer.reason}")
    if status not in (200, PARTIAL):
        raise NotThereError(f"the server answers {status} {answer.reason}")
    if answer.headers.get("Content-Type", "").lower().startswith("text/html"):
        raise NotThereError("it gives a web page, no file (a login, or a notice that it moved?)")


def _total(answer: Any, have: int) -> int | None:
    """The size of the whole file, if the answer tells.

    Raises:
        BrokenOffError: a part was sent that does not go on where ours ends.
    """
    if answer.status_code == PARTIAL:
        stated = answer.headers.get("Content-Range", "")
        place, _, total = stated.removeprefix("bytes ").partition("/")
        if place.split("-")[0] != str(have):
            raise BrokenOffError(f"asked for the bytes from {have:,}, the server sent {stated!r}")
        return int(total) if total.isdecimal() else None
    length = answer.headers.get("Content-Length", "")
    return int(length) if length.isdecimal() else None


def _validator(answer: Any) -> str | None:
    """What tells this version of the file from another; a weak ETag does not, byte for byte."""
    etag: str | None = answer.headers.get("ETag")
    if etag is not None and not etag.startswith("W/"):
        return etag
    modified: str | None = answer.headers.get("Last-Modified")
    return modified


def _same_host(one: str, other: str) -> bool:
    """Whether both are one host, or one a name below the other (`www.`)."""
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")


def _facts_of(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _read_facts(part: Path) -> dict[str, Any]:
    try:
        facts = json.loads(_facts_of(part).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        # Unknown facts mean that the part is not gone on with.
        return {}
    return facts if isinstance(facts, dict) else {}


def _write_facts(part: Path, facts: dict[str, Any]) -> None:
    _facts_of(part).write_text(json.dumps(facts), encoding="utf-8")


def _forget(part: Path) -> None:
    part.unlink(missing_ok=True)
    _facts_of(part).unlink(missing_ok=True)


def _size(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0


def _protocol_error() -> type[Exception]:
    from urllib3.exceptions import HTTPError

    return HTTPError


def _reason(error: Exception) -> str:
    """The innermost cause, without the addresses of objects."""
    while (cause := error.__cause__ or error.__context__) is not None and isinstance(
        cause, Exception
    ):
        error = cause
    text = " ".join(str(error).split())
    if text.startswith(("IncompleteRead", "invalid literal for int")):
        # The latter is said of the length of a chunk that never came.
        return "the connection broke off"
    return text.split(" object at 0x")[0][:160] or type(error).__name__
