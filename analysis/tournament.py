"""A tournament: every two strategies play the same pairs of games; shares, ratings, circles of three."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from analysis.metrics import (
    MATCH_SHARE,
    METRICS,
    Metric,
    Sums,
    at_any_stop,
    estimate,
    estimate_by_group,
    group_sums,
)
from analysis.ratings import Floats, elo, rate
from analysis.request import Tournament
from analysis.stats.estimates import Estimate
from sim.run import Run

SCHEMA = 1
"""Version of the report's keys."""

SEATS: dict[str, Metric] = {
    "first_mover_game_share": METRICS["first_mover_game_share"],
    "nondealer_hand_share": Metric({"hands_mover": 1}, "decisive", share=True),
}
"""What moving first is worth: in games (of their first hands), and in hands that somebody won."""

UNDECIDED: dict[str, Metric] = {
    "void": METRICS["ending_void"],
    "capped": METRICS["ending_capped"],
    "void_or_capped": Metric({"void": 1, "capped": 1}, "hands", share=True),
}
"""Shares of hands that nobody could win."""


def label(place: int) -> str:
    """Return the letters of a strategy by its place: A ... Z, AA, AB ..."""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def tournament_report(told: Tournament, runs: Sequence[Run], interrupted: bool = False) -> dict[str, Any]:
    """Return the numbers of a tournament as plain data, every estimate with its 95 % interval.

    Parameters
    ----------
    told : Tournament
        What was asked for.
    runs : sequence of Run
        What was played of each pairing, the same pairs.
    interrupted : bool
        True if fewer pairs were played than asked for.

    Returns
    -------
    dict
        ``strategies`` has ratings (in Elo, summing to zero in each class, see `analysis.ratings`) and
        mean shares; ``order`` their labels, best first; ``game_share`` the matrix, row against column;
        ``pairings`` the numbers of each, shares being of ``a``, with those of matches where the rules
        play matches of several games; ``intransitive`` every three of which
        each beats the next; ``gaps`` between classes of which one lost every game to the other.

    Raises
    ------
    ValueError
        If runs are not of the same pairs, one a pairing.
    """
    pairings = told.pairings()
    if len(runs) != len(pairings) or len({(run.first, run.pairs) for run in runs}) != 1:
        raise ValueError("a tournament is of one run a pairing, all of the same pairs")
    names = [label(place) for place in range(len(told.sides))]
    sums = [group_sums(run.tally) for run in runs]
    rated = rate(wins_by_group(len(names), pairings, sums), runs[0].pairs)
    rows = []
    matrix: list[list[dict[str, float | None] | None]] = [[None] * len(names) for _ in names]
    for (i, j), run, own in zip(pairings, runs, sums, strict=True):
        share = estimate(METRICS["game_share"], run.tally, own)
        matrix[i][j], matrix[j][i] = share.to_dict(), _other(share).to_dict()
        rows.append(
            {
                "a": names[i],
                "b": names[j],
                "games": run.tally.outcome("games"),
                "hands": run.tally.outcome("hands"),
                "decisive": run.tally.outcome("decisive"),
                "game_share": share.to_dict(),
                **_matches(told, run, own),
                "hand_share": estimate(METRICS["hand_share"], run.tally, own).to_dict(),
                "points_per_hand": estimate(METRICS["points_per_hand"], run.tally, own).to_dict(),
                **{name: estimate(metric, run.tally, own).to_dict() for name, metric in SEATS.items()},
                "undecided": {
                    name: estimate(metric, run.tally, own).to_dict() for name, metric in UNDECIDED.items()
                },
                "rated_share": rated.expected[i][j],
                "departure": rated.departures[i][j].to_dict(),
                **at_any_stop(run.tally, interrupted),
            }
        )
    tier = {player: number for number, members in enumerate(rated.classes) for player in members}
    order = sorted(range(len(names)), key=lambda one: (tier[one], -(rated.ratings[one].estimate or 0), one))
    whole = _all_sums(sums)
    return {
        "schema": SCHEMA,
        "files": {path: digest for side in told.sides for path, digest in side.files().items()},
        "rules": {
            "preset": told.preset,
            "settings": list(told.settings),
            "hash": told.rules.hash,
            "fields": told.rules.to_dict(),
        },
        "seed": told.seed,
        "pairs": runs[0].pairs,
        "games": sum(run.tally.outcome("games") for run in runs),
        "hands": sum(run.tally.outcome("hands") for run in runs),
        "strategies": [
            {
                "label": names[one],
                "strategy": str(side),
                "rating": rated.ratings[one].to_dict(),
                "class": tier[one] + 1,
                "mean_share": rated.mean_shares[one].to_dict(),
            }
            for one, side in enumerate(told.sides)
        ],
        "order": [names[one] for one in order],
        "gaps": _gaps(rated.classes, matrix, names),
        "game_share": matrix,
        "pairings": rows,
        "intransitive": intransitive(matrix, names),
        **{name: estimate_by_group(metric, whole).to_dict() for name, metric in SEATS.items()},
        "undecided": {name: estimate_by_group(metric, whole).to_dict() for name, metric in UNDECIDED.items()},
        "interrupted": interrupted,
        "seconds": sum(run.seconds for run in runs),
    }


def wins_by_group(
    players: int, pairings: Sequence[tuple[int, int]], sums: Sequence[Mapping[str, Any]]
) -> Floats:
    """Return the games that i won against j, shape (groups that hold pairs, players, players)."""
    held = sums[0]["one"] > 0
    wins = np.zeros((int(held.sum()), players, players))
    for (i, j), own in zip(pairings, sums, strict=True):
        wins[:, i, j] = own["games_a"][held] / 2
        wins[:, j, i] = own["games"][held] - wins[:, i, j]
    return wins


def intransitive(matrix: Sequence[Sequence[Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return every three of which each wins more than half of its games against the next.

    Parameters
    ----------
    matrix : sequence of sequence of dict or None
        Shares of the row against the column with their intervals.
    names : sequence of str
        Labels.

    Returns
    -------
    list of dict
        ``significant`` if all three intervals lie beyond a half. Where three form no circle, at least one
        of the three shares is no more than a half whichever way round, so that this is told of them with
        a probability of 2.5 % each way at most. Significant ones first.
    """
    told = []
    for three in itertools.combinations(range(len(names)), 3):
        for circle in (three, three[::-1]):
            shares = [matrix[i][j] for i, j in zip(circle, (*circle[1:], circle[0]), strict=True)]
            if any(share["estimate"] is None or share["estimate"] <= 0.5 for share in shares):
                continue
            start = circle.index(min(circle))
            told.append(
                {
                    "circle": [names[one] for one in (*circle[start:], *circle[:start])],
                    "shares": [*shares[start:], *shares[:start]],
                    "significant": all(share["low"] is not None and share["low"] > 0.5 for share in shares),
                }
            )
    return sorted(told, key=lambda one: not one["significant"])


def _matches(told: Tournament, run: Run, sums: Sums) -> dict[str, Any]:
    """Return matches and A's share of them, where the rules play matches of several games."""
    if told.rules.match_type not in ("best_of", "first_to_points"):
        return {}
    share = estimate(MATCH_SHARE, run.tally, sums)
    return {"matches": 2 * run.pairs, "match_share": share.to_dict()}


def _other(share: Estimate) -> Estimate:
    """Return the share of the other side."""
    low, value, high = (None if one is None else 1 - one for one in (share.high, share.estimate, share.low))
    return Estimate(value, low, high)


def _all_sums(sums: Sequence[Sums]) -> dict[str, Any]:
    """Add the sums of all pairings group by group; pairs are counted once, for all play the same decks."""
    total: dict[str, Any] = {name: np.sum([own[name] for own in sums], axis=0) for name in sums[0]}
    total["one"] = sums[0]["one"]
    return total


def _gaps(
    classes: Sequence[Sequence[int]], matrix: Sequence[Sequence[Any]], names: Sequence[str]
) -> list[dict[str, Any]]:
    """Return which class lost every game to which, and the least difference of ratings its games allow."""
    told = []
    for above, below in itertools.pairwise(classes):
        least = min(elo(matrix[i][j]["low"]) for i in above for j in below)
        told.append(
            {
                "above": [names[one] for one in above],
                "below": [names[one] for one in below],
                "least": least if math.isfinite(least) else None,
            }
        )
    return told
