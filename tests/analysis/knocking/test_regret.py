"""Self-play over the knock table: updates by a plain loop, the little deck solved exactly."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest

from analysis.knocking.metagame import equilibrium
from analysis.knocking.policy import TURNS, Policy, threshold
from analysis.knocking.regret import LEAST_REACH, Record, SelfPlay, recorder, self_play
from sim._jit import COMPILED
from sim.forks import Forks, fork_hands
from sim.rules import Rules
from strategies.base import parse_strategy, player
from strategies.table_player import table_player
from tests.enumerate_small_deck import DEALS
from tests.small_deck_forks import RULES_HERE, fork_indices
from tests.small_deck_solver import Line, cells_of, lines_of, mean_points, payoffs, tables_of
from tests.small_deck_tables import Best, all_kinds, best_table

EAAI = Rules.preset("eaai")
GOLD = parse_strategy("gold")


def by_loop(batches: list[tuple[Policy, Forks]]) -> dict[tuple[int, int], tuple[float, float, float]]:
    """Return regret of knocking, of declining and the average of each cell seen, written out."""
    regrets: dict[tuple[int, int], list[float]] = defaultdict(lambda: [0.0, 0.0])
    sums: dict[tuple[int, int], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for number, (policy, forks) in enumerate(batches, 1):
        gained: dict[tuple[int, int], list[tuple[float, float, float]]] = defaultdict(list)
        for deal in forks.deals:
            reach, rows = 1.0, list(range(int(deal.start), int(deal.stop)))
            for place in rows:
                row = forks.forks[place]
                cell = (min(int(row.own_turn), TURNS), int(row.deadwood))
                share = float(policy.shares[cell[0] - 1, cell[1]])
                later, left = 0.0, 1.0  # of declining here
                for other in rows[rows.index(place) + 1 :]:
                    at = forks.forks[other]
                    p = float(policy.shares[min(int(at.own_turn), TURNS) - 1, int(at.deadwood)])
                    later += left * p * int(at.points)
                    left *= 1 - p
                later += left * int(deal.points)
                following = share * int(row.points) + (1 - share) * later
                gained[cell].append((reach, int(row.points) - following, later - following))
                reach *= 1 - share
        for cell, forked in gained.items():
            mean = sum(reach for reach, _, _ in forked) / len(forked)
            for action in (1, 2):
                scaled = [(one[0] + LEAST_REACH) / (mean + LEAST_REACH) * one[action] for one in forked]
                known = regrets[cell][action - 1]
                regrets[cell][action - 1] = max(0.0, known + sum(scaled) / len(forks.deals))
            sums[cell][0] += number * mean * float(policy.shares[cell[0] - 1, cell[1]])
            sums[cell][1] += number * mean
    return {cell: (*regrets[cell], share / weight) for cell, (share, weight) in sums.items() if weight > 0}


def test_updates_are_those_of_a_plain_loop() -> None:
    state, batches = SelfPlay(), []
    pairs = 60 if COMPILED else 6
    record = recorder(GOLD, EAAI, pairs=pairs, seed=8)
    for number in range(3):
        policy = state.policy
        forks = record(policy, number)
        batches.append((policy, forks))
        state.learn(forks)
    assert [batch[1].deals.pair[0] for batch in batches] == [0, pairs, 2 * pairs]
    told = by_loop(batches)
    assert len(told) > pairs
    for (turn, deadwood), (knock, decline, average) in told.items():
        shown = 1.0 if deadwood == 0 else average
        assert state.average.shares[turn - 1, deadwood] == pytest.approx(shown)
        if deadwood:
            share = knock / (knock + decline) if knock + decline > 0 else 0.5
            assert state.policy.shares[turn - 1, deadwood] == pytest.approx(share)


def test_what_is_recorded_is_the_table_played() -> None:
    shares = np.full((TURNS, 11), 0.3)
    shares[:, 0] = 1
    forks = recorder(GOLD, EAAI, pairs=5, seed=8)(Policy(shares), 2)
    b = table_player(GOLD, Policy(shares).cells())
    same = fork_hands(player(GOLD), b, EAAI, pairs=5, seed=8, first=10)
    assert forks.deals.tobytes() == same.deals.tobytes() and forks.forks.tobytes() == same.forks.tobytes()


def test_the_average_is_kept_at_checkpoints_and_at_the_end() -> None:
    told: list[int] = []
    kept = self_play(recorder(GOLD, EAAI, pairs=3), 5, (1, 3, 10), told.append)
    assert [one.iteration for one in kept] == [1, 3, 5] and told == [1, 2, 3, 4, 5]
    assert kept[0].policy.shares[0, 1:].tolist() == [0.5] * 10  # the first table knows of no regret
    assert (kept[-1].policy.shares[:, 0] == 1).all()
    again = self_play(recorder(GOLD, EAAI, pairs=3, threads=2), 5, (3,))
    assert (again[-1].policy.shares == kept[-1].policy.shares).all()
    with pytest.raises(ValueError, match="iterations 0"):
        self_play(recorder(GOLD, EAAI, pairs=3), 0)


# --- the little deck -----------------------------------------------------------------------------


def test_forks_of_the_little_deck_are_those_of_the_slow_simulator() -> None:
    """Every legal knock with its points, in both seatings, against thresholds 0 and 10."""
    indices = list(range(3, DEALS, DEALS // (300 if COMPILED else 40)))
    lines: list[Line] = []
    for index in indices:
        lines += list(lines_of([index]).elements())
    matrix = np.zeros((2, 2))
    for column, k in enumerate((0, 10)):
        forks = fork_indices(player(GOLD), table_player(GOLD, threshold(k).cells()), indices, seats=2)
        for row, own in enumerate((0, 10)):
            matrix[row, column] = forks.result(forks.forks.deadwood <= own).mean()
    counted = Counter(lines)
    cells = cells_of(counted)
    tables = [frozenset(cell for cell in cells if cell[1] <= k) for k in (0, 10)]
    assert matrix == pytest.approx(payoffs(counted, tables, tables), abs=1e-12)
    assert matrix[0, 1] != 0 and len(cells) >= 8


def check_little_deck(deals: int, iterations: int, tolerance: float, hard: bool) -> None:
    """Compare self-play with all deterministic tables, listed.

    The game of mixed tables has value 0. A single table cannot remember what it declined, so it is compared
    by what the best of all tables wins from it, exactly. ``hard`` if no threshold is good enough; of many
    deals knocking whenever it is legal is best.
    """
    indices = list(range(5, DEALS, DEALS // deals))
    lines = lines_of(indices)
    cells = cells_of(lines)
    assert 8 <= len(cells) <= 12

    def record(policy: Policy, iteration: int) -> Forks:
        other = table_player(GOLD, policy.cells())
        return fork_indices(player(GOLD), other, indices, seats=2, key=iteration + 1)

    policy = self_play(record, iterations)[-1].policy
    found = {(turn, deadwood): float(policy.shares[turn - 1, deadwood]) for turn, deadwood in cells}
    tables = tables_of(cells)
    won = [mean_points(lines, {cell: float(cell in table) for cell in cells}, found) for table in tables]
    assert -1e-9 <= max(won) - mean_points(lines, found, found) < tolerance
    assert mean_points(lines, found, found) == pytest.approx(0, abs=1e-9)
    matrix = payoffs(lines, tables, tables)
    exact = equilibrium(matrix)
    assert exact.value == pytest.approx(0, abs=1e-9) and (matrix @ exact.columns).max() < 1e-9
    mixed = sum(
        weight * mean_points(lines, found, {cell: float(cell in table) for cell in cells})
        for table, weight in zip(tables, exact.columns, strict=True)
        if weight > 0
    )
    assert -tolerance < mixed < 1e-9
    for k in range(7):
        place = tables.index(frozenset(cell for cell in cells if cell[1] <= k))
        assert matrix[:, place].max() > 5 * tolerance or not hard


@pytest.mark.requires_jit
def test_self_play_on_the_little_deck_is_near_the_exact_equilibrium() -> None:
    check_little_deck(200, 400, 0.02, True)


def exact_reply(policy: Policy, rules: Rules, step: int) -> Best:
    """Return the best of all tables against a table's player, in both seatings of every ``step``-th deal."""
    other = table_player(GOLD, policy.cells())
    return best_table([(1.0, all_kinds(player(GOLD), other, step, rules, seats=2))])


@pytest.mark.slow
@pytest.mark.requires_jit
@pytest.mark.parametrize(("bonus", "step"), [(10, 12), (25, 1)])
def test_self_play_finds_the_only_equilibrium_cell_by_cell(bonus: int, step: int) -> None:
    """Of all 13,305,600 deals in both seatings, or of every twelfth; self-play learns from every 600th.

    Nothing is better against knocking at every legal knock than that itself. Any other equilibrium would
    be as good against it, and what is as good differs only in cells that are then not reached.
    """
    rules = RULES_HERE.replace(undercut_bonus=bonus)
    exact = exact_reply(threshold(10), rules, step)
    assert exact.value == pytest.approx(0, abs=1e-12)  # of a table against itself
    decided = frozenset.intersection(*exact.tables)
    free = frozenset.union(*exact.tables) - decided
    assert len(decided) == 8 and len(exact.tables) == 2 ** len(free)
    policy = self_play(every_so_many(600, rules), 150)[-1].policy
    for turn, deadwood in decided - {(3, 6)}:  # that one knocks on a hand in 70,000
        assert policy.shares[turn - 1, deadwood] > 0.99
    # What a mixed table leaves to chance is drawn at each deal, so its own side may come out ahead.
    assert abs(exact_reply(policy, rules, 12).value) < 0.001


@pytest.mark.slow
@pytest.mark.requires_jit
def test_self_play_is_near_a_mixed_equilibrium() -> None:
    """With an undercut bonus of 40 the best reply wins 0.4 points a hand from who knocks when he may."""
    rules = RULES_HERE.replace(undercut_bonus=40)
    assert exact_reply(threshold(10), rules, 60).value > 0.4
    policy = self_play(every_so_many(120, rules), 100)[-1].policy
    assert exact_reply(policy, rules, 12).value < 0.02


def every_so_many(step: int, rules: Rules) -> Record:
    """Return what records a table against itself on every ``step``-th deal of the little deck."""

    def record(policy: Policy, iteration: int) -> Forks:
        other = table_player(GOLD, policy.cells())
        deals = range(7, DEALS, step)
        return fork_indices(player(GOLD), other, deals, seats=2, key=iteration + 1, rules=rules)

    return record
