"""A worker that speaks the protocol and does what its trial says, without any library.

`trial["native"]["steps"]` lists [phase, action, argument]; see `ACTIONS`.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def main(receive_fd: int, send_fd: int, _supervisor: int) -> None:
    receive, send = os.fdopen(receive_fd, "rb"), os.fdopen(send_fd, "wb")

    def say(message: dict[str, Any]) -> None:
        send.write(json.dumps(message).encode() + b"\n")
        send.flush()

    say({"say": "hello", "protocol": 1})
    trial = json.loads(receive.readline())
    for phase, action, argument in trial["native"]["steps"]:
        say({"say": "begin", "phase": phase})
        receive.readline()
        start = time.perf_counter_ns()
        ACTIONS[action](argument)
        wall = time.perf_counter_ns() - start
        say({"say": "end", "phase": phase, "wall_ns": wall, "cpu_ns": wall})
        receive.readline()
    say({"say": "result", "data_bytes": 4, "score": {"auc": 0.5}, "differing_params": {}})


def _touch(size: int) -> None:
    # One page at a time is what makes memory resident; the block is freed again at once.
    block = bytearray(size)
    block[::4096] = b"x" * len(block[::4096])


def _grow(size: int) -> None:
    # A MiB at a time, as a fit does, and kept.
    kept = []
    for _ in range(size // 2**20):
        kept.append(b"x" * 2**20)
        time.sleep(0.002)


def _die(told: str | int) -> None:
    number = told if isinstance(told, int) else getattr(signal, told)
    os.kill(os.getpid(), number)


def _child(note: str) -> None:
    # A grandchild in a group of its own: killing the worker's group does not reach it.
    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    with open(note, "w") as file:
        file.write(str(child.pid))
    time.sleep(600)


def _orphan(note: str) -> None:
    # Its parent ends at once, so that no walk from the worker finds it.
    starts = "import subprocess, sys; "
    starts += "p = subprocess.Popen(['sleep', '600'], start_new_session=True); "
    starts += "open(sys.argv[1], 'w').write(str(p.pid))"
    subprocess.run([sys.executable, "-S", "-c", starts, note], check=True)


def _child_grows(size: int) -> None:
    # The worker itself stays small, and takes the death of its child lightly.
    fills = f"kept = [b'x' * 2**20 for _ in range({size // 2**20})]; import time; time.sleep(1)"
    subprocess.run([sys.executable, "-S", "-c", fills], check=False)


def _share(size: int) -> None:
    # Three processes, one file in memory, touched by each and held for a moment by all.
    with tempfile.TemporaryFile(dir="/dev/shm") as file:
        file.truncate(size)
        shared = mmap.mmap(file.fileno(), size)
    shared.write(b"x" * size)
    children = [_forked_reader(shared, size) for _ in range(2)]
    for pid in children:
        os.waitpid(pid, 0)


def _forked_reader(shared: mmap.mmap, size: int) -> int:
    pid = os.fork()
    if pid == 0:
        sum(shared[page] for page in range(0, size, 4096))
        time.sleep(1)
        os._exit(0)
    return pid


ACTIONS: dict[str, Callable[[Any], object]] = {
    "touch": _touch,
    "grow": _grow,
    "sleep": time.sleep,
    "print": sys.stderr.write,
    "die": _die,
    "exit": os._exit,
    "child": _child,
    "orphan": _orphan,
    "child grows": _child_grows,
    "share": _share,
}


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:4]))
