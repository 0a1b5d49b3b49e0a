"""Which counters a run keeps: all but those of tables that are not recorded."""

from __future__ import annotations

from collections.abc import Iterable

from sim.tally import TALLY_DTYPE

FIELDS: dict[str, tuple[str, ...]] = {
    "knocks": ("knocks", "first_legal", "deadwoods", "layoffs"),
    "lengths": ("lengths",),
    "points": ("scores",),
}
"""Fields of the tally that are kept only where the table is recorded; all others always are."""
if not {field for fields in FIELDS.values() for field in fields} <= set(TALLY_DTYPE.names or ()):
    raise AssertionError("fields that the tally does not have")


def kept_fields(record: Iterable[str]) -> tuple[str, ...]:
    """Return the fields of the tally that a run keeps when it records some tables."""
    recorded = set(record)
    dropped = {field for table, fields in FIELDS.items() if table not in recorded for field in fields}
    return tuple(name for name in TALLY_DTYPE.names or () if name not in dropped)
