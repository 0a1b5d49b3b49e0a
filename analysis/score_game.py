"""The score sheet of a game from its hands in words: read, added up, told as data and as a table."""

from __future__ import annotations

import re
from typing import Any

from analysis.console import UsageError
from sim.rules import Rules
from sim.sheet import GameScore, score_game

SCHEMA = 1
"""Version of the keys."""

MAX_SHEET = 1_000
"""Hands on a sheet; the sums of so many fit any counter."""
MAX_ENTRY = 1_000_000
"""Points of a hand; no rules give as many."""

SIDE_BY_SIDE = 4
"""Columns of a sheet in one table, so that it fits 80 characters."""

Hand = tuple[int | None, int, int | None]
"""Winner (0 A, 1 B, None nobody), points, boxes (None: one); as `sim.sheet.score_game` takes it."""

_HAND = re.compile(r"([AaBb])\s+(\d{1,9})(?:\s*/\s*(\d{1,9}))?|-(?:\s*0)?", re.ASCII)


def parse_hands(text: str) -> list[Hand]:
    """Read hands such as ``A 42, B 16/2, - 0``.

    Parameters
    ----------
    text : str
        Hands parted by commas: a side and its points, with ``/`` and the boxes where they are not one;
        ``-`` (or ``- 0``) for a hand that nobody won.

    Returns
    -------
    list of (winner, points, boxes)

    Raises
    ------
    UsageError
        Naming the hand by its number and text.
    """
    words = [word.strip() for word in text.split(",")]
    if words == [""]:
        raise UsageError("--hands: no hands; expected such as 'A 42, B 16, - 0'")
    if len(words) > MAX_SHEET:
        raise UsageError(f"--hands: {len(words):,} hands; expected {MAX_SHEET:,} at most")
    hands: list[Hand] = []
    for number, word in enumerate(words, 1):
        found = _HAND.fullmatch(word)
        named = f"hand {number}: {word[:40]!r}"
        if found is None:
            raise UsageError(
                f"{named}: expected a side and its points such as 'A 42', or with boxes 'A 42/3', "
                "or '-' for a hand nobody won"
            )
        side, points, boxes = found.groups()
        if side is None:
            hands.append((None, 0, None))
            continue
        if int(points) > MAX_ENTRY:
            raise UsageError(f"{named}: expected at most {MAX_ENTRY:,} points")
        if boxes is not None and not 1 <= int(boxes) <= 99:
            raise UsageError(f"{named}: expected 1-99 boxes")
        hands.append(("AB".index(side.upper()), int(points), None if boxes is None else int(boxes)))
    return hands


def keep_score(text: str, rules: Rules) -> list[GameScore]:
    """Return how the sheet stands after each hand.

    Parameters
    ----------
    text : str
        See `parse_hands`.
    rules : Rules
        Of two players.

    Raises
    ------
    UsageError
        Naming the hand that cannot be read, or that comes after the end of the game.
    """
    hands = parse_hands(text)
    sheets: list[GameScore] = []
    for number in range(1, len(hands) + 1):
        if sheets and sheets[-1].end != "unfinished":
            word = text.split(",")[number - 1].strip()
            raise UsageError(f"hand {number}: {word!r}: the game was over with hand {number - 1}")
        sheets.append(score_game(hands[:number], rules))
    return sheets


def _sides(values: tuple[int, int]) -> dict[str, int]:
    return {"A": values[0], "B": values[1]}


def _side(winner: int | None) -> str | None:
    return None if winner is None else "AB"[winner]


def sheet_dict(score: GameScore, rules: Rules) -> dict[str, Any]:
    """Return a sheet as plain data."""
    return {
        "schema": SCHEMA,
        "rules": {"hash": rules.hash, "fields": rules.to_dict()},
        "end": score.end,
        "winner": _side(score.winner),
        "totals": _sides(score.totals),
        "boxes": _sides(score.boxes),
        "bonuses": _sides(score.bonuses),
        "columns": [
            {
                "points": _sides(column.points),
                "boxes": _sides(column.boxes),
                "winner": _side(column.winner),
                "shutout": column.shutout,
                "multiplier": factor,
                "totals": _sides(column.totals),
            }
            for column, factor in zip(score.columns, rules.column_multipliers, strict=True)
        ],
    }


# --- words ---------------------------------------------------------------------------------------


def _entries(sheets: list[GameScore], column: int, rules: Rules) -> list[tuple[str, str]]:
    """Return what stands newly in a column after each hand: the running score of who has won it."""
    shown = []
    before, won = (0, 0), (0, 0)
    for sheet in sheets:
        now = sheet.columns[column]
        at_once = rules.box_bonus if rules.box_timing == "immediate" else 0
        cells = [
            str(now.points[side] + at_once * now.boxes[side])
            if (now.points[side], now.boxes[side]) != (before[side], won[side])
            else ""
            for side in (0, 1)
        ]
        shown.append((cells[0], cells[1]))
        before, won = now.points, now.boxes
    return shown


def _summary(score: GameScore, column: int, rules: Rules) -> list[tuple[str, tuple[int, int]]]:
    """Return the rows under a column: hand points, boxes, what else there is, and the total."""
    told = score.columns[column]
    a_box = 0 if rules.match_type == "single_hand" else rules.box_bonus
    boxes = told.boxes[0] * a_box, told.boxes[1] * a_box
    rest = [told.totals[side] - told.points[side] - boxes[side] for side in (0, 1)]
    return [
        ("Points", told.points),
        (f"Boxes at {a_box}", boxes),
        ("Bonuses", (rest[0], rest[1])),
        ("Total", told.totals),
    ]


def sheet_tables(text: str, sheets: list[GameScore], rules: Rules) -> list[tuple[list[str], list[list[str]]]]:
    """Return the sheet as tables of some columns each: headers and rows, numbers right-aligned.

    Parameters
    ----------
    text : str
        The hands as asked for.
    sheets : list of GameScore
        From `keep_score`.
    rules : Rules
    """
    words = [" ".join(word.split()) for word in text.split(",")]
    tables = []
    for first in range(0, rules.columns, SIDE_BY_SIDE):
        columns = range(first, min(first + SIDE_BY_SIDE, rules.columns))
        headers = ["", "Hand"]
        for column in columns:
            factor = rules.column_multipliers[column]
            name = f"{column + 1}{f'x{factor}' if factor > 1 else ''} " if rules.columns > 1 else ""
            headers += [f"{name}A", f"{name}B"]
        entries = [_entries(sheets, column, rules) for column in columns]
        rows = [
            [str(number), word.upper(), *(cell for column in entries for cell in column[number - 1])]
            for number, word in enumerate(words, 1)
        ]
        sums = [_summary(sheets[-1], column, rules) for column in columns]
        rows.append([""] * len(headers))
        for at, (label, _) in enumerate(sums[0]):
            rows.append(["", label, *(f"{value:,}" for column in sums for value in column[at][1])])
        tables.append(_right_aligned(headers, rows))
    return tables


def _right_aligned(headers: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    widths = [max(len(row[at]) for row in [headers, *rows]) for at in range(len(headers))]
    numbers = [0, *range(2, len(headers))]

    def align(row: list[str]) -> list[str]:
        return [cell.rjust(widths[at]) if at in numbers else cell for at, cell in enumerate(row)]

    return align(headers), [align(row) for row in rows]


def sheet_verdict(score: GameScore, rules: Rules) -> str:
    """Say in one sentence how the game stands."""
    a, b = score.totals
    if score.end == "unfinished":
        open_columns = sum(column.winner is None for column in score.columns)
        where = f", {open_columns} of {rules.columns} columns open" if rules.columns > 1 else ""
        return f"The game goes on to {rules.game_target}{where}; so far A {a:,}, B {b:,}."
    if score.winner is None:
        return f"Nobody wins, {a:,}:{b:,}."
    side = "AB"[score.winner]
    high, low = score.totals[score.winner], score.totals[1 - score.winner]
    what = {"match": "the full sheet", "game_shutout": "the game by a shutout"}.get(score.end, "the game")
    return f"{side} wins {what}, {high:,}:{low:,}."
