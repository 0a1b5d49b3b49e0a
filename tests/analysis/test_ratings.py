"""Bradley-Terry ratings: known odds, the equations of the maximum, classes, and how often intervals cover."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm

from analysis.ratings import ELO, Floats, bradley_terry, classes_of, elo, rate
from analysis.stats.estimates import NOTHING, jackknife

ALARM = 1e-7
"""False-alarm probability of each test of coverage, when coverage is what the test allows."""


def expected_wins(ratings: Floats, games: Floats) -> Floats:
    """Return the games each wins in the mean, summed over opponents."""
    shares = 1 / (1 + 10 ** ((ratings[None, :] - ratings[:, None]) / 400))
    told: Floats = (games * shares).sum(axis=1)
    return told


def exact_wins(ratings: Floats, games: float) -> Floats:
    wins = games / (1 + 10 ** ((ratings[None, :] - ratings[:, None]) / 400))
    np.fill_diagonal(wins, 0)
    return np.asarray(wins)


# --- the fit -------------------------------------------------------------------------------------


def test_elo() -> None:
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(0.64) == pytest.approx(100, abs=0.1)  # as the text says
    assert elo(0.3) == pytest.approx(-elo(0.7))
    assert (elo(1), elo(0)) == (math.inf, -math.inf)


@pytest.mark.parametrize("players", [2, 3, 7, 20])
def test_known_odds_are_found(players: int) -> None:
    truth = np.random.default_rng(players).normal(0, 200, players)
    truth -= truth.mean()
    found = bradley_terry(exact_wins(truth, 1000.0))
    assert found == pytest.approx(truth, abs=1e-4)
    assert found.sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_the_likelihood_is_at_its_maximum(seed: int) -> None:
    """There everybody wins as many games as expected; other counts of games, halves, large odds."""
    rng = np.random.default_rng(seed)
    players = int(rng.integers(3, 9))
    wins = rng.integers(1, 10 ** rng.integers(1, 6), (players, players)) / 2
    np.fill_diagonal(wins, 0)
    found = bradley_terry(wins)
    assert expected_wins(found, wins + wins.T) == pytest.approx(wins.sum(axis=1), rel=1e-6)


def test_one_win_in_a_million() -> None:
    wins = np.array([[0, 999_999.0, 500_000], [1, 0, 1], [500_000, 999_999, 0]])
    found = bradley_terry(wins)
    assert expected_wins(found, wins + wins.T) == pytest.approx(wins.sum(axis=1), rel=1e-6)
    assert found[0] - found[1] == pytest.approx(elo(0.999999), rel=1e-6)


# --- classes -------------------------------------------------------------------------------------

CLASSES: dict[str, tuple[list[list[float]], list[list[int]]]] = {
    "one": ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], [[0, 1, 2]]),
    "a circle": ([[0, 9, 0], [0, 0, 9], [9, 0, 0]], [[0, 1, 2]]),
    "a loser": ([[0, 0, 0], [9, 0, 4], [9, 5, 0]], [[1, 2], [0]]),
    "a winner": ([[0, 4, 0], [5, 0, 0], [9, 9, 0]], [[2], [0, 1]]),
    "a ladder": ([[0, 0, 0], [9, 0, 0], [9, 9, 0]], [[2], [1], [0]]),
    "two of two": ([[0, 1, 9, 9], [8, 0, 9, 9], [0, 0, 0, 3], [0, 0, 6, 0]], [[0, 1], [2, 3]]),
    "two": ([[0, 0], [9, 0]], [[1], [0]]),
}


@pytest.mark.parametrize(("wins", "classes"), CLASSES.values(), ids=CLASSES)
def test_classes(wins: list[list[float]], classes: list[list[int]]) -> None:
    counts = np.array(wins, np.float64)
    assert classes_of(counts) == classes
    found = bradley_terry(counts)
    for members in classes:
        if len(members) == 1 and len(counts) > 1:
            assert np.isnan(found[members]).all()
        else:
            assert np.isfinite(found[members]).all() and found[members].sum() == pytest.approx(0, abs=1e-9)
            own = counts[np.ix_(members, members)]
            assert expected_wins(found[members], own + own.T) == pytest.approx(own.sum(axis=1), rel=1e-6)


def test_who_lost_all_has_no_rating_and_does_not_spoil_the_others() -> None:
    rng = np.random.default_rng(3)
    wins = np.zeros((40, 4, 4))
    for i, j in ((0, 1), (0, 2), (1, 2)):
        wins[:, i, j] = rng.integers(2, 9, 40)
        wins[:, j, i] = 10 - wins[:, i, j]
    wins[:, :3, 3] = 10
    told, without = rate(wins, 200), rate(wins[:, :3, :3], 200)
    assert told.classes == [[0, 1, 2], [3]] and told.ratings[3] == NOTHING
    assert told.ratings[:3] == without.ratings
    assert told.expected[0][3] is None and told.departures[0][3] == NOTHING
    assert told.departures[0][1] == without.departures[0][1] != NOTHING
    share = told.mean_shares[3]
    assert share.estimate == share.low == 0 and share.high == pytest.approx(1 - 0.025 ** (1 / 200))


def test_the_only_win_gives_a_rating_without_interval() -> None:
    wins = np.tile(np.array([[0, 9.0, 10], [9, 0, 10], [0, 0, 0]]), (5, 1, 1))
    wins[2, 2, 0], wins[2, 0, 2] = 1, 9
    told = rate(wins, 50)
    assert told.classes == [[0, 1, 2]]
    for rating in told.ratings:
        assert rating.estimate is not None and (rating.low, rating.high) == (None, None)


# --- intervals -----------------------------------------------------------------------------------


def test_two_players_have_the_jackknife_of_their_share() -> None:
    rng = np.random.default_rng(1)
    own = rng.integers(2, 18, 128).astype(np.float64)
    wins = np.zeros((128, 2, 2))
    wins[:, 0, 1], wins[:, 1, 0] = own, 20 - own
    share = own.sum() / (128 * 20)
    left_out = [elo((own.sum() - one) / (127 * 20)) / 2 for one in own]
    expected = jackknife(elo(share) / 2, left_out)
    told = rate(wins, 1280)
    other = jackknife(-elo(share) / 2, np.negative(left_out))
    for found, value in zip(told.ratings, (expected, other), strict=True):
        for name in ("estimate", "low", "high"):
            assert getattr(found, name) == pytest.approx(getattr(value, name), rel=1e-6)
    assert told.departures == [[NOTHING] * 2] * 2  # two ratings fit whatever was played
    shares = jackknife(share, (own.sum() - own) / (127 * 20))
    assert told.mean_shares[0].high == pytest.approx(shares.high)


def test_one_group_has_no_intervals() -> None:
    told = rate(np.array([[[0, 3.0, 2], [1, 0, 2], [2, 2, 0]]]), 2)
    for rating in told.ratings:
        assert rating.estimate is not None and rating.low is None


PLAYERS = np.array([0.5, 0.1, -0.6])
PACKETS, DECKS = 3.0, 0.4
"""Spread of the luck of packets, which mirrored games share with opposite signs, and of what a deck does
for each player in all his games, in log-odds."""
GROUP_PAIRS, GROUPS, TRIALS = 10, 32, 250


def simulated(rng: np.random.Generator) -> Floats:
    """Play a tournament of mirrored pairs, the decks being those of all pairings; return wins by group."""
    luck = PACKETS * rng.normal(size=(GROUPS, GROUP_PAIRS))
    decks = PLAYERS + DECKS * rng.normal(size=(GROUPS, GROUP_PAIRS, len(PLAYERS)))
    wins = np.zeros((GROUPS, len(PLAYERS), len(PLAYERS)))
    for i in range(len(PLAYERS)):
        for j in range(i):
            gap = decks[..., i] - decks[..., j]
            won = sum(rng.random(gap.shape) < 1 / (1 + np.exp(-gap - sign * luck)) for sign in (1, -1))
            wins[:, i, j] = np.asarray(won).sum(axis=1)
            wins[:, j, i] = 2 * GROUP_PAIRS - wins[:, i, j]
    return wins


def true_shares() -> Floats:
    """Return the mean shares of the simulated games, by quadrature over all luck, which is normal."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    spread = math.sqrt(PACKETS**2 + 2 * DECKS**2)
    gaps = (PLAYERS[:, None] - PLAYERS[None, :])[..., None] + spread * nodes
    shares: Floats = ((1 / (1 + np.exp(-gaps))) * weights).sum(axis=-1) / weights.sum()
    np.fill_diagonal(shares, 0)
    return shares


def test_coverage() -> None:
    """Ratings, departures and mean shares of simulated tournaments against those of endless ones.

    Coverage is 95 % in the limit; bounds are for 92.5 to 97.5 % in `TRIALS` independent tournaments, so each
    of the seven figures fails with a probability of `ALARM` at most. The standard errors of the model, for
    which all games are independent, are too wide here: the luck of packets cancels in a pair.
    """
    shares = true_shares()
    truth = bradley_terry(shares)
    fitted = 1 / (1 + np.exp((truth[None, :] - truth[:, None]) / ELO))
    games = 2 * GROUP_PAIRS * GROUPS
    information = games * fitted * (1 - fitted)
    np.fill_diagonal(information, 0)
    information = np.diag(information.sum(axis=1)) - information
    naive = norm.isf(0.025) * ELO * np.sqrt(np.diag(np.linalg.pinv(information)))
    rng = np.random.default_rng(11)
    held: dict[str, int] = dict.fromkeys(
        [f"{what} {one}" for what in ("rating", "share") for one in range(3)] + ["departure"], 0
    )
    widening = 0.0

    def count(name: str, told: Any, value: float) -> None:
        assert told.low is not None and told.high is not None
        held[name] += told.low <= value <= told.high

    for _ in range(TRIALS):
        told = rate(simulated(rng), GROUP_PAIRS * GROUPS)
        for one in range(3):
            count(f"rating {one}", told.ratings[one], truth[one])
            count(f"share {one}", told.mean_shares[one], shares[one].sum() / 2)
        count("departure", told.departures[0][2], shares[0, 2] - fitted[0, 2])
        widths = [rating.high - rating.low for rating in told.ratings if rating.high and rating.low]
        widening += 2 * naive.mean() / float(np.mean(widths)) / TRIALS
    low, high = int(binom.ppf(ALARM / 2, TRIALS, 0.925)), int(binom.isf(ALARM / 2, TRIALS, 0.975))
    assert all(low <= number <= high for number in held.values()), held
    assert widening > 1.15
