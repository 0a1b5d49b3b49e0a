"""Knock rules as tables over own turn and deadwood."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.knocking.policy import TURNS, Policy, cell_of, sums_by_group, threshold, turn_label, two_stage
from sim._jit import COMPILED
from sim.forks import fork_hands
from sim.rules import Rules
from sim.run import play_match
from strategies.base import StrategyError, parse_strategy, player
from strategies.table_player import table_player

EAAI = Rules.preset("eaai")
HAND = EAAI.replace(match_type="single_hand")
PAIRS = 200 if COMPILED else 10


def test_tables_are_the_rules_they_are_named_after() -> None:
    forks = fork_hands(
        player(parse_strategy("two_stage(9, 2, 5)")),
        player(parse_strategy("gold")),
        EAAI,
        pairs=300 if COMPILED else 10,
    )
    assert (two_stage(9, 2, 5).at(forks) == forks.forks.asked).all()
    assert (threshold(4).at(forks) == (forks.forks.deadwood <= 4)).all()
    assert cell_of(forks).max() < TURNS * 11
    assert (turn_label(1), turn_label(TURNS)) == ("1", "20+")
    with pytest.raises(ValueError, match="switch 0"):
        two_stage(10, 0, 0)


def test_a_player_by_a_table_plays_as_the_rule() -> None:
    base = parse_strategy("gold")
    b = player(parse_strategy("simple"))
    made = table_player(base, threshold(4).cells())
    run = play_match(made, b, HAND, pairs=PAIRS, seed=3)
    known = play_match(player(parse_strategy("threshold(4)")), b, HAND, pairs=PAIRS, seed=3)
    assert run.tally.tobytes() == known.tally.tobytes()


@pytest.mark.requires_jit
def test_a_mixed_table_brings_what_its_expectation_says() -> None:
    """Five standard errors of 4,000 hands: false alarms below 1e-6."""
    shares = np.full((TURNS, 11), 0.5)
    shares[:, 0] = 1
    half = Policy(shares)
    a, b = parse_strategy("gold"), player(parse_strategy("simple"))
    forks = fork_hands(player(a), b, HAND, pairs=2000, seed=5)
    expected = forks.expected(half.at(forks)).result
    run = play_match(table_player(a, half.cells()), b, HAND, pairs=2000, seed=5)
    points = run.tally.outcome("points_a") - run.tally.outcome("points_b")
    spread = (
        forks.expected_of(
            half.at(forks), forks.forks.points.astype(float) ** 2, forks.deals.points.astype(float) ** 2
        ).result
        - expected**2
    )
    assert abs(points - expected.sum()) < 5 * spread.sum() ** 0.5
    sums, hands = sums_by_group(forks.deals, expected, 128)
    assert sums.sum() == pytest.approx(expected.sum()) and hands.sum() == 4000


def test_a_strategy_that_plays_on_in_thought_is_refused() -> None:
    with pytest.raises(StrategyError, match="monte_carlo"):
        table_player(parse_strategy("monte_carlo(2)"), threshold(4).cells())
