"""The worked examples of the rules, through lay-offs and scores; and scores against the oracle."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sim import cards, layoff, melds, scoring
from sim.rules import Rules
from sim.sheet import score_game
from tests import naive, naive_score

DATA = Path(__file__).parent.parent / "data"
EXAMPLES: list[dict[str, Any]] = json.loads((DATA / "examples.json").read_text())
PRESETS: dict[str, Any] = json.loads((DATA / "presets.json").read_text())

ELSEWHERE = {
    "E33": "void at the dead stock: the tests of a hand in play",
    "E35": "void before the last discard can be taken: the tests of a hand in play",
    "E40": "the solo game: its own tests",
}
"""Examples whose ending is not a matter of cards and points of two players."""


def rules_of(example: dict[str, Any]) -> Rules:
    return Rules.preset(example["preset"]).replace(**example.get("overrides", {}))


def supported(kinds: tuple[str, ...]) -> list[Any]:
    return [
        pytest.param(example, id=example["id"])
        for example in EXAMPLES
        if example["kind"] in kinds and example["id"] not in ELSEWHERE
    ]


def test_no_example_is_dropped() -> None:
    taken = {param.id for param in supported(("hand", "protocol", "game", "hollywood"))}
    assert taken | set(ELSEWHERE) == {example["id"] for example in EXAMPLES}


@pytest.mark.parametrize("name", PRESETS["presets"])
def test_presets_are_those_of_the_reference(name: str) -> None:
    rules = Rules.preset(name).to_dict()
    for field, value in PRESETS["presets"][name].items():
        assert rules[field] == value, field


@pytest.mark.parametrize("example", supported(("hand", "protocol")))
def test_hand(example: dict[str, Any]) -> None:
    rules = rules_of(example)
    words = " ".join(example["knocker_hand"])
    held = cards.parse_cards(words, (10, 11))
    defender = cards.parse_cards(" ".join(example["defender_hand"]), 10)
    thrown = cards.parse_card(example["discard"]) if example["discard"] else 0
    taken = example.get("taken_from_discard_pile")
    banned = cards.parse_card(taken) if taken and not rules.may_discard_taken else 0

    limit, multiplier = scoring.hand_terms(rules, cards.parse_card(example.get("upcard", "KS")))

    end, score, left = "", None, None
    big_gin = False
    if not thrown:
        assert melds.is_big_gin(held, rules)
        big_gin = rules.big_gin_bonus is not None
        if not big_gin:  # eleven melded cards are gin once one is thrown that can be spared
            points, best = melds.best_discards(held, rules, banned)
            assert points == 0
            thrown = best & -best
            held ^= thrown
    legal = {} if big_gin else melds.discard_deadwoods(held | thrown, rules, banned)
    own = melds.deadwood(held, rules)
    if not big_gin and thrown not in legal:
        end = "illegal_discard"
    elif not big_gin and thrown not in melds.legal_knocks(held | thrown, rules, banned, limit):
        end = "illegal_knock"
    else:
        unseen = naive.to_mask(naive.DECK) ^ held ^ thrown
        spread = layoff.default_spread(held, unseen, rules).melds
        if "knocker_melds" in example:
            chosen = [cards.parse_cards(" ".join(meld)) for meld in example["knocker_melds"]]
            forms = [set(one.melds) for one in melds.arrangements(held, rules)]
            assert set(chosen) in forms, "a spread of least deadwood"
            spread = tuple(chosen)
        allowed = own > 0 or rules.layoff_on_gin
        found = layoff.defend(defender, spread, rules, layoffs=allowed)
        left = found.deadwood
        score = scoring.score_hand(own, left, rules, big_gin, multiplier)
        end = score.end
        gone = sorted(cards.format_card(card) for card, _ in found.layoffs)
        if "layoffs" in example:
            assert gone == sorted(example["layoffs"])

    assert end == example["expected_end"]
    assert own == example["knocker_deadwood"]
    assert left == example["defender_deadwood"]
    gained = {"knocker": 0, "defender": 0}
    if score is not None and score.winner is not None:
        gained[score.winner] = score.points
    assert gained["knocker"] == example["points_knocker"]
    assert gained["defender"] == example["points_defender"]
    if "boxes_defender" in example:
        assert score is not None and score.boxes == example["boxes_defender"]


@pytest.mark.parametrize("example", supported(("game", "hollywood")))
def test_game(example: dict[str, Any]) -> None:
    rules = rules_of(example)
    hands = [("AB".index(side), gain, None) for side, gain in example["hands"]]
    for played in range(len(hands)):
        assert score_game(hands[:played], rules).end == "unfinished"
    found = score_game(hands, rules)
    assert found.end == example["expected_end"]
    assert found.totals == (example["points_knocker"], example["points_defender"])
    if example["kind"] == "game":
        assert found.winner == "AB".index(example["winner"])
        assert found.totals == (example["final"]["A"], example["final"]["B"])
        return
    assert found.winner == 0
    for column, told in zip(found.columns, example["columns"], strict=True):
        assert column.points == tuple(told["raw"]) and column.boxes == tuple(told["boxes"])
        assert column.totals == tuple(told["final"]) and column.shutout == told["shutout"]
        assert column.winner == "AB".index(told["winner"])


TIE_RULES = ("undercut", "defender_no_bonus", "push", "knocker")
SHUTOUTS = ("none", "flat", "double_hands", "double_bonuses", "double_total")


class TestScoresAgainstOracle:
    """Every tie rule and shutout, exhaustively over deadwoods, and over the edges of a game."""

    @pytest.mark.parametrize("tie", TIE_RULES)
    @pytest.mark.parametrize("zero", ["score", "no_score"])
    @pytest.mark.parametrize("big", [None, 31], ids=["no-big-gin", "big-gin"])
    def test_hands(self, tie: str, zero: str, big: int | None) -> None:
        changes: dict[str, Any] = {
            "tie_rule": tie,
            "gin_vs_zero": zero,
            "big_gin_bonus": big,
            "gin_bonus": 20,
            "undercut_bonus": 15,
        }
        rules, plain = Rules(**changes), naive_score.complete(changes)
        for knocker, defender in product(range(11), range(99)):
            for eleven in {False, big is not None and knocker == 0}:
                found = scoring.score_hand(knocker, defender, rules, eleven)
                told = naive_score.hand_result(knocker, defender, plain, eleven)
                assert (found.end, found.winner, found.points, found.boxes) == told

    @pytest.mark.parametrize("shutout", SHUTOUTS)
    @pytest.mark.parametrize("test", ["no_hands", "no_points"])
    def test_games(self, shutout: str, test: str) -> None:
        changes: dict[str, Any] = {
            "shutout": shutout,
            "shutout_test": test,
            "shutout_flat": 70,
            "game_bonus": 90,
            "box_bonus": 20,
            "game_target": 100,
        }
        rules, plain = Rules(**changes), naive_score.complete(changes)
        for first, last, boxes in product((0, 1, 37, 99), (0, 1, 58, 100, 142), (None, 2, 3)):
            for winner in (0, 1):
                for hands in (
                    [(winner, first, None), (winner, last, boxes)],
                    [(1 - winner, first, boxes), (winner, last, None)],
                    [(1 - winner, first, boxes), (None, 0, None), (winner, last, boxes)],
                ):
                    found, told = score_game(hands, rules), naive_score.score_game(hands, plain)
                    assert (found.totals, found.winner, found.end) == (told.totals, told.winner, told.end)
                    raw = told.columns[0]
                    assert found.boxes == raw.boxes
                    for side in (0, 1):
                        beyond = told.totals[side] - raw.points[side] - 20 * raw.boxes[side]
                        assert found.bonuses[side] == beyond

    def test_shutout_examples(self) -> None:
        # 109 points in three hands to nothing, boxes of 20: the sums of the catalogue of variants.
        totals = {"flat": 369, "double_hands": 378, "double_bonuses": 429, "double_total": 538}
        for shutout, total in totals.items():
            rules = Rules(box_bonus=20, shutout=shutout)
            assert score_game([(0, 40, None), (0, 40, None), (0, 29, None)], rules).totals == (total, 0)

    def test_target_is_reached_not_passed(self) -> None:
        assert score_game([(0, 99, None), (1, 5, None)], Rules()).winner is None
        assert score_game([(0, 5, None), (1, 100, None)], Rules()).winner == 1

    def test_games_that_cannot_be(self) -> None:
        for hands, number in (
            ([(0, 100, None), (1, 5, None)], 2),
            ([(0, 5, None), (2, 5, None)], 2),
            ([(0, -1, None)], 1),
            ([(0, 5, 0)], 1),
            ([(None, 5, None)], 1),
            ([(0, 5.5, None)], 1),
            ([(True, 5, None)], 1),
            ([(0, 5, None), (0, 2**62, None)], 2),
            ([(0, 10**20, None)], 1),
        ):
            with pytest.raises(ValueError, match=f"hand {number}"):
                score_game(hands, Rules())

    def test_what_cannot_be(self) -> None:
        with pytest.raises(ValueError):
            scoring.score_hand(-1, 3, Rules())
        with pytest.raises(ValueError):
            scoring.score_hand(0, 3, Rules(), big_gin=True)
        with pytest.raises(ValueError):
            scoring.score_hand(2, 3, Rules.preset("standard"), big_gin=True)
        with pytest.raises(ValueError, match="multiplier -1"):
            scoring.score_hand(2, 3, Rules(), multiplier=-1)
        for card in (0, 3, 1 << 13, -(2**63)):
            with pytest.raises(ValueError, match="needs one limit card"):
                scoring.hand_terms(Rules.preset("bga_oklahoma"), card)
        with pytest.raises(ValueError, match="of the deck"):
            scoring.hand_terms(Rules(ranks=12, knock_limit_source="upcard"), cards.parse_card("KS"))
