"""Forks of the deals of the little deck of `tests.enumerate_small_deck`, by the compiled engine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from sim._jit import Array, Record, from_dtype, typed_kernel, types
from sim.deal import HAND, MAX_TURNS, start_hand
from sim.forks import DEAL_DTYPE, FORK_DTYPE, NEVER, Forks, write_fork, write_result
from sim.hand import play_hand
from sim.tables import MELDS
from sim.view import DECISIONS, LAYOFF, RULES, VIEW, knock_rule
from tests.enumerate_small_deck import DEALER, ORDERS
from tests.small_deck_engine import STOCK, deal_table, new_table, stock_places

MOST = MAX_TURNS
"""Legal knocks of a hand, at the very most."""

OWN = 4
"""As in `tests.enumerate_small_forks`, but written here: cached machine code is that of this file."""

_CARDS, _NUMBERS = types.int64[:, ::1], types.int64[::1]
_FORK, _DEAL = from_dtype(FORK_DTYPE), from_dtype(DEAL_DTYPE)


@knock_rule
def knock_with_little(view: Record) -> bool:
    """End the hand with at most `OWN` points."""
    return view.best_deadwood <= OWN


@typed_kernel(
    types.int64(
        _NUMBERS, types.int64[::1], types.int64[::1], _CARDS, _CARDS, _NUMBERS, HAND, VIEW, VIEW, RULES,
        MELDS, DECISIONS, DECISIONS, LAYOFF, types.Array(_DEAL, 1, "C"), types.Array(_FORK, 1, "C"),
    )
)  # fmt: skip
def _fork_deals(
    pairs: Array,
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
) -> int:
    """Fork all deals of pairs of hands; return the number of forks, -1 for a fault or too little room."""
    used = 0
    for number in range(len(deals)):
        pair, order = pairs[number // len(orders)], orders[number % len(orders)]
        deal = deals[number]
        deal.start = used
        legal = -1
        if used + MOST > len(forks):
            return -1
        while True:
            view_a.hand = hands_a[pair]
            view_b.hand = hands_b[pair]
            state.upcard = 1 << left[pair, order[0]]
            for place in range(STOCK):
                state.deck[52 - STOCK + place] = left[pair, order[1 + places[place]]]
            state.place = 52 - STOCK
            start_hand(state, view_a, view_b, rules, 99, 0, 0, DEALER)
            state.take_at = NEVER if legal < 0 else used - deal.start + 1
            play_hand(state, view_a, view_b, rules, melds, a, b, layoff, MAX_TURNS)
            state.take_at = 0
            if state.fault:
                return -1
            if legal < 0:
                legal = state.declines[0]
                deal.pair = number // 2
                deal.packet = number % 2
                deal.dealer = DEALER
                deal.limit = state.limit
                deal.multiplier = state.multiplier
                write_result(deal, state)
            else:
                write_fork(forks[used], state, view_a, melds)
                used += 1
            if used - deal.start == legal:
                break
        deal.stop = used
    return used


def fork_deals(pairs: Iterable[int]) -> Forks:
    """Fork the 720 deals of each pair of hands, pairs numbered as in the enumeration."""
    chosen = np.array(list(pairs), np.int64)
    table = new_table()
    hand, (quick, patient) = table.hand, table.players
    draw, _, discard, spread = quick.decisions
    deals: Any = np.zeros(len(chosen) * len(ORDERS), DEAL_DTYPE).view(np.recarray)
    forks: Any = np.zeros(6 * len(deals) + MOST, FORK_DTYPE).view(np.recarray)
    used = _fork_deals(
        chosen, *deal_table(), np.array(ORDERS), stock_places(int(hand.key)), hand, *table.views,
        table.rules, table.melds, (draw, knock_with_little, discard, spread), patient.decisions,
        table.layoff, deals, forks,
    )  # fmt: skip
    assert used >= 0, "a fault, or no room"
    return Forks(deals, forks[:used])
