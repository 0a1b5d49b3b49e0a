"""Decisions of `strategies.greedy.Greedy`."""

from __future__ import annotations

from sim._jit import Record, kernel, popcount
from sim.view import discard_rule, knock_rule
from strategies.helpers import discard_param, highest, knock_param
from strategies.opponent import adjoining

_THROWN = 0
"""Word of memory with the cards that the other has thrown."""


@knock_rule
def knock(view: Record) -> bool:
    """Knock at the threshold that the score has moved."""
    lead = view.score - view.other_score
    distance = max(view.target - max(view.score, view.other_score), 1)
    shift = int(knock_param(view, 2) * lead / distance)  # cut towards 0
    return view.best_deadwood <= max(knock_param(view, 0) + shift, 0)


@kernel
def _danger(view: Record, card: int, spurned: int) -> int:
    """Count how much a card may help the other; ``spurned`` are cards he threw or left."""
    near = adjoining(view, card)
    return 2 * popcount(near & view.known) + popcount(near & view.unseen) - 2 * popcount(near & spurned)


@discard_rule
def discard(view: Record) -> int:
    """Throw the safest of the best discards, of equally safe ones the highest."""
    view.memory[_THROWN] |= view.last_discard
    if discard_param(view, 1) == 0.0:
        return highest(view, view.best_discards)
    spurned = view.memory[_THROWN] | view.declined
    left = view.best_discards
    safest = 0
    least = 1 << 30
    while left:
        card = left & -left
        left ^= card
        danger = _danger(view, card, spurned)
        if danger < least:
            least = danger
            safest = card
        elif danger == least:
            safest |= card
    return highest(view, safest)
