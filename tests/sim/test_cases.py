"""Public cases: faults reported for other programs, with the right outcome.

Every case of the kinds here is either tested through the library or stands in `ELSEWHERE` with the
reason; a case that is in neither fails the first test.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sim import cards, layoff, melds, scoring
from sim.rules import Rules, RulesError
from sim.sheet import score_game
from tests import naive

DATA = Path(__file__).parent.parent / "data"
CASES: list[dict[str, Any]] = json.loads((DATA / "cases.json").read_text())
KINDS = ("deadwood", "layoff", "score", "flow")

PLAYED = "needs a hand in play: the tests of the hand"
RUN = "about a run, its workers, its progress or its caches: the tests of the run"
REPORT = "about reports and charts"

ELSEWHERE = {
    "GR-106": PLAYED + " (void at two stock cards, no points)",
    "GR-121": PLAYED + " (cap)",
    "GR-122": PLAYED + " (two passes, then the stock)",
    "GR-123": PLAYED + " (no card lost or doubled)",
    "GR-125": RUN + " (a seed does not reset the rules)",
    "GR-129": PLAYED + " (the drawn card may be thrown)",
    "GR-168": RUN + " (stale machine code)",
    "GR-170": RUN + " (interrupt)",
    "GR-172": RUN + " (resume)",
    "GR-174": RUN + " (memory)",
    "GR-176": REPORT + " (no display)",
    "GR-178": RUN + " (no control characters in a file)",
    "GR-180": REPORT + " (report from the live settings)",
    "GR-182": RUN + " (seeded and parallel)",
}
"""Cases of these kinds that the library alone cannot answer, and where they belong."""

ROUTES = {
    "hand": ("GR-043", "GR-044"),
    "eleven": ("GR-049", "GR-054", "GR-111", "GR-112"),
    "limit": ("GR-055", "GR-056"),
    "rules": ("GR-132", "GR-135"),
    "words": ("GR-134",),
    "limit card": ("GR-113",),
}
"""The flow cases tested here, by the shape of their input."""


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [case for case in CASES if case["kind"] == kind and case["id"] not in ELSEWHERE]


def as_params(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in cases]


def by_route(route: str) -> list[Any]:
    return as_params([case for case in of_kind("flow") if case["id"] in ROUTES[route]])


def hand_scores() -> list[dict[str, Any]]:
    return [case for case in of_kind("score") if "knocker_deadwood" in case["input"]]


def game_scores() -> list[dict[str, Any]]:
    return [case for case in of_kind("score") if "hands" in case["input"] and "scoring" not in case["input"]]


def column_scores() -> list[dict[str, Any]]:
    return [case for case in of_kind("score") if case["input"].get("scoring") == "hollywood"]


def test_no_case_is_dropped() -> None:
    asked = [case["id"] for case in CASES if case["kind"] in KINDS]
    routed = [name for names in ROUTES.values() for name in names]
    tested = [case["id"] for kind in ("deadwood", "layoff") for case in of_kind(kind)]
    tested += [case["id"] for case in hand_scores() + game_scores() + column_scores()] + routed
    assert sorted([*tested, *ELSEWHERE]) == sorted(asked)
    others = {case["kind"] for case in CASES if case["kind"] not in KINDS}
    assert others == {"stats"}, "kinds that belong to the statistics"


@pytest.mark.parametrize("case", as_params(of_kind("deadwood")))
def test_deadwood(case: dict[str, Any]) -> None:
    hand = cards.parse_cards(case["input"]["hand"])
    expected = case["expected"]
    assert melds.deadwood(hand) == expected["deadwood"]
    found = melds.arrangements(hand)
    assert {one.deadwood for one in found} == {expected["deadwood"]}
    choices = {cards.parse_cards(text) for text in expected["leftover_choices"]}
    assert {one.leftover for one in found} == choices
    example = naive.melds(expected["example_melds"])
    form = naive.form(naive.from_mask(hand), example)
    assert any(form.sets == _sets(one) and form.leftover == one.leftover for one in found)


def _sets(found: melds.Arrangement) -> int:
    return sum(mask for mask in found.melds if naive.is_set(naive.from_mask(mask)))


@pytest.mark.parametrize("case", as_params(of_kind("layoff")))
def test_layoff(case: dict[str, Any]) -> None:
    given, expected = case["input"], case["expected"]
    rules = Rules().replace(**given["params"])
    spread = [cards.parse_cards(text) for text in given["knocker_spread"]]
    layoff.check_spread(spread, rules)
    hand = cards.parse_cards(given["defender_hand"], 10)
    knocker = given["knocker_deadwood"]
    found = layoff.defend(hand, spread, rules, layoffs=knocker > 0 or rules.layoff_on_gin)
    assert found.deadwood == expected["defender_deadwood"]
    score = scoring.score_hand(knocker, found.deadwood, rules)
    assert score == scoring.HandScore(expected["result"], expected["winner"], expected["points"], 1)


@pytest.mark.parametrize("case", as_params(hand_scores()))
def test_score_of_a_hand(case: dict[str, Any]) -> None:
    given, expected = case["input"], case["expected"]
    rules = Rules().replace(**given["params"])
    score = scoring.score_hand(
        given["knocker_deadwood"],
        given["defender_deadwood_after_layoffs"],
        rules,
        big_gin=expected["result"] == "big_gin",
    )
    assert score == scoring.HandScore(expected["result"], expected["winner"], expected["points"], 1)


@pytest.mark.parametrize("case", as_params(game_scores()))
def test_score_of_a_game(case: dict[str, Any]) -> None:
    given = case["input"]
    rules = Rules(box_bonus=given["box"], game_bonus=given["game_bonus"], shutout=given["shutout"])
    totals = score_game([("AB".index(side), gain, None) for side, _, gain in given["hands"]], rules)
    final = case["expected"]["final"]
    assert totals.totals == (final["A"], final["B"])
    assert totals.winner == 0
    assert totals.end == ("game" if given["shutout"] == "none" else "game_shutout")


@pytest.mark.parametrize("case", as_params(column_scores()))
def test_score_of_a_sheet(case: dict[str, Any]) -> None:
    hands = [("AB".index(side), gain, None) for side, _, gain in case["input"]["hands"]]
    found = score_game(hands, Rules.preset("hollywood"))
    for side, name in enumerate("AB"):
        assert [column.points[side] for column in found.columns] == case["expected"]["columns"][name]


@pytest.mark.parametrize("case", by_route("limit card"))
def test_limit_of_a_card(case: dict[str, Any]) -> None:
    for reading, limits in (("gin", "limit_ace_is_gin_only"), ("one", "limit_ace_is_one")):
        rules = Rules(knock_limit_source="upcard", oklahoma_ace=reading)
        upcards = [cards.parse_card(text) for text in case["input"]["upcards"]]
        assert [scoring.hand_terms(rules, card)[0] for card in upcards] == case["expected"][limits]


@pytest.mark.parametrize("case", by_route("hand"))
def test_duplicate_card(case: dict[str, Any]) -> None:
    with pytest.raises(cards.CardError, match=case["expected"]["error"]):
        cards.parse_cards(case["input"]["hand"])


@pytest.mark.parametrize("case", by_route("eleven"))
def test_eleven_cards(case: dict[str, Any]) -> None:
    given, expected = case["input"], case["expected"]
    rules = Rules(knock_limit=given["knock_limit"])
    hand = cards.parse_cards(given["hand_11"], 11)
    banned = sum(cards.parse_card(text) for text in given["not_discardable"])
    assert melds.deadwood(hand, rules) == expected["deadwood_of_all_11"]
    legal = melds.legal_knocks(hand, rules, banned)
    told = {cards.format_card(card): points for card, points in legal.items()}
    assert told == expected["legal_knock_discards"]
    assert min(legal.values(), default=None) == expected["best"]
    gin = [card for card, points in told.items() if points == 0]
    assert gin == expected["gin_discards"]
    assert melds.is_big_gin(hand, rules) == expected["big_gin"]


@pytest.mark.parametrize("case", by_route("limit"))
def test_the_limit_itself_may_knock(case: dict[str, Any]) -> None:
    # 3-4-5-6 of diamonds, three jacks, A A and a seven or an eight: exactly the deadwood asked for.
    points = case["input"]["deadwood_after_discard"]
    high = {10: "8C", 11: "9C"}[points]
    hand = cards.parse_cards(f"3D 4D 5D 6D JS JH JC AS AH {high} KC", 11)
    rules = Rules(knock_limit=case["input"]["knock_limit"])
    king = cards.parse_card("KC")
    assert melds.discard_deadwoods(hand, rules)[king] == points
    # Throwing the high card keeps the king instead, so no other discard could make it legal.
    banned = cards.parse_card(high)
    legal = melds.legal_knocks(hand, rules, banned)
    assert (king in legal) == case["expected"]["knock_legal"]


@pytest.mark.parametrize("case", by_route("rules"))
def test_rules(case: dict[str, Any]) -> None:
    given, expected = case["input"], case["expected"]
    if "error" in expected:
        with pytest.raises(RulesError, match=expected["error"]):
            Rules(ranks=given["num_ranks"], suits=given["num_suits"], hand_size=given["hand_size"])
    else:
        rules = Rules.preset(given["variant"])
        assert rules.knock_limit == expected["knock_limit"]
        assert rules.to_dict()["knock_limit"] == expected["knock_limit"]


@pytest.mark.parametrize("case", by_route("words"))
def test_words_that_are_cards_or_not(case: dict[str, Any]) -> None:
    words = case["input"]["inputs"]
    assert cards.parse_card("10H") == cards.parse_card("th") == cards.parse_card("TH")
    for text in words:
        if text in ("10H", "th"):
            assert cards.parse_cards(text).bit_count() == 1
        elif text:
            with pytest.raises(cards.CardError, match="'not' is not a card"):
                cards.parse_cards(text)
        else:
            with pytest.raises(cards.CardError):
                cards.parse_cards(text, 10)
