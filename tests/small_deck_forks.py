"""Forks of deals of the little deck of `tests.enumerate_small_deck`, by the compiled engine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sim._jit import Array, Record, from_dtype, typed_kernel, types
from sim.deal import HAND, MAX_TURNS, start_hand
from sim.forks import DEAL_DTYPE, FORK_DTYPE, NEVER, Forks, write_fork, write_result
from sim.hand import play_hand
from sim.rules import Rules
from sim.run import Player, Table
from sim.streams import absorb, deck_key
from sim.tables import MELDS
from sim.view import DECISIONS, LAYOFF, RULES, VIEW
from tests.enumerate_small_deck import CHANGES, DEALER, MASKS, ORDERS
from tests.small_deck_engine import STOCK, deal_table, stock_places

RULES_HERE = Rules(**CHANGES)
MOST = 16
"""Legal knocks of a side in a hand; the stock lasts for fewer turns."""

_NUMBERS, _CARDS = types.int64[::1], types.int64[:, ::1]
_DEALS, _FORKS = (types.Array(from_dtype(kind), 1, "C") for kind in (DEAL_DTYPE, FORK_DTYPE))


@typed_kernel(
    types.int64(
        _NUMBERS, _NUMBERS, types.int64, types.int64, _NUMBERS, _NUMBERS, _CARDS, _CARDS, _NUMBERS, HAND,
        VIEW, VIEW, RULES, MELDS, DECISIONS, DECISIONS, LAYOFF, _DEALS, _FORKS,
    )
)  # fmt: skip
def _fork_deals(
    pairs: Array,
    shuffles: Array,
    seats: int,
    key: int,
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
    """Fork deals, in one seating or both; return the number of forks, -1 for a fault."""
    used = 0
    for number in range(len(pairs)):
        pair, order = pairs[number], orders[shuffles[number]]
        for seat in range(seats):
            deal = deals[seats * number + seat]
            dealer = DEALER if seat == 0 else 1 - DEALER
            deal.pair = number
            deal.packet = seat
            deal.dealer = dealer
            deal.start = used
            legal = -1
            while used - deal.start != legal:
                view_a.hand = hands_a[pair] if seat == 0 else hands_b[pair]
                view_b.hand = hands_b[pair] if seat == 0 else hands_a[pair]
                state.upcard = 1 << left[pair, order[0]]
                for place in range(STOCK):
                    state.deck[52 - STOCK + place] = left[pair, order[1 + places[place]]]
                state.place = 52 - STOCK
                start_hand(state, view_a, view_b, rules, absorb(key, number), 0, seat, dealer)
                state.take_at = NEVER if legal < 0 else used - deal.start + 1
                play_hand(state, view_a, view_b, rules, melds, a, b, layoff, MAX_TURNS)
                state.take_at = 0
                if state.fault:
                    return -1
                if legal < 0:
                    legal = state.declines[0]
                    deal.limit = state.limit
                    deal.multiplier = state.multiplier
                    write_result(deal, state)
                else:
                    write_fork(forks[used], state, view_a, melds)
                    used += 1
            deal.stop = used
    return used


_deal_table = cache(deal_table)


def fork_at(
    a: Player,
    b: Player,
    pairs: npt.ArrayLike,
    shuffles: npt.ArrayLike,
    *,
    seats: int = 1,
    key: int = 0,
    rules: Rules = RULES_HERE,
) -> Forks:
    """Fork deals given by the number of the pair of hands and of the order of the other cards.

    With two ``seats`` each deal is two hands: in the first side A has the deal's hand A and B
    deals, in the second they have changed seats. ``key`` decides what a player leaves to chance.
    """
    table = Table(a, b, rules, 1, dealer=DEALER)
    hand = table.hand
    hand.allowed = sum(MASKS)
    hand.key = deck_key(7)
    chosen = np.array(pairs, np.int64)
    deals: Any = np.zeros(seats * len(chosen), DEAL_DTYPE).view(np.recarray)
    forks: Any = np.zeros(len(deals) * MOST, FORK_DTYPE).view(np.recarray)
    used = _fork_deals(
        chosen, np.array(shuffles, np.int64), seats, key, *_deal_table(), np.array(ORDERS),
        stock_places(int(hand.key)), hand, *table.views, table.rules, table.melds, a.decisions, b.decisions,
        table.layoff, deals, forks,
    )  # fmt: skip
    if used < 0:
        raise table.fault()
    return Forks(deals, forks[:used].copy())


def fork_deals(
    a: Player, b: Player, start: int, stop: int, step: int = 1, rules: Rules = RULES_HERE
) -> Forks:
    """Fork deals ``start``, ``start + step`` ... below ``stop`` of the enumeration; side B deals."""
    return fork_indices(a, b, range(start, stop, step), rules=rules)


def fork_indices(a: Player, b: Player, indices: Sequence[int], **options: Any) -> Forks:
    """Fork deals by their number in the enumeration; options as of `fork_at`."""
    pairs, shifts = np.divmod(np.array(indices, np.int64), len(ORDERS))
    return fork_at(a, b, pairs, (shifts + pairs) % len(ORDERS), **options)
