"""What an ended hand and an ended game are worth.

Rules: RULES, sections A and C (tie rules, gin against zero, shutouts). Kernels first, then the library.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim._jit import Record, kernel
from sim.rules import (
    SHUTOUT_BONUSES,
    SHUTOUT_FLAT,
    SHUTOUT_HANDS,
    SHUTOUT_TOTAL,
    TIE_DEFENDER,
    TIE_PUSH,
    TIE_UNDERCUT,
    Rules,
    rules_record,
)

ENDINGS = ("none", "knock", "gin", "big_gin", "undercut", "tie", "gin_cancelled", "void", "capped")
"""How a hand ends; the engine's codes are the positions."""

GOING, KNOCK, GIN, BIG_GIN, UNDERCUT, TIE, GIN_CANCELLED, VOID, CAPPED = range(len(ENDINGS))

KNOCKER, DEFENDER, NOBODY = 0, 1, -1


@kernel
def hand_result(
    knocker_deadwood: int, defender_deadwood: int, big_gin: bool, rules: Record
) -> tuple[int, int, int]:
    """Return ending, who wins the box (knocker, defender, nobody) and the winner's points."""
    if knocker_deadwood == 0:
        if defender_deadwood == 0 and rules.gin_vs_zero == 1:
            return GIN_CANCELLED, NOBODY, 0
        if big_gin:
            return BIG_GIN, KNOCKER, rules.big_gin_bonus + defender_deadwood
        return GIN, KNOCKER, rules.gin_bonus + defender_deadwood
    lead = defender_deadwood - knocker_deadwood
    if lead > 0:
        return KNOCK, KNOCKER, lead
    if lead < 0 or rules.tie_rule == TIE_UNDERCUT:
        return UNDERCUT, DEFENDER, rules.undercut_bonus - lead
    if rules.tie_rule == TIE_DEFENDER:
        return TIE, DEFENDER, 0
    if rules.tie_rule == TIE_PUSH:
        return TIE, NOBODY, 0
    return KNOCK, KNOCKER, 0


@kernel
def is_shutout(loser_points: int, loser_boxes: int, rules: Record) -> bool:
    """Tell whether the loser of a game won nothing, by the test of the rules."""
    return (loser_points if rules.shutout_test == 1 else loser_boxes) == 0


@kernel
def winner_total(points: int, boxes: int, shut_out: bool, rules: Record) -> int:
    """Return the winner's final total: hand points, game bonus, boxes and shutout reward."""
    hands = points
    bonuses = rules.game_bonus + boxes * rules.box_bonus
    if shut_out:
        if rules.shutout == SHUTOUT_HANDS:
            hands += points
        elif rules.shutout == SHUTOUT_FLAT:
            bonuses += rules.shutout_flat
        elif rules.shutout == SHUTOUT_BONUSES:
            bonuses += bonuses
        elif rules.shutout == SHUTOUT_TOTAL:
            return 2 * (hands + bonuses)
    return hands + bonuses


# --- the library ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class HandScore:
    """The score of an ended hand.

    Attributes
    ----------
    end : str
        One of `ENDINGS`.
    winner : str or None
        ``"knocker"``, ``"defender"``, or None when nobody wins the hand.
    points : int
        Points of the winner.
    """

    end: str
    winner: str | None
    points: int


def score_hand(
    knocker_deadwood: int, defender_deadwood: int, rules: Rules, big_gin: bool = False
) -> HandScore:
    """Score a hand from the deadwood both are left with.

    Parameters
    ----------
    knocker_deadwood, defender_deadwood : int
        Points, after lay-offs; a knocker without deadwood has gin.
    rules : Rules
        Honoured by the engine.
    big_gin : bool
        All eleven cards are melded and declared; refused when the rules know no big gin.

    Returns
    -------
    HandScore

    Raises
    ------
    ValueError
        If a deadwood is negative, or a big gin is declared that cannot be.
    """
    if knocker_deadwood < 0 or defender_deadwood < 0:
        raise ValueError("deadwood is never negative")
    if big_gin and (knocker_deadwood or rules.big_gin_bonus is None):
        raise ValueError("big gin needs eleven melded cards and a big_gin_bonus")
    ending, winner, points = hand_result(knocker_deadwood, defender_deadwood, big_gin, rules_record(rules))
    return HandScore(ENDINGS[ending], {KNOCKER: "knocker", DEFENDER: "defender"}.get(winner), int(points))


@dataclass(frozen=True)
class GameTotals:
    """The final account of a game.

    Attributes
    ----------
    totals : tuple of int
        Final points of side A and side B, all bonuses in.
    winner : int or None
        0 for side A, 1 for side B, None when nobody has reached the target.
    end : str
        ``"game"``, ``"game_shutout"`` or ``"unfinished"``.
    """

    totals: tuple[int, int]
    winner: int | None
    end: str


def game_totals(points: Sequence[int], boxes: Sequence[int], rules: Rules) -> GameTotals:
    """Return the final account of a game from hand points and hands won.

    Parameters
    ----------
    points : sequence of int, length 2
        Points of hands of side A and side B.
    boxes : sequence of int, length 2
        Hands won.
    rules : Rules
        Honoured by the engine.
    """
    record = rules_record(rules)
    box_points = [points[side] + boxes[side] * rules.box_bonus for side in (0, 1)]
    if max(points) < rules.game_target:
        return GameTotals((box_points[0], box_points[1]), None, "unfinished")
    winner = 0 if points[0] >= points[1] else 1
    loser = 1 - winner
    shut_out = bool(is_shutout(points[loser], boxes[loser], record))
    box_points[winner] = int(winner_total(points[winner], boxes[winner], shut_out, record))
    end = "game_shutout" if shut_out and rules.shutout != "none" else "game"
    return GameTotals((box_points[0], box_points[1]), winner, end)
