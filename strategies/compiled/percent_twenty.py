"""The knock rule `percent_twenty`."""

from __future__ import annotations

from sim._jit import Record
from sim.view import knock_rule
from strategies.helpers import chance, count, highest
from strategies.shapes import unmatchable


@knock_rule
def knock(view: Record) -> bool:
    """Knock with the probability of the table."""
    if view.best_deadwood == 0:
        return True
    seen = count(view.hand | view.pile | view.known)
    row = min(max(seen // 5 - 2, 0), 5)  # small hands have seen fewer than ten at first
    column = min(count(unmatchable(view, view.hand ^ highest(view, view.best_discards))), 3)
    return chance(view.random, view.table[(row * 11 + view.best_deadwood) * 4 + column])
