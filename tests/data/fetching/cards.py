"""Small cards of fetched sets, and their files."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import zipfile
from pathlib import Path
from typing import Any

import yaml

ROWS = 60


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def headless_csv(rows: int = ROWS) -> bytes:
    """Label first, no header, as HIGGS writes its numbers."""
    lines = (f"{i % 2:.18e},{i:.6e},{i * i % 7 - 3:.6e}" for i in range(rows))
    return ("\n".join(lines) + "\n").encode()


def zipped(**members: bytes) -> bytes:
    """A zip of `a_b=...` as a.b; a name with `__` is in a folder."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            # Of a fixed date, so that the same members are the same bytes at any time.
            member = zipfile.ZipInfo(name.replace("__", "/").replace("_", "."))
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, content)
    return made.getvalue()


def write_card(
    name: str, source: dict[str, Any], folder: Path = Path("datasets"), **facts: Any
) -> None:
    card = {
        "name": name,
        "title": "A small set",
        "licence": "CC0-1.0",
        "source": {"most_unpacked_bytes": 1 << 20, "page": "http://localhost/page", **source},
        **facts,
    }
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(card, sort_keys=False))


def write_higgs_like(addresses: list[str], checksum: str | None = None, **changes: Any) -> None:
    """A header-less CSV in a gzip in a zip, the last ten rows the test part."""
    file: dict[str, Any] = {"addresses": addresses, "most_bytes": 1 << 20}
    if checksum is not None:
        file["checksum"] = checksum
    source = {
        "kind": "fetched-csv",
        "files": {"hits.zip": file},
        "path": "hits.zip/HITS.csv.gz",
        "header": False,
        "columns": ["signal", "a", "b"],
        **changes,
    }
    write_card(
        "hits",
        source,
        task="binary",
        target={"column": "signal"},
        split={"last_rows": 10},
        expected={"rows": ROWS, "features": 2},
    )


def higgs_like_zip(rows: int = ROWS) -> bytes:
    return zipped(HITS_csv_gz=gzip.compress(headless_csv(rows), mtime=0))


def write_epsilon_like(train: str | None, test: str | None) -> None:
    files = {
        file: {"most_bytes": 1 << 20, "addresses": [] if address is None else [address]}
        for file, address in (("dense.bz2", train), ("dense.t.bz2", test))
    }
    write_card(
        "dense",
        {"kind": "fetched-svmlight", "files": files, "path": "dense.bz2", "features": 3},
        task="binary",
        split={"test_file": "dense.t.bz2"},
        expected={"rows": 50, "features": 3},
    )


def svmlight(rows: int, qid: bool = False) -> bytes:
    lines = (
        f"{1 if i % 2 else -1} {'qid:7 ' if qid else ''}1:{i / 8} 2:{-i} 3:0.5" for i in range(rows)
    )
    return ("\n".join(lines) + "\n").encode()


def packed_svmlight(rows: int) -> bytes:
    return bz2.compress(svmlight(rows))
