"""The knock rule `clinch`."""

from __future__ import annotations

from sim._jit import Record, kernel
from sim.view import knock_rule
from strategies.helpers import box_now, knock_param


@kernel
def clinches(view: Record, other_deadwood: float) -> bool:
    """Tell whether a knock that finds the other with so much deadwood, or scores 1 point, ends the game."""
    sure = max(other_deadwood - view.best_deadwood, 1.0)
    return view.score + view.multiplier * sure + box_now(view) >= view.target


@knock_rule
def knock(view: Record) -> bool:
    """End the hand with gin, or with a knock that ends the game."""
    return view.best_deadwood == 0 or clinches(view, knock_param(view, 0))
