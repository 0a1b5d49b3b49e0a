"""Players for the tests of the knocking laboratory."""

from __future__ import annotations

from sim.run import Player
from strategies.base import parse_strategy, player


def of(text: str) -> Player:
    return player(parse_strategy(text))
