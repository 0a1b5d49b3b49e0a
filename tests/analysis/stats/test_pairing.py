"""What mirroring is worth: against pairs played one at a time, and where it is known."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from analysis.stats.estimates import NOTHING, ratio
from analysis.stats.pairing import pairing_gain, unpaired_ratio
from sim._jit import COMPILED
from sim.rules import Rules
from sim.run import play_match
from sim.tally import MATCH_OUTCOMES, OUTCOMES
from strategies.base import parse_strategy, player

CASES = {
    case["id"]: case
    for case in json.loads((Path(__file__).parents[2] / "data" / "cases.json").read_text(encoding="utf-8"))
}
LEAD = {"points_a": 1, "points_b": -1}
CHOSEN = (("games_a", "games"), ("hands_a", "decisive"), (LEAD, "hands"), ("matches_a", "one"))


def moments(matches: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return moments over pairs and over matches; ``matches`` is (pairs, 2, outcomes)."""
    pairs = np.zeros((len(matches), len(OUTCOMES)), np.int64)
    pairs[:, : len(MATCH_OUTCOMES)] = matches.sum(axis=1)
    pairs[:, 0] = 1
    single = matches.reshape(-1, len(MATCH_OUTCOMES))
    return pairs.T @ pairs, single.T @ single


def matches(luck: np.ndarray) -> np.ndarray:
    """Return matches of one hand whose points for A are given, (pairs, 2)."""
    told = np.zeros((*luck.shape, len(MATCH_OUTCOMES)), np.int64)
    for name in ("one", "games", "hands", "decisive"):
        told[..., MATCH_OUTCOMES.index(name)] = 1
    told[..., MATCH_OUTCOMES.index("points_a")] = luck
    return told


def test_games_that_cancel_gain_and_games_that_repeat_lose() -> None:
    rng = np.random.default_rng(1)
    deck, own = (rng.integers(-100, 101, (4000, 1)), rng.integers(-100, 101, (4000, 2)))
    # Points with the deck's luck reversed, left out, and repeated in the second game.
    gains = [
        pairing_gain(*moments(matches(own + deck * np.array([1, sign]))), "points_a", "hands")
        for sign in (-1, 1)
    ]
    # Variances per game: 2 v; of a pair's sum 2 v reversed and 6 v repeated: 4 v / 2 v and 4 v / 6 v.
    assert gains == pytest.approx([2.0, 2 / 3], rel=0.1)
    assert pairing_gain(*moments(matches(own)), "points_a", "hands") == pytest.approx(1.0, rel=0.1)


@pytest.mark.parametrize(("numerator", "denominator"), CHOSEN, ids=str)
def test_real_play_by_single_pairs(numerator: object, denominator: str) -> None:
    """A gain is the variances' ratio: that over pairs as told, that over matches by hand."""
    pairs = 60 if COMPILED else 3
    sides = [player(parse_strategy(text)) for text in ("simple", "threshold(4)")]
    run = play_match(*sides, Rules.preset("eaai"), pairs=pairs, seed=9)
    tally = run.tally
    pair_moments, match_moments = tally.total("moments"), tally.total("match_moments")
    single = match_moments[0].astype(float)
    assert single[0] == 2 * pairs
    weights = numerator if isinstance(numerator, dict) else {numerator: 1}
    assert isinstance(numerator, (str, dict))
    told = pairing_gain(pair_moments, match_moments, numerator, denominator)
    factor = 2 if denominator == "one" else 1
    unpaired = unpaired_ratio(match_moments, numerator, denominator, factor=factor)
    paired = ratio(pair_moments, numerator, denominator, factor=2 * factor if denominator == "one" else 1)
    assert unpaired.estimate == paired.estimate
    assert unpaired.se is not None and paired.se is not None and told is not None
    assert told == pytest.approx((unpaired.se / paired.se) ** 2)
    at = {name: place for place, name in enumerate(MATCH_OUTCOMES)}
    x, n = np.zeros(len(at)), np.zeros(len(at))
    for name, weight in weights.items():
        x[at[name]] = weight
    n[at[denominator]] = factor
    residual = x - unpaired.estimate * n
    variance = residual @ match_moments @ residual / (n @ single) ** 2 * 2 * pairs / (2 * pairs - 1)
    assert unpaired.se == pytest.approx(np.sqrt(variance))


def test_mirrored_self_play_has_no_variance_to_compare() -> None:
    side = player(parse_strategy("threshold(3)"))
    tally = play_match(side, side, Rules.preset("eaai"), pairs=5, seed=1).tally
    assert pairing_gain(tally.total("moments"), tally.total("match_moments"), "points_a", "hands") is not None
    same = (tally.total("moments"), tally.total("match_moments"))
    assert pairing_gain(*same, LEAD, "hands") is None


def test_published_interval_of_games_taken_as_independent() -> None:
    """GR-149: what the games of 6000 pairs would give without regard to the pairs."""
    case = CASES["GR-149"]
    pairs = case["input"]["pairs"]
    won, split, lost = pairs["two_nil"], pairs["split"], pairs["nil_two"]
    told = np.zeros((won + split + lost, 2, len(MATCH_OUTCOMES)), np.int64)
    told[..., MATCH_OUTCOMES.index("one")] = told[..., MATCH_OUTCOMES.index("games")] = 1
    halves = told[..., MATCH_OUTCOMES.index("games_a")]
    halves[:won] = 2
    halves[won : won + split, 0] = 2
    pair_moments, match_moments = moments(told)
    naive = unpaired_ratio(match_moments, "games_a", "games", factor=2, share=True)
    assert naive.estimate is not None and naive.low is not None and naive.high is not None
    assert round(naive.estimate, 4) == case["expected"]["share"]
    assert [round(naive.low, 4), round(naive.high, 4)] == case["expected"]["ci_naive"]
    gain = pairing_gain(pair_moments, match_moments, "games_a", "games")
    assert gain == pytest.approx((0.0174 / 0.0146) ** 2, rel=0.02)  # of the published widths


def test_nothing_played() -> None:
    pair_moments, match_moments = moments(matches(np.zeros((0, 2), np.int64)))
    assert pairing_gain(pair_moments, match_moments, "games_a", "games") is None
    assert unpaired_ratio(match_moments, "games_a", "games", factor=2, share=True) is NOTHING
    assert pairing_gain(*moments(matches(np.ones((1, 2), np.int64))), "points_a", "hands") is None
