"""Score sheets and matches against the slow scorer, under random legal rules and random hands."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.game import MAX_GAMES, finish_game, finish_hand, next_game, start_game
from sim.rules import Rules
from sim.run import Table
from sim.sheet import GameScore, score_game
from strategies.base import parse_strategy, player
from tests import naive_game, naive_match, naive_score
from tests.any_rules import any_rules
from tests.naive_hands import examples
from tests.naive_luck import Luck

WON = st.tuples(st.sampled_from([0, 0, 1, 1]), st.integers(0, 80), st.none() | st.integers(1, 8))
VOID = st.tuples(st.none(), st.just(0), st.none())
ENTRIES = st.one_of(WON, WON, WON, VOID)
# Short lists for games that stop anywhere, long ones to fill sheets of several columns.
HANDS = st.one_of(st.lists(ENTRIES, max_size=20), st.lists(ENTRIES, min_size=30, max_size=50))


def same(told: naive_score.GameScore, found: GameScore) -> None:
    """Check that two accounts of a game are equal in everything."""
    for name in ("end", "winner", "totals", "boxes", "bonuses"):
        assert getattr(found, name) == getattr(told, name), name
    assert len(found.columns) == len(told.columns)
    for number, (one, other) in enumerate(zip(found.columns, told.columns, strict=True), 1):
        for name in naive_score.ColumnScore._fields:
            assert getattr(one, name) == getattr(other, name), f"{name} of column {number}"


@examples(1)
@given(any_rules(), HANDS)
def test_score_game(fields: dict[str, Any], hands: list[naive_score.Entry]) -> None:
    """Every prefix of a game is scored alike, and a hand after its end is refused by its number."""
    rules = Rules(**fields)
    sheet = naive_score.Sheet(fields)
    same(sheet.score(), score_game([], rules))
    for number, entry in enumerate(hands, 1):
        if sheet.over:
            with pytest.raises(ValueError, match=f"hand {number}:"):
                score_game(hands[:number], rules)
            with pytest.raises(ValueError, match=f"hand {number}:"):
                sheet.enter(*entry)
            break
        sheet.enter(*entry)
        same(sheet.score(), score_game(hands[:number], rules))


def engine_match(rules: Rules, seed: int, pair: int, number: int) -> tuple[Table, Any]:
    """Return a table and its record of a match, at the first hand."""
    gold = player(parse_strategy("gold"))
    table = Table(gold, gold, rules, seed)
    start_game(table.game, seed, pair, number, table.rules)
    return table, table.game


@given(any_rules(), st.lists(HANDS, min_size=1, max_size=4), st.integers(0, 2**62), st.integers(0, 1))
def test_matches_of_given_hands(
    fields: dict[str, Any], lots: list[list[naive_score.Entry]], seed: int, number: int
) -> None:
    """The engine's record of a match keeps what the slow scorer keeps, hand by hand and game by game."""
    table, game = engine_match(Rules(**fields), seed, 3, number)
    luck = Luck(seed, 3, number)
    hand, rules = table.hand, table.rules
    hands = [entry for lot in lots for entry in lot]
    played = 0
    games: list[tuple[int | None, tuple[int, int]]] = []
    while not game.match_over:
        sheet = naive_score.Sheet(fields)
        dealer = naive_match.first_dealer(fields, luck, len(games))
        assert (int(game.hand), int(game.games)) == (played, len(games))
        while not sheet.over:
            assert not game.over and int(game.dealer) == dealer
            if played == len(hands):
                return
            winner, points, boxes = hands[played]
            boxes = 0 if winner is None else 1 if boxes is None else boxes
            hand.winner, hand.points, hand.boxes = (-1 if winner is None else winner), points, boxes
            finish_hand(game, hand, rules)
            sheet.enter(winner, points, boxes)
            ended: Any = SimpleNamespace(winner=winner, dealer=dealer, luck=luck, number=played)
            dealer = naive_game.next_dealer(ended, fields)
            played += 1
            for at, column in enumerate(sheet.columns):
                assert game.points[at].tolist() == column.points
                assert game.boxes[at].tolist() == column.boxes
                if fields["match_type"] != "single_hand":
                    assert int(game.column_winner[at]) == (-1 if column.winner is None else column.winner)
        score = sheet.score()
        assert game.over
        assert int(game.winner) == (-1 if score.winner is None else score.winner)
        assert tuple(game.totals.tolist()) == score.totals
        shutouts = [sum(one.shutout and one.winner == side for one in score.columns) for side in (0, 1)]
        assert game.shutouts.tolist() == shutouts
        games.append((score.winner, score.totals))
        finish_game(game, rules)
        told = naive_score.score_match(games, fields)
        assert bool(game.match_over) == told.over
        assert int(game.match_winner) == (-1 if told.winner is None else told.winner)
        assert tuple(game.games_won.tolist()) == told.games
        assert tuple(game.match_totals.tolist()) == told.sums
        if not told.over:
            next_game(game, rules)


@pytest.mark.parametrize("kind, length", [("best_of", 3), ("first_to_points", 500)])
def test_a_match_that_nobody_wins_stops(kind: str, length: int) -> None:
    """Each side closes a column with the same points: a thousand drawn sheets, no winner."""
    fields: dict[str, Any] = {"match_type": kind, "match_length": length, "columns": 2}
    table, game = engine_match(Rules(**fields, column_multipliers=[1, 1]), 1, 0, 0)
    for number in range(MAX_GAMES):
        assert not game.match_over and int(game.games) == number
        for winner in (0, 1):
            table.hand.winner, table.hand.points, table.hand.boxes = winner, 100, 1
            finish_hand(game, table.hand, table.rules)
        assert game.over and int(game.winner) == -1
        assert int(game.totals[0]) == int(game.totals[1]) > 0
        finish_game(game, table.rules)
        next_game(game, table.rules)
    assert (bool(game.match_over), int(game.match_winner), MAX_GAMES) == (True, -1, naive_score.GAMES_IN_ALL)
