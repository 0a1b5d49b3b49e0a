"""Decisions of `strategies.heisenbot.Heisenbot`."""

from __future__ import annotations

from sim._jit import Record, kernel, lowest_bit_index
from sim.view import discard_rule, draw_rule, knock_rule
from strategies.helpers import (
    card_points,
    count,
    discard_param,
    draw_param,
    highest,
    knock_param,
    melds_with,
)
from strategies.opponent import may_hold, opponent_melds
from strategies.shapes import doubles, leftover, triangles

# Places of the fields.
_LOW, _TRIANGLE_TURN, _DOUBLE_TURN, _GAP, _EARLY, _LATE, _POINTS, _LOOSE = range(8)


@draw_rule
def draw(view: Record) -> bool:
    """Take the upcard if it melds, is low or, at first, forms a triangle."""
    if melds_with(view, view.upcard) or card_points(view, view.upcard) <= draw_param(view, _LOW):
        return True
    if view.turn >= draw_param(view, _TRIANGLE_TURN):
        return False
    loose = leftover(view, view.hand) | view.upcard
    return triangles(view, loose, may_hold(view)) & view.upcard != 0


@knock_rule
def knock(view: Record) -> bool:
    """End with gin; short of it by score gap, turn, deadwood and number of unmelded cards."""
    if view.best_deadwood == 0:
        return True
    if abs(view.score - view.other_score) >= knock_param(view, _GAP):
        return False
    if view.turn < knock_param(view, _EARLY) or view.turn > knock_param(view, _LATE):
        return True
    if view.best_deadwood <= knock_param(view, _POINTS):
        return True
    kept = view.hand ^ highest(view, view.best_discards)
    return count(leftover(view, kept)) >= knock_param(view, _LOOSE)


@kernel
def _least_useful(view: Record, cards: int) -> int:
    """Return the card of which the other could make the fewest melds; ties to the highest rank."""
    choice = 0
    fewest = 0
    top = 0
    while cards:
        card = cards & -cards
        cards ^= card
        melds = opponent_melds(view, card)
        rank = lowest_bit_index(card) & 15
        if choice == 0 or melds < fewest or melds == fewest and rank >= top:
            choice = card
            fewest = melds
            top = rank
    return choice


@discard_rule
def discard(view: Record) -> int:
    """Throw from the lowest class of leftover cards; to least deadwood to end the hand."""
    loose = leftover(view, view.hand)
    cards = loose & ~view.banned
    if view.ending or cards == 0:
        return highest(view, view.best_discards)
    his = may_hold(view)
    three = triangles(view, loose, his)
    two = doubles(view, loose, his) if view.turn < discard_param(view, _DOUBLE_TURN) else 0
    if cards & ~(two | three):
        cards &= ~(two | three)
    elif cards & ~three:
        cards &= ~three
    return _least_useful(view, cards)
