"""`treebench worker`: what it becomes, and what it refuses to become."""

from __future__ import annotations

import socket

import pytest

from treebench.cli import main, worker
from treebench.errors import ExitCode


@pytest.fixture
def became(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    commands: list[list[str]] = []
    monkeypatch.setattr(worker, "hosts_at", lambda address: {"there"})
    monkeypatch.setattr(worker, "_become", commands.append)
    return commands


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(["worker", *arguments])
    return int(end.value.code or 0)


def option(command: list[str], name: str) -> str:
    return command[command.index(name) + 1]


def test_it_is_a_dask_worker_that_takes_one_sample_at_a_time(became: list[list[str]]) -> None:
    assert call("tcp://127.0.0.1:8786") == ExitCode.OK
    (command,) = became
    assert option(command, "worker") == "tcp://127.0.0.1:8786"
    assert option(command, "--resources") == "treebench=1"
    assert option(command, "--nthreads") == "1"
    assert option(command, "--host") == "127.0.0.1"
    assert option(command, "--name") == socket.gethostname()
    assert "--no-nanny" in command
    assert "--no-dashboard" in command


def test_a_host_can_be_told_its_name_and_where_to_listen(became: list[list[str]]) -> None:
    assert call("tls://10.0.0.1:8786", "--host-name", "n1", "--listen", "10.0.0.2") == ExitCode.OK
    assert option(became[0], "--name") == "n1"
    assert option(became[0], "--host") == "10.0.0.2"


def test_it_listens_to_others_only_when_told(
    became: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("tcp://10.0.0.1:8786") == ExitCode.USAGE
    assert "say with --listen" in capsys.readouterr().err
    assert not became


def test_a_second_worker_of_a_host_is_turned_away(
    became: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("tcp://127.0.0.1:8786", "--host-name", "there") == ExitCode.USAGE
    assert "a worker called there takes samples" in capsys.readouterr().err
    assert not became


@pytest.mark.parametrize(
    "address",
    ["10.0.0.1:8786", "http://10.0.0.1", "tcp://", "tcp://10.0.0.1", "tcp://10.0.0.1:99999"],
)
def test_what_is_no_address_is_said_so(
    address: str, became: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(address) == ExitCode.USAGE
    assert "write tcp://HOST:PORT" in capsys.readouterr().err
    assert not became


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("10.0.0.1", "write tcp://HOST:PORT, tls://HOST:PORT, or local:N"),
        ("tcp://10.0.0.1", "write tcp://HOST:PORT"),
        ("tcp://10.0.0.1:0", "write tcp://HOST:PORT"),
        ("tls://10.0.0.1:65536", "write tcp://HOST:PORT"),
        ("local:none", "N of local:N is a number from 1 to 64"),
        ("local:0", "N of local:N is a number from 1 to 64"),
    ],
)
def test_a_clusters_address_is_checked_before_anything_is_done(
    address: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["run", "no-such-config", "--cluster", address])
    assert said in capsys.readouterr().err


def test_so_is_the_time_to_wait(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "no-such-config", "--cluster", "local:1", "--cluster-wait", "soon"])
    assert "--cluster-wait is 'soon'; it must be a time above 0" in capsys.readouterr().err
