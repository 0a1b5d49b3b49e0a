"""The knock rule `clinch_low_stock`."""

from __future__ import annotations

from sim._jit import Record
from sim.view import knock_rule
from strategies.compiled.clinch import clinches
from strategies.helpers import knock_param


@knock_rule
def knock(view: Record) -> bool:
    """End the hand with gin, with a knock that ends the game, or when the stock runs low."""
    return (
        view.best_deadwood == 0 or view.stock <= knock_param(view, 1) or clinches(view, knock_param(view, 0))
    )
