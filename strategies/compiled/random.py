"""Decisions of `strategies.random.Random`."""

from __future__ import annotations

from sim._jit import Record, popcount
from sim.view import discard_rule, draw_rule, knock_rule
from strategies.helpers import below, ending_discards, legal_discards, pick


@draw_rule
def draw(view: Record) -> bool:
    """Take the upcard half the time."""
    return below(view.random, 2) == 1


@knock_rule
def knock(view: Record) -> bool:
    """End the hand with the share that its endings have among all actions."""
    endings = 1 if view.big_gin else popcount(ending_discards(view))
    actions = popcount(legal_discards(view)) + endings
    return below(view.random, actions) < endings


@discard_rule
def discard(view: Record) -> int:
    """Throw any card that may be thrown."""
    cards = ending_discards(view) if view.ending else legal_discards(view)
    return pick(cards, view.random)
