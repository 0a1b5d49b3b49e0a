"""The knock rule `goldstein`."""

from __future__ import annotations

from sim._jit import Record, kernel
from sim.view import knock_rule
from strategies.helpers import card_points, chance, count


@kernel
def _drawn_before(view: Record) -> int:
    """Return the stock cards drawn before this turn, by both players.

    At first all cards are in the stock but two hands and the upcard (or the eleventh card of who begins).
    A stock made anew from the discard pile counts as drawn what it lacks of the first one. The solo game's
    stock, of which no hand was dealt to another, counts as untouched until it is as small as that.
    """
    deck = count(view.hand | view.pile | view.known | view.unseen)
    hand_size = count(view.hand) - 1
    first = deck - 2 * hand_size - 1
    return max(first - view.stock - (1 - view.from_discard), 0)


@knock_rule
def knock(view: Record) -> bool:
    """Knock with the probability of the table."""
    drawn = _drawn_before(view)
    if drawn <= 8:
        column = (drawn + 3) // 4
    else:
        column = 3 if drawn <= 10 else 4
    last = view.last_discard if view.last_discard else view.upcard
    ten = 1 if last != 0 and card_points(view, last) == 10 else 0
    return chance(view.random, view.table[(ten * 11 + view.best_deadwood) * 5 + column])
