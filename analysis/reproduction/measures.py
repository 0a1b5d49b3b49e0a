"""The numbers that published values are compared with, each a function of a tally.

What has moments of pairs gets the pair-clustered interval, what is counted by group of pairs the jackknife
over the groups.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.reproduction.model import EQUAL_COUNTS_BONUS
from analysis.stats.estimates import NOTHING, Estimate, clopper_pearson, jackknife, ratio
from sim.tally import OUTCOMES, POINTS, SIDE_ENDINGS, Tally

Measure = Callable[[Tally], Estimate]


def by_pairs(above: str | Mapping[str, int], below: str, factor: int = 1, share: bool = False) -> Measure:
    """Return the measure that is a ratio of sums of pair outcomes."""

    def measure(tally: Tally) -> Estimate:
        return ratio(tally.total("moments"), above, below, factor=factor, share=share)

    return measure


def by_groups(above: Callable[[Tally], Any], below: Callable[[Tally], Any], share: bool = False) -> Measure:
    """Return the measure that is a ratio of sums by group.

    A share that never varies gets the exact interval of so many pairs.
    """

    def measure(tally: Tally) -> Estimate:
        held = outcome("one")(tally) > 0
        x, n = (np.asarray(part(tally), np.float64)[held] for part in (above, below))
        if n.sum() == 0:
            return NOTHING
        value = float(x.sum() / n.sum())
        rest = n.sum() - n
        rest[rest == 0] = np.nan  # all there is lies in one group: no interval
        told = jackknife(value, (x.sum() - x) / rest)
        if not share:
            return told
        if told.low is None or told.high is None:
            return Estimate(value, *clopper_pearson(value * tally.pairs, tally.pairs))
        return Estimate(value, max(0.0, told.low), min(1.0, told.high))

    return measure


# --- sums by group -------------------------------------------------------------------------------


def outcome(name: str) -> Callable[[Tally], npt.NDArray[np.int64]]:
    """Return the sums of a pair outcome by group."""
    at = OUTCOMES.index(name)
    return lambda tally: tally.groups("moments")[:, 0, at]


def ended(field: str, *names: str, sides: tuple[int, ...] = (0, 1)) -> Callable[[Tally], Any]:
    """Return hands, or points of their winners, by the endings named of the sides, by group."""
    places = [side * len(SIDE_ENDINGS) + SIDE_ENDINGS.index(name) for side in sides for name in names]
    return lambda tally: tally.groups(field).sum(axis=(1, 2))[:, places].sum(axis=1)


def _knocked(tally: Tally) -> Any:
    """Return hands by the knocker's deadwood, gin left out, by group."""
    return tally.groups("deadwoods").sum(axis=(1, 3))[:, 1:]


def _difference(tally: Tally) -> Any:
    """Return the loser's less the winner's deadwood, summed by group, where only gin has a bonus of 25."""
    gins = ended("hands", "gin")(tally)
    return ended("points", "knock", "gin", "undercut")(tally) - 25 * gins


def _points_deviation(tally: Tally) -> Estimate:
    """Return the standard deviation of a side's signed points a hand."""
    by_score = tally.groups("scores")
    counts = np.arange(POINTS)
    held = outcome("one")(tally) > 0
    squares = (by_score.sum(axis=1) @ counts**2)[held].astype(np.float64)
    lead = ((by_score[:, 0] - by_score[:, 1]) @ counts)[held].astype(np.float64)
    hands = outcome("hands")(tally)[held].astype(np.float64)

    def deviation(part: Any) -> Any:
        return np.sqrt(part[0] / part[2] - (part[1] / part[2]) ** 2)

    sums = np.array([squares, lead, hands])
    total = sums.sum(axis=1, keepdims=True)
    if len(hands) < 2:
        return Estimate(float(deviation(total)[0]), None, None)
    return jackknife(float(deviation(total)[0]), deviation(total - sums))


def _median_of_winners(tally: Tally) -> Estimate:
    """Return the median of the winner's points, without an interval."""
    counts = tally.total("scores").sum(axis=0).cumsum()
    if counts[-1] == 0:
        return NOTHING
    return Estimate(float(np.searchsorted(counts, counts[-1] / 2)), None, None)


_hands, _games = outcome("hands"), outcome("games")
_KNOCKED = ("knock", "undercut", "tie")
_ENDED = ("knock", "gin", "undercut")


def _share_of_hands(*names: str, sides: tuple[int, ...] = (0, 1)) -> Measure:
    return by_groups(ended("hands", *names, sides=sides), _hands, share=True)


def _mean_points(name: str) -> Measure:
    return by_groups(ended("points", name), ended("hands", name))


MEASURES: dict[str, Measure] = {
    "game_share": by_pairs("games_a", "games", 2, share=True),
    "hand_share": by_pairs("hands_a", "decisive", share=True),
    "hand_share_b": by_pairs({"decisive": 1, "hands_a": -1}, "decisive", share=True),
    "points_a": by_pairs("points_a", "hands"),
    "points_b": by_pairs("points_b", "hands"),
    "points_lead": by_pairs({"points_a": 1, "points_b": -1}, "hands"),
    "turns": by_pairs("turns", "hands"),
    "hands_a_game": by_pairs("hands", "games"),
    "scored_hands_a_game": by_pairs("decisive", "games"),
    "void": by_pairs({"hands": 1, "decisive": -1}, "hands", share=True),
    "winner_points": by_pairs({"points_a": 1, "points_b": 1}, "decisive"),
    "non_dealer": by_pairs("hands_mover", "decisive", share=True),
    "dealer": by_pairs({"decisive": 1, "hands_mover": -1}, "decisive", share=True),
    "knocked": _share_of_hands(*_KNOCKED),
    **{name: _share_of_hands(name) for name in _ENDED},
    **{
        f"{name}_{letter}": _share_of_hands(name, sides=(side,))
        for side, letter in enumerate("ab")
        for name in _ENDED
    },
    **{f"points_of_{name}": _mean_points(name) for name in _ENDED},
    "gins_a_game": by_groups(ended("hands", "gin"), _games),
    "knocker_deadwood": by_groups(
        lambda tally: _knocked(tally) @ np.arange(1, 11), lambda tally: _knocked(tally).sum(axis=1)
    ),
    "laid_off": by_groups(
        lambda tally: tally.groups("layoffs")[:, :, 0].sum(axis=1), ended("hands", *_ENDED)
    ),
    "upcard_draws": by_groups(lambda tally: tally.groups("upcard_draws").sum(axis=1), _hands),
    "equal_counts": by_groups(
        lambda tally: tally.groups("scores")[:, :, EQUAL_COUNTS_BONUS].sum(axis=1), _hands, share=True
    ),
    "deadwood_gap": by_groups(_difference, outcome("decisive")),
    "points_deviation": _points_deviation,
    "winner_median": _median_of_winners,
}
"""By name. Without a side's letter they are of both sides together; `game_share` and the like are A's."""

PANEL = (
    "hand_share",
    "points_a",
    "points_b",
    "points_lead",
    "game_share",
    *(f"{name}_{letter}" for name in _ENDED for letter in "ab"),
    "void",
)
"""What the head-to-head table shows of each match, side by side."""
