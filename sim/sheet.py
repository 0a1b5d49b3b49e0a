"""The score sheet of a game: its columns, boxes and totals, and when it is full.

A plain game is a sheet of one column. A Hollywood sheet has several, each a game of its own: a won hand is
entered in every open column in which that side has an entry already, and in the first open one, from the
left, in which it has none; a closed column takes no more. So a first win goes to column 1, a second to 1
and 2, and who was shut out of a column makes his first entry in the next one. Rules: RULES, sections B
(B19-B24) and C. Kernels first, then the library.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim._jit import Record, kernel
from sim.rules import BOXES_NOW, COLUMNS_MAX, MATCH_HAND, Rules, rules_record
from sim.scoring import NOBODY, is_shutout, winner_total

SHEET_FIELDS: list[Any] = [
    ("start_scores", "i8", (2,)),  # points by side when the game begins, in the first column
    ("points", "i8", (COLUMNS_MAX, 2)),  # hand points by column and side
    ("boxes", "i8", (COLUMNS_MAX, 2)),  # hands won, extra boxes in
    ("column_winner", "i8", (COLUMNS_MAX,)),  # side that closed the column; -1: it is open
    ("totals", "i8", (2,)),  # final totals by side, once the game is over
    ("shutouts", "i8", (2,)),  # columns won to nothing, by winner, once the game is over
    ("winner", "i8"),  # side, or -1: nobody
    ("over", "i8"),  # 1 once the game is over
]
"""The fields of a record that the kernels here take for a sheet."""

SHEET_DTYPE = np.dtype(SHEET_FIELDS, align=True)

SCORE_MAX = 1_000_000
"""Points or boxes of one hand that a sheet takes from outside: far above any hand, far from overflow."""


@kernel
def open_sheet(sheet: Record, rules: Record) -> None:
    """Clear the sheet for a new game, which begins at its ``start_scores``."""
    for column in range(rules.columns):
        sheet.column_winner[column] = NOBODY
        for side in range(2):
            sheet.points[column, side] = sheet.start_scores[side] if column == 0 else 0
            sheet.boxes[column, side] = 0
    for side in range(2):
        sheet.totals[side] = 0
        sheet.shutouts[side] = 0
    sheet.winner = NOBODY
    sheet.over = 0


@kernel
def standing(sheet: Record, column: int, side: int, rules: Record) -> int:
    """Return what counts towards the target: hand points, and boxes where they count at once."""
    score = sheet.points[column, side]
    if rules.box_timing == BOXES_NOW:
        score += sheet.boxes[column, side] * rules.box_bonus
    return score


@kernel
def running_score(sheet: Record, side: int, rules: Record) -> int:
    """Return the standing of a side summed over the columns."""
    score = 0
    for column in range(rules.columns):
        score += standing(sheet, column, side, rules)
    return score


@kernel
def open_column(sheet: Record, rules: Record) -> int:
    """Return the first column that is open, or the last one."""
    for column in range(rules.columns - 1):
        if sheet.column_winner[column] == NOBODY:
            return column
    return rules.columns - 1


@kernel
def enter_win(sheet: Record, side: int, points: int, boxes: int, rules: Record) -> None:
    """Enter a won hand, close the columns it completes, and the sheet with the last of them."""
    full = True
    first_entry = False
    for column in range(rules.columns):
        if sheet.column_winner[column] != NOBODY:
            continue
        if sheet.boxes[column, side] > 0 or not first_entry:
            first_entry = first_entry or sheet.boxes[column, side] == 0
            sheet.points[column, side] += points
            sheet.boxes[column, side] += boxes
            if rules.match_type == MATCH_HAND or standing(sheet, column, side, rules) >= rules.game_target:
                sheet.column_winner[column] = side
                continue
        full = False
    if full:
        sheet.over = 1


@kernel
def column_shutout(sheet: Record, column: int, rules: Record) -> bool:
    """Tell whether a closed column was won to nothing; a single hand never is."""
    if rules.match_type == MATCH_HAND:
        return False
    loser = 1 - sheet.column_winner[column]
    boxes = sheet.boxes[column, loser]
    if column == 0 and sheet.start_scores[loser] > 0:
        boxes += 1  # who begins with points has won a hand, though it is not among the boxes of this game
    return is_shutout(sheet.points[column, loser], boxes, rules)


@kernel
def column_total(sheet: Record, column: int, side: int, rules: Record) -> int:
    """Return the final total of a side in a column, multiplied; of a single hand its points alone."""
    points = sheet.points[column, side]
    boxes = sheet.boxes[column, side]
    if rules.match_type == MATCH_HAND:
        return points - (sheet.start_scores[side] if column == 0 else 0)
    if sheet.column_winner[column] == side:
        total = winner_total(points, boxes, column_shutout(sheet, column, rules), rules)
    else:
        total = points + boxes * rules.box_bonus
    return total * rules.column_multipliers[column]


@kernel
def close_sheet(sheet: Record, rules: Record) -> None:
    """Work out totals and winner of a game that is over.

    One column is won by who closed it, several by the larger sum of totals.
    """
    open_columns = 0
    for column in range(rules.columns):
        winner = sheet.column_winner[column]
        for side in range(2):
            sheet.totals[side] += column_total(sheet, column, side, rules)
        if winner == NOBODY:
            open_columns += 1
        elif column_shutout(sheet, column, rules):
            sheet.shutouts[winner] += 1
    if open_columns > 0:
        return
    if rules.columns == 1:
        sheet.winner = sheet.column_winner[0]
    elif sheet.totals[0] != sheet.totals[1]:
        sheet.winner = 0 if sheet.totals[0] > sheet.totals[1] else 1


# --- the library ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class ColumnScore:
    """One column of a sheet.

    Attributes
    ----------
    points : tuple of int
        Hand points of side A and side B.
    boxes : tuple of int
        Hands won, extra boxes in.
    winner : int or None
        0 for side A, 1 for side B, None while the column is open.
    shutout : bool
        The winner won it to nothing.
    totals : tuple of int
        Final points, bonuses and the column's multiplier in; of an open column hand points and boxes.
    """

    points: tuple[int, int]
    boxes: tuple[int, int]
    winner: int | None
    shutout: bool
    totals: tuple[int, int]


@dataclass(frozen=True)
class GameScore:
    """The final account of a game.

    Attributes
    ----------
    end : str
        ``"game"``, ``"game_shutout"`` (a shutout that is rewarded), ``"match"`` for a full sheet of several
        columns, or ``"unfinished"``.
    winner : int or None
        0 for side A, 1 for side B, None for nobody.
    totals : tuple of int
        Final points of side A and side B, all bonuses in.
    boxes : tuple of int
        Boxes, summed over the columns.
    bonuses : tuple of int
        What the totals hold beyond hand points and the points for boxes.
    columns : tuple of ColumnScore
        In order.
    """

    end: str
    winner: int | None
    totals: tuple[int, int]
    boxes: tuple[int, int]
    bonuses: tuple[int, int]
    columns: tuple[ColumnScore, ...]


def score_game(hands: Sequence[tuple[int | None, int, int | None]], rules: Rules) -> GameScore:
    """Keep the score sheet of a game.

    Parameters
    ----------
    hands : sequence of (winner, points, boxes)
        Winner 0 for side A, 1 for side B, None for a hand that nobody won; points of the winner; boxes,
        None for one.
    rules : Rules
        Two players.

    Returns
    -------
    GameScore

    Raises
    ------
    ValueError
        Naming the hand, if it cannot be, or if the game was over before it.
    """
    rules.require_two_players()
    record = rules_record(rules)
    sheet: Any = np.zeros(1, SHEET_DTYPE).view(np.recarray)[0]
    open_sheet(sheet, record)
    for number, (winner, points, boxes) in enumerate(hands, 1):
        if sheet.over:
            raise ValueError(f"hand {number}: the game was over with hand {number - 1}")
        given = [value for value in (winner, points, boxes) if value is not None]
        whole = all(isinstance(value, int) and not isinstance(value, bool) for value in given)
        if not whole or not 0 <= points <= SCORE_MAX or (boxes is not None and not 1 <= boxes <= SCORE_MAX):
            raise ValueError(
                f"hand {number}: expected whole numbers, points 0-{SCORE_MAX} and 1 or more boxes"
            )
        if winner not in (None, 0, 1):
            raise ValueError(f"hand {number}: {winner}, {points} points, {boxes} boxes cannot be")
        if winner is None and (points or boxes):
            raise ValueError(f"hand {number}: nobody wins it, so it has no points and no boxes")
        if winner is not None:
            enter_win(sheet, winner, points, 1 if boxes is None else boxes, record)
        if rules.match_type == "single_hand":
            sheet.over = 1
    return _account(sheet, rules, record)


def _account(sheet: Any, rules: Rules, record: Any) -> GameScore:
    close_sheet(sheet, record)
    columns = tuple(_column(sheet, column, record) for column in range(rules.columns))
    totals = _both(sheet.totals)
    boxes = _both(sheet.boxes[: rules.columns].sum(axis=0))
    box_points = 0 if rules.match_type == "single_hand" else rules.box_bonus
    points = _both(sheet.points[: rules.columns].sum(axis=0))
    if not sheet.over:
        end = "unfinished"
    elif rules.columns > 1:
        end = "match"
    else:
        end = "game_shutout" if columns[0].shutout and rules.shutout != "none" else "game"
    return GameScore(
        end,
        None if sheet.winner == NOBODY else int(sheet.winner),
        totals,
        boxes,
        (
            totals[0] - points[0] - boxes[0] * box_points,
            totals[1] - points[1] - boxes[1] * box_points,
        ),
        columns,
    )


def _column(sheet: Any, column: int, record: Any) -> ColumnScore:
    winner = int(sheet.column_winner[column])
    open_still = winner == NOBODY
    return ColumnScore(
        _both(sheet.points[column]),
        _both(sheet.boxes[column]),
        None if open_still else winner,
        not open_still and bool(column_shutout(sheet, column, record)),
        (int(column_total(sheet, column, 0, record)), int(column_total(sheet, column, 1, record))),
    )


def _both(values: Any) -> tuple[int, int]:
    return int(values[0]), int(values[1])
