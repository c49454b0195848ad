"""What the processes of a sample hold when each is counted in full, and what lies in the folder
through which they share data: both sampled, both cheap.

Summed RSS is what `top` shows and what people add up; a page that several processes map counts
once for each (memory_profiler#312), so it is no measure of the memory needed, and the tree's peak
stands beside it. The kernel keeps no mark of such a sum, hence the sampling. `statm` is read,
which takes no lock of the process read, and the thread that reads lives in the supervisor, so that
nothing is run in the worker.
"""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, ClassVar

from treebench.measure.probe import Probe, Reading
from treebench.measure.process_tree import ProcessTree

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

INTERVAL_S = 0.05

# Every so many readings new processes are looked for: one takes longer than that to grow.
_LOOK_EVERY = 4
# So much longer than a reading took is the pause after it, at least.
_PAUSE_TO_READING = 9
_BLOCK_BYTES = 512  # st_blocks is in these, whatever the file system's own blocks (stat(2))
_NO_READING = "no process of the sample was there to be read"
_NO_FOLDER = "the sample had no folder of its own for files that processes share"


class SummedMemoryProbe(Probe):
    """The largest sampled sum of RSS over the worker and all its children in each phase, and the
    most that `shared_folder` held. A context manager: sampling ends with it."""

    name: ClassVar[str] = "summed memory"

    def __init__(self, shared_folder: Path | None = None, interval_s: float = INTERVAL_S) -> None:
        self._folder = shared_folder
        self._interval_s = interval_s
        self._tree: ProcessTree | None = None
        self._reading = threading.Lock()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._rss_bytes = 0
        self._files_bytes = 0

    def attach(self, pid: int) -> None:
        """Begin to sample."""
        self._tree = ProcessTree(pid)
        self._thread = threading.Thread(target=self._sample, name=self.name, daemon=True)
        self._thread.start()

    def begin(self, phase: str) -> None:
        """What was seen before the phase belongs to none."""
        with self._reading:
            self._rss_bytes = self._files_bytes = 0
        self._read(look=True)

    def end(self, phase: str) -> Reading:
        """The largest readings from the phase's start to its end, both included."""
        self._read(look=True)
        with self._reading:
            rss, files = self._rss_bytes, self._files_bytes
        figures: dict[str, int | str] = {}
        missing: dict[str, str] = {}
        if rss:
            figures["summed_rss_peak_bytes"] = rss
        else:
            missing["summed_rss_peak_bytes"] = _NO_READING
        if self._folder is not None:
            figures["shared_files_peak_bytes"] = files
        else:
            missing["shared_files_peak_bytes"] = _NO_FOLDER
        return Reading(figures, missing)

    def __enter__(self) -> SummedMemoryProbe:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _sample(self) -> None:
        pause_s, readings = self._interval_s, 0
        while not self._ended.wait(pause_s):
            began_s = time.monotonic()
            self._read(look=readings % _LOOK_EVERY == 0)
            readings += 1
            took_s = time.monotonic() - began_s
            pause_s = max(self._interval_s, _PAUSE_TO_READING * took_s)

    def _read(self, *, look: bool) -> None:
        """One reading of both, by one thread at a time: the tree remembers who is in it."""
        with self._reading:
            if self._tree is not None:
                rss = self._tree.rss_bytes() if look else self._tree.known_rss_bytes()
                self._rss_bytes = max(self._rss_bytes, rss)
            if self._folder is not None:
                self._files_bytes = max(self._files_bytes, allocated_bytes(self._folder))


def allocated_bytes(folder: Path | str) -> int:
    """What the files below a folder take, holes left out; 0 where there is no such folder.

    Files may come and go meanwhile. One that was removed while a process still maps it is not seen.
    """
    try:
        with os.scandir(folder) as entries:
            return sum(map(_taken, entries))
    except FileNotFoundError:
        return 0


def _taken(entry: os.DirEntry[str]) -> int:
    try:
        if entry.is_dir(follow_symlinks=False):
            return allocated_bytes(entry.path)
        return entry.stat(follow_symlinks=False).st_blocks * _BLOCK_BYTES
    except FileNotFoundError:
        return 0
