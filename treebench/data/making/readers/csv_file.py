"""Reads one CSV file of a person's own, in blocks.

Types are found by looking at the whole file: Arrow's own guess is made from the first block, so a
number that turns into text in row ten million would end the read.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from treebench.data.making.packed import PackedFile

BLOCK_BYTES = 8 << 20
# From narrow to wide; a column has the first type that all its values can be read as.
LADDER = (
    pa.int64(),
    pa.float64(),
    pa.bool_(),
    pa.timestamp("us"),
    pa.timestamp("us", "UTC"),
    pa.string(),
)


class CsvReader:
    """A reader over one file. Empty fields, NA, NaN, null and the like are missing.

    `columns` names those of a file without a header, else they are `f0`, `f1`, ... `opened` opens
    a file that is not simply read from its path.
    """

    def __init__(
        self,
        path: Path,
        header: bool,
        delimiter: str,
        columns: Sequence[str] = (),
        opened: Callable[[], AbstractContextManager[Any]] | None = None,
    ) -> None:
        self._path = path
        self._open = opened or (lambda: nullcontext(path))
        self._read = csv.ReadOptions(
            block_size=BLOCK_BYTES,
            column_names=list(columns) or None,
            autogenerate_column_names=not header and not columns,
            use_threads=False,
        )
        self._parse = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
        self.label = str(path)
        self.left_out: dict[str, str] = {}
        names = self._names()
        if len(set(names)) < len(names):
            # Types cannot be asked for by name; the caller refuses repeated names anyway.
            self.schema = pa.schema([(name, pa.string()) for name in names])
        else:
            self.schema = pa.schema(list(zip(names, self._types(names), strict=True)))

    @classmethod
    def of_packed(cls, file: PackedFile, delimiter: str, columns: Sequence[str]) -> CsvReader:
        """A reader over a file that is unpacked while it is read; with a header if no `columns`
        are named."""
        reader = cls(file.path, not columns, delimiter, columns, file.open)
        reader.label = file.label
        return reader

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[Any]:
        """Batches of the columns asked for; the others are not converted."""
        types = {name: self.schema.field(name).type for name in columns}
        for block in self._blocks(
            csv.ConvertOptions(
                include_columns=list(columns), column_types=types, strings_can_be_null=True
            )
        ):
            for start in range(0, block.num_rows, batch_rows):
                yield block.slice(start, batch_rows)

    def _names(self) -> list[str]:
        try:
            with self._stream() as blocks:
                return list(blocks.schema.names)
        except UnicodeDecodeError:
            raise DataError(f"{self._path} is not UTF-8 text; save it as UTF-8") from None
        except (pa.ArrowException, OSError) as error:
            raise DataError(self._problem(error)) from None

    def _types(self, names: list[str]) -> list[Any]:
        steps: dict[str, int] = {}
        text = dict.fromkeys(names, pa.string())
        for block in self._blocks(csv.ConvertOptions(column_types=text, strings_can_be_null=True)):
            for name in names:
                column = block.column(name)
                if column.null_count < len(column):
                    steps[name] = _step(column, steps.get(name))
        return [LADDER[steps[name]] if name in steps else pa.null() for name in names]

    def _blocks(self, convert: Any) -> Iterator[Any]:
        try:
            with self._stream(convert) as blocks:
                yield from blocks
        except (pa.ArrowException, OSError) as error:
            raise DataError(self._problem(error)) from None

    @contextmanager
    def _stream(self, convert: Any = None) -> Iterator[Any]:
        with (
            self._open() as source,
            csv.open_csv(source, self._read, self._parse, convert) as blocks,
        ):
            yield blocks

    def _problem(self, error: Exception) -> str:
        first = str(error).splitlines()[0]
        return (
            f"{self._path} cannot be read as CSV ({first}); mend the file, or state its delimiter"
        )


def _step(column: Any, step: int | None) -> int:
    """The step of the ladder that reads `column` and what `step` read before (None: nothing).

    Whole numbers can still turn out to be real numbers. Any other change means text: a column of
    numbers and times has no narrower type.
    """
    text = len(LADDER) - 1
    if step is None:
        return next((first for first in range(text) if _reads(column, first)), text)
    if step == text or _reads(column, step):
        return step
    return 1 if step == 0 and _reads(column, 1) else text


def _reads(column: Any, step: int) -> bool:
    try:
        pc.cast(pc.utf8_trim_whitespace(column), LADDER[step])
    except pa.ArrowInvalid:
        return False
    return True
