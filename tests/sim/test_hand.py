"""One hand: what must hold at every turn, the opening, the ends, and going on from any state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim._jit import COMPILED
from sim.cards import parse_card
from sim.deal import MAX_STREAK, MAX_TURNS, NORMAL, OFFER_FIRST
from sim.hand import BAD_CARD
from sim.rules import Rules
from sim.run import Player, Table
from sim.scoring import (
    ENDINGS,
    GIN,
    GOING,
    KNOCK,
    UNDERCUT,
    VOID,
)
from strategies.base import parse_strategy, player
from tests.strategies import user_file
from tests.strategies.user_file import (
    ALWAYS,
    ANY,
    COIN,
    LAST_CARD,
    LOWEST,
    NEVER,
    RANDOM,
    SECOND_ASKED,
    STOCK,
    STOCK_EVERY,
    TOSS,
    UPCARD,
    VARIED_RULES,
    Watch,
    at_discard,
    deal,
    deal_order,
    go_on,
    puppet,
)

HANDS = 12 if COMPILED else 2


def named(text: str) -> Player:
    return player(parse_strategy(text))


@pytest.mark.parametrize("rules", VARIED_RULES.values(), ids=VARIED_RULES)
@pytest.mark.parametrize("who", ["random", "gold-simple", "puppet"])
def test_every_turn(rules: Rules, who: str) -> None:
    sides = {
        "random": (named("random"), named("random")),
        "gold-simple": (named("gold"), named("simple")),
        "puppet": (puppet(COIN, TOSS, ANY), puppet(STOCK, ALWAYS)),
    }
    table = Table(*sides[who], rules, 6)
    for pair in range(HANDS):
        deal(table, pair, pair % 2)
        watch = Watch(table)
        watch.check()
        while table.hand.ending == GOING:
            watch.step()
        assert not table.hand.fault
        watch.check_end(rules)


def test_sizes_at_decisions() -> None:
    """Ten cards at a draw, eleven at a knock and a discard, in the words the puppet leaves."""
    for rules in VARIED_RULES.values():
        size = rules.hand_size
        table = Table(RANDOM, puppet(), rules, 3)
        seen = np.zeros(5, np.int64)
        for pair in range(HANDS):
            deal(table, pair)
            go_on(table)
            seen |= table.views[0].memory[:5] | table.views[1].memory[:5]
        assert seen[user_file.SEEN_DRAW] == 1 << size
        for kind in (user_file.SEEN_KNOCK, user_file.SEEN_DISCARD, user_file.SEEN_ENDING):
            assert seen[kind] in (0, 1 << size + 1)
        assert seen[user_file.SEEN_DISCARD]


def test_a_new_word_at_each_decision() -> None:
    """No decision of a match sees the word of another, whoever makes it and in whichever game."""
    table = Table(puppet(COIN, NEVER), puppet(COIN, TOSS), VARIED_RULES["eaai"], 3)
    seen: list[int] = []
    for pair in range(3):
        for game in (0, 1):
            deal(table, pair, game)
            last: list[set[int]] = [set(), set()]
            while table.hand.ending == GOING:
                go_on(table, int(table.hand.turns) + 1)
                for side, view in enumerate(table.views):
                    words = set(view.memory[user_file.LAST_WORDS].tolist()) - {0}
                    assert len(words) == np.count_nonzero(view.memory[user_file.LAST_WORDS])
                    seen += words - last[side]
                    last[side] = words
    assert len(seen) > 100 and len(set(seen)) == len(seen)
    assert 0 < min(seen) and 2**62 < max(seen) < 2**63


# --- the opening ---------------------------------------------------------------------------------


def opened(first: Player, second: Player, **rules: Any) -> Table:
    """Return a table at which A, the non-dealer, and B have just been dealt a hand."""
    table = Table(first, second, Rules(**rules), 2, dealer=1)
    deal(table)
    hand = table.hand
    assert (int(hand.player), int(hand.phase), int(hand.stock)) == (0, OFFER_FIRST, 31)
    assert int(hand.pile) == int(hand.upcard) and int(hand.pile).bit_count() == 1
    assert [int(view.dealer) for view in table.views] == [0, 1]
    return table


class TestOpening:
    def test_two_passes_force_the_stock(self) -> None:
        # A would take the upcard if he were asked again: he is not.
        table = opened(puppet(SECOND_ASKED, NEVER), puppet(STOCK, NEVER))
        hand, (a, b) = table.hand, table.views
        upcard, top = int(hand.upcard), deal_order(table)[0]
        go_on(table, 1)
        assert (int(a.from_discard), int(a.drawn)) == (0, top)
        assert (int(hand.player), int(hand.phase), int(hand.stock)) == (1, NORMAL, 30)
        assert (int(a.hand).bit_count(), int(b.hand).bit_count()) == (10, 10)
        assert int(hand.pile) == upcard | int(hand.discard)
        assert int(a.declined) == int(b.declined) == upcard
        assert [int(view.turn) for view in table.views] == [2, 1]
        assert [int(view.memory[user_file.ASKED]) for view in table.views] == [1, 1]
        go_on(table, 3)  # from the second turn on both piles are open
        assert int(a.memory[user_file.ASKED]) == 2 and int(a.from_discard) == 1

    def test_the_non_dealer_takes(self) -> None:
        table = opened(puppet(UPCARD, NEVER), puppet(STOCK, NEVER))
        upcard = int(table.hand.upcard)
        go_on(table, 1)
        a, b = table.views
        assert (int(a.from_discard), int(a.drawn), int(a.banned)) == (1, upcard, upcard)
        assert int(b.known) == upcard and int(b.memory[user_file.ASKED]) == 0
        assert (int(table.hand.player), int(table.hand.stock)) == (1, 31)
        assert int(a.declined) == int(b.declined) == 0
        go_on(table, 2)
        assert int(b.from_discard) == 0 and int(table.hand.stock) == 30

    def test_the_dealer_takes(self) -> None:
        table = opened(puppet(STOCK, NEVER), puppet(UPCARD, NEVER))
        upcard = int(table.hand.upcard)
        go_on(table, 1)
        a, b = table.views
        assert (int(b.from_discard), int(b.drawn)) == (1, upcard)
        assert int(a.known) == int(b.declined) == upcard and int(a.declined) == 0
        assert (int(table.hand.player), int(table.hand.turns)) == (0, 1)
        assert [int(view.turn) for view in table.views] == [1, 2]  # a pass is no turn

    @pytest.mark.parametrize("dealer", [0, 1])
    def test_the_non_dealer_acts_first(self, dealer: int) -> None:
        table = Table(RANDOM, RANDOM, Rules(), 1, dealer=dealer)
        deal(table)
        assert int(table.hand.player) == 1 - dealer
        assert [int(view.dealer) for view in table.views] == [1 - dealer, dealer]


def test_the_stock_is_drawn_in_order() -> None:
    table = opened(puppet(STOCK, NEVER), puppet(STOCK, NEVER))
    for turn, card in enumerate(deal_order(table)[:29]):
        go_on(table, turn + 1)
        assert int(table.views[turn % 2].drawn) == card
    assert table.hand.ending == VOID


class TestThrowingBack:
    def test_banned(self) -> None:
        table = opened(puppet(UPCARD, NEVER, user_file.BANNED), RANDOM)
        go_on(table)
        assert table.hand.fault == BAD_CARD and int(table.hand.turns) == 0
        assert int(table.views[0].hand).bit_count() == 11

    def test_allowed_by_the_rules(self) -> None:
        table = opened(puppet(UPCARD, NEVER, user_file.BANNED), puppet(UPCARD, NEVER), may_discard_taken=True)
        upcard, held = int(table.hand.upcard), int(table.views[0].hand)
        go_on(table, 1)
        assert not table.hand.fault and int(table.views[0].banned) == 0
        assert int(table.hand.upcard) == upcard and int(table.views[0].hand) == held
        assert int(table.views[1].known) == 0

    def test_the_card_from_the_stock_may_go(self) -> None:
        table = opened(puppet(STOCK, NEVER, user_file.JUST_DRAWN), puppet(STOCK, NEVER))
        held = int(table.views[0].hand)
        go_on(table, 1)
        assert not table.hand.fault
        assert int(table.hand.discard) == int(table.views[0].drawn) and int(table.views[0].hand) == held

    def test_a_knock_is_bound_too(self) -> None:
        # 9C just taken is the card that a knock would throw (example E27).
        table = at_discard(
            "AC 2C 3C 6S 6H 6D TD JD QD 4H", "9C", "KS KC 8D 8H 7C 5S 5D 3H 2S JH", Rules(), taken=True
        )
        go_on(table, 1)
        assert table.hand.ending == KNOCK
        assert int(table.hand.discard) == parse_card("4H") and int(table.hand.knocker_deadwood) == 9


class TestEnds:
    @pytest.mark.parametrize("dead_stock", [0, 1, 2, 7, 30])
    def test_void_at_the_dead_stock(self, dead_stock: int) -> None:
        table = opened(puppet(STOCK, NEVER), puppet(STOCK, NEVER), dead_stock=dead_stock)
        go_on(table)
        hand = table.hand
        assert ENDINGS[int(hand.ending)] == "void" and int(hand.stock) == dead_stock
        assert int(hand.turns) == 31 - dead_stock
        assert (int(hand.points), int(hand.winner), int(hand.knocker)) == (0, -1, -1)

    def test_the_last_card_may_still_knock(self) -> None:
        table = Table(puppet(STOCK, LAST_CARD), puppet(STOCK, LAST_CARD), Rules(), 2)
        ends = set()
        for pair in range(40 if COMPILED else 8):
            deal(table, pair)
            go_on(table)
            ends.add(int(table.hand.ending))
            assert int(table.hand.stock) == 2 and int(table.hand.turns) == 29
        assert VOID in ends or not COMPILED
        assert ends & {KNOCK, GIN, UNDERCUT}

    @pytest.mark.parametrize("pair", range(3))
    def test_capped_after_a_hundred_upcards(self, pair: int) -> None:
        # Case GR-121: both always take the upcard.
        table = Table(puppet(UPCARD, NEVER, LOWEST), puppet(UPCARD, NEVER, LOWEST), Rules(), 1)
        deal(table, pair)
        go_on(table, MAX_STREAK - 1)
        assert table.hand.ending == GOING
        go_on(table)
        assert ENDINGS[int(table.hand.ending)] == "capped"
        assert int(table.hand.turns) == int(table.hand.streak) == MAX_STREAK == 100
        assert (int(table.hand.points), int(table.hand.winner), int(table.hand.stock)) == (0, -1, 31)
        assert table.hand.upcard_draws.tolist() == [50, 50]

    def test_a_draw_from_the_stock_begins_a_new_row(self) -> None:
        # B draws from the stock on every 50th turn of his own, the 100th of the hand: 99 in a row are
        # never 100, and the hand goes on to 400 turns.
        every = puppet(STOCK_EVERY, NEVER, LOWEST, number=50)
        table = opened(puppet(UPCARD, NEVER, LOWEST), every)
        go_on(table, 399)
        assert table.hand.ending == GOING and int(table.hand.streak) == 99
        go_on(table)
        assert ENDINGS[int(table.hand.ending)] == "capped"
        assert (int(table.hand.turns), int(table.hand.streak)) == (MAX_TURNS, 0) == (400, 0)
        assert table.hand.upcard_draws.tolist() == [200, 196] and int(table.hand.stock) == 27

    def test_void_comes_before_capped(self) -> None:
        table = opened(puppet(STOCK, NEVER), puppet(STOCK, NEVER))
        go_on(table, 1)
        table.hand.turns, table.hand.stock = MAX_TURNS - 1, 3
        go_on(table)
        assert table.hand.ending == VOID and int(table.hand.turns) == MAX_TURNS
