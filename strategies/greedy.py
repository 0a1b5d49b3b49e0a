"""The heuristic player that the Rust engine of jdh8 calls greedy."""

from __future__ import annotations

from dataclasses import dataclass

from strategies.base import Decisions, Strategy, parameter, strategy, switch
from strategies.gold import COMPILED as GOLD


@strategy("greedy")
@dataclass(frozen=True)
class Greedy(Strategy):
    """Draw as gold, throw the safest of the best discards, knock at a threshold that the score moves.

    Among the discards that leave least deadwood throws the one of least danger; ties go to the most pips,
    then to the later suit (S H D C; the publication takes the first). A card's danger is counted over the
    cards that share a possible meld of three with it, those of its rank and those of its suit up to two
    ranks away: 2 for each that the other is known to hold, 1 for each unseen one, -2 for each that he has
    thrown in this hand or left as an upcard.

    Knocks at `threshold` + `score_weight` x lead / distance points, the quotient cut towards 0 and the sum
    kept within 0 and the limit: lead is own score less the other's, negative when behind; distance is what
    the leader lacks to the target, at least 1. Who leads knocks early and banks his lead, who is behind
    waits for the gin that turns the game.

    References
    ----------
    HeuristicBot of jdh8/gin-rummy-engine, by its documentation. Its safety is a weight of 1; since danger
    only orders cards that leave equal deadwood, all weights above 0 play the same, so here it is a flag.
    """

    threshold: int = parameter(4, 0, 10, "most deadwood to knock with at equal scores, in points")
    safety: bool = switch(True, "among equal discards throw the one the other can use least")
    score_weight: int = parameter(40, 0, 1000, "points of threshold for a lead as large as the distance")

    remembers = ("discard",)
    decisions = Decisions(GOLD, *["strategies.compiled.greedy"] * 2)
