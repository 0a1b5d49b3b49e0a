"""Rule sets compared: the same two players on the same decks, one row a rule set.

Rows are told with the intervals of a match. A difference between two rule sets is told with the
delete-one-group jackknife: a pair of games of the one and the pair of that index of the other share their
decks, and both stand in the same of the tally's groups, which is left out of both at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.request import Match
from analysis.stats import NOTHING, Estimate, clopper_pearson, jackknife, ratio
from sim.run import Run
from sim.tally import OUTCOMES, SIDE_ENDINGS, Tally

SCHEMA = 1
"""Version of the report's keys."""

FIRST_ROUND = 20
"""Pairs of the first round; each rule set plays a round in turn, so that a stop leaves equal pairs."""
ROUNDS = 8
"""A round is at most this part of all pairs."""

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

MATCH_SHARE = Metric({"matches_a": 1}, "one", 4, True)
"""Told where the rules play matches of several games."""


def rounds(pairs: int) -> list[tuple[int, int]]:
    """Return the rounds in which pairs are played: first pair and number, growing."""
    told = []
    first, size = 0, FIRST_ROUND
    while first < pairs:
        number = min(size, pairs - first)
        told.append((first, number))
        first += number
        size = max(FIRST_ROUND, min(4 * size, -(-pairs // ROUNDS)))
    return told


# --- numbers -------------------------------------------------------------------------------------


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


def _value(metric: Metric, sums: Sums) -> tuple[float | None, npt.NDArray[np.float64]]:
    """Return a metric over all groups that hold pairs, and over all of them but each one in turn."""
    held = sums["one"] > 0
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


def estimate_by_group(metric: Metric, sums: Sums) -> Estimate:
    """Estimate a metric from sums by group alone, which may be those of several runs of the same pairs."""
    value, left_out = _value(metric, sums)
    if value is None:
        return NOTHING
    told = jackknife(value, left_out)
    if not metric.share:
        return told
    if told.low is None or told.high is None:  # never, always, or from too few pairs
        pairs = int(sums["one"].sum())
        return Estimate(value, *clopper_pearson(value * pairs, pairs))
    return Estimate(value, max(0.0, told.low), min(1.0, told.high))


def difference(metric: Metric, sums: Sums, first: Sums) -> Estimate:
    """Estimate by how much a metric of a run exceeds that of the first, which played the same pairs."""
    value, left_out = _value(metric, sums)
    base, base_left_out = _value(metric, first)
    if value is None or base is None:
        return NOTHING
    return jackknife(value - base, left_out - base_left_out)


def variants_report(told: Sequence[Match], runs: Sequence[Run], interrupted: bool) -> dict[str, Any]:
    """Return the numbers of a comparison as plain data, every estimate with its 95 % interval.

    Parameters
    ----------
    told : sequence of Match
        One a rule set; the same sides, seed and pairs.
    runs : sequence of Run
        What was played of each, the same pairs.
    interrupted : bool
        True if fewer pairs were played than asked for.

    Returns
    -------
    dict
        ``sets`` has a row for each rule set; ``difference`` there is to the first row, None in it. Shares
        are of side A, ``points_per_hand`` is A's less B's; the ``dealer``'s are of hands, his points less
        the other player's.
    """
    one = told[0]
    first = group_sums(runs[0].tally)
    rows = []
    for number, (match, run) in enumerate(zip(told, runs, strict=True)):
        sums = group_sums(run.tally)
        metrics = dict(METRICS)
        extra = {}
        if match.rules.match_type in ("best_of", "first_to_points"):
            extra["matches"] = 2 * run.pairs
            metrics["match_share"] = MATCH_SHARE
        values = {name: estimate(metric, run.tally, sums).to_dict() for name, metric in metrics.items()}
        gaps = {name: difference(metric, sums, first).to_dict() for name, metric in METRICS.items()}
        rows.append(
            {
                "rules": {
                    "preset": match.preset,
                    "hash": match.rules.hash,
                    "fields": match.rules.to_dict(),
                },
                "games": run.tally.outcome("games"),
                "hands": run.tally.outcome("hands"),
                "decisive": run.tally.outcome("decisive"),
                **extra,
                **_nested(values),
                "endings": run.tally.endings(),
                "difference": _nested(gaps) if number else None,
            }
        )
    return {
        "schema": SCHEMA,
        "a": str(one.a),
        "b": str(one.b),
        "files": {**one.a.files(), **one.b.files()},
        "seed": one.seed,
        "settings": list(one.settings),
        "pairs": runs[0].pairs,
        "sets": rows,
        "interrupted": interrupted,
        "seconds": sum(run.seconds for run in runs),
    }


def _nested(values: dict[str, Any]) -> dict[str, Any]:
    """Put the metrics of endings, first mover and dealer under one key each."""
    told: dict[str, Any] = {}
    for name, value in values.items():
        for prefix, key in (
            ("ending_", "ending_shares"),
            ("first_mover_", "first_mover"),
            ("dealer_", "dealer"),
        ):
            if name.startswith(prefix):
                told.setdefault(key, {})[name.removeprefix(prefix)] = value
                break
        else:
            told[name] = value
    return told
