"""Knock rules on top of gold's draw and discard: one threshold, gin only, two stages."""

from __future__ import annotations

from dataclasses import dataclass

from strategies.base import Decisions, Strategy, parameter, strategy
from strategies.gold import COMPILED as GOLD

COMPILED = "strategies.compiled.threshold"
GIN_ONLY = "strategies.compiled.gin_only"
TWO_STAGE = "strategies.compiled.two_stage"


@strategy("threshold")
@dataclass(frozen=True)
class Threshold(Strategy):
    """Play as gold, knock with at most k points.

    References
    ----------
    The pure strategies of the knock-threshold studies of EAAI-21.
    """

    k: int = parameter(10, 0, 10, "most deadwood to knock with, in points")

    decisions = Decisions(GOLD, COMPILED, GOLD)


@strategy("gin_only")
@dataclass(frozen=True)
class GinOnly(Strategy):
    """Play as gold, never knock short of gin.

    References
    ----------
    Goldstein and others (AAAI-21) find that under 25/25 bonuses equilibrium play almost never knocks.
    """

    decisions = Decisions(GOLD, GIN_ONLY, GOLD)


@strategy("two_stage")
@dataclass(frozen=True)
class TwoStage(Strategy):
    """Play as gold, knock with at most ``early`` points first and ``late`` points from a turn on.

    References
    ----------
    The DePauw entry to EAAI-21 chose 10, 0, 6.
    """

    early: int = parameter(10, 0, 10, "most deadwood to knock with at first, in points")
    late: int = parameter(0, 0, 10, "most deadwood to knock with from the switch on, in points")
    switch: int = parameter(6, 1, 200, "the own turn (own draws, this one included) of the switch")

    decisions = Decisions(GOLD, TWO_STAGE, GOLD)
