"""The meta-game: knock rules as the moves of a zero-sum game, its matrix on common decks, its equilibrium.

A move is a knock rule, played on top of one style of drawing and discarding by both players. The entry of
rules i and j is what i wins against j, in points a hand at 0:0, over both seatings of every deck: so the
matrix is antisymmetric to the integer, and the value of the game is 0. What an equilibrium of a grid is
worth is not told by its weights but by what a best reply wins from it on fresh decks, see
`analysis.knocking.exploit`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

from analysis.knocking.policy import Policy, cell_of, threshold, two_stage
from analysis.knocking.recorded import points
from analysis.stats.estimates import Estimate
from analysis.stats.joint import bootstrap_groups, percentiles
from sim.fork_tables import table_sums
from sim.forks import fork_chunks
from sim.rules import Rules
from sim.tally import GROUPS
from strategies.base import Strategy, player
from strategies.table_player import table_player

LEVELS = (0, 2, 4, 6, 8, 10)
"""Thresholds that two stages are made of, points."""
SWITCHES = (4, 6, 8)
"""Own turns of a switch: among them that of the published two-stage rules, 6."""
NONE = 1e-9
"""A weight below this is the solver's rounding."""

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


class Rule(NamedTuple):
    """A move: a deterministic knock rule and how it is written.

    Attributes
    ----------
    name : str
        As the strategy of that rule, such as ``threshold(4)``.
    policy : Policy
    """

    name: str
    policy: Policy


class MetaGame(NamedTuple):
    """The matrix, by group of pairs.

    Attributes
    ----------
    rules : list of Rule
    points : ndarray of int64, shape (groups, rules, rules)
        Points of the row's rule less the column's, summed over hands.
    hands : ndarray of int64, shape (groups,)
    """

    rules: list[Rule]
    points: Counts
    hands: Counts

    @property
    def matrix(self) -> Floats:
        """Points a hand of the row's rule less the column's, shape (rules, rules)."""
        mean: Floats = self.points.sum(axis=0) / self.hands.sum()
        return mean


class Mix(NamedTuple):
    """An equilibrium of a zero-sum game.

    Attributes
    ----------
    rows, columns : ndarray of float64
        Probabilities of the row player's and the column player's moves.
    value : float
        What the row player gets.
    """

    rows: Floats
    columns: Floats
    value: float


def rule_grid(
    switches: Sequence[int] = SWITCHES, levels: Sequence[int] = LEVELS, thresholds: Sequence[int] = range(11)
) -> list[Rule]:
    """Return thresholds and the two-stage rules that knock with less from a turn on.

    Parameters
    ----------
    switches : sequence of int
        Own turns of the switch.
    levels : sequence of int
        What ``early`` and ``late`` may be, points; ``early`` is the larger.
    thresholds : sequence of int
        Thresholds, points.
    """
    stages = [
        (early, late, switch)
        for switch in switches
        for early in sorted(levels, reverse=True)
        for late in sorted(levels)
        if early > late
    ]
    return [
        *(Rule(f"threshold({k})", threshold(k)) for k in thresholds),
        *(Rule(f"two_stage{stage}", two_stage(*stage)) for stage in stages),
    ]


def play_metagame(
    base: Strategy,
    grid: Sequence[Rule],
    rules: Rules,
    *,
    pairs: int,
    seed: int = 0,
    first: int = 0,
    threads: int = 1,
    on_column: Callable[[int], None] | None = None,
) -> MetaGame:
    """Fork every deck against each rule; one recording gives what all rules win from that one.

    Parameters
    ----------
    base : Strategy
        Draws and discards for both players.
    grid : sequence of Rule
    rules : sim.rules.Rules
    pairs, seed, first, threads : int
        As of `sim.forks.fork_chunks`; every column has the same decks.
    on_column : callable, optional
        Called with the number of columns done.

    Returns
    -------
    MetaGame
    """
    size = len(grid)
    won, hands = np.zeros((GROUPS, size, size), np.int64), np.zeros(GROUPS, np.int64)
    tables = np.array([rule.policy.shares.ravel() for rule in grid])
    own = player(base)
    for column, rule in enumerate(grid):
        other = table_player(base, rule.policy.cells())
        for forks in fork_chunks(own, other, rules, pairs=pairs, seed=seed, first=first, threads=threads):
            # Sums of whole numbers far below 2**53: exact in floating point.
            sums = table_sums(forks, cell_of(forks), tables, *points(forks), GROUPS)
            won[:, :, column] += sums.astype(np.int64)
            if column == 0:
                hands += np.bincount(forks.deals.pair % GROUPS, minlength=GROUPS)
        if on_column is not None:
            on_column(column + 1)
    held = hands > 0
    return MetaGame(list(grid), won[held], hands[held])


def equilibrium(matrix: npt.ArrayLike) -> Mix:
    """Return an equilibrium of a zero-sum game by linear programming.

    Parameters
    ----------
    matrix : array_like of float64, shape (rows, columns)
        What the row player gets.

    Returns
    -------
    Mix
        Where there are several equilibria, one of them.

    Raises
    ------
    ValueError
        If the matrix is empty or holds what is not a number.

    References
    ----------
    G. B. Dantzig, A proof of the equivalence of the programming problem and the game problem, in: Activity
    Analysis of Production and Allocation (1951), 330-335. The column player's mix is the dual solution.
    """
    payoff = np.asarray(matrix, np.float64)
    if payoff.ndim != 2 or 0 in payoff.shape or not np.isfinite(payoff).all():
        raise ValueError(f"a matrix of shape {payoff.shape}: expected finite numbers, a row and a column")
    rows, columns = payoff.shape
    # Most v with x @ payoff >= v in every column: minimise -v over (x, v).
    found = linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.column_stack([-payoff.T, np.ones(columns)]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
        method="highs",
    )
    if found.x is None:  # cannot be: every zero-sum game has a value
        raise ValueError(f"no equilibrium found: {found.message}")
    return Mix(_mix(found.x[:rows]), _mix(-found.ineqlin.marginals), float(found.x[rows]))


def _mix(weights: Any) -> Floats:
    """Return weights without the solver's rounding."""
    kept = np.where(np.asarray(weights, np.float64) > NONE, weights, 0.0)
    mix: Floats = kept / kept.sum()
    return mix


def bootstrap_weights(game: MetaGame, draws: int) -> list[Estimate]:
    """Return the weights of the equilibrium, with percentile intervals over groups drawn for all entries.

    Equilibria of nearby matrices may lie far apart: wide intervals are the answer then, and the gain of a
    best reply tells whether it matters.

    Parameters
    ----------
    game : MetaGame
    draws : int
        Of the groups, each with a linear programme of its own.

    Returns
    -------
    list of Estimate
        One a rule.
    """
    sums = {"points": game.points.reshape(len(game.points), -1), "hands": game.hands}
    size = len(game.rules)

    def weights(totals: dict[str, Any]) -> npt.ArrayLike:
        return equilibrium(totals["points"].reshape(size, size) / totals["hands"]).rows

    drawn = bootstrap_groups(weights, sums, draws=draws)
    return [percentiles(float(value), drawn[:, at]) for at, value in enumerate(equilibrium(game.matrix).rows)]
