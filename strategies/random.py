"""The player who does anything that is legal."""

from __future__ import annotations

from dataclasses import dataclass

from strategies.base import Decisions, Strategy, strategy


@strategy("random")
@dataclass(frozen=True)
class Random(Strategy):
    """Choose uniformly among the legal actions at each decision.

    Upcard or stock; then every discard, and every way to end the hand with its discard.

    References
    ----------
    The baseline of RLCard (issue 103 of datamllab/rlcard).
    """

    decisions = Decisions(*["strategies.compiled.random"] * 3)
