"""How data sets are shown to people."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from typing import TYPE_CHECKING, Any

from treebench.data.sources.fetched import Fetched
from treebench.report import units

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from treebench.data.listing import Listed
    from treebench.data.manifest import Manifest

MOST_SHOWN = 12
HEADINGS = ("name", "rows x features", "task", "storage", "made", "licence")


def say(line: str) -> None:
    """A line on how the making goes, for whoever waits."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def print_json(facts: Any) -> None:
    """Raw values for programs."""
    sys.stdout.write(json.dumps(facts, indent=1, ensure_ascii=False) + "\n")


def print_list(listed: Sequence[Listed]) -> None:
    """A line for each data set."""
    rows = [HEADINGS, *(_row(entry) for entry in listed)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADINGS))]
    # Only the last column, the licence, may be cut, and only by a screen; a pipe gets all of it.
    screen = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for row in rows:
        cells = [
            cell.rjust(width) if heading == "rows x features" else cell.ljust(width)
            for cell, width, heading in zip(row, widths, HEADINGS, strict=True)
        ]
        _say(_cut("  ".join(cells).rstrip(), screen))
    unmade = [entry for entry in listed if entry.folder is None]
    ready = next((entry for entry in unmade if entry.files in (None, "here")), None)
    _say("")
    if ready is not None:
        _say(f"next: treebench data make {ready.card_file.card.name}")
    if any(entry.files in ("open", "by hand") for entry in unmade):
        _say("to fetch, or by hand: treebench data fetch NAME says how, and does it where it can")
    _say("your own file: treebench data import FILE --target COLUMN")


def _row(entry: Listed) -> tuple[str, ...]:
    card = entry.card_file.card
    made = _unmade(entry) if entry.folder is None else units.size(entry.disk_bytes)
    storage = "sparse" if card.storage == "sparse-rows" else card.storage
    return (card.name, _shape(entry), card.task, storage, made, card.licence)


def _unmade(entry: Listed) -> str:
    """What is to be done first for a set that is not made."""
    return {None: "no", "here": "no", "open": "to fetch", "by hand": "by hand"}[entry.files]


def _cut(line: str, width: int | None) -> str:
    return line if width is None or len(line) <= width else line[: width - 1] + "…"


def print_info(entry: Listed) -> None:
    """All that is known of one data set."""
    card = entry.card_file.card
    _say(f"{card.name}: {card.title}\n")
    facts = {
        "card": str(entry.card_file.path),
        "source": card.source.kind,
        "task": card.task,
        "rows x features": _shape(entry),
        "storage": card.storage,
        "split": _split(entry),
        "licence": card.licence,
    }
    if entry.manifest is not None:
        facts.update(_made_facts(entry, entry.manifest))
    else:
        facts["made"] = "no"
    if entry.files is not None:
        facts["files"] = _files(entry)
    for key, value in facts.items():
        _say(f"  {key:<16} {value}")
    dropped = card.drop if entry.manifest is None else entry.manifest.dropped
    if dropped:
        _say("\n  left out")
        for name, why in dropped.items():
            _say(f"    {name:<16} {why}")
    _say(f"\nnext: {_next_step(entry)}")


def _files(entry: Listed) -> str:
    source = entry.card_file.card.source
    if entry.files == "here":
        return "on this machine"
    size = entry.download_bytes
    about = "" if size is None else f", about {units.size(size)}"
    how = "to be downloaded" if entry.files == "open" else "to be had by hand"
    return f"{how}{about}; {source.page}" if isinstance(source, Fetched) else how


def print_made(entry: Listed) -> None:
    """Where a made set lies."""
    _say(f"{entry.card_file.card.name}: {_shape(entry)} in {entry.folder}")
    _say(f"next: {_next_step(entry)}")


def print_imported(entry: Listed) -> None:
    """What an import wrote."""
    manifest = entry.manifest
    _say(f"wrote {entry.card_file.path}: {_shape(entry)}, {entry.card_file.card.task}")
    if manifest is not None and manifest.classes:
        _say(f"classes: {_first(manifest.classes)}")
    if manifest is not None and (categories := _categories(manifest)):
        _say(f"categorical: {_first(categories)}")
    _say(f"next: {_next_step(entry)}")


def _made_facts(entry: Listed, manifest: Manifest) -> dict[str, str]:
    facts = {
        "target": manifest.target,
        "classes": _first(manifest.classes),
        "train / test": f"{manifest.train_rows:,} / {manifest.test_rows:,} rows",
        "density": f"{100 * manifest.density:.3g} % of the training part is not zero (or missing)",
        "categorical": _first(_categories(manifest)),
        "features": _first([feature.name for feature in manifest.features]),
        "subsets": _first([f"{rows:,}" for rows in entry.subset_rows]),
        "made": f"{entry.folder} ({units.size(entry.disk_bytes)})",
        "content sha256": manifest.content_sha256,
    }
    return {key: value for key, value in facts.items() if value}


def _shape(entry: Listed) -> str:
    if entry.shape is None:
        return units.count(None)
    return f"{entry.shape[0]:,} x {entry.shape[1]:,}"


def _split(entry: Listed) -> str:
    split = entry.card_file.card.split
    if split is None:
        return "the source's own"
    if split.test_file is not None:
        return f"test part from {split.test_file}"
    if split.last_rows is not None:
        return f"the last {split.last_rows:,} rows are the test part"
    return f"{100 * (split.test_share or 0):.3g} % held out, stratified, seed {split.seed}"


def _categories(manifest: Manifest) -> list[str]:
    return [
        f"{feature.name} ({feature.cardinality:,})"
        for feature in manifest.features
        if feature.cardinality is not None
    ]


def _first(names: Iterable[str]) -> str:
    known = list(names)
    shown = ", ".join(known[:MOST_SHOWN])
    more = len(known) - MOST_SHOWN
    return f"{shown} and {more:,} more" if more > 0 else shown


def _next_step(entry: Listed) -> str:
    name = entry.card_file.card.name
    if entry.manifest is None:
        return f"treebench data {'fetch' if entry.files in ('open', 'by hand') else 'make'} {name}"
    rows = entry.manifest.train_rows
    # A subset must hold a row of each class.
    fewest = max(entry.manifest.n_classes, 1)
    sizes = sorted({max(rows // 16, fewest), max(rows // 4, fewest), rows})
    rows_wanted = f"data.rows={sizes}".replace(" ", "")
    changes = (f"name={name}", f"data.set={name}", rows_wanted)
    words = [word for change in changes for word in ("--set", change)]
    return shlex.join(["treebench", "plan", "quickstart", *words])


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
