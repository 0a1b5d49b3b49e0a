"""Decisions of `strategies.openspiel.OpenSpielSimple`."""

from __future__ import annotations

from sim._jit import Record
from sim.view import discard_rule, draw_rule, knock_rule
from strategies.helpers import after_discard, card_points, deadwood, highest, unmelded


@draw_rule
def draw(view: Record) -> bool:
    """Take the upcard if it permits a knock, or if leaving it unmelded would cost points."""
    eleven = view.hand | view.upcard
    if after_discard(view, eleven, view.upcard)[0] <= view.limit:
        return True
    return deadwood(view, eleven) < deadwood(view, view.hand) + card_points(view, view.upcard)


@knock_rule
def knock(view: Record) -> bool:
    """Knock at once."""
    return True


@discard_rule
def discard(view: Record) -> int:
    """Throw the highest unmelded card; the best discard to end the hand, or when all may be melded."""
    loose = unmelded(view, view.hand) & ~view.banned
    return highest(view, view.best_discards if view.ending or loose == 0 else loose)
