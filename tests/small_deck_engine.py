"""Every deal of the little deck of `tests.enumerate_small_deck`, played by the compiled engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sim._jit import Array, Record, typed_kernel, types
from sim.deal import HAND, MAX_TURNS, start_hand
from sim.hand import play_hand
from sim.rules import Rules
from sim.run import Player, Table
from sim.streams import below, deck_key
from sim.tables import MELDS
from sim.view import DECISIONS, LAYOFF, RULES, VIEW, default_spread_rule, discard_rule, draw_rule, knock_rule
from strategies.base import parse_strategy, player
from strategies.helpers import melds_with
from tests.enumerate_small_deck import CHANGES, DEALER, HANDS_A, HANDS_B, MASKS, ORDERS

STOCK = 5


@draw_rule
def quick_draw(view: Record) -> bool:
    """Take what lies in a meld."""
    return melds_with(view, view.upcard)


@knock_rule
def quick_knock(view: Record) -> bool:
    """End the hand."""
    return True


@discard_rule
def quick_discard(view: Record) -> int:
    """Throw the lowest of the best."""
    return view.best_discards & -view.best_discards


def new_table() -> Table:
    """Return a table with the compiled twins of the oracle's two players."""
    quick = Player("quick", (quick_draw, quick_knock, quick_discard, default_spread_rule), [])
    patient = player(parse_strategy("gin_only"))
    table = Table(quick, patient, Rules(**CHANGES), 1, dealer=DEALER)
    table.hand.allowed = sum(MASKS)
    table.hand.key = deck_key(7)
    return table


def deal_table() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return hand A and hand B of each pair of hands, and the bits of the six cards left, lowest first."""
    hands_a, hands_b, left = [], [], []
    for a in HANDS_A:
        rest = [card for card in range(12) if card not in a]
        for places in HANDS_B:
            b = [rest[place] for place in places]
            hands_a.append(sum(MASKS[card] for card in a))
            hands_b.append(sum(MASKS[card] for card in b))
            left.append([MASKS[card].bit_length() - 1 for card in rest if card not in b])
    return np.array(hands_a), np.array(hands_b), np.array(left)


def stock_places(key: int, stock: int = STOCK) -> npt.NDArray[np.int64]:
    """Return which card of the stock must lie at each of the last places to be dealt in order.

    The engine shuffles as it deals; this is what the shuffle will change, undone from the end.
    """
    cards = list(range(stock))
    for place in range(51, 51 - stock, -1):
        chosen = place + int(below(key, place, 52 - place))
        here, there = place - (52 - stock), chosen - (52 - stock)
        cards[here], cards[there] = cards[there], cards[here]
    return np.array(cards)


_CARDS = types.int64[:, ::1]


@typed_kernel(
    types.void(
        types.int64, types.int64, types.int64[::1], types.int64[::1], _CARDS, _CARDS, types.int64[::1],
        HAND, VIEW, VIEW, RULES, MELDS, DECISIONS, DECISIONS, LAYOFF, _CARDS,
    )
)  # fmt: skip
def _play_deals(
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
    out: Array,
) -> None:
    for number in range(len(out)):
        pair, shift = divmod(first + number * step, len(orders))
        order = orders[(shift + pair) % len(orders)]
        view_a.hand = hands_a[pair]
        view_b.hand = hands_b[pair]
        state.upcard = 1 << left[pair, order[0]]
        for place in range(STOCK):
            state.deck[52 - STOCK + place] = left[pair, order[1 + places[place]]]
        state.place = 52 - STOCK
        start_hand(state, view_a, view_b, rules, 99, 0, 0, DEALER)
        play_hand(state, view_a, view_b, rules, melds, a, b, layoff, MAX_TURNS)
        if state.fault:
            return
        out[number, 0] = state.ending
        out[number, 1] = state.knocker
        out[number, 2] = state.points


def play_deals(start: int, stop: int, step: int = 1) -> npt.NDArray[np.int64]:
    """Play deals ``start``, ``start + step`` ... below ``stop``.

    Returns
    -------
    ndarray of int64, shape (deals, 3)
        Code of the ending, the side that ended the hand (-1: nobody), points of the winner.
    """
    table = new_table()
    hand, (quick, patient) = table.hand, table.players
    out = np.zeros((len(range(start, stop, step)), 3), np.int64)
    _play_deals(
        start, step, *deal_table(), np.array(ORDERS), stock_places(int(hand.key)), hand, *table.views,
        table.rules, table.melds, quick.decisions, patient.decisions, table.layoff, out,
    )  # fmt: skip
    if hand.fault:
        raise table.fault()
    return out
