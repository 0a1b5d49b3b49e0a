"""Self-play over the whole knock table: regret matching on forked deals.

Both players draw and discard by one style and knock by one table over own turn and deadwood, which is
changed after every batch of deals by regret matching plus, with the average weighted by the iteration. The
recorded side declines every legal knock, so no decision of its own keeps it from a cell; the regret of a
cell is the mean over the cell's forks of what an action brings less what following the table brings, times
the forks a hand.

A table forgets what the deadwood was on earlier turns, so hands come to a cell by ways that the table
itself makes more or less likely. They count by the table's own reach, in proportion: where a player forgets
nothing that is the same for all forks of a cell, and the rule is that of the references. Left out, self-
play settles where a best reply still wins: 0.09 points a hand on the little deck of the tests, against
0.004.

For such games convergence is not proven (M. Lanctot and others, No-regret learning in extensive-form games
with imperfect recall, ICML 2012, have the conditions). What holds is the gain of a best reply, measured on
fresh decks.

References
----------
M. Zinkevich, M. Johanson, M. Bowling and C. Piccione, Regret minimization in games with incomplete
information, NIPS 2007; O. Tammelin, N. Burch, M. Johanson and M. Bowling, Solving heads-up limit Texas
hold'em, IJCAI 2015 (regret matching plus, and the average weighted by the iteration).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.knocking.policy import TURNS, Policy, cell_of
from sim.forks import Forks, fork_hands
from sim.rules import Rules
from strategies.base import Strategy, player
from strategies.knock_cells import DEADWOODS
from strategies.table_player import table_player

CHECKPOINTS = (1, 3, 10, 30, 100, 300, 1000, 3000)
"""Iterations after which the average is kept, besides the last."""

LEAST_REACH = 0.01
"""Added to every fork's reach: cells that the table hardly ever comes to still learn."""

Floats = npt.NDArray[np.float64]

Record = Callable[[Policy, int], Forks]
"""Forks of a player against one who knocks by a table, on the decks of an iteration (from 0)."""


class Kept(NamedTuple):
    """The average table after some iterations.

    Attributes
    ----------
    iteration : int
    policy : Policy
    """

    iteration: int
    policy: Policy


class SelfPlay:
    """Regrets and the average of a table.

    Attributes
    ----------
    iteration : int
        Batches seen.
    """

    def __init__(self) -> None:
        cells = TURNS * DEADWOODS
        self.iteration = 0
        self._regrets = np.zeros((2, cells))  # of knocking, of declining; points a hand
        self._shares = np.zeros(cells)  # sums, of the average
        self._weights = np.zeros(cells)

    @property
    def policy(self) -> Policy:
        """The table to play next: even where there is no regret, as at first."""
        total = self._regrets.sum(axis=0)
        shares = np.where(total > 0, self._regrets[0] / np.where(total > 0, total, 1.0), 0.5)
        return _table(shares)

    @property
    def average(self) -> Policy:
        """The average table; as next to be played in cells that were never reached."""
        known = self._weights > 0
        shares = np.where(known, self._shares / np.where(known, self._weights, 1.0), 0.0)
        return _table(np.where(known, shares, self.policy.shares.ravel()))

    def learn(self, forks: Forks) -> None:
        """Take in a batch that was recorded against `policy`.

        Parameters
        ----------
        forks : Forks
            At least one hand.
        """
        self.iteration += 1
        policy, cells = self.policy, cell_of(forks)
        shares = policy.at(forks)
        expected = forks.expected(shares)
        edge = forks.forks.points - expected.after  # of knocking over declining
        size = len(self._shares)
        seen = np.bincount(cells, minlength=size)
        reach = np.bincount(cells, expected.reach, size) / np.maximum(seen, 1)
        edge *= (expected.reach + LEAST_REACH) / (reach + LEAST_REACH)[cells]
        gains = np.array([(1 - shares) * edge, -shares * edge])
        for regrets, gain in zip(self._regrets, gains, strict=True):
            regrets += np.bincount(cells, gain, size) / len(forks.deals)
            np.maximum(regrets, 0.0, out=regrets)
        self._shares += self.iteration * reach * policy.shares.ravel()
        self._weights += self.iteration * reach


def _table(shares: Floats) -> Policy:
    """Return shares of cells as a rule: gin is always taken."""
    table = shares.reshape(TURNS, DEADWOODS).copy()
    table[:, 0] = 1.0
    return Policy(table)


def self_play(
    record: Record,
    iterations: int,
    checkpoints: Iterable[int] = CHECKPOINTS,
    on_iteration: Callable[[int], None] | None = None,
) -> list[Kept]:
    """Let a table learn from play against itself.

    Parameters
    ----------
    record : callable
        From the table and the number of the iteration to forks; decks are to be fresh each time.
    iterations : int
        At least 1.
    checkpoints : iterable of int
        Iterations after which the average is kept.
    on_iteration : callable, optional
        Called with the number of iterations done.

    Returns
    -------
    list of Kept
        At the checkpoints within the iterations, and at the end.
    """
    if iterations < 1:
        raise ValueError(f"iterations {iterations}: expected 1 or more")
    wanted = {*checkpoints, iterations}
    state, kept = SelfPlay(), []
    for number in range(iterations):
        state.learn(record(state.policy, number))
        if state.iteration in wanted:
            kept.append(Kept(state.iteration, state.average))
        if on_iteration is not None:
            on_iteration(state.iteration)
    return kept


def recorder(
    base: Strategy,
    rules: Rules,
    *,
    pairs: int,
    seed: int = 0,
    threads: int = 1,
    keep: Callable[[Forks], Forks] | None = None,
) -> Record:
    """Return what `self_play` records from: iteration ``i`` has the pairs from ``i * pairs`` on.

    Parameters
    ----------
    base : Strategy
        Draws and discards for both players.
    rules : sim.rules.Rules
    pairs : int
        Of an iteration.
    seed, threads : int
        As of `sim.forks.fork_hands`.
    keep : callable, optional
        Returns the hands to learn from, such as those of one knock limit.
    """
    own = player(base)

    def record(policy: Policy, iteration: int) -> Forks:
        other = table_player(base, policy.cells())
        forks = fork_hands(
            own, other, rules, pairs=pairs, seed=seed, first=iteration * pairs, threads=threads
        )
        return forks if keep is None else keep(forks)

    return record
