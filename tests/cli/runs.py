"""Run folders on disk, as a run would leave them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.store.journal import Journal
from treebench.store.run_folder import write_facts

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.store.row import SampleRow


def put_run(folder: Path, facts: dict[str, Any], rows: list[SampleRow]) -> Path:
    folder.mkdir(parents=True)
    write_facts(folder, facts)
    with Journal(folder / "samples.jsonl") as journal:
        for row in rows:
            journal.append(row)
    return folder
