"""Gin hunters that knock when the knock ends the game, or when the stock runs low."""

from __future__ import annotations

from dataclasses import dataclass

from strategies.base import Decisions, Strategy, parameter, strategy
from strategies.gold import COMPILED as GOLD

_OTHER = "deadwood that the other is taken to have left against a knock, in points"


@strategy("clinch")
@dataclass(frozen=True)
class Clinch(Strategy):
    """Play as gold, knock short of gin only if the points a knock is sure of end the game.

    No points of a knock are sure: the other may lay off and undercut. The publication counts on
    `other_deadwood` less the own deadwood, but at least 1 point, and so do we, times the hand's multiplier;
    the game ends if the score then reaches the target.

    References
    ----------
    gin-paradise, reports 56 and 57 (ClinchOnlyGoGin); draw and discard there are other than gold's.
    """

    other_deadwood: int = parameter(10, 0, 100, _OTHER)

    decisions = Decisions(GOLD, "strategies.compiled.clinch", GOLD)


@strategy("clinch_low_stock")
@dataclass(frozen=True)
class ClinchLowStock(Strategy):
    """Play as clinch, knock also when the stock runs low.

    References
    ----------
    gin-paradise, reports 56 and 57 (ClinchGoGin), which find the low-stock knock harmful.
    """

    other_deadwood: int = parameter(10, 0, 100, _OTHER)
    stock: int = parameter(8, 0, 52, "cards left in the stock after the draw, at or below which he knocks")

    decisions = Decisions(GOLD, "strategies.compiled.clinch_low_stock", GOLD)
