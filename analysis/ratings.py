"""Bradley-Terry ratings of players who have all played each other, with intervals from groups of games.

The odds that i beats j are exp(strength of i - strength of j). Ratings are strengths times 400 / ln 10, the
scale of Elo, on which 100 more are 64 % of games; they sum to zero. The games of a pair share their decks,
and so do the pairings, so intervals are of the delete-one-group jackknife with a group left out of all
pairings at once; the model's own standard errors, which take all games for independent, are not used.

Where some players have never lost to some others, no finite rating parts them: the likelihood has no
maximum. Players then fall into classes, each of which has won against the next without losing a game, and
ratings are told inside a class only, where they sum to zero. Nothing is added to the counts.

References
----------
R. A. Bradley and M. E. Terry, Biometrika 39 (1952), 324-345; L. R. Ford, American Mathematical Monthly 64(8)
(1957), 28-33 (when the maximum exists); L. Maystre and M. Grossglauser, NIPS 2015 (the algorithm, as the
library choix has it).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import choix
import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components

from analysis.stats.estimates import NOTHING, Estimate, clopper_pearson, jackknife

Floats = npt.NDArray[np.float64]

ELO = 400 / math.log(10)
"""Rating points in one unit of log-odds."""

MOST_STEPS = 10_000
"""Steps of the fit. A few are enough where everybody has won often against everybody."""


@dataclass(frozen=True)
class Ratings:
    """Ratings and what they leave unexplained.

    Attributes
    ----------
    classes : list of list of int
        Players by number, strongest class first; one class where all can be rated together.
    ratings : list of Estimate
        In Elo, by player; nothing for who is alone in his class among others.
    expected : list of list of float or None
        Share of games that the ratings expect of i against j of the same class.
    departures : list of list of Estimate
        By how much i's share against j exceeds that; nothing where a class has two players, whose
        ratings fit whatever they played.
    mean_shares : list of Estimate
        A player's share of games, the mean over his opponents.
    """

    classes: list[list[int]]
    ratings: list[Estimate]
    expected: list[list[float | None]]
    departures: list[list[Estimate]]
    mean_shares: list[Estimate]


def elo(share: float) -> float:
    """Return the rating points that a share of games amounts to."""
    if share <= 0 or share >= 1:
        return math.copysign(math.inf, share - 0.5)
    return ELO * math.log(share / (1 - share))


def classes_of(wins: Floats) -> list[list[int]]:
    """Return the players in classes, strongest first, between which one side has won every game.

    Parameters
    ----------
    wins : ndarray of float64, shape (players, players)
        Games that i has won against j; everybody has played everybody.
    """
    beaten = wins > 0
    number, labels = connected_components(beaten, directed=True, connection="strong")
    found = [[int(player) for player in np.flatnonzero(labels == one)] for one in range(number)]
    # A class has won against everybody below it, so those it has reached, itself included, grow fewer.
    reached = {tuple(members): {*members, *np.flatnonzero(beaten[members].any(axis=0))} for members in found}
    return sorted(found, key=lambda members: -len(reached[tuple(members)]))


def bradley_terry(wins: Floats, start: Floats | None = None) -> Floats:
    """Return the maximum-likelihood ratings in Elo; they sum to zero in each class.

    Parameters
    ----------
    wins : ndarray of float64, shape (players, players)
        Games that i has won against j, a game without a winner being half of one to each.
    start : ndarray of float64, optional
        Ratings to begin the search at, where they are numbers.

    Returns
    -------
    ndarray of float64, shape (players,)
        Not a number for who is alone in his class, or where the search does not end.
    """
    ratings = np.full(len(wins), np.nan)
    for members in classes_of(wins):
        if len(members) < 2:
            continue
        begin = None if start is None or np.isnan(start[members]).any() else start[members] / ELO
        try:
            fitted = choix.ilsr_pairwise_dense(
                wins[np.ix_(members, members)], initial_params=begin, max_iter=MOST_STEPS
            )
        except RuntimeError:  # odds beyond what the search reaches
            continue
        ratings[members] = ELO * (fitted - fitted.mean())
    return ratings


def rate(by_group: Floats, pairs: int) -> Ratings:
    """Rate players from their games by group.

    Parameters
    ----------
    by_group : ndarray of float64, shape (groups, players, players)
        Games that i has won against j in each group; a group holds the games of the same decks in every
        pairing, and groups are independent.
    pairs : int
        Pairs of games that a pairing has played.

    Returns
    -------
    Ratings
        Without intervals where leaving out a group takes away the only games that a player has won.
    """
    wins = by_group.sum(axis=0)
    rest = wins - by_group
    players = len(wins)
    classes = classes_of(wins)
    ratings = bradley_terry(wins)
    # Classes that fall apart when a group is left out have no rating without it, so no interval.
    without = np.array([_same_classes(bradley_terry(one, ratings), one, classes) for one in rest])
    shares, shares_without = _shares(wins), _shares(rest)
    expected, expected_without = _expected(ratings), _expected(without)
    fitted = [len(members) > 2 for player in range(players) for members in classes if player in members]
    return Ratings(
        classes,
        [_estimate(ratings[one], without[:, one]) for one in range(players)],
        [
            [float(value) if math.isfinite(value) and i != j else None for j, value in enumerate(row)]
            for i, row in enumerate(expected)
        ],
        [
            [
                _estimate(shares[i, j] - expected[i, j], shares_without[:, i, j] - expected_without[:, i, j])
                if i != j and fitted[i]
                else NOTHING
                for j in range(players)
            ]
            for i in range(players)
        ],
        [_mean_share(shares[one], shares_without[:, one], one, pairs) for one in range(players)],
    )


def _same_classes(ratings: Floats, wins: Floats, classes: list[list[int]]) -> Floats:
    """Return ratings, not numbers for members of classes that are other than those given."""
    kept = np.full(len(ratings), np.nan)
    for members in classes_of(wins):
        if members in classes:
            kept[members] = ratings[members]
    return kept


def _shares(wins: Floats) -> Floats:
    """Return each player's share of games against each, not a number against himself or where none."""
    games = wins + np.swapaxes(wins, -1, -2)
    shares = np.full(wins.shape, np.nan)
    np.divide(wins, games, out=shares, where=games > 0)
    return shares


def _expected(ratings: Floats) -> Floats:
    """Return the shares that ratings expect; not a number across classes."""
    gaps = (ratings[..., :, None] - ratings[..., None, :]) / ELO
    expected: Floats = 1 / (1 + np.exp(-gaps))
    return expected


def _estimate(value: float, without: Floats) -> Estimate:
    return NOTHING if not math.isfinite(value) else jackknife(float(value), without)


def _mean_share(shares: Floats, without: Floats, player: int, pairs: int) -> Estimate:
    """Estimate a player's mean share over all others."""
    told = _estimate(np.delete(shares, player).mean(), np.delete(without, player, axis=1).mean(axis=1))
    if told.estimate is None:
        return told
    if told.low is None or told.high is None:  # all won, all lost, or too few games: see `estimates.ratio`
        return Estimate(told.estimate, *clopper_pearson(told.estimate * pairs, pairs))
    return Estimate(told.estimate, max(0.0, told.low), min(1.0, told.high))
