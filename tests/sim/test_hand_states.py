"""A hand from any state: worked examples, given cards, and going on from any turn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim._jit import COMPILED
from sim.cards import parse_card, parse_cards
from sim.deal import DRAWN, start_hand
from sim.hand import BAD_CARD
from sim.melds import arrangements
from sim.rules import Rules
from sim.run import Player, Table
from sim.scoring import (
    ENDINGS,
    GOING,
)
from sim.streams import hand_key, pair_key
from strategies.base import parse_strategy, player
from tests import naive
from tests.strategies import user_file
from tests.strategies.user_file import (
    ALWAYS,
    ANY,
    COIN,
    NEVER,
    NOT_BIG_GIN,
    RANDOM,
    STOCK,
    TOSS,
    VARIED_RULES,
    at_discard,
    deal,
    go_on,
    plain,
    puppet,
    restore,
    snapshot,
)

DATA = Path(__file__).parent.parent / "data"

HANDS = 12 if COMPILED else 2


def named(text: str) -> Player:
    return player(parse_strategy(text))


def examples_of(kind: str) -> dict[str, dict[str, Any]]:
    """Return the examples of a kind, by their number."""
    listed = json.loads((DATA / "examples.json").read_text())
    return {one["id"]: one for one in listed if one["kind"] == kind}


def rules_of(example: dict[str, Any]) -> Rules:
    return Rules.preset(example["preset"]).replace(**example.get("overrides", {}))


EXAMPLES = examples_of("hand")


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_examples_as_the_engine_plays_them(example: dict[str, Any]) -> None:
    rules, thrown = rules_of(example), example["discard"] or ""
    kept, other = " ".join(example["knocker_hand"]), " ".join(example["defender_hand"])
    show = user_file.DEFAULT
    if "knocker_melds" in example:
        melds = {parse_cards(" ".join(meld)) for meld in example["knocker_melds"]}
        found = [set(one.melds) for one in arrangements(parse_cards(kept), rules)]
        assert len(found) == 2
        show = (user_file.FIRST, user_file.LAST)[found.index(melds)]
    taken = "taken_from_discard_pile" in example
    drew, upcard = example.get("taken_from_discard_pile", ""), example.get("upcard", "")
    knocker = throwing(thrown, ALWAYS, show)
    stock = example.get("stock_after_previous_discard", 20)
    table = at_discard(kept, thrown, other, rules, knocker, stock, taken, upcard, drew)
    go_on(table, 1)
    hand, end = table.hand, example["expected_end"]
    if end.startswith("illegal"):
        # The engine does not ask for a knock that cannot be, and refuses a card that may not be thrown.
        assert hand.ending == GOING
        assert (hand.fault == BAD_CARD) == (end == "illegal_discard")
        return
    assert ENDINGS[int(hand.ending)] == end and not hand.fault
    points = {0: 0, 1: 0, -1: 0, int(hand.winner): int(hand.points)}
    assert (points[0], points[1]) == (example["points_knocker"], example["points_defender"])
    assert int(hand.knocker_deadwood) == example["knocker_deadwood"]
    assert int(hand.defender_deadwood) == example["defender_deadwood"]
    if "layoffs" in example:
        assert int(hand.layoffs) == parse_cards(" ".join(example["layoffs"]))


def throwing(card: str, when: int, show: int = user_file.DEFAULT) -> Player:
    """Return a player who throws the card named (any that may go when none is)."""
    if not card:
        return puppet(STOCK, when, user_file.BEST, show)
    return puppet(STOCK, when, user_file.GIVEN, show, number=parse_card(card).bit_length() - 1)


def test_examples_at_the_wall() -> None:
    """The hand is void once a discard leaves two cards, also when the other could knock with it."""
    examples = examples_of("protocol")
    assert sorted(examples) == ["E33", "E35"]
    here, before = examples["E33"], examples["E35"]
    for one, hand, other, card in (
        (here, "knocker_hand", "defender_hand", here["discard"]),
        (before, "defender_hand", "knocker_hand", before["taken_from_discard_pile"]),
    ):
        cards = [" ".join(word for word in one[name] if word != card) for name in (hand, other)]
        defender = cards[1] if len(cards[1].split()) == 10 else f"{cards[1]} {one['discard']}"
        table = at_discard(cards[0], card, defender, rules_of(one), throwing(card, NEVER), stock=2)
        go_on(table)
        assert ENDINGS[int(table.hand.ending)] == one["expected_end"] == "void"
        assert (int(table.hand.points), int(table.hand.turns)) == (0, 1)
        assert table.views[1].memory[user_file.ASKED] == 0  # the other is not asked


@pytest.mark.parametrize("show", [user_file.FIRST, user_file.LAST])
@pytest.mark.parametrize("side", [0, 1])
def test_each_side_shows_its_own_spread(side: int, show: int) -> None:
    example = EXAMPLES["E23"]
    kept, other = " ".join(example["knocker_hand"]), " ".join(example["defender_hand"])
    table = at_discard(kept, example["discard"], other, Rules(), puppet(show=show))
    table.players = (table.players[0], named("gold"))  # who would show the last
    if side:  # the players change places
        table.players = table.players[::-1]
        table.views[[0, 1]] = table.views[[1, 0]]
        table.hand.player = 1
    go_on(table, 1)
    assert not table.hand.fault and int(table.hand.knocker) == int(table.hand.winner) == side
    shown = arrangements(parse_cards(kept))[-1 if show == user_file.LAST else 0]
    sets = sum(meld for meld in shown.melds if naive.is_set(naive.from_mask(meld)))
    assert int(table.hand.sets) == sets


def test_cards_known_in_the_other_hand_count_for_the_default_spread() -> None:
    """8H and 9H, seen to be taken, are as dangerous to 4-5-6-7 of hearts as unseen ones."""
    example = EXAMPLES["E23"]
    kept, other = " ".join(example["knocker_hand"]), " ".join(example["defender_hand"])
    table = at_discard(kept, example["discard"], other, Rules())
    seen = parse_cards("8H 9H")
    table.views[0].known = seen
    table.views[0].unseen &= ~seen
    go_on(table, 1)
    assert int(table.hand.points) == example["points_knocker"] == 44


def test_big_gin_may_be_declined() -> None:
    eleven = EXAMPLES["E12"]
    cards = " ".join(eleven["knocker_hand"]), "", " ".join(eleven["defender_hand"])
    rules = Rules.preset("standard")
    table = at_discard(*cards, rules, puppet(STOCK, NOT_BIG_GIN))
    go_on(table, 1)
    hand, view = table.hand, table.views[0]
    assert hand.ending == GOING and (int(view.best_deadwood), int(view.big_gin)) == (0, 1)
    assert int(hand.declines[0]) == 1 and int(view.hand).bit_count() == 10
    # Without big gin the same cards are ordinary gin, with a discard.
    table = at_discard(*cards, Rules.preset("club"), puppet(STOCK, NOT_BIG_GIN))
    go_on(table, 1)
    assert ENDINGS[int(table.hand.ending)] == "gin" and int(table.views[0].big_gin) == 0
    assert int(table.views[0].hand).bit_count() == 10


def test_a_hand_from_given_cards() -> None:
    """Cards laid into the views and the state begin a hand as the deal does."""
    a, b = puppet(), puppet(COIN, TOSS, ANY)
    table, other = (Table(a, b, VARIED_RULES["eaai"], seed) for seed in (6, 7))
    for dealer in (0, 1):
        table.game.start_dealer = dealer
        deal(table)
        for name in ("deck", "place", "key", "allowed", "upcard"):
            other.hand[name] = table.hand[name]
        for mine, given in zip(other.views, table.views, strict=True):
            mine.hand = given.hand
        start_hand(other.hand, *other.views, other.rules, hand_key(pair_key(6, 0), 0), 0, 0, dealer)
        assert plain(other.hand) == plain(table.hand)
        go_on(table)
        go_on(other)
        assert plain(other.hand) == plain(table.hand)


def test_big_gin_that_spares_no_card() -> None:
    """Six cards in two melds: with big gin they end the hand, else one of them has to go."""
    cards = "2S 3S 4S 7H 7D", "7C", "AS AH AD 8H 5C"
    rules = Rules(hand_size=5, ranks=8, big_gin_bonus=31)
    turn = 1 << 8
    for when, end, taken, declined in ((ALWAYS, "big_gin", turn, []), (NOT_BIG_GIN, "none", 0, [turn])):
        table = at_discard(*cards, rules, puppet(knock_when=when), stock=5)
        go_on(table, 1)
        hand, view = table.hand, table.views[0]
        assert ENDINGS[int(hand.ending)] == end and (int(view.best_deadwood), int(view.big_gin)) == (0, 1)
        assert int(hand.taken) == taken and hand.declined[0, : int(hand.declines[0])].tolist() == declined
        assert int(hand.discard) == (0 if end == "big_gin" else parse_card("4S"))
    assert int(table.views[0].hand) == parse_cards("2S 3S 7H 7D 7C")
    table = at_discard(*cards, rules.replace(big_gin_bonus=None), puppet(), stock=5)
    go_on(table, 1)
    assert ENDINGS[int(table.hand.ending)] == "knock" and int(table.hand.taken) == turn | 5


PLAYERS = {
    "random": (RANDOM, RANDOM),
    "simple": (named("simple"), named("simple")),
    "patient": (named("gin_only"), named("two_stage")),
}


@pytest.mark.parametrize("who", PLAYERS)
@pytest.mark.parametrize("name", ["eaai", "standard", "reduced"])
def test_going_on_from_any_turn(who: str, name: str) -> None:
    table = Table(*PLAYERS[who], VARIED_RULES[name], 4)
    for pair in range(HANDS // 5 + 1):
        deal(table, pair, 1)
        dealt = snapshot(table)
        go_on(table)
        whole, views = plain(table.hand), snapshot(table)[1]
        for turn in range(int(table.hand.turns)):
            restore(table, dealt)
            go_on(table, turn)
            assert int(table.hand.turns) == turn and table.hand.ending == GOING
            stopped = snapshot(table)
            for _ in range(2):
                restore(table, stopped)
                go_on(table)
                assert plain(table.hand) == whole and snapshot(table)[1] == views
            elsewhere = Table(*PLAYERS[who], VARIED_RULES[name], 99)  # the state is all there is
            restore(elsewhere, stopped)
            go_on(elsewhere)
            assert plain(elsewhere.hand) == whole


@pytest.mark.parametrize("who", PLAYERS)
def test_going_on_from_the_draw(who: str) -> None:
    """A hand set up after the draw goes on as the hand did in which that card was drawn."""
    table = Table(*PLAYERS[who], VARIED_RULES["eaai"], 8)
    for pair in range(HANDS // 5 + 1):
        deal(table, pair)
        dealt = snapshot(table)
        go_on(table)
        whole = plain(table.hand)
        for turn in range(1, int(table.hand.turns), 3):
            restore(table, dealt)
            go_on(table, turn)
            before, side, known = snapshot(table), int(table.hand.player), table.views.known.tolist()
            go_on(table, turn + 1)
            view = table.views[side]
            drawn, took = int(view.drawn), int(view.from_discard)
            place, streak = int(table.hand.place), int(table.hand.streak)
            draws = table.hand.upcard_draws.tolist()
            deck = np.array(table.hand.deck)
            restore(table, before)
            hand, other = table.hand, table.views[1 - side]
            hand.drawn, hand.from_discard, hand.phase = drawn, took, DRAWN
            hand.place, hand.streak, hand.upcard_draws[:], hand.deck[:] = place, streak, draws, deck
            if took:
                hand.pile ^= drawn
                view.pile = other.pile = hand.pile
                other.known = known[1 - side] | drawn
            else:
                other.declined |= hand.upcard
                hand.stock -= 1
                view.unseen ^= drawn
            go_on(table)
            assert plain(table.hand) == whole
