"""Parquet: tables with plain types, and the exact counters of every cell by group of pairs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from sim.tally import GROUPS, OUTCOMES, TALLY_DTYPE, Tally

_OPTIONS: dict[str, Any] = {"compression": "zstd", "write_statistics": False}
_EXACT = {**_OPTIONS, "use_dictionary": False, "use_byte_stream_split": True}
"""The high bytes of counters are mostly alike: split, they take a sixth less than as they stand."""


def write_table(path: Path, frame: pd.DataFrame) -> None:
    """Write a table: texts, whole numbers, numbers (null for none), flags; nothing about pandas."""
    fields = [pa.field(name, _type(frame[name])) for name in frame.columns]
    table = pa.Table.from_pandas(frame, pa.schema(fields), preserve_index=False)
    pq.write_table(table.replace_schema_metadata(None), path, **_OPTIONS)


def _type(column: pd.Series[Any]) -> Any:
    kinds = {"i": pa.int64(), "f": pa.float64(), "b": pa.bool_()}
    return kinds.get(column.dtype.kind, pa.string())


def read_table(path: Path) -> pd.DataFrame:
    """Read a table that `write_table` has written."""
    table = pq.read_table(path)
    frame: pd.DataFrame = table.to_pandas()
    return frame.astype({field.name: "str" for field in table.schema if pa.types.is_string(field.type)})


# --- counters ------------------------------------------------------------------------------------


def _shape(name: str) -> tuple[int, ...]:
    return tuple(TALLY_DTYPE[name].shape)


def _field(name: str, shape: tuple[int, ...]) -> Any:
    number = pa.int64()
    if shape:
        number = pa.list_(pa.field("item", number, nullable=False), math.prod(shape))
    return pa.field(name, number, nullable=False)


def _array(values: npt.NDArray[np.int64], field: Any) -> Any:
    flat = pa.array(np.ascontiguousarray(values).reshape(-1))
    return flat if field.type == pa.int64() else pa.FixedSizeListArray.from_arrays(flat, type=field.type)


def write_groups(path: Path, tallies: Iterable[Tally], fields: Sequence[str]) -> None:
    """Write the counters of each cell: a row a cell and group of pairs, a row group a cell.

    Parameters
    ----------
    path : Path
    tallies : iterable of Tally
        Of the cells in order; only one is held at a time.
    fields : sequence of str
        Fields of the tally to keep.
    """
    schema = pa.schema(
        [_field("cell", ()), _field("group", ()), *(_field(name, _shape(name)) for name in fields)]
    )
    with pq.ParquetWriter(path, schema, **_EXACT) as writer:
        for cell, tally in enumerate(tallies):
            columns = [np.full(GROUPS, cell), np.arange(GROUPS), *(tally.groups(name) for name in fields)]
            arrays = [_array(values, field) for values, field in zip(columns, schema, strict=True)]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


class Groups:
    """The counters of a run, read cell by cell.

    Parameters
    ----------
    path : Path
        Written by `write_groups`.
    """

    def __init__(self, path: Path) -> None:
        self._file = pq.ParquetFile(path)
        self.cells: int = self._file.num_row_groups
        self.fields: tuple[str, ...] = tuple(self._file.schema_arrow.names[2:])

    def tally(self, cell: int, fields: Iterable[str] | None = None) -> Tally:
        """Return a cell's counters, or some fields of them; those that were not kept are zero."""
        wanted = [name for name in self.fields if fields is None or name in fields]
        table = self._file.read_row_group(cell, columns=wanted)
        tally = Tally()
        for name in wanted:
            tally.rows[name] = _values(table[name]).reshape(GROUPS, *_shape(name))
        return tally


def _values(column: Any) -> npt.NDArray[np.int64]:
    whole = column.combine_chunks()
    return np.asarray(whole.flatten() if pa.types.is_fixed_size_list(whole.type) else whole)


Course = tuple[int, int, npt.NDArray[np.int64]]
"""A cell, its pairs at the end of a stage, and its moments then."""


def write_stages(path: Path, courses: Iterable[Course]) -> None:
    """Write the moments of each cell at the end of each stage."""
    listed = list(courses)
    size = len(OUTCOMES)
    schema = pa.schema([_field("cell", ()), _field("pairs", ()), _field("moments", (size, size))])
    columns = [
        np.array([cell for cell, _, _ in listed], np.int64),
        np.array([pairs for _, pairs, _ in listed], np.int64),
        np.array([moments for _, _, moments in listed], np.int64),
    ]
    arrays = [_array(values, field) for values, field in zip(columns, schema, strict=True)]
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), path, **_EXACT)


def read_stages(path: Path) -> list[Course]:
    """Read what `write_stages` has written."""
    table = pq.read_table(path)
    size = len(OUTCOMES)
    moments = _values(table["moments"]).reshape(-1, size, size)
    cells, pairs = (table[name].to_pylist() for name in ("cell", "pairs"))
    return list(zip(cells, pairs, moments, strict=True))
