"""Knock rules as tables over own turn and deadwood, and what they bring on recorded forks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from strategies.knock_cells import DEADWOODS, KnockCells

if TYPE_CHECKING:
    from sim.forks import Forks

TURNS = 20
"""Own turns that a table keeps apart; the last stands for all later ones. Fewer than one hand in a hundred
thousand of ordinary play has a legal knock beyond."""

Floats = npt.NDArray[np.float64]


class Policy(NamedTuple):
    """A knock rule.

    Attributes
    ----------
    shares : ndarray of float64, shape (TURNS, DEADWOODS)
        Probability of knocking by own turn (from 1; the last row for all later ones) and deadwood. Gin is
        always taken: the first column is 1.
    """

    shares: Floats

    def cells(self) -> KnockCells:
        """Return the rule as a table that a strategy can play, and a file can hold."""
        return KnockCells("turn", 1, (), self.shares[None, None])

    def at(self, forks: Forks) -> Floats:
        """Return the probability of taking each fork, shape (forks,)."""
        shares: Floats = self.shares[turn_row(forks), forks.forks.deadwood]
        return shares


def turn_row(forks: Forks) -> npt.NDArray[np.int64]:
    """Return the row of each fork's own turn, shape (forks,)."""
    rows: npt.NDArray[np.int64] = np.minimum(forks.forks.own_turn, TURNS).astype(np.int64) - 1
    return rows


def cell_of(forks: Forks) -> npt.NDArray[np.int64]:
    """Return the cell of each fork, counted along the rows of `Policy.shares`, shape (forks,)."""
    cells: npt.NDArray[np.int64] = turn_row(forks) * DEADWOODS + forks.forks.deadwood
    return cells


def turn_label(own_turn: int) -> str:
    """Write an own turn; the last row of a table holds for all later ones too."""
    return f"{own_turn}+" if own_turn == TURNS else str(own_turn)


def threshold(k: int) -> Policy:
    """Return the rule that knocks with at most ``k`` points, as `strategies.threshold.Threshold`."""
    return two_stage(k, k, 1)


def two_stage(early: int, late: int, switch: int) -> Policy:
    """Return the rule of `strategies.threshold.TwoStage`; ``switch`` at most `TURNS`."""
    if not 1 <= switch <= TURNS:
        raise ValueError(f"switch {switch}: expected 1-{TURNS}")
    turns, deadwood = np.arange(1, TURNS + 1)[:, None], np.arange(DEADWOODS)[None, :]
    most = np.where(turns < switch, early, late)
    shares = (deadwood <= most).astype(np.float64)
    shares[:, 0] = 1.0
    return Policy(shares)


def sums_by_group(deals: Any, values: npt.ArrayLike, groups: int) -> tuple[Floats, Floats]:
    """Return sums of values of hands, and their number, by group of pairs.

    Parameters
    ----------
    deals : recarray of `sim.forks.DEAL_DTYPE`, shape (deals,)
    values : array_like of float64, shape (deals,)
    groups : int
        A pair stands in group ``pair % groups``, as in the tally.

    Returns
    -------
    sums, hands : ndarray of float64, shape (groups,)
    """
    group = deals.pair % groups
    sums = np.bincount(group, np.asarray(values, np.float64), groups).astype(np.float64)
    return sums, np.bincount(group, minlength=groups).astype(np.float64)
