"""A small HTTP server on the loopback, which ends with the `with`, and misbehaves as told."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Served:
    """One file: `cuts` are the numbers of bytes after which the next answers break off; `statuses`
    are given instead of the next answers; `part_of` is the size told of the file that an answer is
    a part of, asked for or not."""

    content: bytes
    etag: str | None = '"one"'
    ranges: bool = True
    cuts: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    redirect: str | None = None
    kind: str = "application/octet-stream"
    tells_size: bool = True
    part_of: str | None = None
    stalls: bool = False


@dataclass
class Site:
    """What is served, by path, and what was asked: the path and the Range of each request."""

    files: dict[str, Served]
    port: int = 0
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def address(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"


@contextmanager
def serving(**files: Served) -> Iterator[Site]:
    """Serve files, `a_b="..."` under /a.b."""
    site = Site({f"/{name.replace('_', '.')}": served for name, served in files.items()})

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self, site)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        site.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield site
        finally:
            site.over.set()
            server.shutdown()
            thread.join()


def answer(request: BaseHTTPRequestHandler, site: Site) -> None:
    wanted = request.headers.get("Range")
    site.asked.append((request.path, wanted))
    served = site.files.get(request.path)
    if served is None or served.statuses:
        request.send_error(404 if served is None else served.statuses.pop(0))
        return
    if served.redirect is not None:
        request.send_response(302)
        request.send_header("Location", served.redirect)
        request.send_header("Content-Length", "0")
        request.end_headers()
        return
    start = _start(request, served, wanted)
    _headers(request, served, start)
    body = served.content[start:]
    if served.cuts:
        body = body[: served.cuts.pop(0)]
    request.wfile.write(body)
    request.wfile.flush()
    if served.stalls:
        site.over.wait(20)
    request.close_connection = True


def _start(request: BaseHTTPRequestHandler, served: Served, wanted: str | None) -> int:
    condition = request.headers.get("If-Range")
    if wanted is None or not served.ranges or (condition and condition != served.etag):
        return 0
    return int(wanted.removeprefix("bytes=").rstrip("-"))


def _headers(request: BaseHTTPRequestHandler, served: Served, start: int) -> None:
    size = len(served.content)
    request.send_response(206 if start or served.part_of else 200)
    request.send_header("Content-Type", served.kind)
    if start or served.part_of:
        request.send_header("Content-Range", f"bytes {start}-{size - 1}/{served.part_of or size}")
    if served.tells_size:
        request.send_header("Content-Length", str(size - start))
    if served.etag:
        request.send_header("ETag", served.etag)
    request.end_headers()
