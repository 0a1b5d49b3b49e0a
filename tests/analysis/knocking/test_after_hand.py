"""Chances after a hand: by hand from an equity table, and in the verdicts."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.console import UsageError
from analysis.knocking.advise import mean_share
from analysis.knocking.after_hand import AfterHand, after_hand
from sim.rules import Rules
from strategies.base import parse_strategy, player

GOLD = player(parse_strategy("gold"))


def table(target: int = 100) -> np.ndarray:
    """Return made-up chances that tell dealer and scores apart, 0.3 more if A deals."""
    a, b = np.arange(target)[:, None], np.arange(target)[None, :]
    one = np.stack([0.3 + 0.001 * a - 0.00001 * b, 0.001 * a - 0.00001 * b])
    return np.stack([one, one + 0.01])


def test_scores_and_dealers_after_a_hand() -> None:
    told = AfterHand(Rules(), (62, 80), table())
    points, winner, boxes = [10, -12, 0, 38, -20], [0, 1, -1, 0, 1], [1, 1, 0, 1, 1]
    found = told.shares(points, winner, boxes, 1)
    # Won hands pass the deal to A, a void one leaves it with B.
    expected = [0.3 + 0.072 - 0.0008, 0.3 + 0.062 - 0.00092, 0.062 - 0.0008, 1.0, 0.0]
    assert found[0] == pytest.approx(expected)
    assert found[1] == pytest.approx([*(np.array(expected[:3]) + 0.01), 1.0, 0.0])


def test_boxes_that_count_at_once_and_a_drawn_dealer() -> None:
    rules = Rules(box_timing="immediate", box_bonus=10, next_dealer="random", void_dealer="rotate")
    told = AfterHand(rules, (62, 80), table())
    found = told.shares([10, -10, 0, 0], [0, 1, -1, 1], [2, 1, 0, 1], 0)
    expected = [0.15 + 0.092 - 0.0008, 0.0, 0.062 - 0.0008, 0.15 + 0.062 - 0.0009]
    assert found[0] == pytest.approx(expected)


def test_errors_of_the_measurement_are_carried_on() -> None:
    rng = np.random.default_rng(1)
    worlds = rng.random(400)
    alone = mean_share(worlds[None])
    exact = mean_share(np.tile(worlds, (33, 1)))
    assert exact.se == pytest.approx(alone.se)
    moved = worlds + np.concatenate([[0.0], rng.normal(0, 0.01, 32)])[:, None]
    told = mean_share(moved)
    without = moved[1:].mean(axis=1)
    jackknife = (((without - without.mean()) ** 2).sum() * 31 / 32) ** 0.5
    assert alone.se is not None and told.se is not None
    assert told.se == pytest.approx((alone.se**2 + jackknife**2) ** 0.5)


@pytest.mark.requires_jit
def test_equals_have_equal_chances_where_the_hand_decides_nothing() -> None:
    """Equal players at equal scores, after a void hand and a drawn deal: a half each."""
    rules = Rules.preset("eaai").replace(void_dealer="random")
    told = after_hand(GOLD, GOLD, rules, (40, 40), pairs=4000, seed=2, threads=2)
    estimate = mean_share(told.shares([0] * 2, [-1] * 2, [0] * 2, 0))
    assert estimate.se is not None and estimate.estimate is not None
    assert abs(estimate.estimate - 0.5) < 8 * estimate.se  # Student's t, 31 degrees: false alarm below 1e-8


def test_rules_without_one_score_are_refused() -> None:
    for changes in ({"match_type": "single_hand"}, {"match_type": "best_of", "match_length": 3}):
        with pytest.raises(UsageError, match="match_type"):
            after_hand(GOLD, GOLD, Rules(**changes), (0, 0))
