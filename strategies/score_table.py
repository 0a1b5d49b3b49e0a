"""A strategy whose knock rule is replaced by a knock table for each band of both scores and who deals."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sim.view import TABLE
from strategies.base import Strategy, StrategyError, player

if TYPE_CHECKING:
    from sim.run import Player

COMPILED = "strategies.compiled.score_table"
DEADWOODS = 10
"""Points of deadwood that a table decides: 1-10; gin is always taken."""


def most_turns(bands: int) -> int:
    """Return how many own turns a table of so many bands of either score can keep apart."""
    return TABLE // (bands * bands * 2 * DEADWOODS)


def score_table_player(base: Strategy, step: int, shares: Any, name: str | None = None) -> Player:
    """Return a player who draws, discards and spreads as a strategy does and knocks by tables.

    Parameters
    ----------
    base : Strategy
        Its own knock rule is left out.
    step : int
        Points of a band of either score; scores beyond the last band are played as in it.
    shares : ndarray of float64, shape (bands, bands, 2, turns, 10)
        Probability of knocking by band of the own score, band of the other's, who deals (0: the other, 1:
        this player), own turn (from 1; the last for all later ones) and deadwood (1-10).
    name : str, optional
        For messages; the strategy's text with ``, by score`` when left out.

    Returns
    -------
    Player

    Raises
    ------
    StrategyError
        If the strategy plays on in thought, which would read the table, or the shape is none of these.
    """
    if base.rollout_policy() is not None:
        raise StrategyError(f"{base}: plays on in thought, so its table cannot be replaced")
    bands, others, dealers, turns, deadwoods = shares.shape
    if (others, dealers, deadwoods) != (bands, 2, DEADWOODS) or shares.size > TABLE or step < 1:
        raise StrategyError(f"table of shape {shares.shape} with bands of {step} points cannot be played")
    own = player(base)
    draw, _, discard, spread = own.decisions
    knock = importlib.import_module(COMPILED).knock
    return own._replace(
        name=name or f"{base}, by score",
        decisions=(draw, knock, discard, spread),
        params=[*own.params, float(step), float(bands), float(turns)],
        table=shares,
        starts=(own.starts[0], len(own.params), own.starts[2], own.starts[3]),
    )
