"""The knock rule `gin_only`."""

from __future__ import annotations

from sim._jit import Record
from sim.view import knock_rule


@knock_rule
def knock(view: Record) -> bool:
    """End the hand with gin or big gin only."""
    return view.best_deadwood == 0
