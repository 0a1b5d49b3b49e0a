"""Tables that score the cards of one suit, for each ace rule and ace value.

Without sets every maximal stretch of three or more neighbours is melded whole, so a suit is one
look-up among 8,192 entries. Ace rules (`low`, `high_low`, `corner`) and ace values are other tables,
not other code.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from sim._jit import Record, from_dtype, kernel, record_reader, typed_kernel, types
from sim.cards import COLUMN, LANE
from sim.rules import RUNS_CORNER, RUNS_HIGH_LOW, Rules

ACES = COLUMN
TWOS = COLUMN << 1
KINGS = COLUMN << 12
HIGH_ACE = 1 << 13
"""In a lane of runs, the ace above the king (ace rule `high_low`)."""

CACHE_LINE = 64

# An entry of `suit`: deadwood | (gain + GAIN_ZERO) << 8 | cards << 16. Deadwood of one suit is at
# most 74 (A 3 4 6 7 9 T Q K with an ace of 15). The gain by the best discard lies between -45
# (the queen out of T J Q K A, ace 15) and 15; an empty suit has gain code 0, below all others.
GAIN_ZERO = 64

MELDS_DTYPE = np.dtype(
    [
        ("suit", "i4", (8192,)),  # one suit, runs only: deadwood, best gain by a discard, its cards
        ("runs", "i4", (8192,)),  # one suit: cards in runs at least deadwood; bit 13 = a high ace
        ("pips", "i4", (8192,)),  # one suit: points of all its cards
        ("high", "i8"),  # the four aces where an ace may follow a king, else 0
        ("corner", "i8"),  # the four twos where a run may go on from ace to two, else 0
    ],
    align=True,
)
"""The tables of one ace rule and ace value, as the record that kernels read (96 KiB)."""

MELDS = from_dtype(MELDS_DTYPE)

tables_at = record_reader(MELDS, MELDS_DTYPE)
"""Kernel function: the tables at an address, as a view holds it."""


@kernel
def _stretches(lane: int, length: int, circular: bool) -> int:
    """Return the cards of ``lane`` that lie in stretches of three or more neighbours."""
    runs = 0
    start = 0
    if circular:
        if lane == LANE:
            return lane
        while lane >> start & 1:  # begin after a gap, so that no stretch is cut in two
            start += 1
    stretch = 0
    size = 0
    for step in range(length + 1):
        place = (start + step) % 13 if circular else step
        if step < length and lane >> place & 1:
            stretch |= 1 << place
            size += 1
        else:
            if size >= 3:
                runs |= stretch
            stretch = 0
            size = 0
    return runs


@kernel
def _lane_pips(lane: int, ace_value: int) -> int:
    points = 0
    for rank in range(13):
        if lane >> rank & 1:
            points += ace_value if rank == 0 else min(rank + 1, 10)
    return points


@typed_kernel(types.void(MELDS, types.int64, types.int64))
def _fill_tables(melds: Record, runs_ace: int, ace_value: int) -> None:
    """Fill the tables of one ace rule and ace value."""
    for lane in range(8192):
        melds.pips[lane] = _lane_pips(lane, ace_value)
        runs = _stretches(lane, 13, runs_ace == RUNS_CORNER)
        if runs_ace == RUNS_HIGH_LOW and lane & 1:
            high = _stretches(lane & ~1 | HIGH_ACE, 14, False)
            melded_high = high & LANE | high >> 13
            if _lane_pips(melded_high, ace_value) > _lane_pips(runs, ace_value):
                runs = high
        melds.runs[lane] = runs
    for lane in range(8192):
        runs = melds.runs[lane]
        deadwood = melds.pips[lane & ~(runs | runs >> 13)]
        best_gain = -GAIN_ZERO
        cards = 0
        for rank in range(13):
            card = 1 << rank
            if lane & card:
                rest = lane ^ card
                rest_runs = melds.runs[rest]
                gain = deadwood - melds.pips[rest & ~(rest_runs | rest_runs >> 13)]
                if gain > best_gain:
                    best_gain = gain
                    cards = card
                elif gain == best_gain:
                    cards |= card
        melds.suit[lane] = deadwood | (best_gain + GAIN_ZERO) << 8 | cards << 16


@functools.cache
def meld_tables(runs_ace: int, ace_value: int) -> Any:
    """Return the tables of an ace rule (code) and ace value (points), one array for each, kept.

    Returns
    -------
    numpy.recarray of `MELDS_DTYPE`, shape (1,)
    """
    # The 16 entries that differ in the four lowest ranks fill one cache line, if the table begins with
    # one; else they lie in two.
    room = np.zeros(MELDS_DTYPE.itemsize + CACHE_LINE, np.uint8)
    start = -room.ctypes.data % CACHE_LINE
    tables = room[start : start + MELDS_DTYPE.itemsize].view(MELDS_DTYPE).view(np.recarray)
    tables.high = ACES if runs_ace in (RUNS_HIGH_LOW, RUNS_CORNER) else 0
    tables.corner = TWOS if runs_ace == RUNS_CORNER else 0
    _fill_tables(tables[0], runs_ace, ace_value)
    return tables


def tables_for(rules: Rules | None) -> Any:
    """Return the tables record of these rules (the default rules when None)."""
    rules = rules or Rules()
    choices = Rules.__dataclass_fields__["runs_ace"].metadata["choices"]
    return meld_tables(choices.index(rules.runs_ace), rules.ace_value)[0]
