"""Knock rules as a zero-sum game: its matrix, its equilibrium, what is known of the weights."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from analysis.knocking.metagame import MetaGame, bootstrap_weights, equilibrium, play_metagame, rule_grid
from sim._jit import COMPILED
from sim.rules import Rules
from sim.run import play_match
from strategies.base import parse_strategy, player
from strategies.threshold import Threshold, TwoStage
from tests.small_deck_solver import payoffs, tables_of

EAAI = Rules.preset("eaai")
GOLD = parse_strategy("gold")


def test_rules_of_the_grid_are_the_strategies_they_are_named_after() -> None:
    grid = rule_grid()
    assert len(grid) == 11 + 3 * 15 and len({rule.name for rule in grid}) == len(grid)
    for rule in grid:
        cells = rule.policy.shares
        chosen = parse_strategy(rule.name)
        for turn, deadwood in [(1, 1), (3, 4), (5, 3), (6, 8), (7, 2), (8, 10), (20, 5)]:
            if isinstance(chosen, Threshold):
                most = chosen.k
            else:
                assert isinstance(chosen, TwoStage)
                most = chosen.early if turn < chosen.switch else chosen.late
            assert cells[turn - 1, deadwood] == (deadwood <= most), rule.name
    assert len(rule_grid((6,), range(11))) == 66


@pytest.mark.parametrize("preset", ["eaai", "bga", "bga_oklahoma"])
def test_the_matrix_is_antisymmetric_to_the_integer(preset: str) -> None:
    grid = rule_grid((4, 6), (0, 6, 10), (0, 3, 10)) if COMPILED else rule_grid((4,), (0, 10), (3,))
    pairs = 150 if COMPILED else 5
    game = play_metagame(GOLD, grid, Rules.preset(preset), pairs=pairs, seed=4, first=30)
    assert (game.points == -game.points.transpose(0, 2, 1)).all()
    assert game.hands.sum() == 2 * pairs and len(game.hands) == min(pairs, 128) and (game.points != 0).any()
    assert equilibrium(game.matrix).value == pytest.approx(0, abs=1e-9)


def test_an_entry_is_what_a_match_of_hands_brings() -> None:
    grid = rule_grid((6,), (0, 10), (4,))
    pairs = 80 if COMPILED else 4
    game = play_metagame(GOLD, grid, EAAI, pairs=pairs, seed=6)
    hand = EAAI.replace(match_type="single_hand")
    sides = [player(parse_strategy(rule.name)) for rule in grid]
    run = play_match(sides[0], sides[1], hand, pairs=pairs, seed=6)
    won = run.tally.outcome("points_a") - run.tally.outcome("points_b")
    assert game.points[:, 0, 1].sum() == won


# --- the linear programme ------------------------------------------------------------------------


def solved_by_supports(matrix: npt.NDArray[np.float64]) -> tuple[float, int]:
    """Return the value by trying all supports of equal size, and how many equilibria there are."""
    rows, columns = matrix.shape
    values = []
    for size in range(1, min(rows, columns) + 1):
        for chosen in combinations(range(rows), size):
            for against in combinations(range(columns), size):
                part = matrix[np.ix_(chosen, against)]
                # x @ part = v, sum(x) = 1 and part @ y = v, sum(y) = 1.
                sides = []
                for one in (part.T, part):
                    system = np.block([[one, -np.ones((size, 1))], [np.ones((1, size)), np.zeros((1, 1))]])
                    if abs(np.linalg.det(system)) < 1e-9:
                        break
                    sides.append(np.linalg.solve(system, [0.0] * size + [1.0]))
                if len(sides) < 2 or min(side[:-1].min() for side in sides) < -1e-12:
                    continue
                x, y, v = np.zeros(rows), np.zeros(columns), sides[0][-1]
                x[list(chosen)], y[list(against)] = sides[0][:-1], sides[1][:-1]
                if (x @ matrix).min() >= v - 1e-9 and (matrix @ y).max() <= v + 1e-9:
                    values.append(float(v))
    assert values and np.ptp(values) < 1e-9
    return values[0], len(values)


@pytest.mark.parametrize("seed", range(12))
def test_the_equilibrium_is_that_of_an_independent_solver(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(int(rng.integers(2, 6)), int(rng.integers(2, 6))))
    found = equilibrium(matrix)
    value, _ = solved_by_supports(matrix)
    assert found.value == pytest.approx(value, abs=1e-9)
    assert (found.rows @ matrix).min() == pytest.approx(value, abs=1e-7)
    assert (matrix @ found.columns).max() == pytest.approx(value, abs=1e-7)


def test_games_whose_equilibrium_is_known() -> None:
    # Rock, paper, scissors with a double win of rock: rock 1/4, paper 1/2, scissors 1/4.
    found = equilibrium([[0, -1, 2], [1, 0, -1], [-2, 1, 0]])
    assert found.rows == pytest.approx([0.25, 0.5, 0.25]) and found.value == pytest.approx(0)
    found = equilibrium([[3, -1], [-2, 1]])
    assert found.rows == pytest.approx([3 / 7, 4 / 7]) and found.columns == pytest.approx([2 / 7, 5 / 7])
    assert found.value == pytest.approx(1 / 7)
    assert equilibrium([[2.0, 3.0], [1.0, 0.0]]).rows.tolist() == [1.0, 0.0]
    for bad in ([], [[]], [[np.nan]]):
        with pytest.raises(ValueError, match="matrix of shape"):
            equilibrium(bad)


def test_weights_have_intervals_over_groups() -> None:
    """Rock, paper, scissors by lot in 64 groups: a third each, within wide intervals."""
    rng = np.random.default_rng(1)
    ahead = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    noise = rng.integers(-300, 301, (64, 3, 3))
    points = 100 * ahead + noise - noise.transpose(0, 2, 1)
    game = MetaGame(rule_grid((), thresholds=(0, 5, 10)), points, np.full(64, 100))
    told = bootstrap_weights(game, 100)
    weights = equilibrium(game.matrix).rows
    assert [one.estimate for one in told] == weights.tolist()
    for one in told:
        assert one.low is not None and one.high is not None and one.estimate is not None
        assert 0 <= one.low < 1 / 3 < one.high <= 1 and one.low < one.estimate < one.high
    # One group in every draw: each draw is the sample itself, and nothing varies.
    alone = game._replace(points=points.sum(axis=0)[None], hands=np.array([6400]))
    assert all(one.low is None for one in bootstrap_weights(alone, 5))


def test_tables_by_loops_play_a_hand_that_was_worked_out() -> None:
    """Side 0 may knock for 5, then side 1 for -7; else side 0 goes gin for 30."""
    from tests.small_deck_chances import Chance

    lines = {((Chance(0, 1, 4, 5), Chance(1, 1, 4, -7), Chance(0, 2, 0, 30)), 0): 2}
    tables = tables_of([(1, 4)])
    assert payoffs(lines, tables, tables).tolist() == [[30, -7], [5, 5]]
