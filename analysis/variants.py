"""Rule sets compared: the same two players on the same decks, one row a rule set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analysis.metrics import MATCH_SHARE, METRICS, at_any_stop, difference, estimate, group_sums
from analysis.request import Match
from sim.run import Run

SCHEMA = 1
"""Version of the report's keys."""

FIRST_ROUND = 20
"""Pairs of the first round; each rule set plays a round in turn, so that a stop leaves equal pairs."""
ROUNDS = 8
"""A round is at most this part of all pairs."""


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
                **at_any_stop(run.tally, interrupted),
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
