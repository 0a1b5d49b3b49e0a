"""A strategy whose knock rule is replaced by a table that lies in no file: for searches over tables."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from strategies.base import Strategy, StrategyError, player
from strategies.knock_table import COMPILED

if TYPE_CHECKING:
    from sim.run import Player
    from strategies.knock_cells import KnockCells


def table_player(base: Strategy, cells: KnockCells, name: str | None = None) -> Player:
    """Return a player who draws, discards and spreads as a strategy does and knocks by a table.

    Parameters
    ----------
    base : Strategy
        Its own knock rule is left out.
    cells : KnockCells
        At most `strategies.knock_cells.LARGEST` values.
    name : str, optional
        For messages; the strategy's text with ``, by a table`` when left out.

    Returns
    -------
    Player

    Raises
    ------
    StrategyError
        If the strategy plays on in thought, which would read the table.
    """
    if base.rollout_policy() is not None:
        raise StrategyError(f"{base}: plays on in thought, so its table cannot be replaced")
    own = player(base)
    draw, _, discard, spread = own.decisions
    knock = importlib.import_module(COMPILED).knock
    starts = (own.starts[0], len(own.params), own.starts[2], own.starts[3])
    return own._replace(
        name=name or f"{base}, by a table",
        decisions=(draw, knock, discard, spread),
        params=[*own.params, *cells.layout()],
        table=cells.values(),
        starts=starts,
    )
