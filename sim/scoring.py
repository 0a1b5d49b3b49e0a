"""What may end a hand, and what an ended hand and an ended game are worth.

Rules: RULES, sections A, B and C (tie rules, gin against zero, boxes, shutouts). Kernels first, then the
library; a whole game is kept by `sim.sheet`.
"""

from __future__ import annotations

from dataclasses import dataclass

from sim._jit import Record, kernel, lowest_bit_index
from sim.cards import LANE
from sim.rules import (
    ACE_GIN,
    LIMIT_FIXED,
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
def knock_limit(card: int, rules: Record) -> int:
    """Return the most deadwood that may knock, given the limit card (one bit; 0: the rules fix it)."""
    if rules.knock_limit_source == LIMIT_FIXED:
        return rules.knock_limit
    rank = lowest_bit_index(card) & 15
    value = 0 if rank == 0 and rules.oklahoma_ace == ACE_GIN else rank + 1
    return min(value, rules.knock_limit)


@kernel
def hand_multiplier(card: int, rules: Record) -> int:
    """Return the factor on the score of a hand, given the limit card: spades may double."""
    spade = rules.knock_limit_source != LIMIT_FIXED and card & LANE != 0
    return rules.spade_multiplier if spade else 1


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
def boxes_won(ending: int, multiplier: int, rules: Record) -> int:
    """Return the boxes that a won hand is worth: one, and the extra ones of its ending."""
    boxes = 1
    if ending == GIN:
        boxes += rules.extra_boxes_gin
    elif ending == BIG_GIN:
        boxes += rules.extra_boxes_big_gin
    elif ending == UNDERCUT:
        boxes += rules.extra_boxes_undercut
    return boxes * multiplier if rules.spade_doubles_boxes == 1 else boxes


@kernel
def benchmark_reward(ended: bool, gin: bool, deadwood: int) -> int:
    """Return what RLCard pays a player, in hundredths: for gin, for any other knock, else his deadwood."""
    if not ended:
        return -deadwood
    return 100 if gin else 20


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
    boxes : int
        Boxes of the winner.
    """

    end: str
    winner: str | None
    points: int
    boxes: int


def hand_terms(rules: Rules, card: int = 0) -> tuple[int, int]:
    """Return the knock limit and the score's factor of a hand.

    Parameters
    ----------
    rules : Rules
    card : int
        The limit card: the first upcard, or the separate card; ignored when the rules fix the limit.

    Raises
    ------
    ValueError
        If the rules ask for a limit card and ``card`` is none.
    """
    if rules.knock_limit_source != "fixed" and (card & rules.deck != card or card.bit_count() != 1):
        raise ValueError(f"knock_limit_source={rules.knock_limit_source}: needs one limit card of the deck")
    record = rules_record(rules)
    return int(knock_limit(card, record)), int(hand_multiplier(card, record))


def score_hand(
    knocker_deadwood: int, defender_deadwood: int, rules: Rules, big_gin: bool = False, multiplier: int = 1
) -> HandScore:
    """Score a hand from the deadwood both are left with.

    Parameters
    ----------
    knocker_deadwood, defender_deadwood : int
        Points, after lay-offs; a knocker without deadwood has gin.
    rules : Rules
    big_gin : bool
        All eleven cards are melded and declared; refused when the rules know no big gin.
    multiplier : int
        Factor on the score, see `hand_terms`.

    Returns
    -------
    HandScore

    Raises
    ------
    ValueError
        If a deadwood is negative, the multiplier less than 1, or a big gin declared that cannot be.
    """
    if knocker_deadwood < 0 or defender_deadwood < 0:
        raise ValueError("deadwood is never negative")
    if multiplier < 1:
        raise ValueError(f"multiplier {multiplier}: expected 1 or more")
    if big_gin and (knocker_deadwood or rules.big_gin_bonus is None):
        raise ValueError("big gin needs eleven melded cards and a big_gin_bonus")
    record = rules_record(rules)
    ending, winner, points = hand_result(knocker_deadwood, defender_deadwood, big_gin, record)
    boxes = 0 if winner == NOBODY else int(boxes_won(ending, multiplier, record))
    side = {KNOCKER: "knocker", DEFENDER: "defender"}.get(winner)
    return HandScore(ENDINGS[ending], side, int(points) * multiplier, boxes)
