"""What is told of a run: ratios of its sums, with intervals over pairs or over groups of pairs.

A ratio of outcomes that the tally has moments of gets the interval over pairs. What is counted by group of
pairs alone, and differences between runs of the same pairs, get the delete-one-group jackknife: a pair of
games of the one run and the pair of that index of the other share their decks, and both stand in the same of
the tally's groups, which is left out of both at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.stats.estimates import LEVEL, NOTHING, Estimate, jackknife, jackknife_share, ratio
from analysis.stats.pairing import pairing_gain
from analysis.stats.sequential import anytime, anytime_jackknife
from sim.tally import OUTCOMES, SIDE_ENDINGS, Tally

SHOWN_ENDINGS = (*SIDE_ENDINGS, "void", "capped")

Sums = Mapping[str, npt.NDArray[np.int64]]
"""Sums of a run by group of pairs, shape (GROUPS,)."""


@dataclass(frozen=True)
class Metric:
    """A ratio of sums.

    Attributes
    ----------
    numerator : mapping of str to int
        Names of sums with whole weights.
    denominator : str
        Name of a sum.
    factor : int
        Units of the numerator in one of the denominator.
    share : bool
        True if it lies between 0 and 1.
    """

    numerator: Mapping[str, int]
    denominator: str
    factor: int = 1
    share: bool = False


METRICS: dict[str, Metric] = {
    "game_share": Metric({"games_a": 1}, "games", 2, True),
    "hand_share": Metric({"hands_a": 1}, "decisive", share=True),
    "points_per_hand": Metric({"points_a": 1, "points_b": -1}, "hands"),
    "hands_per_game": Metric({"hands": 1}, "games"),
    "turns_per_hand": Metric({"turns": 1}, "hands"),
    "first_mover_game_share": Metric({"games_mover": 1}, "games", 2, True),
    "dealer_hand_share": Metric({"decisive": 1, "hands_mover": -1}, "decisive", share=True),
    "dealer_points_per_hand": Metric({"dealer_points": 1}, "hands"),
    **{f"ending_{kind}": Metric({kind: 1}, "hands", share=True) for kind in SHOWN_ENDINGS},
}
"""What a row tells. Shares and points are A's, points less B's; those of the dealer less the other's."""

HEADLINES = ("game_share", "hand_share", "points_per_hand")
"""What a run is about: told with what pairing gains, and with an interval for any stop."""

STOPPED = (
    "Intervals are for a number of pairs fixed beforehand; --json has under anytime those that hold whenever "
    "a run is stopped, as this one was."
)
"""Said of an interrupted run that does not print them."""

MATCH_SHARE = Metric({"matches_a": 1}, "one", 4, True)
"""Told where the rules play matches of several games."""


def group_sums(tally: Tally) -> dict[str, npt.NDArray[np.int64]]:
    """Return the sums of a run by group of pairs: `OUTCOMES`, hands by ending, the dealer's points."""
    moments, hands, points = (tally.groups(name) for name in ("moments", "hands", "points"))
    sums = {name: moments[:, 0, at] for at, name in enumerate(OUTCOMES)}
    # Axes of hands and points: group, packet of A, A deals, kind; six kinds of A, six of B, void, capped.
    kinds = hands.sum(axis=(1, 2))
    by_side = len(SIDE_ENDINGS)
    for at, kind in enumerate(SIDE_ENDINGS):
        sums[kind] = kinds[:, at] + kinds[:, by_side + at]
    sums["void"], sums["capped"] = kinds[:, -2], kinds[:, -1]
    won = points.sum(axis=1)
    a, b = won[:, :, :by_side].sum(axis=2), won[:, :, by_side : 2 * by_side].sum(axis=2)
    lead = a - b
    sums["dealer_points"] = lead[:, 1] - lead[:, 0]
    return sums


def with_left_out(
    metric: Metric, sums: Sums, held: npt.NDArray[np.bool_] | None = None
) -> tuple[float | None, npt.NDArray[np.float64]]:
    """Return a metric over all groups that hold pairs, and over all of them but each one in turn.

    Those left out in turn are the groups that hold pairs, or other ones: without an empty one all is there.
    """
    held = sums["one"] > 0 if held is None else held
    x = np.zeros(held.sum(), np.int64)
    for name, weight in metric.numerator.items():
        x += weight * sums[name][held]
    n = metric.factor * sums[metric.denominator][held]
    if n.sum() == 0:
        return None, np.empty(0)
    rest = (n.sum() - n).astype(np.float64)
    rest[rest == 0] = np.nan  # all there is lies in one group: no interval
    return float(x.sum() / n.sum()), (x.sum() - x) / rest


def estimate(metric: Metric, tally: Tally, sums: Sums) -> Estimate:
    """Estimate a metric of one run: over pairs where the tally has their moments, else over groups."""
    names = {*metric.numerator, metric.denominator}
    if names <= set(OUTCOMES):
        moments = tally.total("moments")
        return ratio(moments, metric.numerator, metric.denominator, factor=metric.factor, share=metric.share)
    return estimate_by_group(metric, sums)


def gains(tally: Tally) -> dict[str, float | None]:
    """Return for each headline how many times as many pairs of unmirrored games would be as precise."""
    moments, alone = tally.total("moments"), tally.total("match_moments")
    return {
        name: pairing_gain(moments, alone, METRICS[name].numerator, METRICS[name].denominator)
        for name in HEADLINES
    }


def at_any_stop(tally: Tally, interrupted: bool = True) -> dict[str, Any]:
    """Return what an interrupted run has beside its intervals, as plain data; nothing for a finished one.

    Returns
    -------
    dict
        ``anytime``: each headline with the interval that holds however the number of pairs came about.
    """
    if not interrupted:
        return {}
    moments = tally.total("moments")
    return {"anytime": {name: whenever(METRICS[name], moments).to_dict() for name in HEADLINES}}


def whenever(metric: Metric, moments: Any, sums: Sums | None = None, level: float = LEVEL) -> Estimate:
    """Estimate a metric of one run with an interval that holds whenever the run is stopped.

    Parameters
    ----------
    metric : Metric
    moments : ndarray of int64
        Of the run's pairs.
    sums : mapping of str to ndarray, optional
        Its sums by group of pairs; needed where the metric is counted by group alone.
    level : float
        Coverage.
    """
    if {*metric.numerator, metric.denominator} <= set(OUTCOMES):
        return anytime(
            moments,
            metric.numerator,
            metric.denominator,
            factor=metric.factor,
            share=metric.share,
            level=level,
        )
    if sums is None:
        raise ValueError(f"{metric}: counted by group of pairs alone, so its sums by group are needed")
    told = estimate_by_group(metric, sums)
    return anytime_jackknife(told, int(sums["one"].sum()), level, metric.share)


def estimate_by_group(metric: Metric, sums: Sums) -> Estimate:
    """Estimate a metric from sums by group alone, which may be those of several runs of the same pairs."""
    value, left_out = with_left_out(metric, sums)
    if value is None:
        return NOTHING
    if not metric.share:
        return jackknife(value, left_out)
    trials = min(int(sums[metric.denominator].sum()), int(sums["one"].sum()))
    return jackknife_share(value, left_out, trials)


def difference(metric: Metric, sums: Sums, first: Sums) -> Estimate:
    """Estimate by how much a metric of a run exceeds that of the first, which played the same decks.

    One of them may have played fewer of them, as when it was interrupted.
    """
    held = (sums["one"] > 0) | (first["one"] > 0)
    value, left_out = with_left_out(metric, sums, held)
    base, base_left_out = with_left_out(metric, first, held)
    if value is None or base is None:
        return NOTHING
    return jackknife(value - base, left_out - base_left_out)
