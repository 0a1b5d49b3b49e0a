"""Strategies measured on common decks: their means over the opponents, and how sure their order is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.metrics import METRICS, group_sums
from analysis.request import Match
from analysis.stats.estimates import Estimate, jackknife, jackknife_share
from analysis.stats.joint import Sample, jackknife_covariance
from analysis.tuning.journal import Journal, Sums
from analysis.tuning.question import Question
from sim.run import RunError
from strategies.base import Strategy

Play = Callable[[Strategy, int, int], Sums]
"""Play a strategy on pairs from a first one on against every opponent: numerators and denominators."""

PIECE = 5_000
"""Pairs of an evaluation at most; a longer one is several, so that a stop loses little."""


def matches(question: Question, threads: int, on_progress: Any = None) -> Play:
    """Return what plays the matches of a question.

    Parameters
    ----------
    question : Question
    threads : int
    on_progress : callable, optional
        ``on_progress(games)`` after each match.

    Returns
    -------
    callable
        See `Play`; Ctrl-C within a match is a KeyboardInterrupt after it, which keeps nothing of it.
    """
    from analysis.match import play

    metric = METRICS[question.objective]

    def played(chosen: Strategy, first: int, pairs: int) -> Sums:
        told = []
        for other in question.against:
            match = Match(
                chosen, other, question.rules, question.preset, question.settings, pairs, question.seed,
                files=question.files,
            )  # fmt: skip
            run = play(match, threads, first, pairs)
            if run.interrupted:
                raise KeyboardInterrupt
            sums = group_sums(run.tally)
            x = sum((weight * sums[name] for name, weight in metric.numerator.items()), np.int64(0))
            told.append([x, metric.factor * sums[metric.denominator]])
            if on_progress is not None:
                on_progress(run.tally.outcome("games"))
        return np.array(told, np.int64)

    return played


class Measure:
    """Evaluations from the journal, or from play where it ends; decks are never used twice.

    Parameters
    ----------
    play : callable
        See `Play`.
    journal : Journal
    opponents : int
    """

    def __init__(self, play: Play, journal: Journal, opponents: int) -> None:
        self._play, self._journal, self._opponents = play, journal, opponents
        self.first = 0
        """The first pair that has not been played."""

    def __call__(self, chosen: Sequence[Strategy], pairs: int) -> Sums:
        """Play strategies on the same fresh decks.

        Parameters
        ----------
        chosen : sequence of Strategy
            One that is named more than once is played once.
        pairs : int
            Against each opponent.

        Returns
        -------
        ndarray of int64, shape (strategies, opponents, 2, GROUPS)
        """
        known: dict[str, Sums] = {}
        last = self.first + pairs
        for one in chosen:
            if str(one) in known:
                continue
            pieces = [self._evaluate(one, at, min(PIECE, last - at)) for at in range(self.first, last, PIECE)]
            known[str(one)] = np.sum(pieces, axis=0)
        self.first = last
        return np.stack([known[str(one)] for one in chosen])

    def _evaluate(self, one: Strategy, first: int, pairs: int) -> Any:
        sums = self._journal.find(str(one), first, pairs, self._opponents)
        if sums is None:
            sums = self._play(one, first, pairs)
            self._journal.add(str(one), first, pairs, sums)
        return sums


def sampled(sums: Sums) -> Sample:
    """Return the means over opponents of strategies, from all groups and from all but each.

    Parameters
    ----------
    sums : ndarray of int64, shape (strategies, opponents, 2, GROUPS)

    Returns
    -------
    Sample

    Raises
    ------
    RunError
        If a strategy has nothing to be measured by, such as no hand that somebody won.
    """
    x, n = sums[:, :, 0], sums[:, :, 1]
    rest = n.sum(axis=2, keepdims=True) - n
    if (rest <= 0).any():
        raise RunError(
            "a strategy has no hand to be measured by: too few pairs, or rules under which none ends"
        )
    values = (x.sum(axis=2) / n.sum(axis=2)).mean(axis=1)
    without = ((x.sum(axis=2, keepdims=True) - x) / rest).mean(axis=1)
    return Sample(values, without.T)


def value(sums: Sums, share: bool, pairs: int) -> Estimate:
    """Estimate one strategy's mean over opponents, from sums of shape (opponents, 2, GROUPS)."""
    told = sampled(sums[None])
    estimate, without = float(told.values[0]), told.without[:, 0]
    return jackknife_share(estimate, without, pairs) if share else jackknife(estimate, without)


def gain(sums: Sums, start: Sums) -> Estimate:
    """Estimate by how much a strategy's mean over opponents exceeds another's on the same decks."""
    told = sampled(np.stack([sums, start]))
    return jackknife(float(told.values[0] - told.values[1]), told.without[:, 0] - told.without[:, 1])


def reliability(told: Sample) -> float:
    """Return how much of the spread of strategies on the same decks is theirs, not the decks'.

    One less the mean variance of their measured deviations from their mean (by the jackknife over groups)
    over the variance that these have: the square of the correlation that measured and true values have; 0
    where all spread is noise. 1 if none varies at all, for more decks would not help.

    Parameters
    ----------
    told : Sample
        Of strategies that differ.

    References
    ----------
    F. M. Lord and M. R. Novick, Statistical Theories of Mental Test Scores, Addison-Wesley 1968, chapter 3.
    """
    number = len(told.values)
    if number < 2:
        return 1.0
    spread = float(told.values.var(ddof=1))
    centred: npt.NDArray[np.float64] = told.without - told.without.mean(axis=1, keepdims=True)
    noise = float(np.trace(jackknife_covariance(centred))) / (number - 1)
    if noise == 0:
        return 1.0
    return max(0.0, 1 - noise / spread) if spread > 0 else 0.0
