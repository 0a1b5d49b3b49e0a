"""Runs without play: cells whose truth is known, on common decks, as `Results`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analysis.experiment.experiment import Experiment
from analysis.report.facts import CellFacts
from analysis.stats.estimates import ratio
from analysis.store.journal import Journal
from analysis.store.results import Results
from sim.tally import GROUPS, OUTCOMES, SIDE_ENDINGS, Tally


def tally_of(luck: np.ndarray, own: np.ndarray, lead: float) -> Tally:
    """Return the counters of pairs of two games of four hands, in which side A is better by ``lead``.

    ``luck`` is what the decks bring and the same in every cell, ``own`` is the cell's; normal numbers of
    shape (pairs, games, hands).
    """
    pairs = len(luck)
    swing = 0.8 * luck + 0.6 * own + lead
    a_wins = swing > 0
    points = np.minimum(20 + np.abs(20 * swing), 200).astype(np.int64)
    games_a = 2 * (a_wins.sum(axis=2) > 2) + (a_wins.sum(axis=2) == 2)
    hands = np.full(pairs, luck[0].size)
    won = {
        "one": np.ones(pairs),
        "matches_a": games_a.sum(axis=1),
        "games": np.full(pairs, 2),
        "games_a": games_a.sum(axis=1),
        "hands": hands,
        "decisive": hands,
        "hands_a": a_wins.sum(axis=(1, 2)),
        "points_a": (points * a_wins).sum(axis=(1, 2)),
        "points_b": (points * ~a_wins).sum(axis=(1, 2)),
        "turns": 14 * hands,
        "games_mover": np.full(pairs, 2),
        "hands_mover": a_wins.sum(axis=(1, 2)),
    }
    values = np.stack([won.get(name, np.zeros(pairs)) for name in OUTCOMES], axis=1).astype(np.int64)
    group = np.arange(pairs) % GROUPS
    tally = Tally()
    rows = tally.rows
    np.add.at(rows["moments"], group, values[:, :, None] * values[:, None, :])
    np.add.at(rows["pair_scores"], (group, values[:, 1]), 1)
    np.add.at(rows["lengths"], (group, 14), hands)
    kind = len(SIDE_ENDINGS)
    for side, count in enumerate((won["hands_a"], hands - won["hands_a"])):
        np.add.at(rows["hands"], (group, 0, 0, side * kind), count)
        np.add.at(rows["points"], (group, 0, 0, side * kind), won["points_" + "ab"[side]])
    np.add.at(rows["scores"], (group[:, None, None], np.where(a_wins, 0, 1), points), 1)
    return tally


def made_up(
    leads: Sequence[float], *, axis: str = "k", stopped: str = "pairs", pairs: int = 384, seed: int = 1
) -> Results:
    """Return a run of a cell for each lead of side A, in standard deviations of a hand; 0 is even.

    The axis ``k`` changes what A plays, ``undercut_bonus`` the rules.
    """
    text = "threshold({k})" if axis == "k" else "threshold(4)"
    experiment = Experiment.from_text(
        f"""
        title = "Made up"
        seed = {seed}
        pairs = {pairs}
        [strategies]
        a = "{text}"
        b = "simple"
        [axes]
        {axis} = {list(range(len(leads)))}
        """
    )
    rng = np.random.default_rng(seed)
    luck = rng.standard_normal((pairs, 1, 4)) * np.array([[[1], [-1]]])  # mirrored: what A had, B has
    tallies = [tally_of(luck, rng.standard_normal((pairs, 2, 4)), lead) for lead in leads]
    return results_of(experiment, tallies, stopped)


def results_of(
    experiment: Experiment, tallies: Sequence[Tally], stopped: str | Sequence[str] = "pairs"
) -> Results:
    """Return results of tallies, all stopped for one reason, or each for its own."""
    reasons = [stopped] * len(tallies) if isinstance(stopped, str) else stopped
    journal = Journal(None)
    journal.begin({}, len(tallies))
    for number, tally in enumerate(tallies):
        why = None if reasons[number] == "interrupted" else reasons[number]
        stages = [(tally.pairs, tally.total("moments"))]
        journal.record(number, tally.pairs, tally, 0.0, stages, why)
    return Results.of_journal(experiment, journal)


def bare_facts(shares: Sequence[float], pairs: int, seed: int) -> list[CellFacts]:
    """Return facts of cells that know their games alone: shares of A of independent games, without play."""
    rng = np.random.default_rng(seed)
    experiment = Experiment.from_text(
        f'title = "Bare"\nseed = {seed}\npairs = {pairs}\nstrategies = {{a = "threshold({{k}})", '
        f'b = "simple"}}\naxes = {{k = {list(range(len(shares)))}}}'
    )
    told = []
    for cell, share in zip(experiment.cells, shares, strict=True):
        values = np.zeros((pairs, len(OUTCOMES)), np.int64)
        values[:, OUTCOMES.index("one")] = 1
        values[:, OUTCOMES.index("games")] = 2
        values[:, OUTCOMES.index("games_a")] = 2 * rng.binomial(2, share, pairs)
        moments = values.T @ values
        by_group = np.zeros((GROUPS, len(OUTCOMES)), np.int64)
        np.add.at(by_group, np.arange(pairs) % GROUPS, values)
        sums = {name: by_group[:, at] for at, name in enumerate(OUTCOMES)}
        metrics = {"game_share": ratio(moments, "games_a", "games", factor=2, share=True)}
        told.append(CellFacts(cell, pairs, "pairs", sums, moments, metrics, {}, {}, {}, {}, {}))
    return told
