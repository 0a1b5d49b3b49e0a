"""A parameter set with a name of its own: a family whose parameters have other defaults.

Play it with

    ginlab match my_gold gold --rules eaai --strategy-file docs/examples/my_gold.py

It is the same player as `gold(threshold=4)`, and takes the same parameters: `my_gold(threshold=6)`.
"""

from dataclasses import dataclass

from strategies.base import parameter, strategy
from strategies.gold import Gold


@strategy("my_gold")
@dataclass(frozen=True)
class MyGold(Gold):
    """Play as gold, but knock with at most 4 points."""

    threshold: int = parameter(4, 0, 10, "most deadwood to knock with, in points")
