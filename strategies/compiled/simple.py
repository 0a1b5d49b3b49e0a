"""Decisions of `strategies.simple.Simple`."""

from __future__ import annotations

from sim._jit import Record, kernel, lowest_bit_index
from sim.view import discard_rule, draw_rule, knock_rule
from strategies.helpers import after_discard, discard_param, melds_with, pick

_PLACES_A_WORD = 62


@draw_rule
def draw(view: Record) -> bool:
    """Take the upcard if it lies in any meld of hand and card."""
    return melds_with(view, view.upcard)


@knock_rule
def knock(view: Record) -> bool:
    """Knock at once."""
    return True


@kernel
def _pair_place(drawn: int, discarded: int) -> int:
    """Return the number of an unordered pair of cards (or a card with itself), below 52 * 53 / 2 = 1378."""
    first = _card_number(drawn)
    second = _card_number(discarded)
    high = max(first, second)
    return high * (high + 1) // 2 + min(first, second)


@kernel
def _card_number(card: int) -> int:
    place = lowest_bit_index(card)
    return (place >> 4) * 13 + (place & 15)


@discard_rule
def discard(view: Record) -> int:
    """Throw one of the best discards; with pair memory, none that repeats a pair of this hand."""
    if discard_param(view, 0) == 0.0:
        return pick(view.best_discards, view.random)
    banned = view.banned
    cards = view.hand
    while cards:
        card = cards & -cards
        cards ^= card
        place = _pair_place(view.drawn, card)
        if view.memory[place // _PLACES_A_WORD] >> place % _PLACES_A_WORD & 1:
            banned |= card
    choice = view.best_discards
    if not view.ending and banned != view.banned and view.hand & ~banned:
        choice = after_discard(view, view.hand, banned)[1]
    card = pick(choice, view.random)
    place = _pair_place(view.drawn, card)
    view.memory[place // _PLACES_A_WORD] |= 1 << place % _PLACES_A_WORD
    return card
