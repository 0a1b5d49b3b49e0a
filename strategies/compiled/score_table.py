"""The knock rule of tables by both scores; see `strategies.score_table`."""

from __future__ import annotations

from sim._jit import Record
from sim.view import knock_rule
from strategies.helpers import chance, knock_param

_STEP, _BANDS, _TURNS = range(3)
_DEADWOODS = 10


@knock_rule
def knock(view: Record) -> bool:
    """End the hand with gin, else with the probability of the cell that score, dealer and position lie in."""
    if view.best_deadwood == 0:
        return True
    step = int(knock_param(view, _STEP))
    bands = int(knock_param(view, _BANDS))
    turns = int(knock_param(view, _TURNS))
    own = min(view.score // step, bands - 1)
    other = min(view.other_score // step, bands - 1)
    turn = min(view.turn, turns) - 1
    row = ((own * bands + other) * 2 + view.dealer) * turns + turn
    return chance(view.random, view.table[row * _DEADWOODS + min(view.best_deadwood, _DEADWOODS) - 1])
