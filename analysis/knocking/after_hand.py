"""The chance to win a game after a hand that two players have played, from their match equity."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.knocking.equity import passes, require_one_game, solve
from analysis.knocking.outcomes import measure
from analysis.knocking.score_cells import reads_score, square_cells
from sim.rules import Rules
from sim.run import Player
from sim.scoring import NOBODY

PAIRS = 50_000
"""Mirrored pairs from which equity is measured: a fraction of a second, and its error is carried on."""
STEP = 20
"""Points to a side of a score cell, for players who look at the score."""

Floats = npt.NDArray[np.float64]


class AfterHand(NamedTuple):
    """Chances of side A to win a game when a hand from a known score has ended.

    Attributes
    ----------
    rules : Rules
    scores : tuple of int
        Points of A and B before the hand.
    win : ndarray of float64, shape (1 + groups, 2, target, target)
        See `analysis.knocking.equity.Equity`.
    """

    rules: Rules
    scores: tuple[int, int]
    win: Floats

    def shares(
        self, points: npt.ArrayLike, winner: npt.ArrayLike, boxes: npt.ArrayLike, dealer: int
    ) -> Floats:
        """Return the chances, by all hands and by those of all groups but each.

        Parameters
        ----------
        points : array_like of int, shape (n,)
            Of the hand: A's less B's.
        winner : array_like of int, shape (n,)
            0 for A, 1 for B, -1 for nobody.
        boxes : array_like of int, shape (n,)
            Of the winner.
        dealer : int
            Side that dealt the hand.

        Returns
        -------
        ndarray of float64, shape (1 + groups, n)
        """
        side = np.asarray(winner, np.int64)
        gain = np.abs(np.asarray(points, np.int64))
        if self.rules.box_timing == "immediate":
            gain = gain + np.asarray(boxes, np.int64) * self.rules.box_bonus
        target = self.rules.game_target
        a = self.scores[0] + np.where(side == 0, gain, 0)
        b = self.scores[1] + np.where(side == 1, gain, 0)
        going = (a < target) & (b < target)
        turns = passes(self.rules)[np.where(side == NOBODY, 0, 1 + side), dealer]  # (n, next dealer)
        inside = self.win[:, :, np.minimum(a, target - 1), np.minimum(b, target - 1)]
        ahead: Floats = np.einsum("gdn,nd->gn", inside, turns)
        return np.where(going, ahead, (a >= target).astype(np.float64))


def after_hand(
    me: Player,
    opponent: Player,
    rules: Rules,
    scores: tuple[int, int],
    *,
    pairs: int = PAIRS,
    seed: int = 0,
    threads: int = 1,
) -> AfterHand:
    """Measure how hands between two players end and return the chances that follow; side A is the player.

    Raises
    ------
    UsageError
        If the rules play no single games of one column.
    RunError
        If a strategy breaks the rules or its code fails.
    """
    require_one_game(rules)
    by_score = reads_score(me) or reads_score(opponent)
    cells = square_cells(rules.game_target, STEP) if by_score else None
    found = solve(
        measure(me, opponent, rules, pairs=pairs, seed=seed, threads=threads, cells=cells), rules,
        threads=threads,
    )  # fmt: skip
    return AfterHand(rules, scores, found.values[:, 0])
