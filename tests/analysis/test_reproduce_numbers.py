"""What ``reproduce`` counts and measures: surveys by the oracle, measures by matches and told games."""

from __future__ import annotations

import dataclasses
import math
from itertools import combinations

import numpy as np
import pytest

from analysis.match import match_report
from analysis.reproduction import surveys
from analysis.reproduction.measures import MEASURES, PANEL
from analysis.reproduction.model import EQUAL_COUNTS_BONUS, Play
from analysis.reproduction.rows_framework import FRAMEWORK
from analysis.reproduction.run import Settings, play_task
from analysis.request import Match
from sim._jit import COMPILED
from sim.replay import replay_match
from sim.rules import Rules
from sim.run import Run, Swing
from sim.tally import Tally
from strategies.base import parse_strategy, player
from tests import naive

# --- surveys -------------------------------------------------------------------------------------


def test_melds_are_the_oracle_s() -> None:
    told = surveys.count_melds()
    melds = naive.all_melds("low")
    assert told["melds"].estimate == len(melds) == 329
    assert told["sets"].estimate == sum(map(naive.is_set, melds))
    assert told["short_melds"].estimate == sum(len(meld) <= 5 for meld in melds)
    threes = sorted(naive.to_mask(meld) for meld in melds if len(meld) == 3)
    assert sorted(surveys.melds_of_three()) == threes


def test_gin_hands_of_six_cards() -> None:
    """By hand: two threes without a common card, or one run of six."""
    threes = [naive.to_mask(meld) for meld in naive.all_melds("low") if len(meld) == 3]
    expected = {one | two for one, two in combinations(threes, 2) if one & two == 0}
    expected |= {naive.to_mask(meld) for meld in naive.all_melds("low") if len(meld) == 6}
    told = surveys.gin_hands(6)
    assert told["gin_hands"].estimate == len(expected)
    assert told["one_in"].estimate == pytest.approx(math.comb(52, 6) / len(expected))


def test_sets_melded_first() -> None:
    """Aces melded with two others of their rank are missing in a run, unless the run is melded first."""
    hands = {"AS AH AC 2S 3S": 5, "AS 2S 3S 4S 5H 6H": 11, "KS KH KC KD QS JS": 20, "KS QS JS TS AH AC AD": 0}
    masks = np.array([naive.to_mask(naive.cards(hand)) for hand in hands], np.int64)
    assert surveys.sets_first_deadwood(masks).tolist() == list(hands.values())


def test_moments_of_dealt_hands() -> None:
    deals = 300 if COMPILED else 60
    hands = np.empty(deals, np.int64)
    surveys.deal_tens(5, hands, np.empty(52, np.int8))
    points = np.array([naive.deadwood(naive.from_mask(int(hand)), "low", 1) for hand in hands])
    told = surveys.dealt_deadwood(deals, 5)
    assert told["mean"].estimate == pytest.approx(points.mean())
    assert told["deviation"].estimate == pytest.approx(points.std(ddof=1))
    assert told["at_most_10"].estimate == pytest.approx((points <= 10).mean())
    assert told["mean"].low is not None and told["mean"].high is not None
    half = 1.96 * points.std(ddof=1) / math.sqrt(deals)
    assert told["mean"].high - told["mean"].low == pytest.approx(2 * half, rel=1e-3)
    assert told["largest"].estimate == 98


@pytest.mark.requires_jit
def test_interval_of_a_deviation() -> None:
    """Twenty samples of 20,000: their deviations scatter as the interval says, within a factor of 2."""
    told = [surveys.dealt_deadwood(20_000, seed)["deviation"] for seed in range(20)]
    values = [one.estimate for one in told if one.estimate is not None]
    halves = [(one.high - one.low) / 2 for one in told if one.low is not None and one.high is not None]
    assert len(values) == len(halves) == 20
    assert 0.5 < 1.96 * np.std(values, ddof=1) / np.mean(halves) < 2


# --- measures ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tally() -> Tally:
    play = Play("greedy", "simple", 400 if COMPILED else 4)
    told = play_task(play, Settings(1, 5, 1))
    assert isinstance(told, Tally)
    return told


def test_measures_are_those_of_a_match(tally: Tally) -> None:
    greedy, simple = parse_strategy("greedy"), parse_strategy("simple")
    match = Match(greedy, simple, Rules.preset("eaai"), "eaai", (), 200, 5)
    report = match_report(match, Run(tally, 0, tally.pairs, 1.0, False, Swing(-1, 0, 0)))
    told = {name: MEASURES[name](tally).to_dict() for name in MEASURES}
    assert told["game_share"] == report["game_share"] and told["hand_share"] == report["hand_share"]
    assert told["points_lead"] == report["points_per_hand"]["difference"]
    assert told["hands_a_game"] == report["hands_per_game"] and told["turns"] == report["turns_per_hand"]
    assert told["non_dealer"] == report["first_mover"]["hand_share"]
    hands = report["hands"]
    for kind in ("knock", "gin", "undercut"):
        for side in "ab":
            assert told[f"{kind}_{side}"]["estimate"] == pytest.approx(report["endings"][side][kind] / hands)
    shown = [told[name]["estimate"] for name in PANEL if name[:-2] in ("knock", "gin", "undercut")]
    assert sum(shown) + told["void"]["estimate"] == pytest.approx(1)


def test_measures_by_the_told_games() -> None:
    """Hand by hand, of the games of the first pairs."""
    play = Play("greedy", "simple", 12 if COMPILED else 2)
    tally = play_task(play, Settings(1, 5, 1))
    assert isinstance(tally, Tally)
    a, b = (player(parse_strategy(text)) for text in (play.a, play.b))
    games = [
        game
        for pair in range(play.pairs(1))
        for number in (0, 1)
        for game in replay_match(a, b, Rules.preset("eaai"), pair=pair, game=number, seed=5).games
    ]
    hands = [hand for game in games for hand in game.hands]
    won = [hand.points for hand in hands if hand.winner is not None]
    signed = [0 if hand.winner is None else (1 - 2 * hand.winner) * hand.points for hand in hands]
    gins = [hand for hand in hands if hand.end == "gin"]
    value = {name: MEASURES[name](tally).estimate for name in MEASURES}
    assert value["winner_points"] == pytest.approx(np.mean(won))
    assert value["winner_median"] == np.median(won) or len(won) % 2 == 0
    assert value["points_deviation"] == pytest.approx(np.std(signed))
    assert value["gins_a_game"] == pytest.approx(len(gins) / len(games))
    assert value["gin"] == pytest.approx(len(gins) / len(hands))
    if gins:
        assert value["points_of_gin"] == pytest.approx(np.mean([hand.points for hand in gins]))
    assert value["scored_hands_a_game"] == pytest.approx(len(won) / len(games))


@pytest.mark.requires_jit
def test_equal_counts_stand_alone() -> None:
    """With the odd bonus the players play the same hands, and no other hand scores exactly it."""
    one, odd = (
        play_task(Play("simple", "simple", 4_000, settings), Settings(1, 5, 2))
        for settings in (("match_type=single_hand",),
                         ("match_type=single_hand", f"undercut_bonus={EQUAL_COUNTS_BONUS}"))
    )  # fmt: skip
    assert isinstance(one, Tally) and isinstance(odd, Tally)
    scores = [tally.total("scores").sum(axis=0) for tally in (one, odd)]
    equal = MEASURES["equal_counts"](odd).estimate
    assert equal is not None and equal > 0
    # An undercut of 25 points is one at equal counts, unless a knock or gin wins as many.
    assert round(equal * 4_000) == scores[1][EQUAL_COUNTS_BONUS] <= scores[0][25]
    assert scores[1][EQUAL_COUNTS_BONUS:].sum() == round(4_000 * (MEASURES["undercut"](odd).estimate or 0))


@pytest.mark.requires_jit
def test_the_framework_undercuts_less_often() -> None:
    greedy, joint = (
        play_task(dataclasses.replace(FRAMEWORK, games=40_000, framework=way), Settings(1, 5, 2))
        for way in (True, False)
    )
    assert isinstance(greedy, Tally) and isinstance(joint, Tally)
    less, more = (MEASURES["laid_off"](tally).estimate or 0 for tally in (greedy, joint))
    assert 0.58 < less < 0.61 < more < 0.63
