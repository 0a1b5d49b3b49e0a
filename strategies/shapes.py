"""Helpers for compiled decisions: what shape the unmelded cards are in.

A *double* is two cards of a possible meld of three, a *triangle* a pair and a card beside one of the two in
its suit. Both count only while a card that would complete them is ``available``, which is disjoint from the
cards looked at: mostly all that the other may hold (`strategies.opponent.may_hold`).
"""

from __future__ import annotations

from sim._jit import Record, kernel, lowest_bit_index
from sim.cards import COLUMN, FULL_DECK, LANE
from sim.deadwood import meldable
from sim.rules import RUNS_CORNER, RUNS_LOW
from sim.tables import ACES, TWOS, tables_at
from strategies.helpers import melded
from strategies.opponent import may_hold


@kernel
def leftover(view: Record, cards: int) -> int:
    """Return the cards outside the first least-deadwood arrangement (the lowest mask of sets)."""
    return cards & ~melded(view, cards, 0)


@kernel
def outs(view: Record, cards: int) -> int:
    """Return the cards not among ``cards`` that would each lie in a meld with two or more of them."""
    long = _long(view, cards)
    pairs = long & long >> 1
    runs = (pairs & FULL_DECK) << 2 | pairs >> 1 | (long & long >> 2) << 1
    return (_short(view, runs) | _pair_ranks(cards) * COLUMN) & ~cards


@kernel
def unmatchable(view: Record, cards: int) -> int:
    """Return the leftover cards that no single card the other may hold, or the stock, would meld."""
    melds = tables_at(view.tables)
    lone = leftover(view, cards) & ~meldable(cards, melds)
    coming = outs(view, cards) & may_hold(view)
    while coming and lone:
        card = coming & -coming
        coming ^= card
        lone &= ~meldable(cards | card, melds)
    return lone


@kernel
def mates(card: int) -> int:
    """Return the three other cards of a card's rank."""
    return COLUMN << (lowest_bit_index(card) & 15) & ~card


@kernel
def beside(view: Record, card: int, steps: int) -> int:
    """Return the one or two cards 1 or 2 ``steps`` from a card in its suit, by the ace rule of the view."""
    place = lowest_bit_index(card)
    suit = place & 48
    lane = _long(view, 1 << (place & 15))
    return (_short(view, lane << steps | lane >> steps) & LANE) << suit


@kernel
def _long(view: Record, cards: int) -> int:
    """Add the places above the king: an ace where it runs high, round the corner a two after it."""
    if view.runs_ace == RUNS_LOW:
        return cards
    high = ACES | TWOS if view.runs_ace == RUNS_CORNER else ACES
    return cards | (cards & high) << 13


@kernel
def _short(view: Record, places: int) -> int:
    """Return the cards that stand at places in lanes of 15, leaving out places that do not exist."""
    above = places >> 13 & (ACES | TWOS)
    if view.runs_ace == RUNS_LOW:
        above = 0
    elif view.runs_ace != RUNS_CORNER:
        above &= ACES
    return places & FULL_DECK | above


@kernel
def _pair_ranks(cards: int) -> int:
    """Return the ranks held twice or more, as 13 bits."""
    s = cards & LANE
    h = cards >> 16 & LANE
    d = cards >> 32 & LANE
    c = cards >> 48
    return s & h | (s | h) & (d | c) | d & c


@kernel
def _ranks(cards: int) -> int:
    """Return the ranks that occur among the cards, as 13 bits."""
    folded = cards | cards >> 32
    return (folded | folded >> 16) & LANE


@kernel
def _live_pairs(cards: int, available: int) -> int:
    """Return the cards of ranks of which two cards are held and one more is available."""
    return cards & (_pair_ranks(cards) & _ranks(available)) * COLUMN


@kernel
def _live_neighbours(long: int, more: int) -> int:
    """Return the lower places of two neighbours, a place before or after them being available.

    Place 15 of a lane is always empty, so that no three neighbours reach over two suits.
    """
    return (more & long >> 1 & long >> 2) << 1 | long & long >> 1 & more >> 2


@kernel
def doubles(view: Record, cards: int, available: int) -> int:
    """Return the cards that are in a double: with another, two cards of a meld of three."""
    long = _long(view, cards)
    more = _long(view, available)
    near = _live_neighbours(long, more)
    gap = long & long >> 2 & more >> 1
    runs = near | near << 1 | gap | gap << 2
    return cards & (_short(view, runs) | _live_pairs(cards, available))


@kernel
def triangles(view: Record, cards: int, available: int) -> int:
    """Return the cards that are in a triangle: a pair and a card beside one of the two in its suit."""
    near = _live_neighbours(_long(view, cards), _long(view, available))
    corners = _short(view, near | near << 1) & _live_pairs(cards, available)
    ends = _long(view, corners)
    sides = near & (ends | ends >> 1)
    return cards & (_short(view, sides | sides << 1) | _ranks(corners) * COLUMN)
