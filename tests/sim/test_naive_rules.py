"""The slow oracle by itself: the worked examples, the public cases, and its random numbers.

Nothing of the engine is asked here, except that its random streams and its list of rules are the ones
that the oracle was written for.
"""

from __future__ import annotations

import dataclasses
import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sim.rules import Rules
from sim.streams import CARD_PLACES, coin, decision_key, deck_key, hand_key, pair_key, place_card, word
from tests import naive, naive_game, naive_luck, naive_match, naive_score
from tests.naive import Cards
from tests.naive_luck import Luck
from tests.naive_match import Script, position

DATA = Path(__file__).parent.parent / "data"
EXAMPLES: list[dict[str, Any]] = json.loads((DATA / "examples.json").read_text())
PRESETS: dict[str, dict[str, Any]] = json.loads((DATA / "presets.json").read_text())["presets"]
CASES: dict[str, dict[str, Any]] = {
    case["id"]: case for case in json.loads((DATA / "cases.json").read_text())
}


def rules_of(example: dict[str, Any]) -> dict[str, Any]:
    return naive_score.complete({**PRESETS[example["preset"]], **example.get("overrides", {})})


def of_kind(*kinds: str) -> list[Any]:
    return [pytest.param(one, id=one["id"]) for one in EXAMPLES if one["kind"] in kinds]


def words(listed: list[str]) -> Cards:
    return naive.cards(" ".join(listed))


def test_the_oracle_knows_every_field() -> None:
    """The defaults are those of the reference file, and every preset but the solo game is complete."""
    assert {**naive_score.RULES, "solo": None} == PRESETS["default"]
    assert set(naive_score.RULES) | {"solo"} == {one.name for one in dataclasses.fields(Rules)}
    for name, preset in PRESETS.items():
        if name != "bga_solo":
            assert naive_score.complete(preset) == preset
    with pytest.raises(AssertionError, match="knock_limits"):
        naive_score.complete({"knock_limits": 3})
    with pytest.raises(AssertionError, match="for two"):
        naive_score.complete(PRESETS["bga_solo"])


# --- the examples --------------------------------------------------------------------------------


def test_no_example_is_dropped() -> None:
    params = of_kind("hand", "protocol", "game", "hollywood")
    assert [param.id for param in params] == [f"E{number:02d}" for number in range(1, 40)]


@pytest.mark.parametrize("example", of_kind("hand"))
def test_hand(example: dict[str, Any]) -> None:
    """Follow an example in the order of evaluation: limit, legality, lay-offs, comparison, bonus."""
    rules = rules_of(example)
    ace, value = rules["runs_ace"], rules["ace_value"]
    held, defender = words(example["knocker_hand"]), words(example["defender_hand"])
    upcard = naive.card(example["upcard"]) if "upcard" in example else None
    limit = naive_score.limit_of(rules, upcard)
    taken = example.get("taken_from_discard_pile")
    big_gin = False
    if example["discard"] is None:
        assert len(held) == 11 and naive.deadwood(held, ace, value) == 0
        big_gin = rules["big_gin_bonus"] is not None
        if not big_gin:  # one card goes that the melds can spare
            legal = naive.legal_knocks(held, 0, frozenset(), ace, value)
            held -= {max(legal)}
    thrown = None if example["discard"] is None else naive.card(example["discard"])
    own = naive.deadwood(held, ace, value)
    assert own == example["knocker_deadwood"]
    told = naive_score.HandResult("", None, 0, 0)
    left: int | None = None
    if taken is not None and not rules["may_discard_taken"] and thrown == naive.card(taken):
        told = told._replace(end="illegal_discard")
    elif own > limit:
        told = told._replace(end="illegal_knock")
    else:
        spread = naive.default_melds(held, naive.DECK - held, ace, value)
        if "knocker_melds" in example:
            spread = tuple(words(meld) for meld in example["knocker_melds"])
            assert naive.pips(naive.left_after(held, spread), value) == own
        left = naive.defence(defender, spread, ace, value, own > 0 or rules["layoff_on_gin"])
        told = naive_score.hand_result(own, left, rules, big_gin, upcard)
    assert left == example["defender_deadwood"]
    assert told.end == example["expected_end"]
    gained = {"knocker": 0, "defender": 0}
    if told.winner is not None:
        gained[told.winner] = told.points
        assert told.boxes == example.get(f"boxes_{told.winner}", 1)
    else:
        assert told.boxes == 0
    assert gained == {"knocker": example["points_knocker"], "defender": example["points_defender"]}


def at_the_wall(name: str, preset: str) -> tuple[naive_game.Hand, tuple[Script, Script]]:
    """Return the position of examples E34 and E35 before the last discard, 8D, is offered to A."""
    example = next(one for one in EXAMPLES if one["id"] == name)
    taken, thrown = naive.card(example["taken_from_discard_pile"]), naive.card(example["discard"])
    mine = words(example["knocker_hand"]) - {taken} | {thrown}
    players = Script(takes=True, knocks=False, throws=thrown), Script()
    rules = rules_of({"preset": preset})
    return position((mine, words(example["defender_hand"])), taken, 2, rules, players), players


@pytest.mark.parametrize("example", of_kind("protocol"))
def test_protocol(example: dict[str, Any]) -> None:
    if "stock_after_previous_discard" in example:
        hand, _ = at_the_wall(example["id"], example["preset"])
    else:
        sides = words(example["defender_hand"]), words(example["knocker_hand"])
        top = naive.card(example["discard"])
        rules, stock = rules_of(example), example["stock_after_discard"]
        hand = position(sides, top, stock, rules, (Script(True, True), Script()))
    hand.after_discard(1)
    assert hand.ending == example["expected_end"] == "void"
    assert (hand.points, hand.boxes, hand.winner, hand.turns) == (0, 0, None, 40)
    assert naive_game.next_dealer(hand, hand.rules) == hand.dealer
    assert naive_game.next_dealer(hand, {**hand.rules, "void_dealer": "rotate"}) == 1 - hand.dealer


def entries(example: dict[str, Any]) -> list[naive_score.Entry]:
    listed: list[naive_score.Entry] = []
    for side, points, *boxes in example["hands"]:
        listed.append(("AB".index(side), points, boxes[0] if boxes else None))
    return listed


@pytest.mark.parametrize("example", of_kind("game", "hollywood"))
def test_game(example: dict[str, Any]) -> None:
    rules, hands = rules_of(example), entries(example)
    for count in range(len(hands)):
        assert naive_score.score_game(hands[:count], rules).end == "unfinished"
    score = naive_score.score_game(hands, rules)
    assert score.end == example["expected_end"]
    assert score.totals == (example["points_knocker"], example["points_defender"])
    assert score.winner == "AB".index(example.get("winner", "A"))
    for column, told in zip(score.columns, example.get("columns", score.columns), strict=True):
        if isinstance(told, dict):
            assert column == (
                tuple(told["raw"]), tuple(told["boxes"]), "AB".index(told["winner"]), told["shutout"],
                tuple(told["final"]),
            )  # fmt: skip
    with pytest.raises(ValueError, match=f"hand {len(hands) + 1}"):
        naive_score.score_game([*hands, (None, 0, None)], rules)


def test_the_published_sheet() -> None:
    sheet = naive_score.score_game([(0, 25, None), (0, 18, None), (0, 36, None)], PRESETS["hollywood"])
    assert [column.points for column in sheet.columns] == [(79, 0), (54, 0), (36, 0)]


# --- public cases --------------------------------------------------------------------------------


def test_gr_105() -> None:
    """A Hollywood sheet whose doubled gin closes all three columns at once."""
    given_, expected = CASES["GR-105"]["input"], CASES["GR-105"]["expected"]["columns"]
    hands: list[naive_score.Entry] = [("AB".index(side), points, None) for side, _, points in given_["hands"]]
    score = naive_score.score_game(hands, PRESETS["hollywood"])
    assert [column.points[0] for column in score.columns] == expected["A"] == [161, 149, 110]
    assert [column.points[1] for column in score.columns] == expected["B"]
    assert [column.winner for column in score.columns] == [0, 0, 0] and score.end == "match"
    assert [column.shutout for column in score.columns] == [False, True, True]


def test_gr_106() -> None:
    case = CASES["GR-106"]
    rules = naive_score.complete({"game_target": 100})
    sheet = naive_score.Sheet(rules, (case["input"]["scores"]["player"], case["input"]["scores"]["cpu"]))
    sheet.enter(None)
    assert sheet.columns[0].points == list(case["expected"]["scores"].values()) and not sheet.over


def test_gr_113() -> None:
    case = CASES["GR-113"]
    for reading, key in (("gin", "limit_ace_is_gin_only"), ("one", "limit_ace_is_one")):
        for source in ("upcard", "separate_card"):
            rules = naive_score.complete({"knock_limit_source": source, "oklahoma_ace": reading})
            limits = [naive_score.limit_of(rules, naive.card(text)) for text in case["input"]["upcards"]]
            assert limits == case["expected"][key]
            capped = [
                naive_score.limit_of({**rules, "knock_limit": 4, "ace_value": 15}, (rank, 1))
                for rank in range(13)
            ]
            assert capped == [0 if reading == "gin" else 1, 2, 3, *[4] * 10]


@pytest.mark.parametrize("wall", ["void", "reshuffle", "last_discard_play"])
def test_gr_121(wall: str) -> None:
    """Both always take the upcard: the hand ends and nobody scores."""
    players = naive_match.Taker(), naive_match.Taker()
    luck = Luck(1, 0)
    rules = {"wall_rule": wall, "knock_limit": 0, "opening": "free_first_draw"}
    hand = naive_game.deal(luck.deck(0), players, naive_score.complete(rules), luck=luck).play()
    assert (hand.ending, hand.points, hand.winner) == ("capped", 0, None)
    assert hand.turns == hand.upcards_in_a_row == 100


def test_gr_122() -> None:
    """After two passes only the stock is open, to the non-dealer."""
    expected = CASES["GR-122"]["expected"]
    players = Script(), Script()
    luck = Luck(1, 0)
    hand = naive_game.deal(luck.deck(0), players, naive_score.RULES, luck=luck)
    assert len(hand.hands[1]) == expected["counts"]["hand"] and len(hand.stock) == expected["counts"]["stock"]
    assert len(hand.pile) == expected["counts"]["discard"]
    assert hand.opening() == 1 - hand.dealer
    assert [player.asked for player in players] == [1, 1]
    assert hand.told[0][:3] == (1 - hand.dealer, "stock", luck.deck(0)[21])


@pytest.mark.parametrize(
    "case", [pytest.param(one, id=name) for name, one in CASES.items() if one["kind"] == "layoff"]
)
def test_layoff_cases(case: dict[str, Any]) -> None:
    told, expected, rules = case["input"], case["expected"], naive_score.complete(case["input"]["params"])
    spread = [naive.cards(text) for text in told["knocker_spread"]]
    own = told["knocker_deadwood"]
    left = naive.defence(naive.cards(told["defender_hand"]), spread, layoffs=own > 0)
    assert left == expected["defender_deadwood"]
    assert naive_score.hand_result(own, left, rules)[:3] == (
        expected["result"], expected["winner"], expected["points"],
    )  # fmt: skip


@pytest.mark.parametrize(
    "case", [pytest.param(one, id=name) for name, one in CASES.items() if one["kind"] == "score"]
)
def test_score_cases(case: dict[str, Any]) -> None:
    told, expected = case["input"], case["expected"]
    if "knocker_deadwood" in told:
        result = naive_score.hand_result(
            told["knocker_deadwood"],
            told["defender_deadwood_after_layoffs"],
            naive_score.complete(told["params"]),
            expected["result"] == "big_gin",
        )
        assert result == (expected["result"], expected["winner"], expected["points"], 1)
    elif "final" in expected:
        rules = {"box_bonus": told["box"], "game_bonus": told["game_bonus"], "shutout": told["shutout"]}
        hands: list[naive_score.Entry] = [
            ("AB".index(side), points, None) for side, _, points in told["hands"]
        ]
        assert naive_score.score_game(hands, rules).totals == (expected["final"]["A"], expected["final"]["B"])
    else:
        assert case["id"] in ("GR-105", "GR-106")  # have tests of their own


# --- random numbers ------------------------------------------------------------------------------


def test_streams_are_those_of_the_engine() -> None:
    for seed, pair, hand in product((0, 7, 2**62), (0, 3, 10**9), (0, 1, 12_345)):
        luck = Luck(seed, pair)
        key = hand_key(pair_key(seed, pair), hand)
        order = CARD_PLACES.copy()
        bits = [int(place_card(order, place, deck_key(key))) for place in range(52)]
        assert naive_luck.as_bits(luck.deck(hand)) == bits
        small = Luck(seed, pair, 0, 5, 3).deck(hand)
        assert naive_luck.as_bits(small) == [bit for bit in bits if bit % 16 < 5 and bit // 16 < 3]
        for game in (0, 1):
            named = Luck(seed, pair, game)
            for purpose in (naive_luck.FIRST_DEALER, naive_luck.NEXT_DEALER, naive_luck.VOID_DEALER):
                packet = int(coin(pair_key(seed, pair), hand, purpose))
                assert named.dealer(purpose, hand) == packet ^ game
            for side in (0, 1):
                told = word(decision_key(key, game, side ^ game), 4 * 17 + naive_luck.DISCARD)
                assert named.decision(hand, side, 17, naive_luck.DISCARD) == told


def test_a_reshuffle_is_an_order_of_the_cards_given() -> None:
    luck = Luck(5, 2)
    cards = luck.deck(0)[21:]
    told = [tuple(luck.reshuffled(0, number, cards)) for number in range(200)]
    assert all(sorted(one) == sorted(cards) for one in told) and len(set(told)) == 200
    assert tuple(luck.reshuffled(0, 0, reversed(cards))) == told[0]
    assert {one[0] for one in told} == set(cards)  # any card may come first


def test_a_separate_card_is_any_card_of_the_deck() -> None:
    whole = {Luck(1, pair).limit_card(hand) for pair in range(40) for hand in range(20)}
    assert whole == naive.DECK
    small = {Luck(1, pair, 0, 5, 3).limit_card(hand) for pair in range(20) for hand in range(20)}
    assert small == {(rank, suit) for rank in range(5) for suit in range(3)}
