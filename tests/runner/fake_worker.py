"""A worker that speaks the protocol and does what its trial says, without any library.

`trial["native"]["steps"]` lists [phase, action, argument]; see `_act`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any


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
        _act(action, argument)
        wall = time.perf_counter_ns() - start
        say({"say": "end", "phase": phase, "wall_ns": wall, "cpu_ns": wall})
        receive.readline()
    say({"say": "result", "data_bytes": 4, "score": {"auc": 0.5}, "differing_params": {}})


def _act(action: str, argument: Any) -> None:
    if action == "touch":
        # One page at a time is what makes memory resident; the block is freed again at once.
        block = bytearray(argument)
        block[::4096] = b"x" * len(block[::4096])
    elif action == "sleep":
        time.sleep(argument)
    elif action == "print":
        sys.stderr.write(argument)
    elif action == "die":
        number = argument if isinstance(argument, int) else getattr(signal, argument)
        os.kill(os.getpid(), number)
    elif action == "exit":
        os._exit(argument)
    elif action == "child":
        # A grandchild in a group of its own: killing the worker's group does not reach it.
        child = subprocess.Popen(["sleep", "60"], start_new_session=True)
        with open(argument, "w") as file:
            file.write(str(child.pid))
        time.sleep(60)
    else:
        raise ValueError(action)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:4]))
