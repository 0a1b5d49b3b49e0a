"""The numbered rules of the sources on cards, dealing, turns and how hands end, played out.

`tests/rules_index.csv` says which rule each test proves. Scores are in `test_source_scores.py`.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from scipy import stats

from sim._jit import COMPILED
from sim.cards import cards_of, format_cards, parse_card, parse_cards
from sim.deal import OFFER_FIRST, new_hand
from sim.game import begin_hand, finish_hand, start_game
from sim.hand import BAD_CARD
from sim.melds import deadwood
from sim.rules import Rules
from sim.run import Player, Table
from sim.scoring import GIN, GOING, KNOCK, VOID
from sim.streams import CARD_PLACES, place_card
from tests.strategies import user_file
from tests.strategies.user_file import (
    ALWAYS,
    ANY,
    COIN,
    GIVEN,
    HIGHEST,
    JUST_DRAWN,
    LOWEST,
    NEVER,
    STOCK,
    TOSS,
    UPCARD,
    at_discard,
    deal,
    deal_order,
    go_on,
    puppet,
)

SOURCES = ("standard", "fournier", "club", "bga")
"""A preset of each source."""

FALSE_ALARM = 1e-6
"""Probability with which a right engine fails the statistical test here."""

RANKS = "A23456789TJQK"
every_source = pytest.mark.parametrize("preset", SOURCES)


def dealt(first: Player, second: Player, preset: str, **changes: Any) -> Table:
    """Return a table at which A, the non-dealer, and B have just been dealt a hand."""
    table = Table(first, second, Rules.preset(preset).replace(**changes), 2, dealer=1)
    deal(table)
    return table


def turn_of(kept: str, thrown: str, defender: str, rules: Rules, when: int = ALWAYS, **state: Any) -> Table:
    """Let A, who has drawn ``thrown``, throw it and end the hand when told to."""
    card = parse_card(thrown).bit_length() - 1
    table = at_discard(kept, thrown, defender, rules, puppet(STOCK, when, GIVEN, number=card), **state)
    go_on(table, 1)
    return table


TEN_LEFT = "3D 4D 5D JS JH JC 8S 8C 8D TH", "QC", "AC 2C 3C 4C 6S 6H 6D 9D 9S KH"
ELEVEN_LEFT = "3D 4D 5D 6D JS JH JC 9H AS AH", "9C", "KC KD KH QS QC TD 7S 7C 4S 2H"
NONE_LEFT = "AS 2S 3S 4S 7H 7D 7C JD QD KD", "9C", "5S 7S TD 9H 9S 9D KH 4C 2D AH"
FOUR_LEFT = "AC 2C 3C 6S 6H 6D TD JD QD 4H", "9C", "KS KC 8D 8H 7C 5S 5D 3H 2S JH"


class TestCards:
    def test_the_pack(self) -> None:
        for preset in SOURCES:
            table = dealt(puppet(), puppet(), preset)
            cards = [*cards_of(int(table.views[0].hand)), *cards_of(int(table.views[1].hand))]
            cards += [int(table.hand.upcard), *deal_order(table)]
            names = {format_cards(card) for card in cards}
            assert len(cards) == 52 and names == {rank + suit for rank in RANKS for suit in "SHDC"}

    def test_values(self) -> None:
        for value, rank in enumerate(RANKS, start=1):
            for suit in "SHDC":
                for preset in SOURCES:
                    assert deadwood(parse_card(rank + suit), Rules.preset(preset)) == min(value, 10)

    @every_source
    def test_sets_and_runs(self, preset: str) -> None:
        """Three or four of a rank, or three and more in a row of one suit; two are nothing."""
        rules = Rules.preset(preset)
        for rank in RANKS:
            for count in (2, 3, 4):
                for suits in combinations("SHDC", count):
                    left = deadwood(parse_cards(" ".join(rank + suit for suit in suits)), rules)
                    assert (left == 0) == (count > 2)
        for suit in "SHDC":
            for length in range(2, 11):
                for low in range(14 - length):
                    run = [rank + suit for rank in RANKS[low : low + length]]
                    assert (deadwood(parse_cards(" ".join(run)), rules) == 0) == (length > 2)
                    mixed = [*run[:-1], run[-1][0] + ("H" if suit == "S" else "S")]
                    assert deadwood(parse_cards(" ".join(mixed)), rules) > 0

    @every_source
    def test_the_ace_goes_with_the_two_alone(self, preset: str) -> None:
        rules = Rules.preset(preset)
        for suit in "SHDC":
            left = [
                deadwood(parse_cards(" ".join(rank + suit for rank in run)), rules)
                for run in ("A23", "QKA", "KA2")
            ]
            assert left == [0, 21, 13]

    def test_a_card_counts_in_one_meld(self) -> None:
        # 7H makes the run or the set whole, never both: the set leaves 5 and 6.
        assert deadwood(parse_cards("5H 6H 7H 7S 7D")) == 11
        assert deadwood(parse_cards("7H 7S 7D")) == deadwood(parse_cards("5H 6H 7H")) == 0


class TestDeal:
    @every_source
    def test_cards_go_round_one_at_a_time(self, preset: str) -> None:
        """Ten to each in turn, then the upcard beside a stock of 31."""
        table = dealt(puppet(), puppet(), preset)
        hand = table.hand
        empty = new_hand()
        empty.deck[:] = CARD_PLACES
        order = [1 << int(place_card(empty.deck, place, hand.key)) for place in range(52)]
        assert int(table.views[0].hand) == sum(order[0:20:2])
        assert int(table.views[1].hand) == sum(order[1:20:2])
        assert int(hand.upcard) == int(hand.pile) == order[20]
        assert deal_order(table) == order[21:] and int(hand.stock) == len(order[21:]) == 31

    def test_the_next_deck_does_not_depend_on_play(self) -> None:
        """However many packs there are: a hand is dealt from a pack shuffled for itself."""
        decks = []
        for a, b in ((puppet(), puppet()), (puppet(STOCK, NEVER, ANY), puppet(UPCARD, TOSS))):
            table = Table(a, b, Rules.preset("fournier"), 8)
            start_game(table.game, 8, 0, 0, table.rules)
            told = []
            for _ in range(3):
                begin_hand(table.game, table.hand, table.views[0], table.views[1], table.rules)
                told.append((table.views.hand.tolist(), int(table.hand.upcard), deal_order(table)))
                go_on(table)
                finish_hand(table.game, table.hand, table.rules)
                table.game.over = 0
            decks.append((told, int(table.game.points.sum())))
        assert decks[0][0] == decks[1][0] and decks[0][1] != decks[1][1]
        assert len({tuple(order) for _, _, order in decks[0][0]}) == 3

    def test_the_cut_for_the_deal_is_fair(self) -> None:
        """The high card deals the first hand: each player holds it as often, by a binomial test."""
        rules = Rules.preset("fournier")
        assert rules.first_dealer == "high_card"
        table, pairs = Table(puppet(), puppet(), rules, 5), 2_000
        first = 0
        for pair in range(pairs):
            start_game(table.game, 5, pair, 0, table.rules)
            first += int(table.game.first_dealer)
        assert stats.binomtest(first, pairs).pvalue > FALSE_ALARM

    def test_the_winner_deals_and_a_void_hand_is_dealt_again(self) -> None:
        table = Table(
            puppet(knock_when=user_file.GIN), puppet(STOCK, user_file.GIN), Rules.preset("fournier"), 3
        )
        winners = set()
        for pair in range(6 if COMPILED else 1):
            deal(table, pair)
            while True:
                go_on(table)
                dealer, winner = int(table.game.dealer), int(table.hand.winner)
                winners.add(winner)
                finish_hand(table.game, table.hand, table.rules)
                assert int(table.game.dealer) == (dealer if winner < 0 else winner)
                if table.game.over:
                    break
                begin_hand(table.game, table.hand, table.views[0], table.views[1], table.rules)
                assert int(table.hand.player) == 1 - int(table.game.dealer)  # the other begins
        assert winners == {-1, 0, 1} or not COMPILED


@every_source
class TestOpening:
    def test_the_non_dealer_may_take_or_pass(self, preset: str) -> None:
        for how, taker in ((UPCARD, 0), (STOCK, 1)):
            table = dealt(puppet(how, NEVER), puppet(UPCARD, NEVER), preset)
            assert (int(table.hand.phase), int(table.hand.player)) == (OFFER_FIRST, 0)
            upcard = int(table.hand.upcard)
            go_on(table, 1)
            assert int(table.views[0].memory[user_file.ASKED]) == 1
            assert (int(table.views[taker].drawn), int(table.hand.player)) == (upcard, 1 - taker)

    @pytest.mark.parametrize("taker", [0, 1])
    def test_who_takes_it_throws_another(self, preset: str, taker: int) -> None:
        how = (UPCARD, STOCK) if taker == 0 else (STOCK, UPCARD)
        table = dealt(puppet(how[0], NEVER), puppet(how[1], NEVER), preset)
        upcard, before = int(table.hand.upcard), int(table.views[taker].hand)
        go_on(table, 1)
        thrown = int(table.hand.discard)
        assert int(table.views[taker].hand) == before ^ upcard ^ thrown
        assert thrown & before and thrown.bit_count() == 1 and int(table.hand.upcard) == thrown
        how = (UPCARD, STOCK) if taker == 0 else (STOCK, UPCARD)
        table = dealt(*(puppet(one, NEVER, user_file.BANNED) for one in how), preset)
        go_on(table, 1)
        assert table.hand.fault == BAD_CARD and int(table.hand.discard) == upcard

    def test_a_pass_neither_draws_nor_throws(self, preset: str) -> None:
        table = dealt(puppet(STOCK, NEVER), puppet(UPCARD, NEVER), preset)
        before = int(table.views[0].hand)
        go_on(table, 1)  # A passes, B takes
        assert int(table.views[0].hand) == before and int(table.hand.stock) == 31
        assert int(table.hand.pile) == int(table.hand.discard)
        table = dealt(puppet(STOCK, NEVER), puppet(STOCK, NEVER), preset)
        before, upcard = int(table.views[1].hand), int(table.hand.upcard)
        go_on(table, 1)  # both pass, A draws
        assert int(table.views[1].hand) == before and int(table.hand.stock) == 30
        assert int(table.hand.pile) == upcard | int(table.hand.discard)

    def test_after_two_passes_the_stock_is_drawn_from(self, preset: str) -> None:
        # A takes the upcard whenever he is asked a second time: after two passes he is not.
        table = dealt(puppet(user_file.SECOND_ASKED, NEVER), puppet(STOCK, NEVER), preset)
        top = deal_order(table)[0]
        go_on(table, 1)
        a = table.views[0]
        assert (int(a.drawn), int(a.from_discard), int(a.memory[user_file.ASKED])) == (top, 0, 1)
        go_on(table, 3)  # but both piles are open from then on
        assert (int(a.from_discard), int(a.memory[user_file.ASKED])) == (1, 2)

    @pytest.mark.parametrize("how", [UPCARD, STOCK])
    def test_then_the_second_player_has_both_piles(self, preset: str, how: int) -> None:
        table = dealt(puppet(UPCARD, NEVER), puppet(how, NEVER), preset)
        go_on(table, 1)
        thrown, top = int(table.hand.discard), deal_order(table)[0]
        go_on(table, 2)
        assert int(table.views[1].memory[user_file.ASKED]) == 1
        assert int(table.views[1].drawn) == (thrown if how == UPCARD else top)


@every_source
class TestTurns:
    def test_in_turn_until_two_cards_are_left(self, preset: str) -> None:
        table = dealt(puppet(STOCK, NEVER), puppet(STOCK, NEVER), preset)
        order, drawn, movers = deal_order(table), [], []
        while table.hand.ending == GOING:
            mover = int(table.hand.player)
            go_on(table, len(movers) + 1)
            movers.append(mover)
            drawn.append(int(table.views[mover].drawn))
            assert int(table.hand.stock) == 31 - len(movers)
        assert movers == [0, 1] * 14 + [0] and table.hand.ending == VOID
        # The pile is never drawn from again, and the two last cards never at all.
        assert drawn == order[:29] and int(table.hand.stock) == 2
        assert (int(table.hand.winner), int(table.hand.points)) == (-1, 0)

    def test_the_taker_of_the_fiftieth_card_may_end_the_hand(self, preset: str) -> None:
        # The hand is void only after a discard without a knock.
        for position, ending in ((TEN_LEFT, KNOCK), (NONE_LEFT, GIN)):
            rules = Rules.preset(preset)
            assert turn_of(*position, rules, stock=2).hand.ending == ending
            assert turn_of(*position, rules, NEVER, stock=2).hand.ending == VOID
            assert turn_of(*position, rules, NEVER, stock=3).hand.ending == GOING

    def test_a_void_hand_scores_nothing_and_another_is_dealt(self, preset: str) -> None:
        table = dealt(puppet(STOCK, NEVER), puppet(STOCK, NEVER), preset)
        order = deal_order(table)
        table.game.points[0] = 37, 61
        go_on(table)
        assert table.hand.ending == VOID
        finish_hand(table.game, table.hand, table.rules)
        assert table.game.points[0].tolist() == [37, 61] and table.game.boxes[0].tolist() == [0, 0]
        assert (int(table.game.over), int(table.game.dealer)) == (0, 1)  # B deals again
        begin_hand(table.game, table.hand, table.views[0], table.views[1], table.rules)
        assert table.hand.ending == GOING and deal_order(table) != order

    def test_only_the_last_discard_and_the_top_of_the_stock(self, preset: str) -> None:
        table = Table(puppet(COIN, NEVER, ANY), puppet(COIN, NEVER, LOWEST), Rules.preset(preset), 7)
        for pair in range(6 if COMPILED else 1):
            deal(table, pair)
            order, pile = deal_order(table), [int(table.hand.upcard)]
            while table.hand.ending == GOING:
                go_on(table, int(table.hand.turns) + 1)
                came, thrown = int(table.hand.drawn), int(table.hand.discard)
                assert came == (pile.pop() if table.hand.from_discard else order.pop(0))
                pile.append(thrown)
                assert int(table.hand.pile) == sum(pile)
                if table.hand.ending == GOING:  # face up: both see it
                    assert [int(view.pile) for view in table.views] == [sum(pile)] * 2
                    assert int(table.hand.upcard) == thrown

    def test_a_turn_cannot_be_changed(self, preset: str) -> None:
        """Until his own next draw a player keeps his cards, and what he threw stays thrown."""
        table = Table(puppet(COIN, NEVER, ANY), puppet(COIN, NEVER, HIGHEST), Rules.preset(preset), 9)
        deal(table)
        go_on(table, 1)
        while table.hand.ending == GOING:
            other = int(table.hand.player)  # about to act
            kept, thrown = int(table.views[1 - other].hand), int(table.hand.discard)
            go_on(table, int(table.hand.turns) + 1)
            assert int(table.views[1 - other].hand) == kept
            assert thrown & (int(table.hand.pile) | int(table.views[other].hand))

    def test_the_card_taken_may_not_be_thrown(self, preset: str) -> None:
        """Neither with a knock, which it would allow, nor without one."""
        for when in (ALWAYS, NEVER):
            assert turn_of(*FOUR_LEFT, Rules.preset(preset), when, taken=True).hand.fault == BAD_CARD
            drawn = turn_of(*FOUR_LEFT, Rules.preset(preset), when)  # from the stock it may
            assert not drawn.hand.fault and drawn.hand.ending == (KNOCK if when == ALWAYS else GOING)

    def test_melds_are_hidden(self, preset: str) -> None:
        """What A sees is the same, byte for byte, whether B holds melds or nothing."""
        seen, left = [], []
        for melded in (False, True):
            table = dealt(puppet(STOCK, NEVER), puppet(STOCK, NEVER, JUST_DRAWN), preset)
            hand, b = table.hand, table.views[1]
            if melded:  # B exchanges cards with the deeper stock for the lowest ranks
                deep = cards_of(int(b.hand)) + deal_order(table)[4:]
                lowest = sorted(deep, key=lambda card: (card.bit_length() - 1) % 16)[:10]
                gone, come = int(b.hand) & ~sum(lowest), sum(lowest) & ~int(b.hand)
                pairs = list(zip(cards_of(gone), cards_of(come), strict=True))
                change = {one.bit_length() - 1: other.bit_length() - 1 for one, other in pairs}
                change |= {other: one for one, other in change.items()}
                hand.deck[:] = [change.get(int(bit), int(bit)) for bit in hand.deck]
                b.hand ^= gone | come
            left.append(deadwood(int(b.hand)))
            go_on(table, 4)
            seen.append(table.views[0].tobytes())
        assert left[0] > left[1] + 10 and seen[0] == seen[1]


@every_source
class TestKnocks:
    def test_ten_may_knock_and_eleven_may_not(self, preset: str) -> None:
        rules = Rules.preset(preset)
        table = turn_of(*TEN_LEFT, rules)
        assert (int(table.hand.ending), int(table.hand.knocker_deadwood)) == (KNOCK, 10)
        table = turn_of(*ELEVEN_LEFT, rules)
        assert table.hand.ending == GOING and not table.hand.fault
        assert int(table.views[0].best_deadwood) == 11
        assert int(table.views[0].memory[user_file.SEEN_KNOCK]) == 0  # he is not even asked

    def test_nothing_left_is_gin_and_something_a_knock(self, preset: str) -> None:
        for position, ending, left in ((NONE_LEFT, GIN, 0), (FOUR_LEFT, KNOCK, 4), (TEN_LEFT, KNOCK, 10)):
            hand = turn_of(*position, Rules.preset(preset)).hand
            assert (int(hand.ending), int(hand.knocker_deadwood)) == (ending, left)

    def test_nobody_has_to_end_the_hand(self, preset: str) -> None:
        for position in (NONE_LEFT, TEN_LEFT):
            table = turn_of(*position, Rules.preset(preset), NEVER)
            assert table.hand.ending == GOING and int(table.hand.declines[0]) == 1
            assert int(table.hand.turns) == 1 and int(table.hand.player) == 1

    def test_a_knock_comes_with_a_discard_after_the_draw(self, preset: str) -> None:
        table = Table(puppet(COIN), puppet(STOCK), Rules.preset(preset), 4)
        ended = 0
        for pair in range(20 if COMPILED else 2):
            deal(table, pair)
            go_on(table)
            hand = table.hand
            if hand.ending == VOID or not hand.discard:  # a big gin has no discard
                continue
            ended += 1
            knocker = table.views[int(hand.knocker)]
            assert int(hand.drawn) == int(knocker.drawn) != 0 and int(knocker.ending) == 1
            assert int(knocker.memory[user_file.SEEN_KNOCK]) == 1 << 11  # asked with eleven cards
            assert int(hand.discard).bit_count() == 1 and not int(hand.discard) & int(knocker.hand)
            assert int(knocker.hand).bit_count() == 10
            assert int(hand.knocker_deadwood) == deadwood(int(knocker.hand)) <= 10
            # It lies apart, face down, and never comes to the pile.
            assert not int(hand.discard) & int(hand.pile)
        assert ended

    def test_a_knock_ends_the_hand(self, preset: str) -> None:
        """Nobody draws again, and the points are written down."""
        for position in (TEN_LEFT, NONE_LEFT):
            card = parse_card(position[1]).bit_length() - 1
            table = at_discard(*position, Rules.preset(preset), puppet(STOCK, ALWAYS, GIVEN, number=card))
            go_on(table)
            hand, b = table.hand, table.views[1]
            assert hand.ending in (KNOCK, GIN) and (int(hand.turns), int(hand.stock)) == (1, 20)
            assert int(b.memory[user_file.ASKED]) == 0 and int(b.hand) == parse_cards(position[2])
            finish_hand(table.game, hand, table.rules)
            assert table.game.points[0].tolist() == [int(hand.points), 0] and int(hand.points) > 0
            assert table.game.boxes[0].tolist() == [1, 0]
