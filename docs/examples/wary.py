"""A strategy of one's own: knock while the other player has taken few upcards, else wait for gin.

Play it with

    ginlab match wary gold --rules eaai --strategy-file docs/examples/wary.py
"""

from dataclasses import dataclass

from sim.view import discard_rule, draw_rule, knock_rule
from strategies.base import Decisions, Strategy, parameter, strategy
from strategies.helpers import after_discard, count, deadwood, highest, knock_param


@strategy("wary")
@dataclass(frozen=True)
class Wary(Strategy):
    """Knock at ``k`` points unless the other is known to hold more than ``known`` cards."""

    k: int = parameter(10, 0, 10, "most deadwood to knock with, in points")
    known: int = parameter(2, 0, 10, "most cards known in the other hand to knock against")

    decisions = Decisions(draw=__name__, knock=__name__, discard=__name__)


@draw_rule
def draw(view):
    """Take the upcard if the best deadwood after another discard strictly falls."""
    # Throwing the upcard back leaves the hand as it is, so it need not be banned: it is never less.
    with_upcard, _ = after_discard(view, view.hand | view.upcard, 0)
    return with_upcard < deadwood(view, view.hand)


@knock_rule
def knock(view):
    """End with gin always, else if the hand is low and the other's hand mostly unknown."""
    if view.best_deadwood == 0:
        return True
    return view.best_deadwood <= knock_param(view, 0) and count(view.known) <= knock_param(view, 1)


@discard_rule
def discard(view):
    """Throw the card of most pips among the best discards."""
    return highest(view, view.best_discards)
