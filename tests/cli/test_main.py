"""The command line as a whole: quick to start, one line per error, exit codes from the table."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from treebench.cli import main
from treebench.report.lines import SORT_KEYS

HEAVY = (
    "numpy",
    "pandas",
    "pyarrow",
    "scipy",
    "sklearn",
    "xgboost",
    "lightgbm",
    "altair",
    "pydantic",
)


def treebench(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "treebench", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_who_starts_it_deaf_to_stops_gets_what_listens() -> None:
    code = (
        "import signal\n"
        "stops = {signal.SIGINT, signal.SIGTERM}\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, stops)\n"
        "from treebench.cli import main\n"
        "try: main(['--help'])\n"
        "finally: print('deaf to', len(stops & signal.pthread_sigmask(signal.SIG_BLOCK, ())))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "deaf to 0"


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from treebench.cli import _exit_code\n"
        "assert _exit_code(['--help']) == 0\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_supervisor_imports_neither_numpy_nor_a_learner() -> None:
    code = (
        "import sys\n"
        "import treebench.runner.local, treebench.runner.start, treebench.runner.prepare\n"
        "import treebench.plan.build, treebench.config.load, treebench.store.run_folder\n"
        "import treebench.cli.progress\n"
        f"print([name for name in {HEAVY[:-1]} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_names_every_verb() -> None:
    done = treebench("--help")
    assert done.returncode == 0
    for verb in ("data", "plan", "run", "show", "report", "validate", "doctor"):
        assert f"  {verb} " in done.stdout
    assert "..." not in done.stdout.partition("Commands:")[2]  # no verb's line is cut off


def test_help_of_show_lists_what_it_sorts_by() -> None:
    said = " ".join(treebench("show", "--help").stdout.replace(" or ", ", ").split())
    listed = said.partition("Order of the lines: ")[2].partition(".")[0]
    assert listed.split(", ") == list(SORT_KEYS)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fly"], "No such command 'fly'; see `treebench --help`"),
        (["run"], "Missing argument 'CONFIG'; see `treebench run --help`"),
        (["plan", "quickstart", "--fast"], "No such option: --fast"),
        (["plan", "nowhere"], "no config nowhere; give a YAML file, or one of: "),
        (["plan", "quickstart", "--set", "samples"], "write it as key=value"),
        (["show", "nowhere"], "no run in nowhere nor in results/nowhere"),
        (["report", "nowhere"], "no run in nowhere nor in results/nowhere"),
        (["validate", "nowhere"], "no run in nowhere nor in results/nowhere"),
        (["plan", "quickstart", "--set", "data.set=nowhere"], "nowhere"),
        (["plan", "no\nwhere"], r"no config no\nwhere; give a YAML file"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_1(
    arguments: list[str], words: str, tmp_path: Path
) -> None:
    done = treebench(*arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("treebench: ")
    assert words in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_too_many_open_files_are_one_line_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(_: object) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("treebench.cli.verbs.call", refused)
    with pytest.raises(SystemExit) as ended:
        main(["run", "quickstart"])
    assert ended.value.code == 1
    assert capsys.readouterr().err == (
        "treebench: Too many open files; raise the limit (ulimit -n) and type the command again\n"
    )


def test_a_group_without_a_verb_shows_its_help() -> None:
    done = treebench("data")
    assert "list" in done.stdout + done.stderr
    assert "treebench: Usage" not in done.stderr
