"""Folders and files of any name, in any locale: from a person's own file to its report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Treebench

ODD = "-dir ü \U0001f333 'q\" $(x) %s;\n# {}"
CONFIG = """
name: odd
data: {set: own}
threads: 1
samples: 1
deadline: 200s
oversubscribe: true
title: "Bäume \U0001f333"
reference: {trainer: lightgbm, n_estimators: 2, max_leaves: 4}
"""
LOCALES = {
    "ASCII alone": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "LANG=C": {"LANG": "C"},
    "POSIX": {"LC_ALL": "POSIX", "PYTHONUTF8": "0"},
    "Turkish": {"LC_ALL": "tr_TR", "PYTHONUTF8": "0"},
    "Turkish in UTF-8": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
    "nothing": {},
}


def in_locale(name: str, environment: dict[str, str]) -> dict[str, str]:
    """The environment with that locale and no other."""
    bare = {
        key: value
        for key, value in environment.items()
        if not key.startswith("LC_") and key not in ("LANG", "LANGUAGE", "PYTHONIOENCODING")
    }
    return {**bare, **LOCALES[name]}


@pytest.mark.slow
@pytest.mark.parametrize("locale", LOCALES)
def test_an_odd_folder_in_any_locale(
    locale: str, tmp_path: Path, environment: dict[str, str], command: list[str]
) -> None:
    folder = tmp_path / ODD
    folder.mkdir()
    lines = [f"{row},{'çok' if row % 3 else 'İyi'},{row % 2}\n" for row in range(60)]
    (folder / "-dosya ş.csv").write_text("sayi,tür,hedef\n" + "".join(lines), encoding="utf-8")
    (folder / "ö.yaml").write_text(CONFIG, encoding="utf-8")
    own = {key: value for key, value in environment.items() if key != "TREEBENCH_CACHE"}

    def call(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[bytes]:
        done = subprocess.run(
            [*command, *arguments],
            capture_output=True,
            cwd=folder,
            env=in_locale(locale, own),
            check=False,
            timeout=800,
        )
        assert b"Traceback" not in done.stderr, done.stderr.decode(errors="replace")
        assert done.returncode == code, done.stderr.decode(errors="replace")
        return done

    typed = ("data", "import", "./-dosya ş.csv", "--target", "hedef", "--name", "own")
    utf8 = LOCALES[locale].get("PYTHONUTF8") != "0"
    if utf8:
        call(*typed)
    else:
        # Without UTF-8 the folder's name has no letters that a card could hold; all else goes well.
        assert b"set PYTHONUTF8=1" in call(*typed, code=1).stderr
        odd = CONFIG.replace("set: own", "set: tiny, rows: 200")
        (folder / "ö.yaml").write_text(odd, encoding="utf-8")
    call("plan", "ö.yaml")
    call("run", "ö.yaml", "--out", "-sonuç\n1", "--note", "not ş")
    call("show", "./-sonuç\n1")
    call("report", "./-sonuç\n1")
    call("validate", "./-sonuç\n1")
    (entry,) = json.loads(call("log", ".", "--json").stdout)
    assert os.fsencode(entry["note"]).decode() == "not ş"
    page = (folder / "-sonuç\n1" / "report" / "index.html").read_text(encoding="utf-8")
    assert "Bäume \U0001f333" in page
    facts = json.loads((folder / "-sonuç\n1" / "run.json").read_text(encoding="utf-8"))
    assert os.fsencode(facts["note"]).decode() == "not ş"


@pytest.mark.slow
def test_a_folder_whose_name_is_no_text(
    tmp_path: Path, environment: dict[str, str], command: list[str]
) -> None:
    """Bytes that are no UTF-8: a sweep runs there; a file with such a name cannot be imported."""
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe"))
    folder.mkdir()
    odd = CONFIG.replace("set: own", "set: tiny, rows: 200")
    (folder / "c.yaml").write_text(odd, encoding="utf-8")
    (folder / "d.csv").write_text("x,y\n1,0\n2,1\n")
    for arguments, code, said in (
        (["run", "c.yaml"], 0, b""),
        (["report", "odd"], 0, b""),
        (["data", "import", "d.csv", "--target", "y"], 1, b"its name is not UTF-8"),
    ):
        done = subprocess.run(
            [*command, *arguments],
            capture_output=True,
            cwd=folder,
            env=environment,
            check=False,
            timeout=800,
        )
        assert done.returncode == code, done.stderr
        assert said in done.stderr
        assert b"Traceback" not in done.stderr


def test_a_file_that_begins_with_a_dash_is_no_option(treebench: Treebench, folder: Path) -> None:
    (folder / "-c.yaml").write_text("name: [", encoding="utf-8")
    done = treebench("plan", "--", "-c.yaml")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("treebench: -c.yaml:1: ")
    done = treebench("plan", "-c.yaml")
    assert done.returncode == 1
    assert "No such option: -c" in done.stderr
    assert sys.executable not in done.stderr
