"""Decisions of `strategies.random.Random`."""

from __future__ import annotations

from sim._jit import Record, kernel, popcount
from sim.view import discard_rule, draw_rule, knock_rule
from strategies.helpers import below, deadwood, legal_discards, pick


@kernel
def _ending_discards(view: Record) -> int:
    """Return the discards with which the hand can be ended."""
    cards = legal_discards(view)
    ending = 0
    while cards:
        card = cards & -cards
        cards ^= card
        if deadwood(view, view.hand ^ card) <= view.limit:
            ending |= card
    return ending


@draw_rule
def draw(view: Record) -> bool:
    """Take the upcard half the time."""
    return below(view.random, 2) == 1


@knock_rule
def knock(view: Record) -> bool:
    """End the hand with the share that its endings have among all actions."""
    endings = 1 if view.big_gin else popcount(_ending_discards(view))
    actions = popcount(legal_discards(view)) + endings
    return below(view.random, actions) < endings


@discard_rule
def discard(view: Record) -> int:
    """Throw any card that may be thrown."""
    cards = _ending_discards(view) if view.ending else legal_discards(view)
    return pick(cards, view.random)
