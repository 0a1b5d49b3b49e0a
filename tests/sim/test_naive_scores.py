"""What every score of the slow oracle must keep: hands, sheets of all kinds, and matches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import naive, naive_score
from tests.any_rules import any_rules
from tests.naive import Card

DATA = Path(__file__).parent.parent / "data"
PRESETS: dict[str, dict[str, Any]] = json.loads((DATA / "presets.json").read_text())["presets"]


@given(
    any_rules(), st.integers(0, 10), st.integers(0, 98), st.booleans(), st.sampled_from(sorted(naive.DECK))
)
def test_every_hand_result(
    rules: dict[str, Any], knocker: int, defender: int, eleven: bool, limit_card: Card
) -> None:
    big_gin = eleven and knocker == 0 and rules["big_gin_bonus"] is not None
    told = naive_score.hand_result(knocker, defender, rules, big_gin, limit_card)
    assert (told.winner is None) == (told.boxes == 0) and (told.winner is not None or told.points == 0)
    assert told.points >= 0
    assert (told.end == "gin") == (knocker == 0 and not big_gin and told.winner is not None)
    # The deadwoods alone say who wins, gin before everything.
    if knocker < defender or knocker == 0 and rules["gin_vs_zero"] == "score":
        assert told.winner == "knocker"
    elif knocker > defender:
        assert (told.end, told.winner) == ("undercut", "defender")
    # A spade doubles and changes nothing else.
    other = naive_score.hand_result(knocker, defender, rules, big_gin, (limit_card[0], 1))
    assert (told.end, told.winner) == (other.end, other.winner)
    factor = rules["spade_multiplier"] if limit_card[1] == 0 else 1
    assert told.points == factor * other.points
    assert told.boxes == (factor if rules["spade_doubles_boxes"] else 1) * other.boxes


@given(
    st.sampled_from(["knock", "gin", "big_gin", "gin_cancelled", "undercut", "tie", "void", "capped"]),
    st.sampled_from([0, 1]),
    st.tuples(st.integers(0, 98), st.integers(0, 98)),
)
def test_rlcard_payoffs(end: str, side: int, own: tuple[int, int]) -> None:
    knocker = None if end in ("void", "capped") else side
    paid = naive_score.rlcard_payoffs(end, knocker, own)
    assert paid[1 - side] == -own[1 - side]
    assert paid[side] == (-own[side] if knocker is None else 100 if "gin" in end else 20)
    # The sides exchanged, everything is exchanged.
    other = None if knocker is None else 1 - side
    assert naive_score.rlcard_payoffs(end, other, own[::-1]) == paid[::-1]


HANDS = st.lists(
    st.tuples(st.sampled_from([0, 0, 1, 1, None]), st.integers(0, 80), st.none() | st.integers(1, 4)),
    max_size=60,
)


def played(hands: list[naive_score.Entry], rules: dict[str, Any]) -> tuple[naive_score.Sheet, int]:
    """Return the sheet of as many hands as fit on it, and their number."""
    sheet = naive_score.Sheet(rules)
    for number, (winner, points, boxes) in enumerate(hands):
        if sheet.over:
            return sheet, number
        sheet.enter(winner, 0 if winner is None else points, boxes)
    return sheet, len(hands)


@given(any_rules(match_type="single_game", match_length=1), HANDS)
def test_every_sheet(rules: dict[str, Any], hands: list[naive_score.Entry]) -> None:
    sheet, count = played(hands, rules)
    score = sheet.score()
    used = hands[:count]
    scored = [
        (winner, points, 1 if boxes is None else boxes)
        for winner, points, boxes in used
        if winner is not None
    ]

    # Void hands and side names change nothing but the names.
    without, _ = played([one for one in used if one[0] is not None], rules)
    assert without.score() == score
    exchanged = [(None if winner is None else 1 - winner, points, boxes) for winner, points, boxes in used]
    other = played(exchanged, rules)[0].score()
    assert other.totals == score.totals[::-1] and other.end == score.end
    assert other.winner == (None if score.winner is None else 1 - score.winner)
    for one, mirrored in zip(score.columns, other.columns, strict=True):
        assert (one.points, one.boxes, one.totals) == (
            mirrored.points[::-1], mirrored.boxes[::-1], mirrored.totals[::-1],
        )  # fmt: skip

    line = rules["box_bonus"] if rules["box_timing"] == "immediate" else 0
    for number, column in enumerate(score.columns):
        factor = rules["column_multipliers"][number]
        # A column holds the last hands of a side that it took while it was open, one after another.
        for side in (0, 1):
            shown = column.points[side] + line * column.boxes[side]
            assert (shown >= rules["game_target"]) == (column.winner == side)
            assert column.totals[side] % factor == 0
            plain = column.points[side] + rules["box_bonus"] * column.boxes[side]
            if column.winner != side:
                assert column.totals[side] == factor * plain
            else:
                total = column.totals[side] // factor
                assert total >= plain + rules["game_bonus"]
                rewarded = column.shutout and rules["shutout"] != "none"
                assert total == plain + rules["game_bonus"] or rewarded
        if column.shutout and column.winner is not None:
            assert column.points[1 - column.winner] == 0
        # Nobody has his first entry here before he has one in the column before, unless that is closed.
        if number and score.columns[number - 1].winner is None:
            for side in (0, 1):
                assert column.boxes[side] <= score.columns[number - 1].boxes[side]
    assert sum(score.columns[0].boxes) <= sum(boxes for _, _, boxes in scored)
    if score.columns[0].winner is None or len(score.columns) == 1:
        won = [sum(points for winner, points, _ in scored if winner == side) for side in (0, 1)]
        assert score.columns[0].points == tuple(won)
    assert score.totals == tuple(sum(column.totals[side] for column in score.columns) for side in (0, 1))
    assert (score.end == "unfinished") == any(column.winner is None for column in score.columns)
    if score.end == "match":
        assert len(score.columns) > 1
        assert (score.winner is None) == (score.totals[0] == score.totals[1])
        assert score.winner is None or score.totals[score.winner] == max(score.totals)


@pytest.mark.parametrize("winner", [0, 1, None])
def test_a_single_hand_pays_its_points_alone(winner: int | None) -> None:
    rules = {**PRESETS["openspiel"], "game_bonus": 100, "box_bonus": 25, "shutout": "double_total"}
    sheet = naive_score.Sheet(rules)
    sheet.enter(winner, 0 if winner is None else 40)
    score = sheet.score()
    assert sheet.over and (score.end, score.winner) == ("game", winner)
    assert score.totals == tuple(40 if side == winner else 0 for side in (0, 1))
    with pytest.raises(ValueError, match="hand 2"):
        sheet.enter(0, 5)


def test_shutout_forms_of_the_catalogue() -> None:
    totals = {"none": 269, "flat": 369, "double_hands": 378, "double_bonuses": 429, "double_total": 538}
    for shutout, total in totals.items():
        rules = {"box_bonus": 20, "shutout": shutout}
        hands: list[naive_score.Entry] = [(1, 37, None), (1, 42, None), (1, 30, None)]
        assert naive_score.score_game(hands, rules).totals == (0, total)


def test_shutout_tests_differ_on_a_hand_without_points() -> None:
    hands: list[naive_score.Entry] = [(1, 0, None), (0, 100, None)]
    for test, end in (("no_hands", "game"), ("no_points", "game_shutout")):
        assert naive_score.score_game(hands, {"shutout_test": test}).end == end
    # Boxes paid at once are no points of a hand.
    rules = {"shutout_test": "no_points", "box_timing": "immediate"}
    assert naive_score.score_game(hands, rules).end == "game_shutout"


def test_boxes_at_once_reach_the_target() -> None:
    rules = {"box_timing": "immediate", "box_bonus": 10, "game_bonus": 0, "shutout": "none"}
    hands: list[naive_score.Entry] = [(0, 40, None), (1, 20, 2), (0, 40, None)]
    score = naive_score.score_game(hands, rules)
    assert (score.end, score.winner, score.totals) == ("game", 0, (100, 40))
    assert naive_score.score_game(hands, {**rules, "box_timing": "end"}).end == "unfinished"


# --- matches -------------------------------------------------------------------------------------

GAMES = st.lists(
    st.tuples(st.sampled_from([0, 1, 1, None]), st.tuples(st.integers(0, 400), st.integers(0, 400))),
    min_size=1,
    max_size=40,
)


def test_best_of_five() -> None:
    games: list[tuple[int | None, tuple[int, int]]] = [(side, (0, 0)) for side in (0, 1, 0, 0)]
    rules = PRESETS["tournament"]
    assert [naive_score.score_match(games[:count], rules).over for count in range(1, 5)] == [False] * 3 + [
        True
    ]
    assert naive_score.score_match(games, rules) == (True, 0, (3, 1), (0, 0))
    with pytest.raises(ValueError, match="game 5"):
        naive_score.score_match([*games, games[0]], rules)


@given(
    GAMES,
    st.sampled_from(["best_of", "first_to_points", "single_game"]),
    st.integers(0, 3),
    st.integers(1, 900),
)
def test_every_match(
    games: list[tuple[int | None, tuple[int, int]]], kind: str, half: int, points: int
) -> None:
    length = {"best_of": 2 * half + 1, "first_to_points": points, "single_game": 1}[kind]
    rules = {"match_type": kind, "match_length": length}
    for count in range(1, len(games) + 1):
        score = naive_score.score_match(games[:count], rules)
        won = tuple(sum(side == one for one, _ in games[:count]) for side in (0, 1))
        sums = tuple(sum(totals[side] for _, totals in games[:count]) for side in (0, 1))
        assert (score.games, score.sums) == (won, sums)
        if kind == "best_of":
            assert score.over == (max(won) == half + 1)
            assert score.winner == (won.index(half + 1) if score.over else None)
        elif kind == "first_to_points":
            assert score.over == (max(sums) >= points and sums[0] != sums[1])
            assert score.winner == (sums.index(max(sums)) if score.over else None)
        else:
            assert score.over and score.winner == games[0][0]
        if score.over:
            break


def test_a_match_that_nobody_wins_stops() -> None:
    drawn: list[tuple[int | None, tuple[int, int]]] = [(None, (50, 50))] * naive_score.GAMES_IN_ALL
    for kind, length in (("best_of", 3), ("first_to_points", 100)):
        rules = {"match_type": kind, "match_length": length}
        assert naive_score.GAMES_IN_ALL == 1_000
        assert naive_score.score_match(drawn, rules)[:2] == (True, None)
        assert not naive_score.score_match(drawn[1:], rules).over
