"""The kernel's count of what connections carried."""

from __future__ import annotations

import socket

from treebench.trainers.dask_traffic import connection_bytes


def test_what_was_sent_and_received_is_counted() -> None:
    """GIVEN both ends of a connection here WHEN 300,000 bytes go one way THEN both have them."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        near = socket.create_connection(server.getsockname())
        far, _ = server.accept()
        with near, far:
            before = connection_bytes()
            for _ in range(30):
                near.sendall(bytes(10_000))
                left = 10_000
                while left:
                    left -= len(far.recv(left))
            after = connection_bytes()
    assert before is not None
    assert after is not None
    assert 600_000 - 20_000 <= after - before <= 600_000


def test_other_open_files_are_no_connections() -> None:
    one, two = socket.socketpair()
    with one, two:
        before = connection_bytes()
        one.sendall(bytes(1000))
        assert len(two.recv(1000)) == 1000
        assert connection_bytes() == before
