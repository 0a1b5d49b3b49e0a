"""All rows of the reproduction, in order, and how some of them are asked for."""

from __future__ import annotations

from analysis.console import UsageError
from analysis.reproduction import rows_claims, rows_framework, rows_hands, rows_matches
from analysis.reproduction.model import Row

_LISTED = (*rows_hands.ROWS, *rows_matches.ROWS, *rows_framework.ROWS, *rows_claims.ROWS)

ROWS: tuple[Row, ...] = tuple(sorted(_LISTED, key=lambda row: (row.name[0] == "H", int(row.name[1:]))))
"""R1 ... R13, then H1 ... H5."""


def parse_rows(text: str | None) -> tuple[Row, ...]:
    """Read names of rows parted by commas; all rows if there is no text.

    Raises
    ------
    UsageError
        If a name is empty, unknown or stands twice.
    """
    if text is None:
        return ROWS
    by_name = {row.name: row for row in ROWS}
    names = [name.strip().upper() for name in text.split(",")]
    for name in names:
        if not name:
            raise UsageError(f"--rows {text[:60]!r}: an empty name; expected rows such as R7,R8")
        if name not in by_name:
            raise UsageError(f"--rows: unknown row {name[:20]!r}; known: {', '.join(by_name)}")
        if names.count(name) > 1:
            raise UsageError(f"--rows {text[:60]!r}: {name} stands twice")
    return tuple(row for row in ROWS if row.name in names)
