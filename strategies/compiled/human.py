"""Decisions of `strategies.human.Human`."""

from __future__ import annotations

from sim._jit import Record, kernel, popcount
from sim.view import discard_rule, knock_rule
from strategies.helpers import card_points, discard_param, highest, knock_param, melded, unmelded
from strategies.opponent import melds_of

_TWO_MELDS = 6
"""Cards in two melds, at least."""


@knock_rule
def knock(view: Record) -> bool:
    """Knock early, a little later with care, then with gin only."""
    if view.turn <= knock_param(view, 0):
        return True
    if view.turn <= knock_param(view, 1):
        return view.best_deadwood <= knock_param(view, 2)
    return view.best_deadwood == 0


@kernel
def _of_points(view: Record, cards: int, least: float) -> int:
    """Return the cards that count so many points or more."""
    found = 0
    while cards:
        card = cards & -cards
        cards ^= card
        if card_points(view, card) >= least:
            found |= card
    return found


@kernel
def _without_chance(view: Record, cards: int, loose: int) -> int:
    """Return the cards that make no meld of three with another loose card and an unseen one."""
    found = 0
    while cards:
        card = cards & -cards
        cards ^= card
        if melds_of(view, card, loose | view.unseen) == melds_of(view, card, view.unseen):
            found |= card
    return found


@discard_rule
def discard(view: Record) -> int:
    """Throw the highest card of the first kind there is; the best discard to end the hand."""
    loose = unmelded(view, view.hand)
    free = loose & ~view.banned
    if view.ending or free == 0:
        return highest(view, view.best_discards)
    if popcount(melded(view, view.hand, 0)) >= _TWO_MELDS:
        return highest(view, free)
    if view.turn >= discard_param(view, 3):
        high = _of_points(view, free, discard_param(view, 4))
        if high:
            return highest(view, high)
    alone = _without_chance(view, free, loose)
    return highest(view, alone if alone else free)
