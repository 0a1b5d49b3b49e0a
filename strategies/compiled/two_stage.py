"""The knock rule `two_stage`."""

from __future__ import annotations

from sim._jit import Record
from sim.view import knock_rule


@knock_rule
def knock(view: Record) -> bool:
    """Knock at or below the threshold of the stage that the own turn is in."""
    return view.best_deadwood <= (view.params[0] if view.turn < view.params[2] else view.params[1])
