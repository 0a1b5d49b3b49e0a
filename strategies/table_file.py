"""Knock tables as files: one row a cell or a span of cells, as CSV or as Parquet.

Columns: ``deadwood``; at most one of ``stock``, ``stock_before`` and ``turn``; if wanted ``lead`` and
``last_discard``; and ``knock``. Instead of a column ``stock`` there may be two, ``stock_from`` and
``stock_to``, and so for the other numbers: then a row holds for all from the one to the other, and an empty
end is open. Nothing in a file is ever run: values are read as numbers or refused.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from strategies.base import StrategyError
from strategies.knock_cells import (
    AXES,
    LARGEST,
    LAST_DISCARDS,
    RANGES,
    CellError,
    KnockCells,
    Row,
    Span,
    grid,
)
from strategies.text import one_line

MAX_BYTES = 4_000_000
"""Bytes a file may have; the largest table of a row a cell has about 200,000."""
COLUMNS = (*(name + end for name in RANGES for end in ("", "_from", "_to")), "last_discard", "knock")

_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")

Lines = Iterator[tuple[str, Sequence[Any]]]
"""Rows as they stand in a file: where, and the values in the order of the columns."""


def read_table(path: str) -> tuple[KnockCells, str]:
    """Read a knock table.

    Parameters
    ----------
    path : str
        A file that ends in ``.csv`` (UTF-8, commas, a header) or ``.parquet``.

    Returns
    -------
    KnockCells
    str
        The first 16 hexadecimal digits of the SHA-256 of the file.

    Raises
    ------
    StrategyError
        Naming the file and, where there is one, line (CSV) or row (Parquet, from 1) and column.
    """
    content = _content(path)
    try:
        columns, lines = _parquet(content) if _kind(path) == ".parquet" else _csv(content)
        _check_columns(columns)
        axis = next((name for name in AXES[1:] if name in columns or f"{name}_from" in columns), "")
        rows: list[Row] = []
        for place, values in lines:
            if len(rows) == LARGEST:
                raise CellError(f"too large: more than {LARGEST} rows")
            if len(values) != len(columns):
                raise CellError(f"{place}: {len(values)} values, there are {len(columns)} columns")
            rows.append(_row(place, dict(zip(columns, values, strict=True)), axis))
        cells = grid(axis, rows)
    except CellError as error:
        raise StrategyError(f"table {one_line(path)}: {error}") from None
    return cells, hashlib.sha256(content).hexdigest()[:16]


def _kind(path: str) -> str:
    """Return the kind of a table's file, by its ending."""
    ending = Path(path).suffix.lower()
    if ending not in (".csv", ".parquet"):
        raise StrategyError(f"table {one_line(path)!r}: expected a file that ends in .csv or .parquet")
    return ending


def _content(path: str) -> bytes:
    """Return the bytes of a file that can be a table."""
    _kind(path)
    file = Path(path)
    try:
        if file.exists() and not file.is_file():
            raise ValueError("not a file")  # opening a pipe would wait for its other end
        with file.open("rb") as opened:
            content = opened.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise StrategyError(f"table {one_line(path)}: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > MAX_BYTES:
        raise StrategyError(f"table {one_line(path)}: too large: more than {MAX_BYTES:,} bytes")
    if not content:
        raise StrategyError(f"table {one_line(path)}: the file is empty")
    return content


def _csv(content: bytes) -> tuple[list[str], Lines]:
    """Return header and lines of a CSV file; the first line is line 1."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise CellError(f"line {line}: not text in UTF-8") from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)

    def lines() -> Lines:
        try:
            for values in reader:
                if values:  # an empty line says nothing
                    yield f"line {reader.line_num}", values
        except csv.Error as error:
            raise CellError(f"line {reader.line_num}: {error}") from None

    found = lines()
    header = next(found, None)
    if header is None:
        raise CellError("the file is empty")
    return [name.strip() for name in header[1]], found


def _parquet(content: bytes) -> tuple[list[str], Lines]:
    """Return column names and rows of a Parquet file; the first row is row 1."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise CellError("Parquet files need pyarrow, which is not installed") from None
    try:
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(content))
        schema, about = file.schema_arrow, file.metadata
        names = list(schema.names)
        unpacked = sum(about.row_group(group).total_byte_size for group in range(about.num_row_groups))
    except Exception as error:
        first = str(error).strip().splitlines() or [type(error).__name__]
        raise CellError(f"not a Parquet file: {first[0][:200]}") from None
    for field in schema:  # a type of somebody's own could bring code of its own along
        if isinstance(field.type, pyarrow.BaseExtensionType) or pyarrow.types.is_nested(field.type):
            kind = str(field.type).splitlines()[0][:40]
            raise CellError(f"column {field.name[:40]!r}: {kind} is neither numbers nor text")
    if about.num_rows > LARGEST:
        raise CellError(f"too large: {about.num_rows} rows, at most {LARGEST}")
    if unpacked > MAX_BYTES:
        raise CellError(f"too large: {unpacked:,} bytes unpacked, at most {MAX_BYTES:,}")

    def lines() -> Lines:
        # Read after the columns have been checked, and in small batches: a text that is stored once may stand
        # in every row, and the first row with such a one is refused.
        try:
            batches = file.iter_batches(batch_size=16)
            rows = (row for batch in batches for row in zip(*(one.to_pylist() for one in batch), strict=True))
            numbered = enumerate(rows, 1)
            while (found := next(numbered, None)) is not None:
                yield f"row {found[0]}", found[1]
        except Exception as error:
            told = str(error).strip().splitlines() or [""]
            raise CellError(f"cannot be read: {type(error).__name__}: {told[0][:200]}") from None

    return names, lines()


def _check_columns(columns: Sequence[str]) -> None:
    """Refuse columns that make no table."""
    for name in columns:
        if name not in COLUMNS:
            known = "deadwood, stock or stock_before or turn, lead, last_discard, knock"
            raise CellError(f"unknown column {name[:40]!r}; there can be {known}")
        if list(columns).count(name) > 1:
            raise CellError(f"column {name} is there twice")
    for name in RANGES:
        pair = [f"{name}_from" in columns, f"{name}_to" in columns]
        if any(pair) and not all(pair):
            raise CellError(f"missing column {name}_{'to' if pair[0] else 'from'}")
        if any(pair) and name in columns:
            raise CellError(f"columns {name} and {name}_from: give one value or a span, not both")
    given = [name for name in RANGES if name in columns or f"{name}_from" in columns]
    if "deadwood" not in given:
        raise CellError("missing column deadwood")
    axes = [name for name in AXES[1:] if name in given]
    if len(axes) > 1:
        raise CellError(f"columns {' and '.join(axes)}: a table has one of them")
    if "knock" not in columns:
        raise CellError("missing column knock")


def _row(place: str, values: dict[str, Any], axis: str) -> Row:
    """Read a row."""
    last = values.get("last_discard")
    last = last.strip() if isinstance(last, str) else last
    if _is_gap(last):
        last = ""
    elif last not in LAST_DISCARDS:
        raise CellError(f"{place}, column last_discard: {_shown(last)} is not ten or other (or empty: both)")
    return Row(
        place,
        _span(place, values, "deadwood"),
        _span(place, values, axis) if axis else Span(),
        _span(place, values, "lead"),
        last,
        _share(place, values["knock"]),
    )


def _span(place: str, values: dict[str, Any], name: str) -> Span:
    """Read the one value or the two ends of a span."""
    if name in values:
        value = _whole(place, name, values[name], empty=False)
        return Span(value, value)
    if f"{name}_from" not in values:
        return Span()
    low, high = (_whole(place, end, values[end], empty=True) for end in (f"{name}_from", f"{name}_to"))
    if low is not None and high is not None and low > high:
        raise CellError(f"{place}, column {name}_from: {low} is more than {name}_to, {high}")
    return Span(low, high)


def _shown(value: Any) -> str:
    """Return a value for a message: short, and on one line."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _is_gap(value: Any) -> bool:
    """Tell whether a value is left out: many tools write a gap in a column of numbers as no-number."""
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _whole(place: str, column: str, value: Any, empty: bool) -> int | None:
    """Read a whole number within the range of its column; None if it is left out and may be."""
    if isinstance(value, str):
        value = value.strip()
    if empty and _is_gap(value):
        return None
    low, high = RANGES[column.removesuffix("_from").removesuffix("_to")]
    number = None
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        number = int(value)
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        number = int(value) if value == int(value) else None  # beside gaps whole numbers become fractions
    if number is None or not low <= number <= high:
        raise CellError(f"{place}, column {column}: {_shown(value)} is not a whole number {low}-{high}")
    return number


def _share(place: str, value: Any) -> float:
    """Read a probability."""
    number = None
    if isinstance(value, str):
        value = value.strip()
        number = float(value) if _DECIMAL.fullmatch(value) else None
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        number = float(value)
    if number is None:
        raise CellError(f"{place}, column knock: {_shown(value)} is not a number")
    if not 0 <= number <= 1:
        raise CellError(f"{place}, column knock: {_shown(value)} is not in 0-1")
    return number + 0.0  # -0.0 is 0.0


def write_table(path: str, cells: KnockCells) -> int:
    """Write a knock table so that `read_table` reads the same rule; steps that are alike are one span.

    Parameters
    ----------
    path : str
        Ends in ``.csv`` or ``.parquet``; a file that is there is replaced.
    cells : KnockCells

    Returns
    -------
    int
        Rows written.

    Raises
    ------
    StrategyError
        If the path has another ending or cannot be written to.
    """
    kind = _kind(path)
    if Path(path).exists() and not Path(path).is_file():
        raise StrategyError(f"table {one_line(path)}: not a file")
    rows = list(cells.rows())
    table: dict[str, list[Any]] = {"deadwood": [row.deadwood.low for row in rows]}
    for name, spans in ((cells.axis, [row.step for row in rows]), ("lead", [row.lead for row in rows])):
        if any(span != Span() for span in spans):
            table[f"{name}_from"] = [span.low for span in spans]
            table[f"{name}_to"] = [span.high for span in spans]
    if any(row.last_discard for row in rows):
        table["last_discard"] = [row.last_discard for row in rows]
    table["knock"] = [row.knock for row in rows]
    content = _parquet_bytes(table) if kind == ".parquet" else _csv_bytes(table)
    try:
        Path(path).write_bytes(content)
    except (OSError, ValueError) as error:
        raise StrategyError(f"table {one_line(path)}: {getattr(error, 'strerror', None) or error}") from None
    return len(rows)


def _csv_bytes(table: dict[str, list[Any]]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table)
    for values in zip(*table.values(), strict=True):
        writer.writerow([int(value) if value in (0.0, 1.0) else value for value in values])
    return out.getvalue().encode()


def _parquet_bytes(table: dict[str, list[Any]]) -> bytes:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise StrategyError("Parquet files need pyarrow, which is not installed") from None
    kinds = {name: pyarrow.int64() for name in table}
    kinds |= {"last_discard": pyarrow.string(), "knock": pyarrow.float64()}
    columns = {name: pyarrow.array(values, kinds[name]) for name, values in table.items()}
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), out)
    return out.getvalue()
