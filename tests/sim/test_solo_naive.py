"""Solo hands and games against the slow simulator: card by card, under random legal rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim._jit import COMPILED
from sim.rules import Rules, SoloRules
from sim.run import Player
from sim.solo import SoloTable, play_solo
from sim.solo_hand import SOLO_ENDINGS, SOLO_GOING
from sim.solo_rules import require_solo
from sim.solo_score import score_solo
from sim.solo_tally import KINDS
from sim.streams import CARD_PLACES, below, deck_key, hand_key, joker_key, pair_key, place_card
from strategies.base import parse_strategy, player
from tests import naive, naive_game, naive_solo
from tests.strategies.user_file import (
    ALWAYS,
    BEST,
    GIN,
    HIGHEST,
    LOWER,
    LOWEST,
    NEVER,
    STOCK,
    UPCARD,
    puppet,
)

BGA_SOLO = Rules.preset("bga_solo")


def solo_rules(solo: dict[str, Any] | None = None, **changes: Any) -> Rules:
    """Return `bga_solo` with some fields of the solo game and others changed."""
    return BGA_SOLO.replace(solo=solo or {}, **changes)


@dataclass(frozen=True)
class Plain(naive_game.PlainPlay):
    """The puppet of `tests.strategies.user_file`, written again for the slow simulator."""

    draw_how: int = LOWER
    knock_when: int = ALWAYS
    throw: int = BEST

    def limit(self, info: naive_game.Info) -> int:
        return {NEVER: -1, ALWAYS: 10, GIN: 0}[self.knock_when]

    def draw(self, info: naive_game.Info) -> bool:
        if self.draw_how != LOWER:
            return self.draw_how == UPCARD
        return super().draw(info)

    def discard(self, info: naive_game.Info) -> naive.Card:
        legal = info.hand - info.banned
        value = info.rules["ace_value"]
        if self.throw == BEST or info.ending:
            return super().discard(info)
        if self.throw == LOWEST:
            return min(legal, key=lambda one: naive.to_mask([one]))
        return max(legal, key=lambda one: (naive.pip(one, value), naive.to_mask([one])))

    def engine(self) -> Player:
        """Return the same player as the engine takes it."""
        return puppet(self.draw_how, self.knock_when, self.throw)


def deck_of(seed: int, game: int, hand: int, rules: Rules) -> list[naive.Card | None]:
    """Return the deck of a hand from the top as the engine's streams say, None for a joker.

    The cards lie as in a two-player game; the jokers among the cards, or among those not dealt.
    """
    key = hand_key(pair_key(seed, game), hand)
    order = np.array(CARD_PLACES)
    bits = [int(place_card(order, place, deck_key(key))) for place in range(52)]
    cards = [bit for bit in bits if rules.deck >> bit & 1]
    solo = require_solo(rules)
    dealt = 0 if solo.jokers_enter == "before_deal" else rules.hand_size + 1
    deck: list[naive.Card | None] = [(bit % 16, bit // 16) for bit in cards[:dealt]]
    rest, jokers, place = cards[dealt:], solo.jokers, 0
    while rest or jokers:
        if int(below(joker_key(key), place, len(rest) + jokers)) < jokers:
            deck.append(None)
            jokers -= 1
        else:
            bit = rest.pop(0)
            deck.append((bit % 16, bit // 16))
        place += 1
    return deck


def played(table: SoloTable) -> list[naive_solo.Turn]:
    """Play the hand at a table turn by turn, check what the player may know, and tell the turns."""
    told = []
    state, view, rules = table.hand, table.views[0], table.rules
    scores = (int(view.score), int(view.other_score))
    while state.ending == SOLO_GOING:
        turns, drawn_before, dealt = int(state.turns), int(state.jokers_drawn), bool(state.began)
        table.go_on(turns + 1)
        assert int(state.turns) == turns + 1 and not state.fault
        source = "upcard" if state.from_discard else "dealt" if dealt else "stock"
        cards = [next(iter(naive.from_mask(int(mask))), None) for mask in (state.drawn, state.discard)]
        told.append(naive_solo.Turn(source, *cards, int(state.jokers_drawn) - drawn_before))
        assert int(view.hand).bit_count() == rules.hand_size
        for name in ("known", "declined", "last_discard", "boxes", "other_boxes", "dealer", "big_gin"):
            assert view[name] == 0, name
        assert (int(view.score), int(view.other_score)) == scores
        if state.ending == SOLO_GOING:
            assert int(view.turn) == turns + 2 and int(view.pile) == int(state.pile)
            unseen = int(rules.deck) & ~int(view.hand | view.pile)
            # All cards that are neither held nor thrown lie in the stock; jokers enter no mask.
            assert int(view.unseen) == unseen and unseen.bit_count() == int(state.cards)
            assert int(state.jokers) + int(state.out) == rules.jokers
    return told


def same_hand(rules: Rules, who: Plain, seed: int, game: int, number: int) -> naive_solo.SoloHand:
    """Play a hand by the engine and by the slow simulator and compare everything."""
    table = SoloTable(who.engine(), rules, seed)
    table.deal(game, number)
    slow = naive_solo.SoloHand(who, deck_of(seed, game, number, rules), rules.to_dict())
    view, state = table.views[0], table.hand
    assert naive.from_mask(int(view.hand)) == slow.hand
    assert int(view.upcard) == int(view.pile) == naive.to_mask(slow.pile)
    assert int(view.stock) == len(slow.stock) and int(view.target) == rules.game_target
    assert played(table) == slow.play().told
    assert naive.from_mask(int(view.hand)) == slow.hand
    assert SOLO_ENDINGS[int(state.ending)] == slow.ending
    assert (int(state.points_player), int(state.points_joker)) == (slow.points_player, slow.points_joker)
    assert (int(state.deadwood), int(state.turned)) == (slow.deadwood, slow.turned)
    assert int(state.out) == slow.out
    if slow.ending.startswith("solo"):
        stock = [None if one is None else naive.to_mask([one]) for one in slow.stock]
        by_joker = slow.ending == "solo_second_joker"
        score = score_solo(int(view.hand), [] if by_joker else stock, rules, slow.out, by_joker)
        assert score.end == slow.ending and (score.player, score.joker) == (
            slow.points_player, slow.points_joker,
        )  # fmt: skip
        assert (score.deadwood, score.turned) == (slow.deadwood, slow.turned)
    return slow


DECKS = [(10, 13, 4), (10, 13, 4), (7, 13, 4), (7, 9, 3), (5, 8, 3), (3, 4, 3), (4, 11, 2), (9, 10, 3)]


@st.composite
def any_rules(draw: st.DrawFn) -> Rules:
    """Return legal rules of the solo game."""
    size, ranks, suits = draw(st.sampled_from(DECKS))
    spare = ranks * suits - 2 * size - 2
    jokers = draw(st.integers(1, 4))
    solo = SoloRules(
        jokers=jokers,
        end_on_joker=draw(st.integers(1, jokers)),
        jokers_enter=draw(st.sampled_from(["after_deal", "before_deal"])),
        start=draw(st.sampled_from(["ten_plus_upcard", "eleven"])),
        replace_drawn_joker=draw(st.booleans()),
        draw_from_discard=draw(st.sampled_from(["opening_upcard_only", "any"])),
        count_joker_card=draw(st.booleans()),
        both_reach_target=draw(st.sampled_from(["higher_total_then_joker", "player", "joker"])),
    )
    return BGA_SOLO.replace(
        solo=solo,
        hand_size=size,
        ranks=ranks,
        suits=suits,
        dead_stock=draw(st.integers(0, min(spare, 5))),
        may_discard_taken=draw(st.booleans()),
        runs_ace=draw(st.sampled_from(["low", "high_low", "corner"])),
        ace_value=draw(st.integers(1, 15)),
        knock_limit=draw(st.integers(0, 10)),
        gin_compulsory=draw(st.booleans()),
        game_target=draw(st.integers(1, 60)),
    )


PLAINS = st.builds(
    Plain,
    st.sampled_from([LOWER, LOWER, STOCK, UPCARD]),
    st.sampled_from([ALWAYS, GIN, NEVER]),
    st.sampled_from([BEST, BEST, LOWEST, HIGHEST]),
)


@given(any_rules(), PLAINS, st.integers(0, 2**40), st.integers(0, 50))
def test_hands_under_random_rules(rules: Rules, who: Plain, seed: int, number: int) -> None:
    same_hand(rules, who, seed, seed % 7, number)


def test_every_ending_is_met_and_agrees() -> None:
    """By rules that make it likely; the slow simulator tells which ending it was."""
    dealt = {"jokers_enter": "before_deal", "jokers": 1, "end_on_joker": 1}
    cases: dict[str, tuple[Rules, Plain, bool]] = {
        "solo_knock": (BGA_SOLO, Plain(), False),
        "solo_gin": (BGA_SOLO, Plain(knock_when=GIN), False),
        "solo_second_joker": (BGA_SOLO, Plain(knock_when=NEVER), False),
        "void": (solo_rules(dealt), Plain(knock_when=NEVER), True),
        "capped": (solo_rules({"draw_from_discard": "any"}), Plain(UPCARD, NEVER), False),
    }
    assert tuple(cases) == KINDS
    for kind, (rules, who, dealt_joker) in cases.items():
        hands = (same_hand(rules, who, 3, 0, number) for number in range(60))
        found = next(hand for hand in hands if hand.ending == kind)
        if kind == "capped":
            assert len(found.told) == 100
        if dealt_joker:
            assert found.out == 1 and not found.stock


def test_a_joker_on_the_dead_stock() -> None:
    """The last card that could be drawn is a joker: nothing comes instead, and the hand is void."""
    for replace in (True, False):
        four = {"jokers": 4, "end_on_joker": 4, "replace_drawn_joker": replace}
        rules = solo_rules(four, dead_stock=30)
        hands = [same_hand(rules, Plain(STOCK, NEVER), 5, 0, number) for number in range(120)]
        found = [hand for hand in hands if hand.told[-1].drawn is None and hand.ending == "void"]
        assert found and all(len(hand.stock) == 30 and hand.told[-1].jokers for hand in found)


PLAYERS: dict[str, Callable[[], naive_game.Player]] = {
    "gold": naive_game.Gold,
    "gold(threshold=6)": lambda: naive_game.Gold(6),
    "gin_only": lambda: naive_game.Gold(0),
    "two_stage(9, 2, 5)": lambda: naive_game.TwoStage(9, 2, 5),
}

VARIANTS = {
    "bga_solo": BGA_SOLO,
    "eleven": solo_rules({"start": "eleven", "count_joker_card": False}, knock_limit=6),
    "turn lost": solo_rules({"replace_drawn_joker": False, "draw_from_discard": "any"}, game_target=60),
    "before": solo_rules({"jokers_enter": "before_deal", "jokers": 4, "end_on_joker": 3}, dead_stock=8),
}


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("text", PLAYERS)
def test_games(text: str, name: str) -> None:
    rules = VARIANTS[name]
    few = 6 if COMPILED else 1
    run = play_solo(player(parse_strategy(text)), rules, games=few, seed=21, first=5)
    endings = dict.fromkeys(KINDS, 0)
    points = {kind: {"player": 0, "joker": 0} for kind in KINDS}
    scores, winners, turns, turned, jokers = [0, 0], [0, 0], 0, 0, 0
    for game in range(5, 5 + few):

        def deck(hand: int, game: int = game) -> naive_solo.Deck:
            return deck_of(21, game, hand, rules)

        told = naive_solo.play_game(deck, PLAYERS[text](), rules.to_dict())
        for hand in told.hands:
            endings[hand.ending] += 1
            points[hand.ending]["player"] += hand.points_player
            points[hand.ending]["joker"] += hand.points_joker
            turns += len(hand.told)
            turned += hand.turned
            jokers += sum(turn.jokers for turn in hand.told)
        scores = [scores[0] + told.player, scores[1] + told.joker]
        assert told.winner is not None
        winners[("player", "joker").index(told.winner)] += 1
    tally = run.tally
    assert tally.endings() == endings and tally.points_by_ending() == points
    assert tally.total("games").tolist() == [*winners, 0]
    assert [tally.outcome(f"score_{side}") for side in ("player", "joker")] == scores
    assert [tally.outcome(name) for name in ("turns", "turned", "jokers")] == [turns, turned, jokers]
    assert tally.outcome("games") == 2 * winners[0] and tally.games == few
