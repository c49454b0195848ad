"""A process that does what it is told and nothing else: the known truth behind the self-test.

`python -m treebench.measure.known_truth PROGRAM ARGUMENTS...` says "ready", waits for a line, does
it, says what there is to say as JSON, and holds still until its input ends. It needs no numpy.
"""

from __future__ import annotations

import json
import mmap
import os
import resource
import subprocess
import sys
import tempfile
import time
from typing import Any

PAGE = mmap.PAGESIZE
_held: list[Any] = []
_children: list[subprocess.Popen[bytes]] = []


def touch(n_bytes: str) -> dict[str, Any]:
    """Touch fresh memory and keep it."""
    _held.append(_touched(int(n_bytes)))
    return {}


def spike(n_bytes: str, hold_ms: str) -> dict[str, Any]:
    """Touch memory, hold it for a moment and give it back."""
    block = _touched(int(n_bytes))
    time.sleep(int(hold_ms) / 1000)
    block.close()
    return {}


def pages(n_pages: str) -> dict[str, Any]:
    """Touch so many pages, one fault each."""
    if int(n_pages):
        _held.append(_touched(int(n_pages) * PAGE))
    return {}


def share(folder: str, n_bytes: str, processes: str) -> dict[str, Any]:
    """Write a file in shared memory and map it in so many processes, this one among them. The
    file has no name, so that nothing is left of it when they end, however they do."""
    with tempfile.TemporaryFile(dir=folder) as file:
        chunk = b"\1" * 2**20
        for _ in range(int(n_bytes) // len(chunk)):
            file.write(chunk)
        file.flush()
        reader, writer = os.pipe()
        others = [_fork_mapping(file.fileno(), reader, writer) for _ in range(int(processes) - 1)]
        _held.append(_mapped(file.fileno()))
    for _ in others:
        os.read(reader, 1)
    return {"pids": [os.getpid(), *others]}


def fat(n_bytes: str) -> dict[str, Any]:
    """Touch memory, then start a child that touches next to none."""
    touch(n_bytes)
    command = [sys.executable, "-P", "-m", "treebench.measure.known_truth", "idle"]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    _children.append(child)
    if child.stdin is None or child.stdout is None:
        raise OSError("the child has no pipes")
    child.stdout.readline()
    child.stdin.write(b"go\n")
    child.stdin.flush()
    return {"pid": child.pid, **json.loads(child.stdout.readline())}


def idle() -> dict[str, Any]:
    """What getrusage says of the peak of a process that did nothing, in bytes."""
    return {"ru_maxrss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}


def _touched(n_bytes: int) -> mmap.mmap:
    """Private memory with every page written to, in pages of the usual size."""
    block = mmap.mmap(-1, n_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    block.madvise(mmap.MADV_NOHUGEPAGE)
    for offset in range(0, n_bytes, PAGE):
        block[offset] = 1
    return block


def _mapped(file: int) -> mmap.mmap:
    block = mmap.mmap(file, 0, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)
    sum(block[offset] for offset in range(0, len(block), PAGE))
    return block


def _fork_mapping(file: int, reader: int, writer: int) -> int:
    """A copy of this process that maps the file and waits until this process is told to end."""
    pid = os.fork()
    if pid:
        return pid
    os.close(reader)
    block = _mapped(file)
    os.write(writer, b"1")
    sys.stdin.read()
    block.close()
    os._exit(0)


PROGRAMS = {program.__name__: program for program in (touch, spike, pages, share, fat, idle)}


def main(name: str, arguments: list[str]) -> None:
    """Say ready, wait, do it, say so, hold still."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    program: Any = PROGRAMS[name]
    said = program(*arguments)
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    for child in _children:
        child.communicate()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
