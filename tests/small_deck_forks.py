"""Every deal of the little deck of `tests.enumerate_small_deck`, forked; and the best of all knock tables.

The best table is found by trying them all on the kinds of hands there are, in plain Python and NumPy: none
of the code that fits tables is used.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sim._jit import Array, Record, from_dtype, typed_kernel, types
from sim.deal import HAND, MAX_OWN_TURNS, MAX_TURNS, start_hand
from sim.forks import DEAL_DTYPE, FORK_DTYPE, NEVER, Forks, write_fork, write_result
from sim.hand import play_hand
from sim.rules import Rules
from sim.run import Player, Table
from sim.streams import deck_key
from sim.tables import MELDS
from sim.view import DECISIONS, LAYOFF, RULES, VIEW
from tests.enumerate_small_deck import CHANGES, DEALER, DEALS, MASKS, ORDERS
from tests.small_deck_engine import STOCK, deal_table, stock_places

RULES_HERE = Rules(**CHANGES)
BLOCK = 600_000

_CARDS = types.int64[:, ::1]
_FORKS, _DEALS = (types.Array(from_dtype(kind), 1, "C") for kind in (FORK_DTYPE, DEAL_DTYPE))


@typed_kernel(
    types.void(
        types.int64, types.int64, types.int64[::1], types.int64[::1], _CARDS, _CARDS, types.int64[::1],
        HAND, VIEW, VIEW, RULES, MELDS, DECISIONS, DECISIONS, LAYOFF, _DEALS, _FORKS,
    )
)  # fmt: skip
def _fork_deals(
    first: int,
    step: int,
    hands_a: Array,
    hands_b: Array,
    left: Array,
    orders: Array,
    places: Array,
    state: Record,
    view_a: Record,
    view_b: Record,
    rules: Record,
    melds: Record,
    a: Any,
    b: Any,
    layoff: Any,
    deals: Array,
    forks: Array,
) -> None:
    used = 0
    for number in range(len(deals)):
        pair, shift = divmod(first + number * step, len(orders))
        order = orders[(shift + pair) % len(orders)]
        deal = deals[number]
        deal.pair = number
        deal.start = used
        legal = -1
        while used - deal.start != legal:
            view_a.hand = hands_a[pair]
            view_b.hand = hands_b[pair]
            state.upcard = 1 << left[pair, order[0]]
            for place in range(STOCK):
                state.deck[52 - STOCK + place] = left[pair, order[1 + places[place]]]
            state.place = 52 - STOCK
            state.take_at = NEVER if legal < 0 else used - deal.start + 1
            start_hand(state, view_a, view_b, rules, 99, 0, 0, DEALER)
            play_hand(state, view_a, view_b, rules, melds, a, b, layoff, MAX_TURNS)
            state.take_at = 0
            if state.fault:
                return
            if legal < 0:
                legal = state.declines[0]
                write_result(deal, state)
            else:
                write_fork(forks[used], state, view_a, melds)
                used += 1
        deal.stop = used


def fork_deals(
    a: Player, b: Player, start: int, stop: int, step: int = 1, rules: Rules = RULES_HERE
) -> Forks:
    """Fork deals ``start``, ``start + step`` ... below ``stop``; side B deals."""
    table = Table(a, b, rules, 1, dealer=DEALER)
    hand = table.hand
    hand.allowed = sum(MASKS)
    hand.key = deck_key(7)
    count = len(range(start, stop, step))
    deals: Any = np.zeros(count, DEAL_DTYPE).view(np.recarray)
    forks: Any = np.zeros(6 * count + MAX_OWN_TURNS, FORK_DTYPE).view(np.recarray)
    _fork_deals(
        start, step, *deal_table(), np.array(ORDERS), stock_places(int(hand.key)), hand, *table.views,
        table.rules, table.melds, a.decisions, b.decisions, table.layoff, deals, forks,
    )  # fmt: skip
    if hand.fault:
        raise table.fault()
    return Forks(deals, forks[: deals.stop[-1]])


Kind = tuple[tuple[int, int, int], ...]
"""A hand as a knock table sees it: own turn, deadwood and points if it is ended there, for every legal knock
short of gin; at last (0, 0, points) where it ends without a table being asked: in gin or by the other."""


def kinds(forks: Forks) -> Counter[Kind]:
    """Count the kinds of hands."""
    most = 6
    number, owner = forks.number(), forks.owner()
    assert number.max() < most
    rows = np.zeros((len(forks.deals), most, 3), np.int64)
    for at, name in enumerate(("own_turn", "deadwood", "points")):
        rows[owner, number, at] = forks.forks[name]
    rows[owner, number, 1] += 1  # 0: there is no such fork
    ends = np.column_stack([rows.reshape(len(rows), -1), forks.deals.points])
    rng = np.random.default_rng(0)
    keys = ends @ rng.integers(1, 2**62, ends.shape[1]).astype(np.int64)  # wraps: a hash
    _, places, counts = np.unique(keys, return_index=True, return_counts=True)
    found: Counter[Kind] = Counter()
    for row, count in zip(ends[places].tolist(), counts.tolist(), strict=True):
        steps: list[tuple[int, int, int]] = []
        last = (0, 0, row[-1])
        for turn, above, points in zip(row[0:-1:3], row[1:-1:3], row[2:-1:3], strict=True):
            if above == 1:
                last = (0, 0, points)  # gin is always taken
                break
            if above:
                steps.append((turn, above - 1, points))
        found[(*steps, last)] += count
    return found


def all_kinds(a: Player, b: Player, step: int = 1, rules: Rules = RULES_HERE) -> Counter[Kind]:
    """Count the kinds of hands of every ``step``-th deal."""
    found: Counter[Kind] = Counter()
    for start in range(0, DEALS, BLOCK * step):
        found.update(kinds(fork_deals(a, b, start, min(start + BLOCK * step, DEALS), step, rules)))
    return found


class Best(NamedTuple):
    """What trying all tables finds.

    Attributes
    ----------
    value : float
        Mean points of the best.
    tables : list of frozenset of (int, int)
        The best: own turn and deadwood of the cells in which to knock.
    values : dict of frozenset to float
        What each table brings.
    """

    value: float
    tables: list[frozenset[tuple[int, int]]]
    values: dict[frozenset[tuple[int, int]], float]


def best_table(mixture: Sequence[tuple[float, Counter[Kind]]]) -> Best:
    """Try all tables over the cells that can be reached, and return the best against a mixture."""
    cells = sorted({step[:2] for _, found in mixture for kind in found for step in kind[:-1]})
    assert len(cells) <= 16
    knocks = np.array(list(itertools.product([False, True], repeat=len(cells))))
    totals = np.zeros(len(knocks))
    for weight, found in mixture:
        every = sum(found.values())
        # Exact: sums of integers.
        sums: npt.NDArray[np.int64] = np.zeros(len(knocks), np.int64)
        for kind, count in found.items():
            playing = np.ones(len(knocks), np.bool_)
            for turn, deadwood, points in kind[:-1]:
                ends = playing & knocks[:, cells.index((turn, deadwood))]
                sums[ends] += count * points
                playing &= ~ends
            sums[playing] += count * kind[-1][2]
        totals += weight * sums / every
    tables = [frozenset(cell for cell, knock in zip(cells, row, strict=True) if knock) for row in knocks]
    best = float(totals.max())
    at_best = [tables[at] for at in np.flatnonzero(totals >= best - 1e-12)]
    return Best(best, at_best, dict(zip(tables, totals.tolist(), strict=True)))
