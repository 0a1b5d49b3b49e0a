"""Does it depend on the discards? What a knock is worth under three styles of play against four opponents.

A style draws and discards; the knock rule, which is the continuation ``once``, is the same in all of them.
All twelve settings play the same decks. Beside the tables stands the knock rule with the least worst-case
loss: for each rule, how many points a hand it loses to the best rule of a setting, and the most of that over
the settings. What a rule brings is read off the forks of the setting (`sim.forks.Forks.result`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.knocking.cells import DEFAULT, Ints, cell_keys, check_axes, check_population
from analysis.knocking.value import (
    CONTINUATIONS,
    NO_COUNTS,
    Counts,
    count_chunk,
    delta_sample,
    simultaneous_bands,
    verdicts,
)
from analysis.stats.estimates import Estimate, jackknife
from analysis.stats.joint import bootstrap_groups, sample
from sim.forks import PAIRS_AT_ONCE, Forks, fork_chunks
from sim.rules import Rules
from sim.run import Player
from sim.tally import GROUPS
from strategies.base import Strategy, parse_strategy, player
from strategies.combine import Combine

STYLES = ("gold", "marjj", "heisenbot")
OPPONENTS = ("simple", "threshold(4)", "two_stage(10, 0, 6)", "gin_only")
SETTINGS = tuple((style, opponent) for style in STYLES for opponent in OPPONENTS)
"""Style of side A, and side B."""

LAST_SWITCH = 15
ROUND = 4 * PAIRS_AT_ONCE
"""Pairs that all settings play before the next ones: seconds. An unfinished round is left out."""

Bools = npt.NDArray[np.bool_]


class Rule(NamedTuple):
    """A knock rule: with at most ``early`` points before own turn ``switch``, with ``late`` from then on."""

    early: int
    late: int
    switch: int

    def __str__(self) -> str:
        """Write the strategy that knocks so."""
        if self.early == self.late:
            return f"threshold({self.early})"
        return f"two_stage({self.early}, {self.late}, {self.switch})"


RULES = tuple(
    [Rule(k, k, 1) for k in range(11)]
    + [
        Rule(early, late, switch)
        for switch in range(2, LAST_SWITCH + 1)
        for early in range(1, 11)
        for late in range(early)
    ]
)
"""Thresholds 0-10, and every two-stage rule that grows more careful, by the turn of the change."""


class Played(NamedTuple):
    """What the settings have brought, each a place in the order of `SETTINGS`.

    Attributes
    ----------
    counts : tuple of Counts
    points : ndarray of int64, shape (GROUPS, settings, rules)
        Points of A less B's, in the order of `RULES`.
    interrupted : bool
    """

    counts: tuple[Counts, ...]
    points: Ints
    interrupted: bool

    @property
    def dealt(self) -> Ints:
        """Hands dealt in a setting by group, shape (GROUPS,)."""
        return self.counts[0].dealt


def style_player(style: str, knock: Strategy) -> Player:
    """Return a player who draws and discards by a style and knocks as a strategy does."""
    lends = parse_strategy(style)
    return player(Combine(lends, knock, lends))


def rule_points(forks: Forks) -> Ints:
    """Return what each of `RULES` brings on hands, summed by group of pairs; shape (GROUPS, rules).

    The first knock that a two-stage rule takes is that of its early threshold if that one comes before the
    switch, else that of its late threshold from the switch on. So few searches do for all rules.
    """
    rows, group = forks.forks, forks.deals.pair % GROUPS
    turns = np.append(rows.own_turn, 2**15 - 1)  # at -1: no knock ever
    early: dict[int, tuple[Ints, npt.NDArray[Any]]] = {}
    found = np.empty((GROUPS, len(RULES)), np.int64)
    late: dict[tuple[int, int], Ints] = {}
    for at, rule in enumerate(RULES):
        if rule.early not in early:
            takes = rows.deadwood <= rule.early
            early[rule.early] = forks.result(takes), turns[forks.first_taken(takes)]
        points, first = early[rule.early]
        if rule.early != rule.late:
            key = rule.late, rule.switch
            if key not in late:
                late[key] = forks.result((rows.deadwood <= rule.late) & (rows.own_turn >= rule.switch))
            points = np.where(first < rule.switch, points, late[key])
        found[:, at] = np.bincount(group, points, GROUPS)  # whole numbers: exact
    return found


def play_styles(
    knock: Strategy,
    rules: Rules,
    *,
    pairs: int,
    seed: int = 0,
    population: str = "first",
    by: Sequence[str] = DEFAULT,
    threads: int = 1,
    scores: tuple[int, int] = (0, 0),
    dealer: int | None = None,
    on_progress: Callable[[int, str], None] | None = None,
) -> Played:
    """Play the twelve settings on the same decks.

    Parameters
    ----------
    knock : Strategy
        Whose knock rule side A has.
    rules, pairs, seed, population, by, threads, scores, dealer
        As of `analysis.knocking.value.knock_value`.
    on_progress : callable, optional
        Called with the pairs played in all settings together, and the setting.

    Returns
    -------
    Played
        Ctrl-C leaves the rounds that all settings have finished.
    """
    check_population(population)
    by = check_axes(by)
    sides = [(style_player(style, knock), player(parse_strategy(other))) for style, other in SETTINGS]
    state = Played(
        (NO_COUNTS,) * len(SETTINGS), np.zeros((GROUPS, len(SETTINGS), len(RULES)), np.int64), False
    )
    played = 0
    try:
        for first in range(0, pairs, ROUND):
            counts, points = list(state.counts), state.points.copy()
            for at, (a, b) in enumerate(sides):
                chunks = fork_chunks(
                    a, b, rules, pairs=min(ROUND, pairs - first), seed=seed, first=first, threads=threads,
                    scores=scores, dealer=dealer,
                )  # fmt: skip
                with closing(chunks):
                    for forks in chunks:
                        counts[at] = counts[at].then(count_chunk(forks, by, population))
                        points[:, at] += rule_points(forks)
                        played += len(forks.deals) // 2
                        if on_progress is not None:
                            on_progress(played, " v ".join(SETTINGS[at]))
            state = Played(tuple(counts), points, False)  # replaced whole: Ctrl-C may come
    except KeyboardInterrupt:
        return state._replace(interrupted=True)
    return state


# --- in how many settings ------------------------------------------------------------------------


def sign_table(played: Played, by: Sequence[str]) -> pd.DataFrame:
    """Return in how many settings the sign of delta is decided, cell by cell.

    Parameters
    ----------
    played : Played
    by : sequence of str
        The axes that were counted by.

    Returns
    -------
    DataFrame
        A row for each continuation and cell met in any setting: the axes; ``continuation``; ``knock`` and
        ``wait``, settings of the twelve in which delta is above or below 0 by a band that holds in all cells,
        continuations and settings at once (95 %); ``undecided``, those where the band holds 0;
        ``too_few``, those of fewer than `LEAST` hands; ``least`` and ``most`` delta among the settings that
        have enough.
    """
    samples = [delta_sample(one) for one in played.counts]
    codes = np.unique(np.concatenate([one.codes for one in played.counts]))
    shape = (len(SETTINGS), len(CONTINUATIONS), len(codes))
    delta, found = np.full(shape, np.nan), np.full(shape, "too few", dtype="<U9")
    for at, (counts, one, ends) in enumerate(
        zip(played.counts, samples, simultaneous_bands(samples), strict=True)
    ):
        place = np.searchsorted(codes, counts.codes)
        values = one.values.reshape(len(CONTINUATIONS), -1)
        told = verdicts(ends[0], ends[1]).reshape(len(CONTINUATIONS), -1)
        delta[at][:, place] = values
        found[at][:, place] = np.where(np.isfinite(values), told, "too few")
    known = np.isfinite(delta)
    most = np.where(known, delta, -np.inf).max(axis=0)
    least = np.where(known, delta, np.inf).min(axis=0)
    parts = [
        pd.DataFrame(
            {
                **cell_keys(codes, by),
                "continuation": continuation,
                **{
                    name.replace(" ", "_"): (found[:, at] == name).sum(axis=0)
                    for name in ("knock", "wait", "undecided", "too few")
                },
                "least": np.where(known[:, at].any(axis=0), least[at], np.nan),
                "most": np.where(known[:, at].any(axis=0), most[at], np.nan),
            },
            index=range(len(codes)),
        )
        for at, continuation in enumerate(CONTINUATIONS)
    ]
    return pd.concat(parts, ignore_index=True)


# --- the least worst-case loss -------------------------------------------------------------------


def losses(sums: dict[str, Any]) -> npt.NDArray[np.float64]:
    """Return what each rule loses to the best of its setting, points a hand; shape (settings, rules)."""
    means = sums["points"] / sums["hands"]
    lost: npt.NDArray[np.float64] = means.max(axis=1, keepdims=True) - means
    return lost


class Cautious(NamedTuple):
    """The knock rule with the least worst-case loss.

    Attributes
    ----------
    rule : Rule
    loss : Estimate
        Its largest loss over the settings, points a hand, with the jackknife's interval.
    share : float
        Share of bootstrap draws of the groups in which the same rule is named.
    ranking : DataFrame
        ``rule``, ``worst`` (largest loss), ``style`` and ``opponent`` of the setting where: all rules, the
        least worst first.
    settings : DataFrame
        ``style``, ``opponent``, ``best`` rule and its ``points`` a hand, ``loss`` of the named rule there
        with ``low`` and ``high``.
    """

    rule: Rule
    loss: Estimate
    share: float
    ranking: pd.DataFrame
    settings: pd.DataFrame


def cautious_rule(played: Played, draws: int = 500) -> Cautious:
    """Return the rule of `RULES` whose largest loss over the settings is least.

    The losses are to the best rule as measured, which is a little better on these decks than it is, so they
    are rather too large than too small.

    Parameters
    ----------
    played : Played
        Of one pair or more.
    draws : int
        Of the bootstrap; 500 tell a share to within 4.5 % (two standard errors).
    """
    held = played.dealt > 0
    sums: dict[str, Any] = {
        "points": played.points[held].astype(np.float64),  # far below 2**53: exact, and faster to draw
        "hands": played.dealt[held].astype(np.float64),
    }
    whole = {name: values.sum(axis=0) for name, values in sums.items()}
    lost = losses(whole)
    worst = lost.max(axis=0)
    named = int(worst.argmin())
    without = np.empty((0, len(SETTINGS)))
    if held.sum() > 1:
        without = sample(lambda some: losses(some)[:, named], sums).without
    told = jackknife(float(worst[named]), without.max(axis=1, initial=0))  # no loss is less
    within = [jackknife(float(value), without[:, at]) for at, value in enumerate(lost[:, named])]
    drawn = bootstrap_groups(lambda some: losses(some).max(axis=0).argmin(), sums, draws)
    order = np.argsort(worst, kind="stable")
    where = lost.argmax(axis=0)
    ranking = pd.DataFrame(
        {
            "rule": [str(RULES[at]) for at in order],
            "worst": worst[order],
            "style": [SETTINGS[where[at]][0] for at in order],
            "opponent": [SETTINGS[where[at]][1] for at in order],
        }
    )
    best = (whole["points"] / whole["hands"]).argmax(axis=1)
    settings = pd.DataFrame(
        {
            "style": [style for style, _ in SETTINGS],
            "opponent": [other for _, other in SETTINGS],
            "best": [str(RULES[at]) for at in best],
            "points": [whole["points"][at, rule] / whole["hands"] for at, rule in enumerate(best)],
            "loss": [one.estimate for one in within],
            "low": [one.low for one in within],
            "high": [one.high for one in within],
        }
    )
    return Cautious(RULES[named], told, float((drawn == named).mean()), ranking, settings)
