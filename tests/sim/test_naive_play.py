"""How the slow oracle plays the rules of openings, walls, limits and ends, in positions set up by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import naive, naive_game, naive_match, naive_score
from tests.naive import Cards
from tests.naive_luck import Luck
from tests.naive_match import Script, position

DATA = Path(__file__).parent.parent / "data"
EXAMPLES: dict[str, dict[str, Any]] = {
    one["id"]: one for one in json.loads((DATA / "examples.json").read_text())
}
PRESETS: dict[str, dict[str, Any]] = json.loads((DATA / "presets.json").read_text())["presets"]


def words(listed: list[str]) -> Cards:
    return naive.cards(" ".join(listed))


def dealt(
    name: str, rules: dict[str, Any], players: tuple[Script, Script], dealer: int = 1
) -> naive_game.Hand:
    """Return a deal in which A holds the knocker's cards of an example and the next card is his discard.

    B, the dealer, holds the defender's.
    """
    example = EXAMPLES[name]
    mine, other = words(example["knocker_hand"]), words(example["defender_hand"])
    next_card = naive.card(example["discard"])
    stock = sorted(naive.DECK - mine - other - {next_card})
    return naive_game.Hand(players, (mine, other), next_card, stock, dealer, rules, luck=Luck(1, 1))


# --- openings ------------------------------------------------------------------------------------


def test_eleven_cards_may_knock_at_once() -> None:
    """Example B29: the non-dealer throws the queen from the eleven cards dealt, and scores as in E01."""
    players = Script(knocks=True, throws=naive.card("QD")), Script(takes=True)
    hand = dealt("E01", {"opening": "eleven_ten"}, players).play()
    assert (hand.ending, hand.winner, hand.points) == ("knock", 0, EXAMPLES["E01"]["points_knocker"])
    assert (hand.turns, hand.upcard_draws, hand.own_draws) == (1, [0, 0], [1, 0])
    assert [player.asked for player in players] == [0, 0]


def test_the_first_of_eleven_to_go_begins_the_pile() -> None:
    players = Script(throws=naive.card("QD")), Script(takes=True)
    hand = dealt("E01", {"opening": "eleven_ten"}, players)
    assert hand.opening() == 0
    assert hand.told == [(0, "stock", naive.card("QD"), naive.card("QD"))]
    assert hand.pile == [naive.card("QD")] and len(hand.stock) == 31
    hand.after_discard(0)
    assert hand.told[1][:3] == (1, "upcard", naive.card("QD")) and players[1].asked == 1


def test_a_free_first_draw() -> None:
    for takes, source in ((True, "upcard"), (False, "stock")):
        players = Script(takes), Script(takes)
        hand = dealt("E01", {"opening": "free_first_draw"}, players)
        top = hand.stock[0]
        assert hand.opening() == 0
        assert hand.told[0][:3] == (0, source, naive.card("QD") if takes else top)
        assert [player.asked for player in players] == [1, 0]


def test_an_offered_upcard() -> None:
    for first, second, side in ((True, False, 0), (False, True, 1), (False, False, 0)):
        players = Script(first), Script(second)
        hand = dealt("E01", {}, players)
        assert hand.opening() == side
        assert hand.told[0][1] == ("upcard" if first or second else "stock")
        assert [player.asked for player in players] == [1, 0 if first else 1]


# --- walls ---------------------------------------------------------------------------------------


def at_the_wall(
    rules: dict[str, Any], a: Script, b: Script | None = None, name: str = "E34"
) -> naive_game.Hand:
    """Return the position in which B's 8D has left two cards; A can knock with it, throwing 7S."""
    example = EXAMPLES[name]
    taken, thrown = naive.card(example["taken_from_discard_pile"]), naive.card(example["discard"])
    mine = words(example["knocker_hand"]) - {taken} | {thrown}
    return position((mine, words(example["defender_hand"])), taken, 2, rules, (a, b or Script()))


def test_the_last_discard_ends_the_hand() -> None:
    example = EXAMPLES["E34"]
    player = Script(takes=True, knocks=False, throws=naive.card(example["discard"]))
    hand = at_the_wall(PRESETS[example["preset"]], player)
    hand.after_discard(1)
    assert (hand.ending, hand.winner, hand.points) == ("knock", 0, example["points_knocker"])
    assert hand.knocker_deadwood == example["knocker_deadwood"]
    assert hand.defender_deadwood == example["defender_deadwood"]
    assert hand.turns == 41 and hand.upcard_draws == [1, 0]


@pytest.mark.parametrize("takes", [False, True])
def test_the_last_discard_is_offered_only_for_a_legal_end(takes: bool) -> None:
    player = Script(takes)
    hand = at_the_wall({"wall_rule": "last_discard_knock"}, player)
    hand.after_discard(1)
    assert (hand.ending == "void") != takes and player.asked == 1
    # The least that 8D allows is a knock with 1.
    player = Script(takes)
    hand = at_the_wall({"wall_rule": "last_discard_knock", "knock_limit": 0}, player)
    hand.after_discard(1)
    assert (hand.ending, player.asked, hand.turns) == ("void", 0, 40)


def test_the_card_just_taken_does_not_make_an_end_legal() -> None:
    """Ten cards with gin in them: only the last discard itself could be thrown."""
    mine, other = words(EXAMPLES["E04"]["knocker_hand"]), words(EXAMPLES["E04"]["defender_hand"])
    for back, ending in ((False, "void"), (True, "gin")):
        rules = {"wall_rule": "last_discard_knock", "knock_limit": 0, "may_discard_taken": back}
        hand = position((mine, other), naive.card("9C"), 2, rules, (Script(takes=True), Script()))
        hand.after_discard(1)
        assert hand.ending == ending


def test_a_big_gin_with_the_last_discard() -> None:
    mine = words(EXAMPLES["E12"]["knocker_hand"]) - {naive.card("KC")}
    other = words(EXAMPLES["E12"]["defender_hand"])
    rules = {"wall_rule": "last_discard_knock", "knock_limit": 0, "big_gin_bonus": 31}
    hand = position((mine, other), naive.card("KC"), 2, rules, (Script(takes=True), Script()))
    hand.after_discard(1)
    assert (hand.ending, hand.points) == ("big_gin", EXAMPLES["E12"]["points_knocker"])
    assert len(hand.hands[0]) == 11 and hand.told[-1][3] is None


def test_the_last_discard_played() -> None:
    """Who takes the last discard plays on, and his own is offered to the other; a refusal is void."""
    players = Script(takes=True, throws=naive.card("7S")), Script(takes=True)
    hand = at_the_wall({"wall_rule": "last_discard_play"}, *players)
    assert hand.after_discard(1) == 0 and hand.ending == ""
    assert hand.told[-1] == (0, "upcard", naive.card("8D"), naive.card("7S"))
    players[1].takes = False
    hand.after_discard(0)
    assert (hand.ending, hand.turns, players[1].asked) == ("void", 41, 1)
    knocking = at_the_wall({"wall_rule": "last_discard_play"}, Script(True, True, naive.card("7S")))
    knocking.after_discard(1)
    assert (knocking.ending, knocking.points) == ("knock", 40)
    for_ever = at_the_wall({"wall_rule": "last_discard_play"}, Script(True), Script(True))
    side = 1
    while not for_ever.ending:
        side = for_ever.after_discard(side)
    assert (for_ever.ending, for_ever.upcards_in_a_row, for_ever.turns) == ("capped", 100, 140)


def test_a_reshuffle() -> None:
    player = Script()
    hand = at_the_wall({"wall_rule": "reshuffle"}, player)
    hand.known = [words(["TS"]), words(["TH"])]
    outside = {*hand.pile[:-1], *hand.stock}
    before = hand.luck.reshuffled(0, 0, outside) if hand.luck else []
    hand.after_discard(1)
    assert hand.reshuffles == 1 and len(outside) == 31
    assert hand.told[-1][:3] == (0, "stock", before[0]) and hand.stock == before[1:]
    assert len(hand.pile) == 2 and hand.pile[0] == naive.card("8D")
    info = hand.info(1, 0)
    assert info.unseen == naive.DECK - hand.hands[1] - set(hand.pile) - info.known


def test_reshuffles_go_on_until_the_cap() -> None:
    players = naive_match.Hoarder(), naive_match.Hoarder()
    luck = Luck(2, 4)
    rules = naive_score.complete({"wall_rule": "reshuffle", "dead_stock": 30})
    hand = naive_game.deal(luck.deck(0), players, rules, luck=luck).play()
    # One live card each time: legal rules always leave that much for a new stock.
    assert (hand.ending, hand.turns, hand.reshuffles, len(hand.pile)) == ("capped", 400, 399, 2)


# --- limits, compulsory gin, payoffs -------------------------------------------------------------


@pytest.mark.parametrize("knocks", [False, True])
def test_compulsory_gin(knocks: bool) -> None:
    player = Script(knocks=knocks)
    for name, compulsory, ending in (
        ("E04", True, "gin"),
        ("E04", False, "gin" if knocks else ""),
        ("E01", True, "knock" if knocks else ""),  # a knock is a choice
    ):
        given = {"gin_compulsory": compulsory, "opening": "eleven_ten"}
        hand = dealt(name, given, (player, Script()))
        hand.opening()
        assert hand.ending == ending
    mine, other = words(EXAMPLES["E12"]["knocker_hand"]), words(EXAMPLES["E12"]["defender_hand"])
    for bonus, ending in ((31, "big_gin"), (None, "gin")):
        big = naive.card("KC")
        rest = sorted(naive.DECK - mine - other)
        rules: dict[str, Any] = {"gin_compulsory": True, "opening": "eleven_ten", "big_gin_bonus": bonus}
        hand = naive_game.Hand((player, Script()), (mine - {big}, other), big, rest, 1, rules)
        assert hand.play().ending == ending
        assert len(hand.hands[0]) == (11 if bonus else 10)


@pytest.mark.parametrize("name", ["E14", "E15", "E16", "E17"])
def test_limit_cards(name: str) -> None:
    """The upcard sets the limit of a hand in play, and a spade doubles its score."""
    example = EXAMPLES[name]
    mine, other = words(example["knocker_hand"]), words(example["defender_hand"])
    upcard, drawn = naive.card(example["upcard"]), naive.card(example["discard"])
    rest = sorted(naive.DECK - mine - other - {upcard, drawn})
    rules = {**PRESETS[example["preset"]], "opening": "free_first_draw"}
    player = Script(knocks=True, throws=drawn)
    hand = naive_game.Hand((player, Script()), (mine, other), upcard, [drawn, *rest], 1, rules)
    hand.opening()
    assert hand.ending == example["expected_end"].replace("illegal_knock", "")
    assert (hand.points, hand.winner) == (example["points_knocker"], 0 if hand.ending else None)


def test_what_a_hand_pays() -> None:
    for name, paid in (("E04", (100, -39)), ("E01", (20, -53))):
        hand = dealt(name, PRESETS["rlcard"], (Script(knocks=True), Script()))
        assert hand.play().payoffs == paid
    hand = at_the_wall({**PRESETS["rlcard"], "wall_rule": "void"}, Script())
    hand.after_discard(1)
    assert hand.payoffs == (-naive.deadwood(hand.hands[0]), -naive.deadwood(hand.hands[1]))


# --- games and matches ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tournament_50th", "rlcard", "palace", "hollywood", "bga_oklahoma"])
@pytest.mark.parametrize("game", [0, 1])
def test_matches(name: str, game: int) -> None:
    rules = {**PRESETS[name], "game_target": 60}
    players = naive_game.Gold(10), naive_game.TwoStage(10, 3, 6)
    match = naive_match.play_match(players, rules, Luck(9, 2, game))
    hands = [hand for one in match.games for hand in one.hands]
    assert [hand.number for hand in hands] == list(range(len(hands)))
    for one in match.games:
        told = naive_score.score_game([(hand.winner, hand.points, hand.boxes) for hand in one.hands], rules)
        assert (told.end, told.winner, told.totals) == (one.end, one.winner, one.totals)
        for before, after in zip(one.hands, one.hands[1:], strict=False):
            assert after.dealer == naive_game.next_dealer(before, rules)
    wins = [sum(one.winner == side for one in match.games) for side in (0, 1)]
    if name == "tournament_50th":
        assert max(wins) == 3 and min(wins) < 3 and match.score.winner == wins.index(3)
    else:
        assert len(match.games) == 1
    assert name != "rlcard" or len(hands) == 1


def test_exchanged_sides() -> None:
    """The second match of a pair between equal players is the first with the sides exchanged."""
    rules = {**PRESETS["rlcard"], "match_type": "best_of", "match_length": 3, "game_target": 50}
    players = naive_game.Gold(10), naive_game.Gold(10)
    one, other = (naive_match.play_match(players, rules, Luck(4, 0, game)) for game in (0, 1))
    assert one.score.winner is not None and other.score.winner == 1 - one.score.winner
    assert [game.totals for game in one.games] == [game.totals[::-1] for game in other.games]
