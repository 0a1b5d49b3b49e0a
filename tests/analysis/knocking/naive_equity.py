"""Games as chains in plain Python: every game from a score followed to its end, account by the slow sheet.

Nothing here shares code with the solver; a state is all that the sheet holds: points and boxes of both
sides, and who deals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from tests.naive_score import Sheet, complete

Hand = tuple[int | None, int, int]  # winner, points, boxes
State = tuple[int, int, int, int, int]  # points of A and B, boxes of A and B, dealer
Chances = Sequence[tuple[Hand, Fraction]]


def dealers(rules: Mapping[str, Any], dealer: int, winner: int | None) -> list[tuple[int, Fraction]]:
    """Return who may deal after a hand, with probabilities."""
    rules = complete(rules)
    half = [(0, Fraction(1, 2)), (1, Fraction(1, 2))]
    if winner is None:
        kind = rules["void_dealer"]
        return half if kind == "random" else [(dealer if kind == "same" else 1 - dealer, Fraction(1))]
    kind = rules["next_dealer"]
    if kind == "random":
        return half
    sure = {"alternate": 1 - dealer, "fixed": dealer, "winner": winner, "loser": 1 - winner}[kind]
    return [(sure, Fraction(1))]


def entered(rules: Mapping[str, Any], state: State, hand: Hand) -> Sheet:
    """Return the sheet of a game at a state after one hand more."""
    sheet = Sheet(rules, state[:2], state[2:4])
    sheet.enter(*hand)
    return sheet


def told(sheet: Sheet) -> tuple[Fraction, Fraction]:
    """Return of a finished game whether A has won it, and the margin."""
    score = sheet.score()
    return Fraction(int(score.winner == 0)), Fraction(score.totals[0] - score.totals[1])


def recursion(
    rules: Mapping[str, Any], chances: Sequence[Chances], start: tuple[int, int], dealer: int
) -> tuple[Fraction, Fraction]:
    """Return A's chance to win and the mean margin from a score, exactly.

    ``chances`` are the hands' by dealer. Void hands are the only ones that may leave the points as they are.
    """
    known: dict[State, tuple[Fraction, Fraction]] = {}

    def value(state: State) -> tuple[Fraction, Fraction]:
        if state not in known:
            both = solved(state[:4])
            for side in (0, 1):
                known[(*state[:4], side)] = both[side]
        return known[state]

    def solved(where: tuple[int, int, int, int]) -> list[tuple[Fraction, Fraction]]:
        stay = [[Fraction(0), Fraction(0)] for _ in range(2)]
        right = [[Fraction(0), Fraction(0)] for _ in range(2)]
        for side in (0, 1):
            state = (*where, side)
            for hand, chance in chances[side]:
                if hand[0] is None:
                    for other, part in dealers(rules, side, None):
                        stay[side][other] += chance * part
                    continue
                sheet = entered(rules, state, hand)
                if sheet.over:
                    ends = told(sheet)
                    for q in (0, 1):
                        right[side][q] += chance * ends[q]
                    continue
                (points, boxes) = sheet.columns[0].points, sheet.columns[0].boxes
                for other, part in dealers(rules, side, hand[0]):
                    then = value((points[0], points[1], boxes[0], boxes[1], other))
                    for q in (0, 1):
                        right[side][q] += chance * part * then[q]
        scale = (1 - stay[0][0]) * (1 - stay[1][1]) - stay[0][1] * stay[1][0]
        return [
            (
                ((1 - stay[1 - side][1 - side]) * right[side][0] + stay[side][1 - side] * right[1 - side][0])
                / scale,
                ((1 - stay[1 - side][1 - side]) * right[side][1] + stay[side][1 - side] * right[1 - side][1])
                / scale,
            )
            for side in (0, 1)
        ]

    return value((start[0], start[1], 0, 0, dealer))


def followed(
    rules: Mapping[str, Any], chances: Sequence[Chances], start: tuple[int, int], dealer: int
) -> tuple[float, float]:
    """Return the same by following games hand by hand; what is less likely than 1e-13 is let go."""
    win = margin = 0.0
    now: dict[State, float] = {(start[0], start[1], 0, 0, dealer): 1.0}
    while now:
        then: dict[State, float] = {}
        for state, mass in now.items():
            if mass < 1e-13:
                continue
            for hand, chance in chances[state[4]]:
                sheet = entered(rules, state, hand)
                if sheet.over:
                    ends = told(sheet)
                    win += mass * float(chance * ends[0])
                    margin += mass * float(chance * ends[1])
                    continue
                points, boxes = sheet.columns[0].points, sheet.columns[0].boxes
                for other, part in dealers(rules, state[4], hand[0]):
                    key = (points[0], points[1], boxes[0], boxes[1], other)
                    then[key] = then.get(key, 0.0) + mass * float(chance * part)
        now = then
    return win, margin
