"""Opponents against whom the right knocks can be told without fitting anything."""

from __future__ import annotations

from sim._jit import Record
from sim.run import Player
from sim.view import default_spread_rule, discard_rule, draw_rule, knock_rule
from strategies.base import parse_strategy, player


@draw_rule
def draw_stock(view: Record) -> bool:
    """Leave every upcard."""
    return False


@knock_rule
def never(view: Record) -> bool:
    """Play on, whatever is held."""
    return False


@discard_rule
def throw_drawn(view: Record) -> int:
    """Throw what was drawn."""
    return view.drawn


PASSIVE = Player("passive", (draw_stock, never, throw_drawn, default_spread_rule))
"""Never ends a hand and never changes his own: waiting costs nothing but time."""


def from_the_stock(text: str) -> Player:
    """Return a strategy that leaves every upcard: the turn tells how many are left."""
    own = player(parse_strategy(text))
    return own._replace(name=f"{text}, from the stock", decisions=(draw_stock, *own.decisions[1:]))
