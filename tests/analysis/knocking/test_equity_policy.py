"""Knock tables by score: played as they say, valued as plain loops value them, and worth something."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.console import UsageError
from analysis.knocking.equity import Floats, passes, solve
from analysis.knocking.equity_policy import (
    Hands,
    ScorePolicy,
    everywhere,
    fit_equity,
    measure_game_gain,
    outcomes_of,
    result_values,
    visits,
)
from analysis.knocking.policy import TURNS, threshold, two_stage
from sim.forks import fork_hands
from sim.rules import Rules
from sim.run import play_match
from strategies.base import StrategyError, parse_strategy, player
from strategies.knock_cells import DEADWOODS
from strategies.score_table import score_table_player
from strategies.table_player import table_player
from tests.analysis.knocking.players import of

EAAI = Rules.preset("eaai")
SHORT = EAAI.replace(game_target=30)
GOLD = parse_strategy("gold")


def by_lot(target: int, bands: int) -> ScorePolicy:
    """Return tables that differ at every score and by who deals."""
    plain = everywhere(threshold(0), target, bands)
    shares = np.random.default_rng(3).integers(0, 2, plain.shares.shape).astype(np.float64)
    shares[..., 0] = 1
    shares[:, :, :, 16:] = shares[:, :, :, 15:16]
    return ScorePolicy(plain.step, shares)


def test_one_table_everywhere_is_that_table_played() -> None:
    rule = two_stage(9, 2, 4)
    one = play_match(everywhere(rule, 30, 3).player(GOLD), of("simple"), SHORT, pairs=20, seed=3)
    other = play_match(table_player(GOLD, rule.cells()), of("simple"), SHORT, pairs=20, seed=3)
    assert one.tally.tobytes() == other.tally.tobytes()


@pytest.mark.parametrize("dealer", [0, 1])
@pytest.mark.parametrize("scores", [(0, 0), (9, 10), (29, 3), (12, 29)])
def test_each_score_and_dealer_has_its_own_table(scores: tuple[int, int], dealer: int) -> None:
    """A hand from a score brings what its forks and the score's table say, to the integer."""
    policy = by_lot(30, 3)
    hand = SHORT.replace(match_type="single_hand")
    run = play_match(policy.player(GOLD), of("simple"), hand, pairs=25, seed=8, scores=scores, dealer=dealer)
    forks = fork_hands(of("gold"), of("simple"), SHORT, pairs=25, seed=8, dealer=dealer)
    table = policy.table(scores[0] // 10 * 3 + scores[1] // 10, dealer)
    points = forks.result(table.at(forks) > 0.5)
    assert points.sum() == run.tally.outcome("points_a") - run.tally.outcome("points_b")


def test_outcomes_are_counted_from_forks() -> None:
    policy = by_lot(30, 2)
    forks = [fork_hands(of("gold"), of("simple"), SHORT, pairs=40, seed=8, dealer=d) for d in (0, 1)]
    found = outcomes_of(policy, [Hands(one) for one in forks], SHORT)
    for cell in range(4):
        for dealer, one in enumerate(forks):
            takes = policy.table(cell, dealer).at(one) > 0.5
            told = zip(*(one.result(takes, name) for name in ("winner", "points", "boxes")), strict=True)
            known: dict[tuple[int, ...], int] = {}
            for winner, points, boxes in told:
                key = (int(winner), abs(int(points)), int(boxes))
                known[key] = known.get(key, 0) + 1
            counts = found.counts[cell, :, dealer].sum(axis=0)
            rows = [tuple(row) for row in found.results.tolist()]
            assert {row: n for row, n in zip(rows, counts.tolist(), strict=True) if n} == known


@pytest.mark.parametrize("preset", ["eaai", "palace", "pagat_classic"])
def test_visits_and_values_add_up_to_the_equity(preset: str) -> None:
    """What games won come to, score by score, is the chance to win; a result is worth the score after it."""
    rules = Rules.preset(preset).replace(game_target=30, void_dealer="rotate")
    forks = [fork_hands(of("gold"), of("simple"), rules, pairs=60, seed=8, dealer=d) for d in (0, 1)]
    outcomes = outcomes_of(by_lot(30, 3), [Hands(one) for one in forks], rules)
    equity = solve(outcomes, rules, groups=0)
    shares, turns = outcomes.shares(0)[0], passes(rules)
    winner, points, boxes = outcomes.results.T
    added = points + (boxes * rules.box_bonus if rules.box_timing == "immediate" else 0)

    def won(often: Floats) -> float:
        total = 0.0
        for dealer, a, b in np.argwhere(often > 0):
            ends = (winner == 0) & (a + added >= 30)
            total += often[dealer, a, b] * shares[outcomes.cells[a, b], dealer, ends].sum()
        return total

    assert won(visits(outcomes, rules, (12, 7, 1))) == pytest.approx(equity.values[0, 0, 1, 12, 7])
    often = visits(outcomes, rules)
    assert won(often) == pytest.approx(equity.dealt(None)[0, 0, 0, 0])
    worth = result_values(outcomes, equity, often)
    win = equity.values[0, 0]
    for cell, k, dealer in ((0, 0, 0), (4, 3, 1), (8, len(winner) - 1, 0), (2, len(winner) // 2, 1)):
        total = weight = 0.0
        for a, b in np.argwhere(outcomes.cells == cell):
            x, y = int(a), int(b)
            then = (x + added[k], y) if winner[k] == 0 else (x, y + added[k] * int(winner[k] == 1))
            value = 1.0 if then[0] >= 30 else 0.0
            if max(then) < 30:
                value = float(turns[winner[k] + 1, dealer] @ win[:, then[0], then[1]])
            total += often[dealer, x, y] * value
            weight += often[dealer, x, y]
        if weight > 0:
            assert worth[cell, dealer, k] == pytest.approx(total / weight)
    mean = (worth[0, 0] * shares[0, 0]).sum()
    inside = often[0][outcomes.cells == 0]
    assert mean == pytest.approx((win[0][outcomes.cells == 0] * inside).sum() / inside.sum())


@pytest.mark.requires_jit
def test_the_tables_that_are_fitted_win_more_games() -> None:
    """In a short game the score is half the matter. The decks are fixed: there is no false alarm."""
    rules = EAAI.replace(game_target=12)
    b = parse_strategy("gin_only")
    reply = fit_equity(GOLD, b, rules, pairs=10_000, seed=5, rounds=2, bands=2, threads=2)
    assert len(reply.trace) == len(reply.changed) == 2 and reply.decks.free == 30_000
    assert reply.equity.values.shape[-1] == 12
    points = everywhere(reply.points, 12, 2)
    gain = measure_game_gain(
        reply.policy.player(GOLD), points.player(GOLD), player(b), rules, pairs=60_000, seed=6, threads=2
    )
    assert gain.gain.se is not None and gain.gain.estimate is not None
    assert gain.gain.estimate > 3 * gain.gain.se
    # Near the target almost any knock that is not undercut wins the game.
    early = reply.policy.shares[:, :, :, :10]
    assert early[1].mean() > reply.points.shares[:10].mean()
    assert early[1].mean() > early[0].mean()


def test_what_cannot_be_fitted_or_played_is_refused() -> None:
    with pytest.raises(UsageError, match="heisenbot"):
        fit_equity(GOLD, parse_strategy("heisenbot"), EAAI, pairs=100)
    with pytest.raises(UsageError, match="rounds 0"):
        fit_equity(GOLD, parse_strategy("simple"), EAAI, pairs=100, rounds=0)
    with pytest.raises(StrategyError, match="monte_carlo"):
        everywhere(threshold(3), 100).player(parse_strategy("monte_carlo(2)"))
    with pytest.raises(StrategyError, match="shape"):
        score_table_player(GOLD, 20, np.ones((5, 5, 2, TURNS, DEADWOODS)))
