"""Published cases about statistics: each is tested somewhere; here those that belong nowhere else."""

from __future__ import annotations

import json
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest

from analysis.ratings import rate
from sim._jit import COMPILED
from sim.melds import deadwood_many
from sim.replay import replay_match
from sim.rules import Rules
from sim.streams import deck_key, hand_key, pair_key
from strategies.base import parse_strategy, player
from tests import naive

TESTS = Path(__file__).parents[2]
CASES = {
    case["id"]: case
    for case in json.loads((TESTS / "data" / "cases.json").read_text(encoding="utf-8"))
    if case["kind"] == "stats"
}


@pytest.mark.parametrize("name", CASES)
def test_no_case_is_dropped(name: str) -> None:
    files = [path for path in TESTS.rglob("test_*.py") if name in path.read_text(encoding="utf-8")]
    assert files, f"{name}: {CASES[name]['input']}"


def test_wins_of_three_players() -> None:
    """GR-152: a win is counted for who won it, in the order of the players."""
    case = CASES["GR-152"]
    names = sorted(case["expected"]["wins"])
    wins = np.zeros((1, 3, 3))
    for winner, loser in case["input"]["results"]:
        wins[0, names.index(winner), names.index(loser)] += 1
    told = rate(wins, 1)
    shares = [share.estimate for share in told.mean_shares]
    assert {name: 2 * share for name, share in zip(names, shares, strict=True) if share is not None} == case[
        "expected"
    ]["wins"]
    assert [names[one] for members in told.classes for one in members] == ["B", "C", "A"]


def test_a_hundred_games_are_a_hundred_deals() -> None:
    """GR-156: all games are dealt differently, and the same whoever plays."""
    case = CASES["GR-156"]["input"]
    rules = Rules.preset("eaai").replace(match_type="single_hand")
    deals = []
    for a, b in (("gin_only", "threshold(4)"), ("random", "simple")):
        sides = [player(parse_strategy(text)) for text in (a, b)]
        stories = [
            replay_match(*sides, rules, pair=pair, game=0, seed=case["seed"]).games[0].hands[0]
            for pair in range(case["games"])
        ]
        deals.append([(story.dealt, story.upcard) for story in stories])
    assert (deals[0] == deals[1]) == CASES["GR-156"]["expected"]["deals_independent_of_bots"]
    assert len(set(deals[0])) == CASES["GR-156"]["expected"]["distinct_deals"]


def test_hands_dealt_gin() -> None:
    """GR-159: ten cards that melds cover are three melds of 3, 3 and 4 cards, or two runs of five."""
    by_size = {
        size: np.array([naive.to_mask(meld) for meld in naive.all_melds() if len(meld) == size], np.int64)
        for size in (3, 4, 5)
    }
    found = {int(one | two) for one, two in combinations(by_size[5], 2) if one & two == 0}
    for one, two in combinations(by_size[3], 2):
        if one & two == 0:
            fours = by_size[4][(by_size[4] & (one | two)) == 0]
            found.update((fours | one | two).tolist())
    expected = CASES["GR-159"]["expected"]
    assert len(found) == expected["count"]
    assert comb(52, 10) == expected["total"]
    assert len(found) / comb(52, 10) == pytest.approx(expected["p"], rel=1e-15)
    hands = np.array(sorted(found))[:: 1 if COMPILED else 500]
    assert not deadwood_many(hands).any()


def test_no_two_hands_share_a_stream() -> None:
    """GR-166: workers deal by the hand's own key; 100,000 keys are all different.

    Of random 64-bit words two would be alike with a probability of 3e-10.
    """
    case = CASES["GR-166"]
    hands = case["input"]["hands"] if COMPILED else 2000
    pairs = [pair_key(3, pair) for pair in range(hands // 10)]
    keys = {deck_key(hand_key(pair, hand)) for pair in pairs for hand in range(10)}
    assert hands - len(keys) == case["expected"]["duplicate_deal_streams"]
