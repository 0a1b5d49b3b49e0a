"""Forks recorded against an opponent, or a mixture of opponents, on decks that are used once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from analysis.knocking.policy import Floats, Policy, cell_of
from analysis.stats.estimates import Estimate, jackknife
from sim.fork_tables import table_sums
from sim.forks import Forks, fork_hands
from sim.rules import Rules
from sim.run import Player
from sim.tally import GROUPS
from sim.threads import END_OF_UNITS

Worth = Callable[[Forks], tuple[Floats, Floats]]
"""What results are worth: of each fork if it is taken, of each hand if none of its forks is."""


class Opponent(NamedTuple):
    """One of the opponents that a hand may be against, drawn once a hand.

    Attributes
    ----------
    weight : float
        Probability; those of a mixture sum to 1.
    player : Player
    """

    weight: float
    player: Player


class Decks:
    """Pairs of decks of one seed, each handed out once: what was fitted cannot be judged on the same decks.

    Parameters
    ----------
    seed : int
    free : int
        The first pair that has not been used.
    """

    def __init__(self, seed: int, free: int = 0) -> None:
        self.seed = seed
        self.free = free

    def take(self, pairs: int) -> int:
        """Return the first of so many pairs, which nobody else will get."""
        if pairs < 1 or self.free + pairs >= END_OF_UNITS:
            raise ValueError(f"pairs {pairs}: expected 1 or more, of which there are as many left")
        first = self.free
        self.free += pairs
        return first


class Place(NamedTuple):
    """Under which rules, and from where, hands are played.

    Attributes
    ----------
    rules : Rules
    scores : tuple of int
        Points of A and B before the hand.
    dealer : int or None
        Side that deals; None as the rules say for the first hand of a game.
    threads : int
        What comes out does not depend on it.
    """

    rules: Rules
    scores: tuple[int, int] = (0, 0)
    dealer: int | None = None
    threads: int = 1


class Recorded(NamedTuple):
    """Forks against one opponent.

    Attributes
    ----------
    weight : float
        Of the opponent.
    forks : Forks
    taken : ndarray of float64, shape (forks,)
        What each fork is worth if it is taken.
    declined : ndarray of float64, shape (deals,)
        What each hand is worth if none of its forks is.
    """

    weight: float
    forks: Forks
    taken: Floats
    declined: Floats


def points(forks: Forks) -> tuple[Floats, Floats]:
    """Return the points of the hand, side A's less side B's: the plain `Worth`."""
    return forks.forks.points.astype(np.float64), forks.deals.points.astype(np.float64)


def check_opponents(opponents: Sequence[Opponent]) -> None:
    """Refuse weights that are not those of a mixture.

    Raises
    ------
    ValueError
        Naming them.
    """
    weights = [opponent.weight for opponent in opponents]
    if not weights or min(weights) < 0 or abs(sum(weights) - 1) > 1e-9:
        raise ValueError(f"weights of the opponents {weights}: expected probabilities that sum to 1")


def record(
    base: Player,
    opponents: Sequence[Opponent],
    place: Place,
    decks: Decks,
    pairs: int,
    worth: Worth = points,
) -> list[Recorded]:
    """Record forks against each opponent on the same fresh decks, about 250 bytes a pair and opponent.

    Opponents of no weight are left out.
    """
    check_opponents(opponents)
    first = decks.take(pairs)
    found = []
    for weight, player in opponents:
        if weight > 0:
            forks = fork_hands(
                base, player, place.rules, pairs=pairs, seed=decks.seed, first=first,
                threads=place.threads, scores=place.scores, dealer=place.dealer,
            )  # fmt: skip
            found.append(Recorded(weight, forks, *worth(forks)))
    return found


def group_means(policies: Sequence[Policy], recorded: Sequence[Recorded]) -> tuple[Floats, Floats]:
    """Return sums of what each rule brings, by group of pairs, and hands by group.

    Returns
    -------
    sums : ndarray of float64, shape (groups, policies)
        Weighted by opponent.
    hands : ndarray of float64, shape (groups,)
        Groups that hold none are left out of both.
    """
    tables = np.array([policy.shares.ravel() for policy in policies])
    sums = np.zeros((GROUPS, len(tables)))
    for weight, forks, taken, declined in recorded:
        sums += weight * table_sums(forks, cell_of(forks), tables, taken, declined, GROUPS)
    hands = np.bincount(recorded[0].forks.deals.pair % GROUPS, minlength=GROUPS).astype(np.float64)
    return sums[hands > 0], hands[hands > 0]


def mean_of(sums: Floats, hands: Floats) -> Estimate:
    """Return a mean a hand with its 95 % interval, from sums and hands by group."""
    without = (sums.sum() - sums) / (hands.sum() - hands) if len(hands) > 1 else []
    return jackknife(float(sums.sum() / hands.sum()), without)


def value(policy: Policy, recorded: Sequence[Recorded]) -> Estimate:
    """Return what following a rule brings, a hand, with its 95 % interval."""
    sums, hands = group_means([policy], recorded)
    return mean_of(sums[:, 0], hands)
