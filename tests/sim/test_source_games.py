"""The numbered rules of the sources on games: targets, bonuses at the end, shutouts.

`tests/rules_index.csv` says which rule each test proves.
"""

from __future__ import annotations

from typing import Any

import pytest

from sim.game import begin_hand, finish_hand, start_game
from sim.replay import replay_game
from sim.rules import Rules
from sim.run import Table
from sim.scoring import KNOCK
from tests.strategies.user_file import COIN, puppet

SOURCES = ("standard", "fournier", "club", "bga")
"""A preset of each source."""


def game_of(*hands: str, preset: str, **changes: Any) -> Any:
    """Return the game after hands such as ``A 42``, each ended by a knock of its winner."""
    table = Table(puppet(), puppet(), Rules.preset(preset).replace(**changes), 1)
    start_game(table.game, 1, 0, 0, table.rules)
    for text in hands:
        assert not table.game.over
        begin_hand(table.game, table.hand, table.views[0], table.views[1], table.rules)
        side, points = text.split()
        table.hand.ending, table.hand.points = KNOCK, int(points)
        table.hand.winner = table.hand.knocker = "AB".index(side)
        finish_hand(table.game, table.hand, table.rules)
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
        assert int(game.winner) == 0 and game.boxes.tolist() == [3, 1]
        assert game.totals.tolist() == [109 + 100 + 3 * box, 16 + box]

    @pytest.mark.parametrize(("preset", "box"), [("fournier", 20), ("bga", 25)])
    def test_winning_every_hand_is_a_hundred_more(self, preset: str, box: int) -> None:
        game = game_of("B 37", "B 42", "B 30", preset=preset)
        assert game.totals.tolist() == [0, 109 + 100 + 3 * box + 100]
