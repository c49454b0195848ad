"""Streams that are closed, full, or end early; and Ctrl-C before the first verb is there."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pytest

TREEBENCH = f"{sys.executable} -m treebench"
STOPPED_WHILE_IMPORTING = """
import sys
import treebench.cli

class Stop:
    def find_spec(self, name, *_):
        if name == "treebench.cli.verbs":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Stop())
treebench.cli.main(["plan", "quickstart"])
"""


def shell(command: str) -> subprocess.CompletedProcess[str]:
    words = ["bash", "-o", "pipefail", "-c", command]
    return subprocess.run(words, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_mistake(closed: str) -> None:
    done = shell(f"{TREEBENCH} data list {closed}")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_has_had_enough_is_no_mistake() -> None:
    done = shell(f"{TREEBENCH} data list | true")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("code", [0, 2])
def test_a_verb_with_an_outcome_ends_with_it_though_nobody_reads(code: int) -> None:
    prints = (
        "import sys, time\n"
        "import treebench.cli.verbs\n"
        "from treebench.cli.streams import reader_may_leave\n"
        "def call(arguments):\n"
        "    time.sleep(0.2)\n"
        "    with reader_may_leave(): sys.stdout.write('table ' * 100_000)\n"
        "    sys.stdout.write('next')\n"
        f"    return {code}\n"
        "treebench.cli.verbs.call = call\n"
        "treebench.cli.main([])"
    )
    done = shell(f"{sys.executable} -c {shlex.quote(prints)} | true")
    assert (done.returncode, done.stderr) == (code, "")


def test_another_pipe_that_breaks_is_said() -> None:
    code = (
        "import treebench.cli.verbs\n"
        "def call(arguments): raise BrokenPipeError(32, 'Broken pipe')\n"
        "treebench.cli.verbs.call = call\n"
        "treebench.cli.main([])"
    )
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("treebench: a process in use has ended: Broken pipe; mend")


def test_a_full_disk_behind_stdout_is_said_in_one_line() -> None:
    done = shell(f"{TREEBENCH} data list > /dev/full")
    assert done.returncode == 1
    assert done.stderr == (
        "treebench: the output cannot be written: No space left on device; "
        "mend that and type the command again\n"
    )


def test_letters_that_the_encoding_lacks_are_replaced() -> None:
    done = shell(f"PYTHONIOENCODING=ascii {TREEBENCH} plan tiny-é")
    assert done.returncode == 1
    assert done.stderr.startswith("treebench: no config tiny-\\xe9; give a YAML file")


def test_ctrl_c_while_importing_is_a_stop_like_any_other() -> None:
    words = [sys.executable, "-c", STOPPED_WHILE_IMPORTING]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "")
