"""Forks of deals of the little deck of `tests.enumerate_small_deck`, by the engine and by the slow simulator.

Both sides draw and discard as gold. Each deal is two hands: in the first side A has the deal's hand A and B
deals, in the second they have changed seats; so what one side's rule wins from the other's is antisymmetric.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sim._jit import Array, Record, from_dtype, typed_kernel, types
from sim.deal import HAND, MAX_TURNS, start_hand
from sim.forks import DEAL_DTYPE, FORK_DTYPE, NEVER, Forks, write_fork, write_result
from sim.hand import play_hand
from sim.rules import Rules
from sim.run import Player, Table
from sim.streams import absorb, deck_key
from sim.tables import MELDS
from sim.view import DECISIONS, LAYOFF, RULES, VIEW
from tests.enumerate_small_deck import CARDS, CHANGES, DEALER, MASKS, ORDERS, numbers
from tests.naive_game import Hand, Info, PlainPlay
from tests.small_deck_engine import STOCK, deal_table, stock_places

_NUMBERS, _CARDS = types.int64[::1], types.int64[:, ::1]
_DEALS = types.Array(from_dtype(DEAL_DTYPE), 1, "C")
_FORKS = types.Array(from_dtype(FORK_DTYPE), 1, "C")
_MOST = 16
"""Legal knocks of a side in a hand; the stock lasts for fewer turns."""


@typed_kernel(
    types.int64(
        _NUMBERS, types.int64, _NUMBERS, _NUMBERS, _CARDS, _CARDS, _NUMBERS, HAND, VIEW, VIEW, RULES, MELDS,
        DECISIONS, DECISIONS, LAYOFF, _DEALS, _FORKS,
    )
)  # fmt: skip
def _fork_deals(
    indices: Array,
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
    used = 0
    for number in range(len(indices)):
        pair, shift = divmod(indices[number], len(orders))
        order = orders[(shift + pair) % len(orders)]
        for seat in range(2):
            deal = deals[2 * number + seat]
            deal.start = used
            legal = -1
            while True:
                view_a.hand = hands_a[pair] if seat == 0 else hands_b[pair]
                view_b.hand = hands_b[pair] if seat == 0 else hands_a[pair]
                state.upcard = 1 << left[pair, order[0]]
                for place in range(STOCK):
                    state.deck[52 - STOCK + place] = left[pair, order[1 + places[place]]]
                state.place = 52 - STOCK
                dealer = DEALER if seat == 0 else 1 - DEALER
                start_hand(state, view_a, view_b, rules, absorb(key, number), 0, seat, dealer)
                state.take_at = NEVER if legal < 0 else used - deal.start + 1
                play_hand(state, view_a, view_b, rules, melds, a, b, layoff, MAX_TURNS)
                state.take_at = 0
                if state.fault:
                    return -1
                if legal < 0:
                    legal = state.declines[0]
                    deal.pair = number
                    deal.packet = seat
                    deal.dealer = dealer
                    deal.limit = state.limit
                    deal.multiplier = 1
                    write_result(deal, state)
                else:
                    write_fork(forks[used], state, view_a, melds)
                    used += 1
                if used - deal.start == legal:
                    break
            deal.stop = used
    return used


_deal_table = cache(deal_table)


def fork_small_deals(
    a: Player, b: Player, indices: Sequence[int], key: int = 0, changes: dict[str, Any] | None = None
) -> Forks:
    """Fork deals in both seatings; ``key`` decides what a player leaves to chance."""
    table = Table(a, b, Rules(**(CHANGES | (changes or {}))), 1, dealer=DEALER)
    hand = table.hand
    hand.allowed = sum(MASKS)
    hand.key = deck_key(7)
    deals: Any = np.zeros(2 * len(indices), DEAL_DTYPE)
    forks: Any = np.zeros(2 * len(indices) * _MOST, FORK_DTYPE)
    used = _fork_deals(
        np.array(indices), key, *_deal_table(), np.array(ORDERS), stock_places(int(hand.key)), hand,
        *table.views, table.rules, table.melds, a.decisions, b.decisions, table.layoff,
        deals.view(np.recarray), forks.view(np.recarray),
    )  # fmt: skip
    if used < 0:
        raise table.fault()
    return Forks(deals.view(np.recarray), forks[:used].view(np.recarray))


# --- the slow simulator --------------------------------------------------------------------------


class Chance(NamedTuple):
    """A legal knock of a hand that nobody ends.

    Attributes
    ----------
    side : int
    turn : int
        Own turn, from 1.
    deadwood : int
    points : int
        Of side 0 less side 1 if the hand is ended here.
    """

    side: int
    turn: int
    deadwood: int
    points: int


@dataclass
class Asked:
    """Counts the legal knocks of both sides and lets one of them be taken."""

    take: int = -1
    told: list[tuple[int, int, int]] = field(default_factory=list)


@dataclass
class Declining(PlainPlay):
    """Plays as gold, knocks only where it is told to."""

    side: int
    asked: Asked

    def limit(self, info: Info) -> int:
        """Return what allows this knock or forbids it."""
        self.asked.told.append((self.side, info.own_draws, info.best))
        return info.best if len(self.asked.told) - 1 == self.asked.take else -1


def naive_chances(index: int, seat: int, rules: Any) -> tuple[list[Chance], int]:
    """Return the legal knocks of a hand up to the first gin, in order, and the points if none is taken."""
    hand_a, hand_b, order = numbers(index)
    packets = [frozenset(CARDS[one] for one in cards) for cards in (hand_a, hand_b)]
    if seat:
        packets.reverse()
    upcard, *stock = (CARDS[one] for one in order)

    def play(take: int) -> tuple[Asked, int]:
        asked = Asked(take)
        players = Declining(0, asked), Declining(1, asked)
        dealer = DEALER if seat == 0 else 1 - DEALER
        hand = Hand(players, (packets[0], packets[1]), upcard, list(stock), dealer, rules).play()
        return asked, 0 if hand.winner is None else (1 - 2 * hand.winner) * hand.points

    asked, nothing = play(-1)
    found: list[Chance] = []
    for number, (side, turn, deadwood) in enumerate(asked.told):
        found.append(Chance(side, turn, deadwood, play(number)[1]))
        if deadwood == 0:
            break
    return found, nothing
