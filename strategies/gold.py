"""The greedy player whose draw and discard the threshold families share."""

from __future__ import annotations

from dataclasses import dataclass

from strategies.base import Decisions, Strategy, parameter, strategy, switch

COMPILED = "strategies.compiled.gold"


@strategy("gold")
@dataclass(frozen=True)
class Gold(Strategy):
    """Take what lowers deadwood, throw the highest card that leaves least, knock at a threshold.

    Takes the upcard if the best deadwood after discarding another card strictly falls. Discards to least
    deadwood, ties to the most pips, then to the later suit (S H D C).

    References
    ----------
    Section 4 of the collection of published strategies this project started from ("gold").
    """

    threshold: int = parameter(10, 0, 10, "most deadwood to knock with, in points")
    hold_for_gin: bool = switch(False, "end the hand with gin only, whatever the threshold")

    decisions = Decisions(*[COMPILED] * 3)
