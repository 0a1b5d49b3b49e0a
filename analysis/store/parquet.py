"""Parquet: tables with plain types, and the exact counters of every cell by group of pairs.

Files are written in row groups as cells come, and read by slices: neither a run of 100,000 cells nor a look
at one of them takes more memory than some hundred megabytes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from sim.tally import GROUPS, OUTCOMES, TALLY_DTYPE, Tally

_OPTIONS: dict[str, Any] = {"compression": "zstd", "write_statistics": ["cell"]}
"""The ends of each row group's cells are kept, so that a slice is found without reading all."""
_EXACT = {**_OPTIONS, "use_dictionary": False, "use_byte_stream_split": True}
"""The high bytes of counters are mostly alike: split, they take a sixth less than as they stand."""
ROW_GROUP_BYTES = 16_000_000
"""Of exact counters, before they are packed."""


class TableWriter:
    """Writes a table in row groups: texts, whole numbers, numbers (null for none), flags.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self._file = _File(path)

    def add(self, frame: pd.DataFrame) -> None:
        """Write rows; the columns and their types are those of the first."""
        schema = pa.schema([pa.field(name, _type(frame[name])) for name in frame.columns])
        table = pa.Table.from_pandas(frame, schema, preserve_index=False)
        self._file.write(table.replace_schema_metadata(None), _OPTIONS)

    def close(self, whole: bool = True) -> None:
        """End the file, or leave it as it is."""
        self._file.close(whole)


class _File:
    """A Parquet file that can be given up when the disk is full."""

    def __init__(self, path: Path) -> None:
        self._sink = path.open("wb")
        self._writer: Any = None

    def write(self, table: Any, options: dict[str, Any]) -> None:
        """Write a row group; the first says the schema."""
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._sink, table.schema, **options)
        self._writer.write_table(table)

    @property
    def begun(self) -> bool:
        """Whether something has been written."""
        return self._writer is not None

    def close(self, whole: bool) -> None:
        """End the file, or leave half of it."""
        try:
            if self._writer is not None:
                if whole:
                    self._writer.close()
                self._writer.is_open = False  # else it would write its end once more when it goes
        finally:
            self._sink.close()


_PLAIN = (pa.int64(), pa.float64(), pa.bool_(), pa.string())


def _type(column: pd.Series[Any]) -> Any:
    kinds = {"i": pa.int64(), "f": pa.float64(), "b": pa.bool_()}
    return kinds.get(column.dtype.kind, pa.string())


def read_table(
    path: Path, columns: Sequence[str] | None = None, cells: Sequence[int] | None = None
) -> pd.DataFrame:
    """Read a table that `TableWriter` has written, or some columns, or the rows of some cells.

    Raises
    ------
    KeyError
        If it has no such column.
    """
    known = column_names(path)
    for name in [*(columns or ()), "cell"]:
        if name not in known and (name != "cell" or cells is not None):
            raise KeyError(name)
    slices = None if cells is None else [("cell", "in", list(cells))]
    table = pq.read_table(path, columns=None if columns is None else list(columns), filters=slices)
    for field in table.schema:
        if field.type not in _PLAIN:
            raise ValueError(
                f"{path.name}: column {field.name}: {str(field.type)[:40]} is no type of a run's"
            )
    # What the file says of pandas is not followed: types of objects, an index.
    frame: pd.DataFrame = table.to_pandas(ignore_metadata=True)
    return frame.astype({field.name: "str" for field in table.schema if pa.types.is_string(field.type)})


def column_names(path: Path) -> list[str]:
    """Return the names of a table's columns."""
    return list(pq.read_schema(path).names)


# --- counters ------------------------------------------------------------------------------------


def _shape(name: str) -> tuple[int, ...]:
    return tuple(TALLY_DTYPE[name].shape)


def _field(name: str, shape: tuple[int, ...]) -> Any:
    number = pa.int64()
    if shape:
        number = pa.list_(pa.field("item", number, nullable=False), math.prod(shape))
    return pa.field(name, number, nullable=False)


class _ExactWriter:
    """Writes rows of whole numbers in row groups of about `ROW_GROUP_BYTES`."""

    def __init__(self, path: Path, shapes: dict[str, tuple[int, ...]]) -> None:
        self._schema = pa.schema([_field(name, shape) for name, shape in shapes.items()])
        row = 8 * sum(math.prod(shape) for shape in shapes.values())
        self._rows = max(1, ROW_GROUP_BYTES // row)
        self._parts: list[list[npt.NDArray[np.int64]]] = []
        self._held = 0
        self._file = _File(path)

    def _add(self, columns: Sequence[npt.NDArray[np.int64]]) -> None:
        self._parts.append([np.ascontiguousarray(values).reshape(-1) for values in columns])
        self._held += len(columns[0])
        if self._held >= self._rows:
            self._write()

    def _write(self) -> None:
        arrays = []
        for values, field in zip(zip(*self._parts, strict=True), self._schema, strict=True):
            flat = pa.array(np.concatenate(values))
            plain = field.type == pa.int64()
            arrays.append(flat if plain else pa.FixedSizeListArray.from_arrays(flat, type=field.type))
        self._file.write(pa.Table.from_arrays(arrays, schema=self._schema), _EXACT)
        self._parts, self._held = [], 0

    def close(self, whole: bool = True) -> None:
        """Write what is left and end the file, or leave half of it."""
        try:
            if whole and self._parts:
                self._write()
            elif whole and not self._file.begun:  # a run stopped before its first stage
                self._file.write(self._schema.empty_table(), _EXACT)
        except BaseException:
            whole = False
            raise
        finally:
            self._file.close(whole)


class GroupsWriter(_ExactWriter):
    """Writes the counters of each cell: a row a cell, a list a field.

    A list has the groups of the field's first counter, then those of the second, and so on: neighbours that
    are alike, so that it takes half of what it takes group by group.

    Parameters
    ----------
    path : Path
    fields : sequence of str
        Fields of the tally to keep.
    """

    def __init__(self, path: Path, fields: Sequence[str]) -> None:
        super().__init__(path, {"cell": (), **{name: (*_shape(name), GROUPS) for name in fields}})
        self._fields = tuple(fields)
        self._cells = 0

    def add(self, tally: Tally) -> None:
        """Write the counters of the next cell."""
        lists = [tally.groups(name).reshape(GROUPS, -1).T[None] for name in self._fields]
        self._add([np.array([self._cells]), *lists])
        self._cells += 1


class Groups:
    """The counters of a run, read cell by cell.

    Parameters
    ----------
    path : Path
        Written by `GroupsWriter`.

    Raises
    ------
    ValueError
        If its row groups are not alike.
    """

    def __init__(self, path: Path) -> None:
        self._file = pq.ParquetFile(path)
        told = self._file.metadata
        self.fields: tuple[str, ...] = tuple(self._file.schema_arrow.names[1:])
        self.cells: int = told.num_rows
        sizes = [told.row_group(number).num_rows for number in range(told.num_row_groups)]
        self._at_once = max(sizes, default=1)
        if any(size != self._at_once for size in sizes[:-1]):
            raise ValueError(f"{path.name}: row groups of several sizes")
        self._held: tuple[int, tuple[str, ...]] = (-1, ())
        self._table: Any = None

    def tally(self, cell: int, fields: Iterable[str] | None = None) -> Tally:
        """Return a cell's counters, or some fields of them; those that were not kept are zero."""
        wanted = tuple(name for name in self.fields if fields is None or name in fields)
        number, place = divmod(cell, self._at_once)
        if self._held != (number, wanted):
            self._table = self._file.read_row_group(number, columns=list(wanted))
            self._held = number, wanted
        mine = self._table.slice(place, 1)
        tally = Tally()
        for name in wanted:
            tally.rows[name] = _values(mine[name]).reshape(-1, GROUPS).T.reshape(GROUPS, *_shape(name))
        return tally


def _values(column: Any) -> npt.NDArray[np.int64]:
    whole = column.combine_chunks()
    return np.asarray(whole.flatten() if pa.types.is_fixed_size_list(whole.type) else whole)


Course = tuple[int, int, npt.NDArray[np.int64]]
"""A cell, its pairs at the end of a stage, and its moments then."""


class StagesWriter(_ExactWriter):
    """Writes the moments of each cell at the end of each stage."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, {"cell": (), "pairs": (), "moments": (len(OUTCOMES), len(OUTCOMES))})

    def add(self, courses: Sequence[Course]) -> None:
        """Write stages, in the order of cells and pairs."""
        if courses:
            cells, pairs, moments = (np.array(part, np.int64) for part in zip(*courses, strict=True))
            self._add([cells, pairs, moments])


def read_stages(path: Path) -> Iterator[Course]:
    """Read what `StagesWriter` has written, in order."""
    size = len(OUTCOMES)
    for batch in pq.ParquetFile(path).iter_batches():
        moments = np.asarray(batch.column("moments").flatten()).reshape(-1, size, size)
        cells, pairs = (batch.column(name).to_pylist() for name in ("cell", "pairs"))
        yield from zip(cells, pairs, moments, strict=True)
