"""Decisions of `strategies.gold.Gold`; the draw and discard of the threshold families too."""

from __future__ import annotations

from sim._jit import Record
from sim.view import discard_rule, draw_rule, knock_rule
from strategies.helpers import after_discard, deadwood, highest, knock_param


@draw_rule
def draw(view: Record) -> bool:
    """Take the upcard if the best deadwood after another discard strictly falls."""
    # Throwing the upcard back leaves the hand as it is, so it need not be banned: it is never less.
    with_upcard, _ = after_discard(view, view.hand | view.upcard, 0)
    return with_upcard < deadwood(view, view.hand)


@knock_rule
def knock(view: Record) -> bool:
    """Knock at the threshold, or with gin only."""
    return view.best_deadwood <= (0.0 if knock_param(view, 1) else knock_param(view, 0))


@discard_rule
def discard(view: Record) -> int:
    """Throw the card of most pips among those that leave least deadwood."""
    return highest(view, view.best_discards)
