"""The knock rule `two_stage`."""

from __future__ import annotations

from sim._jit import Record
from sim.view import knock_rule
from strategies.helpers import knock_param


@knock_rule
def knock(view: Record) -> bool:
    """Knock at or below the threshold of the stage that the own turn is in."""
    return view.best_deadwood <= knock_param(view, 0 if view.turn < knock_param(view, 2) else 1)
