"""The kernel's count of what connections carried."""

from __future__ import annotations

import socket

from treebench.trainers.dask_traffic import carried_between, connection_bytes


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


def test_what_closed_connections_took_with_them_is_no_traffic_below_nothing() -> None:
    assert carried_between(1000, 1500) == 500
    assert carried_between(1500, 1000) is None
    assert carried_between(None, 1000) is None
    assert carried_between(1000, None) is None
