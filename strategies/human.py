"""The rules of thumb that people are taught."""

from __future__ import annotations

from dataclasses import dataclass

from strategies.base import Decisions, Strategy, parameter, strategy
from strategies.gold import COMPILED as GOLD


@strategy("human")
@dataclass(frozen=True)
class Human(Strategy):
    """Draw as gold, keep pairs until the high ones must go, knock early or not short of gin.

    Knocks whenever legal up to own turn `early`, with at most `care` points up to own turn `middle`, later
    with gin only. Discards (as interpreted) among the cards outside the melds of a least-deadwood
    arrangement of the eleven, always the highest, ties to the later suit (S H D C), of

    1. all of them, once six cards or more are melded: two melds want low cards beside them;
    2. else those of `high` points or more, from own turn `shed` on: high cards not filled by then go;
    3. else those that make no meld with another of them and a card still unseen, so that pairs and
       neighbours with a chance to be filled stay;
    4. else all of them.

    References
    ----------
    Human rules as collected in section 4 of the collection of published strategies this project started
    from; the numbers left open there are parameters.
    """

    early: int = parameter(4, 0, 200, "the last own turn of knocks with anything legal")
    middle: int = parameter(7, 0, 200, "the last own turn of careful knocks")
    care: int = parameter(5, 0, 10, "most deadwood of a careful knock, in points")
    shed: int = parameter(6, 1, 200, "the own turn from which unfilled high cards go first")
    high: int = parameter(10, 1, 15, "points from which a card is high")

    decisions = Decisions(GOLD, *["strategies.compiled.human"] * 2)
