"""Solo hands and games: the worked hands, the expected values, the slow simulator card by card."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from math import comb, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sim._jit import COMPILED
from sim.cards import cards_of, parse_card, parse_cards
from sim.rules import Rules, RulesError, SoloRules
from sim.solo import JOKER, NEITHER, PLAYER, SoloTable, game_winner
from sim.solo_hand import SOLO_ENDINGS, SOLO_GOING, turn_over
from sim.solo_rules import require_solo, solo_record
from sim.solo_score import SoloScore, score_solo
from tests.strategies.user_file import (
    NEVER,
    STOCK,
    puppet,
)

FALSE_ALARM = 1e-7
"""Probability with which a right engine fails one of the statistical tests here."""

BGA_SOLO = Rules.preset("bga_solo")
EXAMPLES = json.loads((Path(__file__).parent.parent / "data" / "examples.json").read_text())


def solo_rules(solo: dict[str, Any] | None = None, **changes: Any) -> Rules:
    """Return `bga_solo` with some fields of the solo game and others changed."""
    return BGA_SOLO.replace(solo=solo or {}, **changes)


def stock_of(text: str) -> list[int | None]:
    return [None if word == "JK" else parse_card(word) for word in text.split()]


# --- the worked hands ----------------------------------------------------------------------------

KNOCK = "3H 4H 5H 9S 9D 9C JD QD KD 6C"
GIN_HAND = "AS 2S 3S 4S 7H 7D 7C JD QD KD"
LOOSE = "AS 2S 3S 9H 9D KC QH 7C 5D 4C"
TWO_LEFT = KNOCK.replace("6C", "2C")

WORKED = {
    "1 knock": (KNOCK, "7S 2C KH 4S JK 8D 3C JK", 1, ("solo_knock", (5, 4), 6, 6)),
    "2 gin": (GIN_HAND, "9C 4H JK", 0, ("solo_gin", (3, 2), 0, 0)),
    "4 second joker": (LOOSE, "", 2, ("solo_second_joker", (0, 0), 54, 54)),
    "5 joker on top": (TWO_LEFT, "JK", 0, ("solo_knock", (1, 0), 2, 2)),
    "over the limit": (LOOSE, "7S JK", 0, ("illegal_knock", (0, 0), 0, 54)),
}


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize(("hand", "stock", "out", "expected"), WORKED.values(), ids=WORKED)
def test_worked_hands(hand: str, stock: str, out: int, expected: Any, counts: bool) -> None:
    end, points, joker, deadwood = expected
    rules = solo_rules({"count_joker_card": counts})
    score = score_solo(parse_cards(hand), stock_of(stock), rules, out)
    turned = points[0]
    assert score == SoloScore(end, points[0 if counts else 1], joker, deadwood, turned)


def test_example_e40() -> None:
    (one,) = (example for example in EXAMPLES if example["id"] == "E40")
    score = score_solo(
        parse_cards(" ".join(one["knocker_hand"])),
        stock_of(" ".join(one["stock_top_first"])),
        Rules.preset(one["preset"]),
        one["jokers_already_drawn"],
    )
    assert (score.end, score.player, score.joker) == ("solo_knock", 5, 6)
    assert score.end == one["expected_end"] and score.deadwood == one["knocker_deadwood"]
    assert (score.player, score.joker) == (one["points_knocker"], one["points_defender"])


def test_worked_hand_3_a_joker_at_the_fourth_move() -> None:
    """The first joker is removed, the next card comes instead, nothing is scored, play goes on."""
    seen = 0
    for hand in range(200 if COMPILED else 60):
        table = SoloTable(puppet(STOCK, NEVER), BGA_SOLO, seed=4)
        table.deal(hand=hand)
        table.go_on(3)
        state, view = table.hand, table.views[0]
        if int(state.out):
            continue
        before = (int(view.hand), int(state.cards), int(state.pile))
        table.go_on(4)
        if int(state.out) != 1:
            continue
        seen += 1
        assert state.ending == SOLO_GOING and int(state.turns) == 4
        assert (int(state.points_player), int(state.points_joker)) == (0, 0)
        drawn, thrown = int(state.drawn), int(state.discard)
        assert drawn.bit_count() == thrown.bit_count() == 1 and not drawn & (before[0] | before[2])
        assert int(view.hand) == (before[0] | drawn) ^ thrown
        assert (int(state.cards), int(state.jokers)) == (before[1] - 1, 2)
    assert seen > 0


BOTH = {
    "102:102": (93, 97, 9, 5, JOKER),
    "101:101": (93, 97, 8, 4, JOKER),
    "102:100": (93, 97, 9, 3, PLAYER),
    "99:99": (93, 97, 6, 2, NEITHER),
    "100:99": (93, 97, 7, 2, PLAYER),
    "99:100": (93, 97, 6, 3, JOKER),
}


@pytest.mark.parametrize(("own", "other", "turned", "deadwood", "winner"), BOTH.values(), ids=BOTH)
def test_worked_hand_6_both_reach_the_target(
    own: int, other: int, turned: int, deadwood: int, winner: int
) -> None:
    score = own + turned, other + deadwood
    assert game_winner(*score, solo_record(BGA_SOLO)) == winner
    if min(score) >= 100:
        for side, expected in (("player", PLAYER), ("joker", JOKER)):
            assert game_winner(*score, solo_record(solo_rules({"both_reach_target": side}))) == expected


# --- expected values -----------------------------------------------------------------------------

MEANS = {  # cards left, jokers among them: the mean number turned over, the joker included
    "before any draw": (44, 3, Fraction(45, 4)),
    "after ten draws": (34, 3, Fraction(35, 4)),
    "one joker out": (33, 2, Fraction(34, 3)),
}


@pytest.mark.parametrize(("left", "jokers", "mean"), MEANS.values(), ids=MEANS)
def test_cards_turned_over_by_enumeration(left: int, jokers: int, mean: Fraction) -> None:
    """Every set of places for the jokers, counted by the place of the first."""
    hand = parse_cards(KNOCK)
    cards = cards_of(BGA_SOLO.deck & ~hand)[: left - jokers]
    total = 0
    for places in itertools.combinations(range(left), jokers):
        if places[1:] != tuple(range(left - jokers + 1, left)):
            continue  # one arrangement for each place of the first joker, weighed by how many there are
        rest = iter(cards)
        stock = [None if place in places else next(rest) for place in range(left)]
        score = score_solo(hand, stock, BGA_SOLO, 3 - jokers)
        assert score.player == places[0] + 1
        total += comb(left - 1 - places[0], jokers - 1) * score.player
    assert Fraction(total, comb(left, jokers)) == mean == Fraction(left + 1, jokers + 1)


def mean_is(values: list[int], exact: list[tuple[int, Fraction]]) -> None:
    """Check a mean against an exact distribution: (value, probability), false alarm `FALSE_ALARM`.

    The mean of some thousand bounded values is normal to that accuracy.
    """
    mean = float(sum(value * weight for value, weight in exact))
    assert sum(weight for _, weight in exact) == 1
    variance = float(sum(value * value * weight for value, weight in exact)) - mean**2
    z = (sum(values) / len(values) - mean) / sqrt(variance / len(values))
    assert abs(z) < float(stats.norm.isf(FALSE_ALARM / 2))


def first_joker(left: int, jokers: int) -> list[tuple[int, Fraction]]:
    ways = comb(left, jokers)
    return [(place, Fraction(comb(left - place, jokers - 1), ways)) for place in range(1, left - jokers + 2)]


def test_cards_turned_over_in_play() -> None:
    """11.25 at once, 8.75 after ten draws without a joker, 11.33 with one out and 33 cards left."""
    found: dict[tuple[int, int], list[int]] = {key: [] for key in ((44, 3), (34, 3), (33, 2))}
    table = SoloTable(puppet(STOCK, NEVER), BGA_SOLO, seed=6)
    for hand in range(8_000 if COMPILED else 150):
        for turns in (0, 10):
            table.deal(hand=2 * hand + turns // 10)
            if turns:
                table.go_on(turns)
            if table.hand.ending == SOLO_GOING:
                left = int(table.hand.cards + table.hand.jokers)
                found[left, int(table.hand.jokers)].append(int(turn_over(table.hand, True)))
    for (left, jokers), values in found.items():
        assert len(values) > (1_000 if COMPILED else 30)
        mean_is(values, first_joker(left, jokers))
    for left, jokers, mean in MEANS.values():
        assert sum(value * weight for value, weight in first_joker(left, jokers)) == mean


def test_the_second_joker_in_play() -> None:
    """It lies on average at place 22.5 of 44; its whole distribution, and that of all three places."""
    exact = [(k, Fraction((k - 1) * (44 - k), comb(44, 3))) for k in range(2, 44)]
    assert sum(place * weight for place, weight in exact) == Fraction(45, 2)
    table = SoloTable(puppet(STOCK, NEVER), BGA_SOLO, seed=8)
    places = []
    for hand in range(12_000 if COMPILED else 100):
        table.deal(hand=hand)
        table.go_on()
        assert SOLO_ENDINGS[int(table.hand.ending)] == "solo_second_joker"
        places.append(44 - int(table.hand.cards + table.hand.jokers))
        assert int(table.hand.turns) == places[-1] - 1  # the first joker was replaced
    mean_is(places, exact)
    if COMPILED:
        counts = np.bincount(places, minlength=45)[2:44]
        expected = np.array([float(weight) for _, weight in exact]) * len(places)
        statistic = float(((counts - expected) ** 2 / expected).sum())
        # chi-square(41), all cells expect more than 30. False alarm FALSE_ALARM.
        assert statistic < float(stats.chi2.isf(FALSE_ALARM, 41))


# --- rules ---------------------------------------------------------------------------------------

MEANINGLESS = {
    "opening": "eleven_ten",
    "first_dealer": "fixed",
    "next_dealer": "winner",
    "void_dealer": "rotate",
    "wall_rule": "last_discard_knock",
    "knock_limit_source": "upcard",
    "oklahoma_ace": "gin",
    "spade_doubles_boxes": True,
    "gin_bonus": 25,
    "big_gin_bonus": 31,
    "layoff_on_gin": True,
    "gin_vs_zero": "no_score",
    "undercut_bonus": 10,
    "tie_rule": "push",
    "extra_boxes_gin": 1,
    "extra_boxes_big_gin": 1,
    "extra_boxes_undercut": 1,
    "game_bonus": 100,
    "box_bonus": 20,
    "box_timing": "immediate",
    "shutout": "flat",
    "shutout_flat": 50,
    "shutout_test": "no_points",
    "match_type": "single_hand",
    "payoff": "rlcard",
}


@pytest.mark.parametrize("field", MEANINGLESS)
def test_fields_without_meaning_are_refused(field: str) -> None:
    rules = BGA_SOLO.replace(**{field: MEANINGLESS[field]})
    with pytest.raises(RulesError, match=f"^{field}=.*the solo game has .*, ") as error:
        SoloTable(puppet(), rules)
    assert ";" not in str(error.value)


def test_fields_that_go_together_are_refused() -> None:
    rules = BGA_SOLO.replace(columns=2, column_multipliers=[1, 2], match_type="best_of", match_length=3)
    with pytest.raises(RulesError) as error:
        require_solo(rules)
    for field in ("columns=2", "column_multipliers=[1, 2]", "match_type=best_of", "match_length=3"):
        assert field in str(error.value)
    spades = BGA_SOLO.replace(spade_multiplier=2, knock_limit_source="separate_card")
    with pytest.raises(RulesError, match="spade_multiplier=2"):
        require_solo(spades)
    with pytest.raises(RulesError, match="solo=null: a game for two players"):
        require_solo(Rules())


def test_every_field_is_read_or_refused() -> None:
    """A field that the solo game neither reads nor refuses would be ignored in silence."""
    read = set(solo_record(BGA_SOLO).dtype.names) | {"ranks", "suits", "runs_ace", "ace_value", "solo"}
    refused = {*MEANINGLESS, "columns", "column_multipliers", "match_length", "spade_multiplier"}
    assert read & refused == set()
    assert read | refused >= set(Rules.__dataclass_fields__) | set(SoloRules.__dataclass_fields__)


WRONG_SCORES = {
    "few cards": ("3H 4H", "JK", 0, "expected 10 cards"),
    "held": (KNOCK, "3H JK", 0, "not in the hand"),
    "twice": (KNOCK, "2S 2S JK", 0, "stands twice"),
    "jokers": (KNOCK, "JK JK", 2, "these rules have 3"),
}


@pytest.mark.parametrize(("hand", "stock", "out", "message"), WRONG_SCORES.values(), ids=WRONG_SCORES)
def test_scores_that_cannot_be(hand: str, stock: str, out: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        score_solo(parse_cards(hand), stock_of(stock), BGA_SOLO, out)
