"""What a best reply wins from a mixture of knock tables, on decks that nothing was fitted to.

In a symmetric game the mixture wins nothing from itself, so what a reply wins from it is how far the mixture
is from an equilibrium, as far as replies were looked for: those that are named, and tables fitted to it. It
is a knock-only gain, and a lower bound: draws and discards are those of the style that both play.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from analysis.knocking.metagame import Rule
from analysis.knocking.policy import Floats, Policy
from analysis.knocking.recorded import Decks, Opponent, Place, group_means, record
from analysis.knocking.reply import fit_reply
from analysis.stats.estimates import Estimate, jackknife
from analysis.stats.joint import simultaneous
from sim.rules import Rules
from sim.tally import GROUPS
from strategies.base import Strategy, player
from strategies.table_player import table_player

FITTED = "fitted table"
"""Name of the reply that was fitted."""
AT_ONCE = 20_000
"""Pairs that are held at once, about 250 bytes each for each opponent."""


class Weighted(NamedTuple):
    """A table of a mixture.

    Attributes
    ----------
    weight : float
        Probability of playing it in a hand; those of a mixture sum to 1.
    policy : Policy
    """

    weight: float
    policy: Policy


class Measured(NamedTuple):
    """A reply and what it wins.

    Attributes
    ----------
    name : str
    policy : Policy
    gain : Estimate
        Points a hand more than the mixture wins from itself, which is nothing in the mean; its interval
        holds together with those of all other replies.
    """

    name: str
    policy: Policy
    gain: Estimate


class Gain(NamedTuple):
    """What replies win from a mixture.

    Attributes
    ----------
    replies : list of Measured
        The fitted table first, then those that were named.
    best : int
        The reply that won most on decks for choosing.
    gain : Estimate
        Of that reply, on other decks, with an interval of its own.
    pairs : int
        Pairs of hands that gains were measured on.
    """

    replies: list[Measured]
    best: int
    gain: Estimate
    pairs: int

    @property
    def bound(self) -> float | None:
        """The most that any of these replies wins, with a confidence of 97.5 %."""
        ends = [reply.gain.high for reply in self.replies if reply.gain.high is not None]
        return max(ends, default=None)


def opponents_of(base: Strategy, mixture: Sequence[Weighted]) -> list[Opponent]:
    """Return players by the tables of a mixture."""
    return [Opponent(part.weight, table_player(base, part.policy.cells())) for part in mixture]


def measure_reply_gain(
    base: Strategy,
    mixture: Sequence[Weighted],
    rules: Rules,
    decks: Decks,
    *,
    pairs: int,
    named: Sequence[Rule] = (),
    fit_pairs: int | None = None,
    iterations: int = 3,
    threads: int = 1,
    on_step: Callable[[str], None] | None = None,
) -> Gain:
    """Look for a reply to a mixture and measure on fresh decks what it wins.

    Parameters
    ----------
    base : Strategy
        Draws and discards for both players.
    mixture : sequence of Weighted
    rules : sim.rules.Rules
    decks : Decks
        Where decks are taken from: for fitting, for choosing, for measuring.
    pairs : int
        To choose on, and as many to measure on.
    named : sequence of Rule
        Replies besides the table that is fitted.
    fit_pairs : int, optional
        Of an iteration and start of the fit; half of ``pairs`` if left out.
    iterations : int
        Of the fit.
    threads : int
    on_step : callable, optional
        Called with what begins.

    Returns
    -------
    Gain
    """
    told = on_step or (lambda _: None)
    opponents = opponents_of(base, mixture)
    told("fitting a reply")
    fitted = fit_reply(
        player(base), opponents, rules, pairs=fit_pairs or max(1, pairs // 2), seed=decks.seed,
        first=decks.free, iterations=iterations, threads=threads,
    )  # fmt: skip
    decks.free = max(decks.free, fitted.decks.free)
    replies = [Rule(FITTED, fitted.policy), *named]
    place = Place(rules, threads=threads)
    told("choosing among replies")
    chosen, hands = _gains(base, mixture, opponents, replies, place, decks, pairs)
    best = int(np.argmax(chosen.sum(axis=0) / hands.sum()))
    told("measuring on fresh decks")
    sums, hands = _gains(base, mixture, opponents, replies, place, decks, pairs)
    values, without = _means(sums, hands)
    bands = simultaneous(values, without).estimates
    gain = jackknife(float(values[best]), without[:, best])
    found = [Measured(*rule, band) for rule, band in zip(replies, bands, strict=True)]
    return Gain(found, best, gain, pairs)


def _gains(
    base: Strategy,
    mixture: Sequence[Weighted],
    opponents: Sequence[Opponent],
    replies: Sequence[Rule],
    place: Place,
    decks: Decks,
    pairs: int,
) -> tuple[Floats, Floats]:
    """Return by group what replies win more than the mixture itself, and hands."""
    tables = [*(rule.policy for rule in replies), *(part.policy for part in mixture)]
    weights = np.array([part.weight for part in mixture])
    sums, hands = np.zeros((GROUPS, len(replies))), np.zeros(GROUPS)
    own = player(base)
    for start in range(0, pairs, AT_ONCE):
        count = min(AT_ONCE, pairs - start)
        groups = (np.arange(count) + decks.free) % GROUPS
        recorded = record(own, opponents, place, decks, count)
        won, played = group_means(tables, recorded)
        held = np.bincount(groups, minlength=GROUPS) > 0
        sums[held] += won[:, : len(replies)] - (won[:, len(replies) :] @ weights)[:, None]
        hands[held] += played
    return sums[hands > 0], hands[hands > 0]


def _means(sums: Floats, hands: Floats) -> tuple[Floats, Floats]:
    """Return means a hand, and those without each group."""
    total = sums.sum(axis=0)
    values: Floats = total / hands.sum()
    without: Floats = (total - sums) / (hands.sum() - hands)[:, None]
    return values, without
