"""The equity of a game against games in plain Python, and against games that the engine plays."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from analysis.console import UsageError
from analysis.knocking.equity import JACKKNIFE, Equity, solve
from analysis.knocking.outcomes import Outcomes, measure
from analysis.knocking.score_cells import play_cells, square_cells
from sim._jit import COMPILED
from sim.rules import Rules
from sim.run import play_match
from sim.tally import GROUPS, Tally
from tests.analysis.knocking.naive_equity import Hand, followed, recursion
from tests.analysis.knocking.players import of

TARGET = 9 if COMPILED else 6
EAAI = Rules.preset("eaai")
DEALERS = ("alternate", "winner", "loser", "random", "fixed")
SHUTOUTS = ("double_hands", "none", "flat", "double_bonuses", "double_total")

USUAL: list[Hand] = [(None, 0, 0), (0, 2, 1), (0, 5, 2), (1, 1, 1), (1, 3, 1)]
WITHOUT_POINTS: list[Hand] = [(None, 0, 0), (0, 0, 1), (0, 4, 1), (1, 0, 2), (1, 3, 1)]


def made_up(target: int, hands: list[Hand], step: int | None = None, seed: int = 1) -> Outcomes:
    """Return outcomes with counts by lot, different by dealer and by cell."""
    side = step or target
    cells = (-(-target // side)) ** 2
    results = np.array([(-1 if winner is None else winner, *rest) for winner, *rest in hands])
    counts = np.random.default_rng(seed).integers(1, 30, (cells, GROUPS, 2, len(hands)))
    return Outcomes(square_cells(target, side), results, counts)


def chances(outcomes: Outcomes, cell: int = 0) -> list[list[tuple[Hand, Fraction]]]:
    """Return the distribution as exact fractions by dealer."""
    counts = outcomes.counts[cell].sum(axis=0)
    hands = [
        (None if winner < 0 else int(winner), int(points), int(boxes))
        for winner, points, boxes in outcomes.results
    ]
    return [
        [(hand, Fraction(int(n), int(row.sum()))) for hand, n in zip(hands, row, strict=True)]
        for row in counts
    ]


def check(rules: Rules, outcomes: Outcomes, find: Any, starts: list[tuple[int, int]]) -> None:
    equity = solve(outcomes, rules, groups=0)
    for start in starts:
        for dealer in (0, 1):
            known = find(rules.to_dict(), chances(outcomes), start, dealer)
            found = equity.values[0, :2, dealer, start[0], start[1]]
            assert found == pytest.approx([float(part) for part in known], abs=1e-9)


@pytest.mark.parametrize("timing", ["end", "immediate"])
@pytest.mark.parametrize("next_dealer", DEALERS)
@pytest.mark.parametrize("void_dealer", ["same", "rotate", "random"])
def test_a_tiny_game_by_plain_recursion(timing: str, next_dealer: str, void_dealer: str) -> None:
    rules = Rules(
        game_target=TARGET, box_timing=timing, next_dealer=next_dealer, void_dealer=void_dealer, box_bonus=2,
        game_bonus=7,
    )  # fmt: skip
    check(rules, made_up(TARGET, USUAL), recursion, [(0, 0), (0, 3), (4, 0), (2, 5)])


@pytest.mark.parametrize("timing", ["end", "immediate"])
@pytest.mark.parametrize("shutout", SHUTOUTS)
@pytest.mark.parametrize("test", ["no_hands", "no_points"])
@pytest.mark.parametrize("bonus", [0, 2])
def test_wins_without_points_and_every_shutout(timing: str, shutout: str, test: str, bonus: int) -> None:
    rules = Rules(
        game_target=TARGET, box_timing=timing, shutout=shutout, shutout_test=test, shutout_flat=11,
        box_bonus=bonus, game_bonus=7, column_multipliers=(2,),
    )  # fmt: skip
    check(rules, made_up(TARGET, USUAL), recursion, [(0, 0), (0, 3), (4, 0)])
    rules = rules.replace(game_target=5)
    few = made_up(5, WITHOUT_POINTS)
    few.counts[..., [0, 1, 3]] = 1  # the fewer the hands that lead nowhere, the sooner all games have ended
    check(rules, few, followed, [(0, 0)])


def test_cells_have_distributions_of_their_own() -> None:
    """In a game of two bands the last one is a game of one cell, begun there."""
    rules = EAAI.replace(game_target=8)
    outcomes = made_up(8, USUAL, step=4)
    whole = solve(outcomes, rules, groups=0)
    alone = Outcomes(square_cells(8, 8), outcomes.results, outcomes.counts[-1:])
    last = solve(alone, rules, groups=0)
    assert np.allclose(whole.values[..., 4:, 4:], last.values[..., 4:, 4:])
    assert not np.allclose(whole.values[..., :4, :4], last.values[..., :4, :4])
    known = recursion(rules.to_dict(), chances(outcomes, 3), (5, 4), 1)
    assert whole.values[0, 0, 1, 5, 4] == pytest.approx(float(known[0]))


def symmetric(target: int) -> Outcomes:
    """Return outcomes of two players alike: who deals does better by as much, whoever it is."""
    one = made_up(target, [(None, 0, 0), (0, 2, 1), (0, 5, 1), (1, 2, 1), (1, 5, 1)])
    counts = one.counts.copy()
    counts[:, :, 1] = counts[:, :, 0][..., [0, 3, 4, 1, 2]]
    return one._replace(counts=counts)


@pytest.mark.parametrize("preset", ["eaai", "default", "palace", "pagat_classic"])
def test_players_alike_are_mirrors_of_each_other(preset: str) -> None:
    rules = Rules.preset(preset).replace(game_target=20)
    equity = solve(symmetric(20), rules, groups=0)
    win, margin, ours, theirs = (equity.values[0, q] for q in range(4))
    assert np.allclose(win[0], 1 - win[1].T) and np.allclose(margin[0], -margin[1].T)
    assert np.allclose(ours[0], theirs[1].T)
    assert equity.at(7, 7, None)["win"].estimate == pytest.approx(0.5)


@pytest.mark.parametrize("preset", ["eaai", "default", "palace"])
def test_points_are_never_bad_for_their_owner(preset: str) -> None:
    """True of one distribution at all scores, whatever it is; not of margins, where a shutout can be lost."""
    rules = Rules.preset(preset).replace(game_target=40)
    hands: list[Hand] = [(None, 0, 0), *((side, p, 1) for side in (0, 1) for p in (1, 7, 11, 25))]
    win = solve(made_up(40, hands), rules, groups=0).values[0, 0]
    assert (np.diff(win, axis=1) >= -1e-12).all() and (np.diff(win, axis=2) <= 1e-12).all()
    assert ((win > 0) & (win < 1)).all()


def test_boundary_values() -> None:
    """A hand from the end: who wins the next hand that somebody wins wins the game."""
    rules = EAAI.replace(game_target=10, void_dealer="same")
    outcomes = made_up(10, USUAL)
    equity = solve(outcomes, rules)
    for dealer in (0, 1):
        counts = outcomes.counts[0].sum(axis=0)[dealer]
        won = counts[outcomes.results[:, 0] == 0].sum() / counts[outcomes.results[:, 0] >= 0].sum()
        found = equity.at(9, 9, dealer)
        assert found["win"].estimate == pytest.approx(won)
        assert found["shutout_a"].estimate == 0
    sure = Outcomes(square_cells(10, 10), np.array([(0, 4, 1)]), np.ones((1, GROUPS, 2, 1), np.int64))
    told = solve(sure, Rules(game_target=10)).at(0, 0, None)
    # Three hands of four points doubled, three boxes, the game.
    assert told["win"].estimate == 1 and told["shutout_a"].estimate == 1
    assert told["margin"].estimate == 24 + 75 + 100
    assert told["win"].low == told["win"].high == 1


def test_the_first_dealer_is_that_of_the_rules() -> None:
    outcomes = made_up(10, USUAL)
    drawn = solve(outcomes, EAAI.replace(game_target=10), groups=0)
    assert drawn.dealt(None)[0, 0, 0, 0] == pytest.approx(drawn.values[0, 0, :, 0, 0].mean())
    fixed = solve(outcomes, EAAI.replace(game_target=10, first_dealer="fixed"), groups=0)
    assert (fixed.dealt(None) == fixed.dealt(1)).all()


def test_the_error_is_that_of_leaving_out_groups() -> None:
    outcomes = made_up(10, USUAL)
    rules = EAAI.replace(game_target=10)
    whole = solve(outcomes, rules, threads=2)
    assert len(whole.values) == 1 + JACKKNIFE
    counts = outcomes.counts.copy()
    counts[:, 5::JACKKNIFE] = 0
    left = solve(outcomes._replace(counts=counts), rules, groups=0)
    assert np.allclose(left.values[0], whole.values[6])
    found = whole.at(0, 0, 0)["win"]
    without = whole.values[1:, 0, 0, 0, 0]
    spread = ((without - without.mean()) ** 2).sum() * (JACKKNIFE - 1) / JACKKNIFE
    assert found.se == pytest.approx(spread**0.5)
    told = whole.intervals(0)["win"]
    assert [part[0, 0] for part in told] == pytest.approx([found.estimate, found.low, found.high])


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"columns": 3, "column_multipliers": (1, 1, 1)}, "columns=3"),
        ({"match_type": "single_hand"}, "match_type=single_hand"),
        ({"match_type": "best_of", "match_length": 5}, "match_type=best_of"),
        ({"game_target": 500}, "game_target=500"),
    ],
)
def test_rules_without_one_score_are_refused(changes: dict[str, Any], names: str) -> None:
    rules = EAAI.replace(**changes)
    with pytest.raises(UsageError, match=names):
        solve(made_up(rules.game_target, USUAL), rules)


def test_hands_that_never_end_a_game_are_refused() -> None:
    void = Outcomes(square_cells(10, 10), np.array([(-1, 0, 0)]), np.ones((1, GROUPS, 2, 1), np.int64))
    with pytest.raises(UsageError, match="never end"):
        solve(void, EAAI.replace(game_target=10))
    with pytest.raises(UsageError, match="score 10:0"):
        solve(made_up(10, USUAL), EAAI.replace(game_target=10)).at(10, 0, None)


# --- against the engine --------------------------------------------------------------------------


def played(tally: Tally) -> dict[str, tuple[float, float]]:
    """Return share of games won and mean margin of a match from a score, each with its standard error."""
    groups = tally.groups("moments")[:, 0].astype(float)
    names = tally.outcomes
    games, won, ours, theirs = (
        groups[:, names.index(name)] for name in ("games", "games_a", "total_a", "total_b")
    )
    told = {}
    for name, sums in (("win", won / 2), ("margin", ours - theirs)):
        whole = sums.sum() / games.sum()
        without = (sums.sum() - sums) / (games.sum() - games)
        told[name] = (
            whole,
            float(np.sqrt(((without - without.mean()) ** 2).sum() * (GROUPS - 1) / GROUPS)),
        )
    return told


def gaps(
    equity: Equity, a: str, b: str, starts: list[tuple[int, int, int]], pairs: int
) -> list[tuple[float, float, float, float]]:
    """Return equity less simulation at scores: of wins and margins, each with its standard error."""
    told = []
    for x, y, dealer in starts:
        run = play_match(
            of(a), of(b), equity.rules, pairs=pairs, seed=77, threads=2, scores=(x, y), dealer=dealer
        )
        known, found = played(run.tally), equity.at(x, y, dealer)
        row: list[float] = []
        for name in ("win", "margin"):
            assert found[name].estimate is not None and found[name].se is not None
            error = np.hypot(known[name][1], found[name].se)
            row += [found[name].estimate - known[name][0], float(error)]
        told.append((row[0], row[1], row[2], row[3]))
    return told


def random_starts(target: int, count: int, seed: int) -> list[tuple[int, int, int]]:
    rng = np.random.default_rng(seed)
    return [(*rng.integers(0, target, 2).tolist(), int(rng.integers(2))) for _ in range(count)]


@pytest.mark.requires_jit
@pytest.mark.parametrize(
    ("preset", "changes"),
    [("default", {}), ("palace", {}), ("oklahoma_kisses", {"game_target": 60})],
)
def test_equity_is_what_games_come_to(preset: str, changes: dict[str, Any]) -> None:
    """Wins and margins, bonuses in, at four scores: 5.5 standard errors, false alarms below 1e-6 in all."""
    rules = Rules.preset(preset).replace(**changes)
    outcomes = measure(of("gold"), of("simple"), rules, pairs=10_000, seed=3, threads=2)
    equity = solve(outcomes, rules, threads=2)
    target = rules.game_target
    starts = [(0, 0, 0), (0, target // 2, 1), (target - 20, target - 5, 1), (target // 3, 0, 0)]
    for win, win_error, margin, margin_error in gaps(equity, "gold", "simple", starts, 2_000):
        assert abs(win) < 5.5 * win_error
        assert abs(margin) < 5.5 * margin_error


@pytest.mark.slow
@pytest.mark.requires_jit
def test_equity_is_within_a_fifth_of_a_percent_at_thirty_scores() -> None:
    """The decks are fixed, so there is no false alarm: the largest of thirty differences is what it is."""
    outcomes = measure(of("gold"), of("simple"), EAAI, pairs=700_000, seed=3, threads=2)
    equity = solve(outcomes, EAAI, threads=2)
    found = gaps(equity, "gold", "simple", random_starts(100, 30, 4), 80_000)
    assert max(abs(win) for win, *_ in found) < 0.002
    assert all(abs(win) < 5.5 * error for win, error, *_ in found)


@pytest.mark.slow
@pytest.mark.requires_jit
@pytest.mark.parametrize(("a", "b"), [("greedy", "simple"), ("heisenbot", "simple")])
def test_players_who_look_at_the_score(a: str, b: str) -> None:
    """At ten scores, half of them near the end: 5.5 standard errors, false alarms below 1e-6."""
    cells = play_cells(of(a), of(b), EAAI, seed=3, threads=2)
    outcomes = measure(of(a), of(b), EAAI, pairs=60_000, seed=3, threads=2, cells=cells)
    starts = [
        *random_starts(100, 5, 4),
        *((90 + x // 10, 90 + y // 10, dealer) for x, y, dealer in random_starts(100, 5, 5)),
    ]
    for win, win_error, margin, margin_error in gaps(solve(outcomes, EAAI, threads=2), a, b, starts, 20_000):
        assert abs(win) < 5.5 * win_error
        assert abs(margin) < 5.5 * margin_error
