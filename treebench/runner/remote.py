"""`python -m treebench.runner.remote`: one order of a cluster's client, carried out on this host.

Reads an order, a line of JSON, on stdin and writes the answer on stdout. It is a process of its
own, and not a thread of the Dask worker, so that the supervisor is what it is elsewhere: alone, in
a main thread, ended whole. Stdin stays open as long as the answer is wanted: its end, which comes
with the death of the Dask worker too, is a Ctrl-C.
"""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any

from treebench.data.manifest import Split
from treebench.data.verify import verify_files
from treebench.errors import AlreadyToldError, DataError, TreebenchError
from treebench.measure import counters, environment
from treebench.measure.boot import boot_id
from treebench.plan.reduce import reduced
from treebench.runner.caretaker import Caretaker
from treebench.runner.code_version import code_version
from treebench.runner.counting import timed_counting
from treebench.runner.local import LocalExecutor, SampleInterrupted
from treebench.runner.order import DataWanted, cell_of, data_of
from treebench.runner.prepare import ensure_data, read_manifests
from treebench.runner.simulated import SimulatedExecutor
from treebench.runner.start import own_thread_settings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from treebench.plan.build import PlannedCell
    from treebench.runner.sweep import Executor
    from treebench.store.row import Kind, SampleRow

STOPPED = "it was stopped"
_ANSWER = 1


def carried_out(order: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to an order; what a person of that host can mend is `problem`."""
    try:
        match order["do"]:
            case "ask":
                return {"facts": _facts(order)}
            case "prepare":
                return _prepared({name: _wanted(raw) for name, raw in order["data"].items()})
            case _:
                return {"row": _sampled(order).to_json()}
    except SampleInterrupted:
        return {"problem": STOPPED}
    except AlreadyToldError:
        return {"problem": "its data could not be made; the log of its worker says why"}
    except TreebenchError as error:
        return {"problem": "; ".join(error.problems)}


def _facts(order: Mapping[str, Any]) -> dict[str, Any]:
    choice = counters.choose(order["counters_wanted"])
    return {
        "machine": environment.machine(),
        "versions": environment.versions(tuple(order["distributions"])),
        "allocator": environment.allocator(),
        "thread_settings": own_thread_settings(),
        "code": code_version(),
        "counters": dataclasses.asdict(choice),
        "boot": boot_id(),
    }


def _prepared(data: Mapping[str, DataWanted]) -> dict[str, Any]:
    folders = _folders(data)
    manifests = read_manifests(folders)
    for name, wanted in data.items():
        if manifests[name].identity_sha256 != wanted.data_sha256:
            raise DataError(
                f"its data set {name} holds other data than the one this run was planned with; "
                f"give the host the same card and file, or a shared TREEBENCH_CACHE"
            )
        # Once per host and run: samples take the files as they were found here.
        verify_files(folders[name], wanted.rows, wanted.splits)
    return {}


def _sampled(order: Mapping[str, Any]) -> SampleRow:
    """Take one sample, of the code that the run began with.

    Raises:
        TreebenchError: this host's code is another one now.
        SampleInterrupted: stdin has ended.
    """
    cell = cell_of(order["cell"])
    with Caretaker() as caretaker:
        executor = _executor(order, cell, caretaker)
        row = executor.of_kind(order["kind"]).measure(cell, order["block"])
    if (now := code_version()) != order["code"]:
        raise TreebenchError(
            f"its measuring code is {now}, the run began with {order['code']}; "
            f"give it the same code and start its worker again"
        )
    return dataclasses.replace(row, must_match={**row.must_match, "host": order["host"]})


def _executor(order: Mapping[str, Any], cell: PlannedCell, caretaker: Caretaker) -> Executor:
    choice = counters.Choice(**order["counters"])
    kind: Kind = order["kind"]
    shares = order["simulation"]
    small = reduced(cell, shares["rows"], shares["trees"]).cell if kind == "simulated" else cell
    local = LocalExecutor(
        run=order["run"],
        folders=_folders(data_of([small])),
        deadline_s=order["deadline_s"],
        machine=environment.machine(),
        code=order["code"],
        caretaker=caretaker,
        latency=order["latency"],
        curve=order["curve"],
        counting=lambda block: timed_counting(choice, block, caretaker),
    )
    if kind != "simulated":
        return local
    return SimulatedExecutor(local, local, choice, shares["rows"], shares["trees"])


def _wanted(raw: Mapping[str, Any]) -> DataWanted:
    splits = tuple(Split(*split) for split in raw["splits"])
    return DataWanted(raw["data_sha256"], tuple(raw["rows"]), splits)


def _folders(data: Mapping[str, DataWanted]) -> dict[str, Path]:
    """Where the data sets are; what of them is missing is made."""
    return ensure_data(
        {name: one.rows for name, one in data.items()},
        {name: one.splits for name, one in data.items()},
    )


def _order_line() -> bytes:
    """The order; not a byte beyond it is read."""
    line = bytearray()
    while (letter := os.read(0, 1)) not in (b"\n", b""):
        line += letter
    return bytes(line)


def _stop_with_stdin() -> None:
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGINT)


def main() -> None:
    """Carry out the order on stdin. What else is printed goes to stderr, the worker's log."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    answer_fd = os.dup(_ANSWER)
    os.dup2(2, _ANSWER)
    try:
        order = json.loads(_order_line())
        threading.Thread(target=_stop_with_stdin, daemon=True).start()
        answer = carried_out(order)
    except KeyboardInterrupt:
        answer = {"problem": STOPPED}
    with os.fdopen(answer_fd, "w", encoding="utf-8") as out:
        json.dump(answer, out, allow_nan=False)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
