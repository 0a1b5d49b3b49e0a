"""A knock rule as cells: a probability for deadwood, stock or turn, lead and last discard.

The cells are a full grid. Rows of a table say spans of them; here spans become the grid, and the grid
spans again. How a grid lies in a strategy's table is said by `layout` and read by
`strategies.compiled.knock_table`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

DEADWOODS = 11
"""Points of deadwood with which a hand can be ended: 0-10."""
LARGEST = 8192
"""Values a grid may have: as many as `sim.view.TABLE` holds."""
AXES = ("", "stock", "stock_before", "turn")
"""What the steps of a grid count; the first: nothing, there is one step."""
RANGES = {
    "deadwood": (0, 10),
    "stock": (0, 55),  # no stock has more
    "stock_before": (0, 55),
    "turn": (1, 400),  # no hand has more
    "lead": (-999_999, 999_999),
}
"""Values that a row may name."""
LAST_DISCARDS = ("other", "ten")


class CellError(ValueError):
    """Rows that make no table; the message says which."""


class Span(NamedTuple):
    """Whole numbers from ``low`` to ``high``, both ends in; None is as far as the table goes.

    Attributes
    ----------
    low, high : int or None
    """

    low: int | None = None
    high: int | None = None

    def __str__(self) -> str:
        if self.low == self.high:
            return "any" if self.low is None else str(self.low)
        low = "..." if self.low is None else self.low
        return f"{low} to {'...' if self.high is None else self.high}"


class Row(NamedTuple):
    """One row of a table.

    Attributes
    ----------
    place : str
        Where it stands, for messages.
    deadwood, step, lead : Span
        Points of the own hand; cards of the stock, now or before the own draw, or own turns; points ahead.
    last_discard : str
        One of `LAST_DISCARDS`, or empty for both.
    knock : float
        Probability, 0-1.
    """

    place: str
    deadwood: Span
    step: Span
    lead: Span
    last_discard: str
    knock: float


@dataclass(frozen=True)
class KnockCells:
    """A knock rule as a full grid.

    Attributes
    ----------
    axis : str
        What a step is, one of `AXES`.
    first : int
        Cards of the stock, or own turn, of the first step. What lies before the first step or beyond the
        last is played as the nearest.
    leads : tuple of int
        Least lead (own score less the other's, in points) of each band of leads but the first.
    shares : ndarray of float64, shape (leads + 1, 1 or 2, steps, 11)
        Probability of ending the hand by band of leads, last discard (of two: other, ten), step and
        deadwood.
    """

    axis: str
    first: int
    leads: tuple[int, ...]
    shares: Any

    def layout(self) -> list[float]:
        """Return kind of axis, first step, numbers of bands, last discards and steps."""
        bands, lasts, steps, _ = self.shares.shape
        return [float(value) for value in (AXES.index(self.axis), self.first, bands, lasts, steps)]

    def values(self) -> Any:
        """Return the starts of the bands and then the probabilities, as one array of float64."""
        import numpy as np

        return np.concatenate([np.array(self.leads, np.float64), self.shares.ravel()])

    def rows(self) -> Iterator[Row]:
        """Yield the grid as rows, steps that are alike taken together."""
        changes = (self.shares[:, :, 1:] != self.shares[:, :, :-1]).any(axis=(0, 1, 3))
        alike = [step for step, changed in enumerate(changes, 1) if changed]
        starts = [0, *alike]
        bands = _spans([None, *self.leads])
        spans = _spans([None, *(self.first + start for start in alike)])
        lasts = LAST_DISCARDS if self.shares.shape[1] == 2 else ("",)
        for (band, lead), (at, last), (start, span), deadwood in itertools.product(
            enumerate(bands), enumerate(lasts), zip(starts, spans, strict=True), range(DEADWOODS)
        ):
            share = float(self.shares[band, at, start, deadwood])
            yield Row("", Span(deadwood, deadwood), span, lead, last, share)


def _spans(starts: Sequence[int | None]) -> list[Span]:
    """Return the spans that begin at each start and end before the next."""
    ends = [None if start is None else start - 1 for start in starts[1:]]
    return [Span(low, high) for low, high in zip(starts, [*ends, None], strict=True)]


def grid(axis: str, rows: Sequence[Row]) -> KnockCells:
    """Return the grid that rows describe.

    Every cell between the least and the largest value named must be given, once; deadwood from 0 to 10.

    Parameters
    ----------
    axis : str
        What a step is, one of `AXES`.
    rows : sequence of Row
        Each within `RANGES`.

    Returns
    -------
    KnockCells

    Raises
    ------
    CellError
        If there are no rows, too many cells, or a cell is given twice or not at all.
    """
    import numpy as np

    if not rows:
        raise CellError("no rows")
    named = [end for row in rows for end in row.step if end is not None]
    first, last = min(named, default=0), max(named, default=0)
    leads = _bands(rows)
    lasts = 2 if any(row.last_discard for row in rows) else 1
    shape = (len(leads) + 1, lasts, last - first + 1, DEADWOODS)
    size = len(leads) + int(np.prod(shape))
    if size > LARGEST:
        raise CellError(f"too large: {size} values, at most {LARGEST}")
    shares = np.zeros(shape)
    owner = np.full(shape, -1)
    for number, row in enumerate(rows):
        place = _place(row, leads, lasts, first, last)
        taken = owner[place]
        if (taken >= 0).any():
            where = np.argwhere(taken >= 0)[0]
            other = rows[int(taken[tuple(where)])]
            cell = [int(part.start + offset) for part, offset in zip(place, where, strict=True)]
            told = _cell_text(cell, axis, first, leads, lasts)
            raise CellError(f"{row.place}: {told} is given before, in {other.place}")
        owner[place] = number
        shares[place] = row.knock
    if (owner < 0).any():
        cell = [int(part) for part in np.argwhere(owner < 0)[0]]
        raise CellError(f"no row gives {_cell_text(cell, axis, first, leads, lasts)}")
    return KnockCells(axis, first, leads, shares)


def _bands(rows: Sequence[Row]) -> tuple[int, ...]:
    """Return where each band of leads but the first begins, so that no row's span divides a band."""
    spans = [row.lead for row in rows]
    lows = {span.low for span in spans if span.low is not None}
    beyond = {span.high + 1 for span in spans if span.high is not None}
    # Before the least lead named and beyond the largest the nearest counts, unless a row is open there.
    if lows and all(span.low is not None for span in spans):
        lows.remove(min(lows))
    if beyond and all(span.high is not None for span in spans):
        beyond.remove(max(beyond))
    return tuple(sorted(lows | beyond))


def _place(row: Row, leads: tuple[int, ...], lasts: int, first: int, last: int) -> tuple[slice, ...]:
    """Return where in the grid a row's cells lie."""
    low = 0 if row.lead.low is None else sum(start <= row.lead.low for start in leads)
    high = len(leads) if row.lead.high is None else sum(start <= row.lead.high for start in leads)
    card = LAST_DISCARDS.index(row.last_discard) if row.last_discard else None
    return (
        slice(low, high + 1),
        slice(0, lasts) if card is None else slice(card, card + 1),
        _slice(row.step, first, last),
        _slice(row.deadwood, 0, DEADWOODS - 1),
    )


def _slice(span: Span, first: int, last: int) -> slice:
    """Return the places of a span on an axis that goes from ``first`` to ``last``."""
    low = first if span.low is None else span.low
    high = last if span.high is None else span.high
    return slice(low - first, high - first + 1)


def _cell_text(cell: Sequence[int], axis: str, first: int, leads: tuple[int, ...], lasts: int) -> str:
    """Name a cell of the grid."""
    told = [f"deadwood {cell[3]}"]
    if axis:
        told.append(f"{axis} {first + cell[2]}")
    if leads:
        told.append(f"lead {_spans([None, *leads])[cell[0]]}")
    if lasts == 2:
        told.append(f"last_discard {LAST_DISCARDS[cell[1]]}")
    return ", ".join(told)
