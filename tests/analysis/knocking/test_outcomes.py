"""How hands end: counted exactly, the same however the work is split."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.console import UsageError
from analysis.knocking.outcomes import LEAST_PAIRS, PLACES, codes, decode, measure, pieces, spread_scores
from analysis.knocking.score_cells import square_cells
from sim.forks import fork_hands
from sim.rules import Rules
from sim.run import play_match
from sim.tally import GROUPS, POINTS
from tests.analysis.knocking.players import of

EAAI = Rules.preset("eaai")
PAIRS = 400


@pytest.mark.requires_jit
@pytest.mark.parametrize("preset", ["eaai", "oklahoma_kisses"])
@pytest.mark.parametrize("dealer", [0, 1])
def test_counts_are_those_of_hands_played(preset: str, dealer: int) -> None:
    """By winner, points and group, from the tally of single hands on the same decks."""
    rules = Rules.preset(preset)
    found = measure(of("threshold(6)"), of("gold"), rules, pairs=PAIRS, seed=5)
    hand = rules.replace(match_type="single_hand")
    run = play_match(of("threshold(6)"), of("gold"), hand, pairs=PAIRS, seed=5, dealer=dealer)
    winner, points, boxes = found.results.T
    assert (boxes[winner >= 0] >= 1).all() and (found.results[winner < 0] == (-1, 0, 0)).all()
    assert found.hands == 4 * PAIRS and found.counts.shape[:3] == (1, GROUPS, 2)
    counted = np.zeros((GROUPS, 2, POINTS), np.int64)
    for k in np.flatnonzero(winner >= 0):
        counted[:, winner[k], min(points[k], POINTS - 1)] += found.counts[0, :, dealer, k]
    assert (counted == run.tally.groups("scores")).all()


@pytest.mark.requires_jit
@pytest.mark.parametrize(("a", "b"), [("clinch_low_stock", "clinch"), ("random", "greedy")])
def test_hands_end_as_the_forks_that_a_rule_takes(a: str, b: str) -> None:
    rules = EAAI.replace(game_target=12)  # short of a clinch, and within it
    cells = square_cells(12, 6)
    found = measure(of(a), of(b), rules, pairs=8 * LEAST_PAIRS, seed=5, cells=cells)
    counts = np.zeros_like(found.counts)
    order = codes(*found.results.T)
    for one in pieces(cells, 8 * LEAST_PAIRS, 0):
        forks = fork_hands(
            of(a),
            of(b),
            rules,
            pairs=one.pairs,
            seed=5,
            first=one.first,
            scores=one.scores,
            dealer=one.dealer,
        )
        taken = forks.forks.asked == 1
        told = codes(*(forks.result(taken, field) for field in ("winner", "points", "boxes")))
        place = (one.cell, forks.deals.pair % GROUPS, one.dealer, np.searchsorted(order, told))
        np.add.at(counts, place, 1)
    assert (found.counts == counts).all()


def test_cells_get_the_parts_asked_for() -> None:
    cells = square_cells(10, 5)
    parts = np.array([0.0, 0.75, 0.25, 0.0])
    found = np.zeros(4)
    for one in pieces(cells, 100_000, 0, parts):
        found[one.cell] += one.pairs / 200_000
    assert found == pytest.approx(0.9 * parts + 0.025, abs=1e-4)


@pytest.mark.requires_jit
def test_score_aware_players_are_measured_cell_by_cell() -> None:
    """A cell of one score is the hand from that score."""
    rules = EAAI.replace(game_target=2)
    clinch, gold = of("clinch"), of("gold")
    found = measure(clinch, gold, rules, pairs=8 * LEAST_PAIRS, seed=2, cells=square_cells(2, 1))
    assert (found.counts.sum(axis=(1, 2, 3)) == 8 * LEAST_PAIRS).all()
    hand = rules.replace(match_type="single_hand")
    run = play_match(
        clinch, gold, hand, pairs=2 * LEAST_PAIRS, first=4 * LEAST_PAIRS, seed=2, scores=(1, 0), dealer=1
    )
    won = found.counts[2, :, 1][:, found.results[:, 0] == 0].sum()
    assert won == run.tally.total("scores")[0].sum()


@pytest.mark.requires_jit
def test_threads_change_nothing() -> None:
    one, two = (
        measure(of("clinch"), of("gold"), EAAI, pairs=1_700, seed=9, cells=square_cells(100, 50), threads=n)
        for n in (1, 2)
    )
    assert (one.results == two.results).all() and (one.counts == two.counts).all()


def test_scores_are_spread_over_their_cell() -> None:
    for cells in (square_cells(100, 20), square_cells(7, 3), np.tri(30, dtype=np.int64)):
        for cell in range(cells.max() + 1):
            scores = spread_scores(cells, cell)
            assert len(set(scores)) == min(PLACES, (cells == cell).sum())
            assert {int(cells[score]) for score in scores} == {cell}
            total = np.array(scores).sum(axis=1).mean()
            assert total == pytest.approx(np.argwhere(cells == cell).sum(axis=1).mean(), abs=1.5)


def test_every_pair_is_played_once_with_each_dealer() -> None:
    for cells in (np.zeros((100, 100), np.int64), square_cells(100, 20)):
        work = list(pieces(cells, 5_003, 11))
        for dealer in (0, 1):
            spans = sorted((one.first, one.pairs) for one in work if one.dealer == dealer)
            at = 11
            for first, count in spans:
                assert first == at and count > 0
                at += count
            assert at == 11 + 5_003


def test_results_are_coded_and_decoded() -> None:
    told = np.array([(-1, 0, 0), (0, 0, 1), (0, 1234, 8), (1, 25, 1), (1, 2300, 2)])
    signed = told[:, 1] * np.array([1, 1, 1, -1, -1])
    found = codes(told[:, 0], signed, told[:, 2])
    assert (decode(found) == told).all() and (np.diff(found) > 0).all()


def test_too_few_pairs_are_refused() -> None:
    with pytest.raises(UsageError, match="64 or more"):
        measure(of("gold"), of("gold"), EAAI, pairs=LEAST_PAIRS - 1)
    with pytest.raises(UsageError, match="for 100 cells"):
        measure(of("gold"), of("gold"), EAAI, pairs=1_000, cells=square_cells(100, 10))
