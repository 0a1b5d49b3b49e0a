"""The numbered rules of the sources on games: targets, bonuses at the end, matches, Oklahoma.

`tests/rules_index.csv` says which rule each test proves.
"""

from __future__ import annotations

from typing import Any

import pytest

from sim._jit import COMPILED
from sim.cards import format_card, parse_card
from sim.game import begin_hand, finish_game, finish_hand, next_game, start_game
from sim.replay import replay_game
from sim.rules import Rules
from sim.run import Table
from sim.scoring import GOING, KNOCK
from tests.strategies.user_file import ALWAYS, COIN, GIVEN, STOCK, at_discard, deal, go_on, puppet

SOURCES = ("standard", "fournier", "club", "bga")
"""A preset of each source."""


def win(table: Table, side: str, points: int) -> None:
    """Deal a hand and let a side win it by a knock."""
    begin_hand(table.game, table.hand, table.views[0], table.views[1], table.rules)
    hand = table.hand
    hand.ending, hand.points, hand.boxes = KNOCK, points, 1
    hand.winner = hand.knocker = "AB".index(side)
    finish_hand(table.game, hand, table.rules)


def game_of(*hands: str, preset: str, **changes: Any) -> Any:
    """Return the game after hands such as ``A 42``, each ended by a knock of its winner."""
    table = Table(puppet(), puppet(), Rules.preset(preset).replace(**changes), 1)
    start_game(table.game, 1, 0, 0, table.rules)
    for text in hands:
        assert not table.game.over
        side, points = text.split()
        win(table, side, int(points))
    return table.game


@pytest.mark.parametrize("preset", SOURCES)
class TestTarget:
    @pytest.mark.parametrize("target", [100, 130])
    def test_reaching_it_ends_the_game(self, preset: str, target: int) -> None:
        """Points of hands alone: boxes and bonuses come after."""
        changes = {} if target == Rules.preset(preset).game_target else {"game_target": target}
        assert len(changes) == (target != 100)
        for last in (-1, 0, 1):
            game = game_of("A 60", f"A {target - 60 + last}", preset=preset, **changes)
            assert (bool(game.over), int(game.winner)) == ((last >= 0), 0 if last >= 0 else -1)
        game = game_of("A 60", "B 99", f"B {target - 99}", preset=preset, **changes)
        assert game.over and int(game.winner) == 1

    def test_a_game_is_hands_until_somebody_is_there(self, preset: str) -> None:
        for pair in range(2):
            story = replay_game(puppet(), puppet(COIN), Rules.preset(preset), pair=pair, seed=2)
            *before, last = (max(hand.scores) for hand in story.hands)
            assert len(before) > 1 and max(before) < 100 <= last
            assert story.hands[-1].scores[story.winner] == last


class TestEndOfTheGame:
    @pytest.mark.parametrize(("preset", "box"), [("fournier", 20), ("bga", 25)])
    def test_game_and_hands_won_are_paid(self, preset: str, box: int) -> None:
        """A hundred to the winner, and to both their hands won; nothing more when both have won some."""
        game = game_of("A 42", "A 37", "B 16", "A 30", preset=preset)
        assert int(game.winner) == 0 and game.boxes[0].tolist() == [3, 1]
        assert game.totals.tolist() == [109 + 100 + 3 * box, 16 + box]

    @pytest.mark.parametrize(("preset", "box"), [("fournier", 20), ("bga", 25)])
    def test_winning_every_hand_is_a_hundred_more(self, preset: str, box: int) -> None:
        game = game_of("B 37", "B 42", "B 30", preset=preset)
        assert game.totals.tolist() == [0, 109 + 100 + 3 * box + 100]


class TestMatch:
    def test_best_of_five_to_250(self) -> None:
        """Three games win, the rest is not played; a game takes 250 points of hands."""
        for winners in ("AAA", "ABAA", "BABAB", "BBAB"):
            table = Table(puppet(), puppet(), Rules.preset("tournament"), 1)
            game = table.game
            start_game(game, 1, 0, 0, table.rules)
            for number, side in enumerate(winners, 1):
                assert not game.match_over
                if number > 1:
                    next_game(game, table.rules)
                for points in (150, 99, 1):
                    assert not game.over and game.points[0].max() in (0, 150, 249)
                    win(table, side, points)
                assert game.over and int(game.winner) == "AB".index(side)
                finish_game(game, table.rules)
                assert game.games_won.tolist() == [winners[:number].count(one) for one in "AB"]
            assert game.match_over and "AB"[int(game.match_winner)] == winners[-1]
            assert int(game.games_won.max()) == 3 and int(game.games) == len(winners)


EIGHT_LEFT = "5H 6H 7H 9S 9D 9C JS QS KS 8D", "2C", "AD AC AH 3C 3D 3S 4H 8H 9H 2D"
FOUR_LEFT = "AC 2C 3C 6S 6H 6D TD JD QD 4H", "9C", "KS KC 8D 8H 7C 5S 5D 3H 2S JH"
FIVE_LEFT = "3C 4C 5C 8S 8H 8D JD QD KD 5H", "9H", "AS 2H 7C 7D TH TS 6S 6D QC KS"
GIN = "AS 2S 3S 4S 7H 7D 7C JD QD KD", "9C", "5S 7S TD 9H 9S 9D KH 4C 2D AH"


def oklahoma(kept: str, thrown: str, defender: str, upcard: str) -> Table:
    """Let A, who has drawn ``thrown``, throw it and end the hand if he may, under an upcard's limit."""
    bit = parse_card(thrown).bit_length() - 1
    knocker = puppet(STOCK, ALWAYS, GIVEN, number=bit)
    table = at_discard(kept, thrown, defender, Rules.preset("bga_oklahoma"), knocker, upcard=upcard)
    go_on(table, 1)
    return table


class TestOklahoma:
    def test_the_first_upcard_is_the_limit(self) -> None:
        """As long as the hand lasts; an ace is one, faces are ten; who is above it is not asked."""
        limits = dict(zip("A23456789TJQK", [*range(1, 11), 10, 10, 10], strict=True))
        for rank, limit in limits.items():
            for position, left in ((FOUR_LEFT, 4), (FIVE_LEFT, 5), (GIN, 0)):
                hand = oklahoma(*position, f"{rank}H").hand
                assert int(hand.limit) == limit and not hand.fault
                assert (hand.ending == GOING) == (left > limit)
        table = Table(puppet(COIN), puppet(COIN), Rules.preset("bga_oklahoma"), 3)
        seen = set()
        for pair in range(40 if COMPILED else 4):
            deal(table, pair)
            hand, upcard = table.hand, int(table.hand.upcard)
            limit = limits[format_card(upcard)[0]]
            go_on(table)
            assert (int(hand.limit_card), int(hand.limit)) == (upcard, limit)
            assert table.views.limit.tolist() == [limit, limit]
            assert hand.knocker < 0 or int(hand.knocker_deadwood) <= limit
            seen.add(limit)
        assert len(seen) > 2

    def test_a_spade_doubles_the_hand(self) -> None:
        """The whole of it: a difference, an undercut with its bonus, a gin with its bonus."""
        for position, points in ((FIVE_LEFT, 69 - 5), (EIGHT_LEFT, 8 - 2 + 10), (GIN, 25 + 39)):
            told = {suit: int(oklahoma(*position, f"Q{suit}").hand.points) for suit in "SHDC"}
            assert told == {"S": 2 * points, "H": points, "D": points, "C": points}

    def test_to_150(self) -> None:
        for last, over in ((89, False), (90, True), (91, True)):
            game = game_of("A 60", f"A {last}", preset="bga_oklahoma")
            assert bool(game.over) == over
