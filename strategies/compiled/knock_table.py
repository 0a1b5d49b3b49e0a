"""The knock rule `knock_table`."""

from __future__ import annotations

from sim._jit import Record, kernel
from sim.view import knock_rule
from strategies.helpers import card_points, chance, knock_param

_BEFORE, _TURN = 2, 3  # places of "stock_before" and "turn" among the axes
_AXIS, _FIRST, _BANDS, _LASTS, _STEPS = range(5)
_DEADWOODS = 11


@kernel
def _step(view: Record) -> int:
    """Return the step of the stock or the own turn, the nearest one if the table ends before it."""
    axis = int(knock_param(view, _AXIS))
    at = view.turn if axis == _TURN else view.stock
    if axis == _BEFORE and view.from_discard == 0:
        at += 1
    step = at - int(knock_param(view, _FIRST))
    return max(0, min(step, int(knock_param(view, _STEPS)) - 1))


@kernel
def _counts_ten(view: Record) -> bool:
    """Tell whether the other's last discard, or the upcard before there is one, counts ten points."""
    card = view.last_discard if view.last_discard else view.upcard
    return card != 0 and card_points(view, card) == 10


@kernel
def _share(view: Record) -> float:
    """Return the probability that the table gives."""
    bands = int(knock_param(view, _BANDS))
    lasts = int(knock_param(view, _LASTS))
    steps = int(knock_param(view, _STEPS))
    lead = view.score - view.other_score
    band = 0
    for i in range(bands - 1):
        if lead >= view.table[i]:
            band = i + 1
    last = 1 if lasts == 2 and _counts_ten(view) else 0
    row = (band * lasts + last) * steps + _step(view)
    return view.table[bands - 1 + row * _DEADWOODS + min(view.best_deadwood, _DEADWOODS - 1)]


@knock_rule
def knock(view: Record) -> bool:
    """End the hand with the probability of the cell that the position lies in."""
    return chance(view.random, _share(view))
