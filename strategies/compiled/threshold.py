"""The knock rule `threshold`."""

from __future__ import annotations

from sim._jit import Record
from sim.view import knock_rule
from strategies.helpers import knock_param


@knock_rule
def knock(view: Record) -> bool:
    """Knock at or below the threshold."""
    return view.best_deadwood <= knock_param(view, 0)
