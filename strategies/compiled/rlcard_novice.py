"""Decisions of `strategies.rlcard.RlcardNovice`."""

from __future__ import annotations

from sim._jit import Record
from sim.view import discard_rule, draw_rule, knock_rule
from strategies.helpers import below, ending_discards, pick


@draw_rule
def draw(view: Record) -> bool:
    """Take the upcard half the time."""
    return below(view.random, 2) == 1


@knock_rule
def knock(view: Record) -> bool:
    """End the hand at once."""
    return True


@discard_rule
def discard(view: Record) -> int:
    """Throw any of the best discards; to knock short of gin, any that leaves few enough points."""
    if view.ending and view.best_deadwood > 0:
        return pick(ending_discards(view), view.random)
    return pick(view.best_discards, view.random)
