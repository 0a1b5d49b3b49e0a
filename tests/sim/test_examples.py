"""The worked examples of the rules, through lay-offs and scores; and scores against the oracle."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sim import cards, layoff, melds, scoring
from sim.rules import Rules
from tests import naive

DATA = Path(__file__).parent.parent / "data"
EXAMPLES: list[dict[str, Any]] = json.loads((DATA / "examples.json").read_text())
PRESETS: dict[str, Any] = json.loads((DATA / "presets.json").read_text())

FIRST_STEP = ("eaai", "default", "standard", "fournier", "club", "bga", "straight_gin")

ELSEWHERE = {
    "E33": "void at the dead stock: the tests of a hand in play",
    "E35": "void before the last discard can be taken: the tests of a hand in play",
}
"""Examples whose rules are supported but whose ending is not a matter of cards and points."""

REFUSED = {
    "E11": "openspiel",
    "E14": "bga_oklahoma",
    "E15": "bga_oklahoma",
    "E16": "bga_oklahoma",
    "E17": "bicycle_oklahoma",
    "E18": "pagat_oklahoma",
    "E19": "pagat_oklahoma",
    "E28": "openspiel",
    "E32": "oklahoma_kisses",
    "E34": "tournament_50th",
    "E39": "hollywood",
    "E40": "bga_solo",
}
"""Examples of presets that the engine refuses as not supported yet."""


def rules_of(example: dict[str, Any]) -> Rules:
    return Rules.preset(example["preset"]).replace(**example.get("overrides", {}))


def supported(kinds: tuple[str, ...]) -> list[Any]:
    return [
        pytest.param(example, id=example["id"])
        for example in EXAMPLES
        if example["kind"] in kinds and example["id"] not in {**ELSEWHERE, **REFUSED}
    ]


def test_no_example_is_dropped() -> None:
    refused = {example["id"]: example["preset"] for example in EXAMPLES if rules_of(example).unsupported()}
    assert refused == REFUSED
    taken = {param.id for param in supported(("hand", "protocol", "game"))}
    assert taken | set(ELSEWHERE) | set(REFUSED) == {example["id"] for example in EXAMPLES}


@pytest.mark.parametrize("name", FIRST_STEP)
def test_presets_of_the_first_step(name: str) -> None:
    rules = Rules.preset(name)
    assert not rules.unsupported()
    for field, value in naive.preset(name).items():  # the oracle's rules are those of the file
        assert PRESETS["presets"][name][field] == value, field
        assert getattr(rules, field) == value, field


@pytest.mark.parametrize("example", supported(("hand", "protocol")))
def test_hand(example: dict[str, Any]) -> None:
    rules = rules_of(example)
    words = " ".join(example["knocker_hand"])
    held = cards.parse_cards(words, (10, 11))
    defender = cards.parse_cards(" ".join(example["defender_hand"]), 10)
    thrown = cards.parse_card(example["discard"]) if example["discard"] else 0
    taken = example.get("taken_from_discard_pile")
    banned = cards.parse_card(taken) if taken and not rules.may_discard_taken else 0

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
    elif not big_gin and thrown not in melds.legal_knocks(held | thrown, rules, banned):
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
        score = scoring.score_hand(own, left, rules, big_gin)
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


@pytest.mark.parametrize("example", supported(("game",)))
def test_game(example: dict[str, Any]) -> None:
    rules = rules_of(example)
    points, boxes = [0, 0], [0, 0]
    for number, (side, gain) in enumerate(example["hands"], start=1):
        points["AB".index(side)] += gain
        boxes["AB".index(side)] += 1
        totals = scoring.game_totals((points[0], points[1]), (boxes[0], boxes[1]), rules)
        assert (totals.winner is None) == (number < len(example["hands"]))
    assert totals.end == example["expected_end"]
    assert totals.winner == "AB".index(example["winner"])
    assert totals.totals == (example["final"]["A"], example["final"]["B"])


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
        rules, plain = Rules(**changes), naive.preset("default", **changes)
        for knocker, defender in product(range(11), range(99)):
            for eleven in {False, big is not None and knocker == 0}:
                found = scoring.score_hand(knocker, defender, rules, eleven)
                told = naive.score_hand(knocker, defender, plain, eleven)
                assert (found.end, found.winner, found.points) == told

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
        rules, plain = Rules(**changes), naive.preset("default", **changes)
        for high, low in product((0, 99, 100, 142), (0, 1, 37, 99)):
            for boxes in product(range(4), range(4)):
                for points in ((high, low), (low, high)):
                    found = scoring.game_totals(points, boxes, rules)
                    told = naive.score_game(points, boxes, plain)
                    assert (found.totals, found.winner, found.end) == told

    def test_shutout_examples(self) -> None:
        # 109 points in three hands to nothing, boxes of 20: the sums of the catalogue of variants.
        totals = {"flat": 369, "double_hands": 378, "double_bonuses": 429, "double_total": 538}
        for shutout, total in totals.items():
            rules = Rules(box_bonus=20, shutout=shutout)
            assert scoring.game_totals((109, 0), (3, 0), rules).totals == (total, 0)

    def test_target_is_reached_not_passed(self) -> None:
        assert scoring.game_totals((99, 5), (4, 1), Rules()).winner is None
        assert scoring.game_totals((5, 100), (1, 4), Rules()).winner == 1

    def test_what_cannot_be(self) -> None:
        with pytest.raises(ValueError):
            scoring.score_hand(-1, 3, Rules())
        with pytest.raises(ValueError):
            scoring.score_hand(0, 3, Rules(), big_gin=True)
        with pytest.raises(ValueError):
            scoring.score_hand(2, 3, Rules.preset("standard"), big_gin=True)
