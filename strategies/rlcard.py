"""The rule-based player that comes with RLCard."""

from __future__ import annotations

from dataclasses import dataclass

from strategies.base import Decisions, Strategy, strategy


@strategy("rlcard_novice")
@dataclass(frozen=True)
class RlcardNovice(Strategy):
    """Draw at random, throw to least deadwood at random, end the hand whenever it can.

    Takes the upcard half the time. Discards uniformly among the cards that leave least deadwood. With gin
    in hand he goes gin; otherwise he knocks when he can, with any discard that is legal for a knock, each
    equally likely, since RLCard has one knocking action for each.

    References
    ----------
    GinRummyNoviceRuleAgent of RLCard (W. Hale, 2020), by the description of its steps.
    """

    decisions = Decisions(*["strategies.compiled.rlcard_novice"] * 3)
