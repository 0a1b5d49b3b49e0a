"""The worked examples, the public cases and the oracle against the command line.

Every row of the kinds here is either run or stands in a list with the reason.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from typer.testing import CliRunner

from analysis.cli import app
from analysis.ending import score_ending
from analysis.hands import meld_text, solve_hand
from sim.cards import parse_cards
from sim.rules import Rules
from tests import naive, naive_hands, naive_score

DATA = Path(__file__).parent.parent / "data"
EXAMPLES: list[dict[str, Any]] = json.loads((DATA / "examples.json").read_text())
CASES: list[dict[str, Any]] = json.loads((DATA / "cases.json").read_text())

POINTS = ("points_knocker", "points_defender", "knocker_deadwood", "defender_deadwood")

PLAYED = "needs a hand in play"
RUN = "about a run: its workers, progress, caches or files"

NOT_EXPRESSIBLE = {
    "GR-121": PLAYED + " (cap)",
    "GR-122": PLAYED + " (two passes, then the stock)",
    "GR-123": PLAYED + " (no card lost or doubled)",
    "GR-125": RUN + " (a seed does not reset the rules)",
    "GR-129": PLAYED + " (the drawn card may be thrown)",
    "GR-168": RUN,
    "GR-170": RUN,
    "GR-172": RUN,
    "GR-174": RUN,
    "GR-176": RUN,
    "GR-178": RUN,
    "GR-180": RUN,
    "GR-182": RUN,
}
"""Cases that no command can put."""

NO_KNOCKER = {"GR-064": "seven loose cards make more than ten points"}
"""Lay-off cases whose spread no legal knocker shows, so `score` cannot put them; `defend` does."""

FLOW = {
    "duplicate": ("GR-043", "GR-044"),
    "eleven": ("GR-049", "GR-054", "GR-111", "GR-112"),
    "limit": ("GR-055", "GR-056"),
    "deck": ("GR-132",),
    "words": ("GR-134",),
    "rules": ("GR-135",),
    "limit card": ("GR-113",),
}

# Two hands for every pair of deadwoods that the score cases name, no card of one fitting the other's.
LOW_RUNS = "AS 2S 3S 4S 5S AH 2H 3H AD 2D 3D"
FIVES = "AC 2C 3C 4C 5C 5D 6D 7D 9H TH JH"
HANDS = {
    (7, 7): ("AS 2S 3S AH 2H 3H AD 2D 3D 7C", "TS JS QS TH JH QH TD JD QD 7S"),
    (0, 72): (FIVES, "7C 8C 8D 9D JD QH KH 2S 3S 5S"),
    (0, 98): (LOW_RUNS, "JH JD KD TC 9S 9C TS QC QH KS"),
    (0, 0): (LOW_RUNS, "4H 5H 6H 7H 8H 9C TC JC QC KC"),
}


def answer(*args: str) -> dict[str, Any]:
    result = CliRunner().invoke(app, [*args, "--json"])
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    told = json.loads(result.stdout)
    assert isinstance(told, dict)
    return told


def settings(params: dict[str, Any]) -> list[str]:
    return [word for name, value in params.items() for word in ("--set", f"{name}={json.dumps(value)}")]


def as_params(rows: Iterable[dict[str, Any]]) -> list[Any]:
    return [pytest.param(row, id=row["id"]) for row in rows]


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [case for case in CASES if case["kind"] == kind and case["id"] not in NOT_EXPRESSIBLE]


def sheets() -> list[dict[str, Any]]:
    return [case for case in of_kind("score") if "hands" in case["input"]]


def hand_scores() -> list[dict[str, Any]]:
    return [case for case in of_kind("score") if "hands" not in case["input"]]


def flow(route: str) -> list[Any]:
    return as_params(case for case in CASES if case["id"] in FLOW[route])


def rules_of(example: dict[str, Any]) -> Rules:
    return Rules.preset(example["preset"]).replace(**example.get("overrides", {}))


def hand_examples() -> list[dict[str, Any]]:
    return [example for example in EXAMPLES if example["kind"] in ("hand", "protocol")]


def score_arguments(example: dict[str, Any]) -> list[str]:
    words = ["score", "--rules", example["preset"], *settings(example.get("overrides", {}))]
    words += ["--knocker", " ".join(example["knocker_hand"])]
    words += ["--defender", " ".join(example["defender_hand"])]
    words += ["--discard", example["discard"]] if example["discard"] else ["--big-gin"]
    if not example.get("knocks", True):
        words.append("--no-knock")
    if "knocker_melds" in example:
        words += ["--spread", " | ".join(" ".join(meld) for meld in example["knocker_melds"])]
    for option, key in (("--upcard", "upcard"), ("--taken", "taken_from_discard_pile")):
        if key in example:
            words += [option, example[key]]
    for key in ("stock_after_discard", "stock_after_previous_discard"):
        if key in example:  # a card taken from the discard pile leaves the stock as it was
            words += ["--stock", str(example[key])]
    return words


# --- the worked examples -------------------------------------------------------------------------


@pytest.mark.parametrize("example", as_params(hand_examples()))
def test_example(example: dict[str, Any]) -> None:
    told = answer(*score_arguments(example))
    assert told["end"] == example["expected_end"]
    for key in POINTS:
        assert told[key] == example.get(key), key
    if "layoffs" in example:
        assert sorted(one["card"] for one in told["layoffs"]) == sorted(example["layoffs"])
    if "knocker_melds" in example:
        assert told["spread"] == [" ".join(meld) for meld in example["knocker_melds"]]


# --- the public cases ----------------------------------------------------------------------------


def test_no_case_is_dropped() -> None:
    asked = [case["id"] for case in CASES if case["kind"] != "stats"]
    tested = [case["id"] for kind in ("deadwood", "layoff") for case in of_kind(kind)]
    tested += [case["id"] for case in hand_scores() + sheets()]
    tested += [name for names in FLOW.values() for name in names]
    assert sorted([*tested, *NOT_EXPRESSIBLE]) == sorted(asked)
    assert set(NO_KNOCKER) <= {case["id"] for case in of_kind("layoff")}


@pytest.mark.parametrize("case", as_params(of_kind("deadwood")))
def test_deadwood(case: dict[str, Any]) -> None:
    expected = case["expected"]
    told = answer("solve", case["input"]["hand"])
    assert told["deadwood"] == expected["deadwood"]
    assert {one["deadwood"] for one in told["arrangements"]} == {expected["deadwood"]}
    found = {parse_cards(one["leftover"]) for one in told["arrangements"]}
    assert found == {parse_cards(text) for text in expected["leftover_choices"]}
    assert told["arrangements"][0]["melds"] == told["melds"]
    assert told["arrangements"][0]["leftover"] == told["leftover"]
    hand = naive.cards(case["input"]["hand"])
    for one in told["arrangements"]:
        laid = naive.melds(" | ".join(one["melds"]))
        assert set(laid) <= set(naive.all_melds())
        assert naive.left_after(hand, laid) == naive.cards(one["leftover"])


@pytest.mark.parametrize("case", as_params(of_kind("layoff")))
def test_layoff(case: dict[str, Any]) -> None:
    given, expected = case["input"], case["expected"]
    spread, hand = " | ".join(given["knocker_spread"]), given["defender_hand"]
    gin = ["--gin"] if given["knocker_deadwood"] == 0 else []
    told = answer("defend", hand, "--spread", spread, *gin, *settings(given["params"]))
    assert told["deadwood"] == expected["defender_deadwood"]
    assert {one["meld"] for one in told["layoffs"]} <= set(given["knocker_spread"])
    order = [(naive.card(one["card"]), given["knocker_spread"].index(one["meld"])) for one in told["layoffs"]]
    naive.play_layoffs(naive.melds(spread), order)
    loose = naive.cards(told["leftover"])
    assert naive.pips(loose) == told["deadwood"]
    gone = {one for one, _ in order}
    assert naive.left_after(naive.cards(hand), naive.melds(" | ".join(told["melds"]))) == loose | gone


@pytest.mark.parametrize("case", as_params(one for one in of_kind("layoff") if one["id"] not in NO_KNOCKER))
def test_layoff_as_a_whole_hand(case: dict[str, Any]) -> None:
    given, expected = case["input"], case["expected"]
    spread = " | ".join(given["knocker_spread"])
    gone = parse_cards(given["defender_hand"]) | parse_cards(spread.replace("|", " "))
    loose = loose_cards(10 - gone.bit_count() + 10, given["knocker_deadwood"], naive.from_mask(gone))
    knocker = f"{spread.replace('|', ' ')} {naive.show(loose)}"
    thrown = min(naive.DECK - naive.from_mask(gone) - loose)
    words = ["--knocker", knocker, "--discard", naive.show([thrown]), "--defender", given["defender_hand"]]
    told = answer("score", *words, "--spread", spread, *settings(given["params"]))
    assert told["end"] == expected["result"]
    assert told["knocker_deadwood"] == given["knocker_deadwood"]
    assert told["defender_deadwood"] == expected["defender_deadwood"]
    assert told[f"points_{expected['winner']}"] == expected["points"]
    assert told["spread"] == given["knocker_spread"]


def loose_cards(count: int, points: int, gone: naive.Cards) -> naive.Cards:
    """Return so many free cards of so many points, low cards first."""
    if count == 0:
        assert points == 0
        return frozenset()
    ways: dict[tuple[int, int], naive.Cards] = {(0, 0): frozenset()}
    for one in sorted(naive.DECK - gone):
        for (size, total), chosen in list(ways.items()):
            ways.setdefault((size + 1, total + naive.pip(one)), chosen | {one})
    return ways[count, points]


@pytest.mark.parametrize("case", as_params(one for one in hand_scores() if one["id"] != "GR-106"))
def test_score(case: dict[str, Any]) -> None:
    given, expected = case["input"], case["expected"]
    pair = given["knocker_deadwood"], given["defender_deadwood_after_layoffs"]
    knocker, defender = HANDS[pair]
    if expected["result"] == "big_gin":
        ending = ["--knocker", knocker, "--big-gin"]
    elif pair[0] == 0:  # eleven melded cards of which the one at the end of a run is thrown
        thrown = {LOW_RUNS: "5S", FIVES: "AC"}[knocker]
        ending = ["--knocker", knocker.replace(thrown, ""), "--discard", thrown]
    else:
        ending = ["--knocker", knocker, "--discard", "KC"]
    told = answer("score", *ending, "--defender", defender, *settings(given["params"]))
    assert (told["knocker_deadwood"], told["defender_deadwood"]) == pair
    assert told["end"] == expected["result"]
    points = {"knocker": 0, "defender": 0, expected["winner"]: expected["points"]}
    assert (told["points_knocker"], told["points_defender"]) == (points["knocker"], points["defender"])


def test_stock_exhausted_scores_nothing() -> None:
    by_id = {case["id"]: case for case in CASES}
    event, hands = by_id["GR-106"], [by_id[name]["input"]["hand"] for name in ("GR-107", "GR-108")]
    words = ["--knocker", hands[0], "--defender", hands[1], "--discard", "KC", "--no-knock"]
    told = answer("score", *words, "--stock", "2")
    assert told["end"] == "void"
    assert [told["points_knocker"], told["points_defender"]] == list(event["expected"]["points"].values())
    assert answer("score", *words, "--stock", "3")["end"] is None


@pytest.mark.parametrize("case", flow("duplicate"))
def test_duplicate(case: dict[str, Any]) -> None:
    result = CliRunner().invoke(app, ["solve", case["input"]["hand"]])
    assert result.exit_code == 2
    assert case["expected"]["error"] in result.stderr


@pytest.mark.parametrize("case", flow("eleven"))
def test_eleven_cards(case: dict[str, Any]) -> None:
    given, expected = case["input"], case["expected"]
    taken = [word for card in given["not_discardable"] for word in ("--taken", card)]
    told = answer("solve", given["hand_11"], *taken, "--set", f"knock_limit={given['knock_limit']}")
    assert told["deadwood"] == expected["deadwood_of_all_11"]
    knocks = {one["card"]: one["deadwood"] for one in told["legal_knocks"]}
    assert knocks == expected["legal_knock_discards"]
    assert min(knocks.values(), default=None) == expected["best"]
    assert [one["card"] for one in told["gin_discards"]] == expected["gin_discards"]
    assert told["big_gin"] is expected["big_gin"]
    if expected["best"] is not None:
        assert {one["deadwood"] for one in told["best_discards"]} == {expected["best"]}


@pytest.mark.parametrize("case", flow("limit"))
def test_limit(case: dict[str, Any]) -> None:
    points = case["input"]["deadwood_after_discard"]
    kept = "3D 4D 5D 6D JS JH JC AS AH " + {10: "8C", 11: "9C"}[points]
    defender = "KC KD KH QS QC TD 7S 7C 4S 2H"
    words = ["--knocker", kept, "--discard", "KS", "--defender", defender]
    told = answer("score", *words, "--set", f"knock_limit={case['input']['knock_limit']}")
    assert told["knocker_deadwood"] == points
    assert (told["end"] != "illegal_knock") is case["expected"]["knock_legal"]


@pytest.mark.parametrize("case", flow("deck"))
def test_deck_too_small(case: dict[str, Any]) -> None:
    given = case["input"]
    params = {"ranks": given["num_ranks"], "suits": given["num_suits"], "hand_size": given["hand_size"]}
    result = CliRunner().invoke(app, ["solve", "AS", *settings(params)])
    assert result.exit_code == 2
    assert case["expected"]["error"] in result.stderr


@pytest.mark.parametrize("case", flow("words"))
def test_words_that_are_cards_or_not(case: dict[str, Any]) -> None:
    for text in case["input"]["inputs"]:
        result = CliRunner().invoke(app, ["solve", text])
        assert result.exit_code == (2 if "not" in text else 0)
        assert "Traceback" not in result.output
    assert answer("solve", "10H")["leftover"] == answer("solve", "th")["leftover"] == "TH"


@pytest.mark.parametrize("case", flow("rules"))
def test_rules_reported(case: dict[str, Any]) -> None:
    told = answer("rules", case["input"]["variant"])
    assert told["name"] == case["expected"]["report_variant"]
    assert told["rules"]["knock_limit"] == case["expected"]["knock_limit"]


# --- the wall, the spread, gin ----------------------------------------------------------------------

FIRST_EXAMPLE = ("--knocker", "KS KH KD 4H 5H 6H 8C 9C TC AS", "--defender", "KC 2S 2H 2D QH 9S 5D 3C 6S JH")


@pytest.mark.parametrize(
    ("args", "end"),
    [
        (("--stock", "2"), "knock"),  # the player of the last card drawn may still knock
        (("--stock", "1"), "void"),  # no card is drawn from the dead stock
        (("--stock", "3", "--taken", "AS"), "knock"),
        (("--stock", "2", "--taken", "AS"), "void"),
        (("--stock", "2", "--taken", "QD"), "void"),  # over before the card could be taken
        (("--stock", "3", "--taken", "QD"), "illegal_discard"),
        (("--stock", "3", "--taken", "QD", "--no-knock"), "illegal_discard"),
        (("--stock", "3", "--no-knock"), None),
        (("--stock", "2", "--no-knock"), "void"),
        (("--stock", "2", "--no-knock", "--set", "dead_stock=1"), None),
        (("--stock", "31", "--upcard", "9S"), "knock"),
        (("--taken", "QD", "--set", "may_discard_taken=true"), "knock"),
        (("--set", "knock_limit=0"), "illegal_knock"),
    ],
)
def test_how_the_hand_ends(args: tuple[str, ...], end: str | None) -> None:
    told = answer("score", *FIRST_EXAMPLE, "--discard", "QD", *args)
    assert told["end"] == end
    if end != "knock":
        assert told["points_knocker"] == told["points_defender"] == 0
        assert told["defender_deadwood"] is None
        assert told["knocker_deadwood"] == (1 if end in ("illegal_discard", "illegal_knock") else None)


def test_a_spread_may_keep_deadwood_within_the_limit() -> None:
    gin = "AS 2S 3S 4S 7H 7D 7C JD QD KD"
    words = ["--knocker", gin, "--discard", "9C", "--defender", "5S 7S TD 9H 9S 9D KH 4C 2D AH"]
    assert answer("score", *words)["end"] == "gin"
    told = answer("score", *words, "--spread", "2S 3S 4S | 7H 7D 7C | JD QD KD")
    assert (told["end"], told["knocker_deadwood"], told["knocker_leftover"]) == ("knock", 1, "AS")
    assert told["points_knocker"] == 16  # 5S, 7S and TD are laid off now: 17 left


def test_defend_against_gin_depends_on_the_rules() -> None:
    hand = ("defend", "5S 7S TD 9H 9S 9D KH 4C 2D AH", "--spread", "AS 2S 3S 4S | 7H 7D 7C | JD QD KD")
    assert answer(*hand)["deadwood"] == 17
    assert answer(*hand, "--gin")["deadwood"] == 39
    assert answer(*hand, "--gin")["layoffs"] == []
    assert answer(*hand, "--gin", "--rules", "fournier")["deadwood"] == 17


# --- whole hands against the oracle --------------------------------------------------------------


@pytest.mark.parametrize("preset", ["standard", "fournier", "bga", "round_the_corner"])
def test_score_against_oracle(preset: str) -> None:
    source = random.Random(preset)
    rules = Rules.preset(preset)
    plain = naive_score.complete(rules.to_dict())
    ace, ace_value = plain["runs_ace"], plain["ace_value"]
    endings = set()
    for _ in range(60):
        knocker, _, defender = naive_hands.random_knock(source, ace)
        thrown = source.choice(sorted(naive.DECK - knocker - defender))
        told = score_ending(
            rules, knocker=naive.show(knocker), defender=naive.show(defender), discard=naive.show([thrown])
        )
        endings.add(told["end"])
        own = naive.deadwood(knocker, ace, ace_value)
        assert told["knocker_deadwood"] == own
        if own > plain["knock_limit"]:
            assert told["end"] == "illegal_knock"
            continue
        spread = naive.default_melds(knocker, naive.DECK - knocker - {thrown}, ace, ace_value)
        assert set(naive.melds(" | ".join(told["spread"]))) == set(spread)
        allowed = own > 0 or plain["layoff_on_gin"]
        left = naive.defence(defender, spread, ace, ace_value, allowed)
        assert told["defender_deadwood"] == left
        score = naive_score.hand_result(own, left, plain)
        points = {"knocker": 0, "defender": 0}
        if score.winner is not None:
            points[score.winner] = score.points
        assert told["end"] == score.end
        assert (told["points_knocker"], told["points_defender"]) == (points["knocker"], points["defender"])
    assert {"illegal_knock", "knock"} <= endings


# --- single hands against the oracle ---------------------------------------------------------------


@given(naive_hands.hands(min_size=11, max_size=11))
def test_solve_lists_every_discard_it_should(hand: naive.Cards) -> None:
    told = solve_hand(naive.show(hand), Rules())
    left = naive.discard_deadwoods(hand)
    least = min(left.values())

    def listed(name: str) -> dict[naive.Card, int]:
        return {naive.card(one["card"]): one["deadwood"] for one in told[name]}

    assert listed("best_discards") == {card: least for card, points in left.items() if points == least}
    assert listed("legal_knocks") == {card: points for card, points in left.items() if points <= 10}
    assert listed("gin_discards") == {card: points for card, points in left.items() if points == 0}
    assert told["big_gin"] is (naive.deadwood(hand) == 0)


@pytest.mark.parametrize(
    ("cards", "text"),
    [
        ("7C 7S 7D", "7S 7D 7C"),
        ("6S 5S 7S", "5S 6S 7S"),
        ("2H KH AH QH", "QH KH AH 2H"),
        ("AD KD QD", "QD KD AD"),
        ("3C 2C AC", "AC 2C 3C"),
        ("AH 2H 3H 4H 5H 6H 7H 8H 9H TH KH", "KH AH 2H 3H 4H 5H 6H 7H 8H 9H TH"),
    ],
)
def test_meld_text(cards: str, text: str) -> None:
    assert meld_text(parse_cards(cards)) == text


@pytest.mark.parametrize("ace", ["low", "high_low", "corner"])
def test_meld_text_of_every_meld_is_in_playing_order(ace: str) -> None:
    for meld in naive.all_melds(ace):
        cards = [naive.card(word) for word in meld_text(naive.to_mask(meld)).split()]
        assert frozenset(cards) == meld
        if not naive.is_set(meld):
            assert all((a[0] + 1) % 13 == b[0] for a, b in zip(cards, cards[1:], strict=False))


@pytest.mark.parametrize("case", as_params(sheets()))
def test_score_of_a_game(case: dict[str, Any]) -> None:
    given, expected = case["input"], case["expected"]
    hands = ", ".join(f"{side} {points}" for side, _, points in given["hands"])
    if given.get("scoring") == "hollywood":
        told = answer("score-game", "--rules", "hollywood", "--hands", hands)
        for name in "AB":
            assert [column["points"][name] for column in told["columns"]] == expected["columns"][name]
        return
    changes = {"box_bonus": given["box"], "game_bonus": given["game_bonus"], "shutout": given["shutout"]}
    told = answer("score-game", "--hands", hands, *settings(changes))
    assert told["totals"] == expected["final"] and told["winner"] == "A"


@pytest.mark.parametrize("case", flow("limit card"))
def test_limit_card(case: dict[str, Any]) -> None:
    """An ace is left: it may knock under every limit but that of gin only."""
    melded = "2S 3S 4S 6H 6D 6C JD QD KD"
    for reading, limits in (("gin", "limit_ace_is_gin_only"), ("one", "limit_ace_is_one")):
        for upcard, limit in zip(case["input"]["upcards"], case["expected"][limits], strict=True):
            hand = ["--knocker", f"{melded} AC", "--defender", "KS KH 8S 8H 7S 5S 5H 3H 2H JH"]
            rules = ["--set", "knock_limit_source=upcard", "--set", f"oklahoma_ace={reading}"]
            told = answer("score", *hand, "--discard", "9S", "--upcard", upcard, *rules)
            assert told["limit"] == limit
            assert (told["end"] == "illegal_knock") == (limit == 0)
