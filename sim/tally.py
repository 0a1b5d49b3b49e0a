"""Exact, mergeable counters of what happened, in 128 groups of pairs.

A tally is an int64 array of shape (GROUPS, size); row ``pair % GROUPS`` takes everything of that pair.
Adding two tallies is exact and associative, so any split of the work gives the same bytes; and any
function of cells that were played on the same seed gets a jackknife over the groups. `FIELDS` names the
parts of a row and their shapes; the kernels below fill them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from sim._jit import Array, Record, kernel, popcount
from sim.hand import ending_side, layoff_pips
from sim.scoring import ENDINGS, KNOCK, NOBODY, UNDERCUT, VOID

GROUPS = 128
"""Groups of pairs: enough for a jackknife with a normal interval, few enough for the cache."""

OUTCOMES = (
    "one",  # 1 a pair
    "games_a",  # side A's games in halves: 2 a game won, 1 a game without a winner
    "hands",  # hands played, void ones too
    "decisive",  # hands that somebody won
    "hands_a",  # hands won by side A
    "points_a",  # hand points of side A
    "points_b",
    "turns",  # turns of both players
    "games_mover",  # games in halves of who moved first in the first hand
    "hands_mover",  # hands won by the non-dealer
    "total_a",  # final game totals of side A, bonuses in
    "total_b",
)
"""What is summed for each pair; `moments` holds the sums of all products of two of these."""

KNOCK_FIELDS = ("taken", "won", "undercut", "points", "declined", "won_later", "lost_later", "points_later")
"""Counters of a cell (side, own turn, least deadwood) of legal knocks.

``points`` are the player's own less the other's in the hand, after a knock taken or declined. A knock
can end neither won nor undercut (a push); a hand after a declined knock can end void.
"""

KNOCK_TURNS = 32
"""Own turns kept apart; the last row is this turn and all later ones."""
LENGTHS = 64
"""Hand lengths (turns of both) kept apart; the last is this length less one and all longer."""
POINTS = 256
"""Hand scores kept apart; the last is 255 points and more."""

SIDE_ENDINGS = ("knock", "gin", "big_gin", "undercut", "tie", "gin_cancelled")
"""Endings counted by side: `undercut` under its winner, the others under who ended the hand."""
KINDS = 2 * len(SIDE_ENDINGS) + 2
"""Six endings of side A, six of side B, void, capped."""

FIELDS: dict[str, tuple[int, ...]] = {
    "moments": (len(OUTCOMES), len(OUTCOMES)),
    "pair_scores": (5,),  # pairs by side A's games in halves
    "undiverged": (1,),  # pairs whose two games went card for card the same way
    "hands": (2, 2, KINDS),  # packet of side A, side A deals, kind
    "points": (2, 2, KINDS),  # points of the hand's winner, the same way
    "games": (2, 2, 3),  # packet of side A, side A deals first; A wins, B wins, unfinished
    "shutouts": (2,),  # games won to nothing, by winner
    "knocks": (2, KNOCK_TURNS, 11, len(KNOCK_FIELDS)),  # side, own turn - 1, least deadwood
    "first_legal": (2, KNOCK_TURNS + 1),  # hands by own turn of the first legal knock; 0: never
    "lengths": (LENGTHS,),  # hands by turns
    "scores": (2, POINTS),  # decisive hands by winner and points
    "knocker_deadwood": (2, 11),  # by who ended the hand: deadwood after the discard
    "layoffs": (2, 2),  # by defender: cards and points laid off
    "upcard_draws": (2,),  # by side
}
"""Parts of a row and their shapes."""

_SIZES = {name: math.prod(shape) for name, shape in FIELDS.items()}
_STARTS = dict(zip(FIELDS, np.cumsum([0, *_SIZES.values()]).tolist(), strict=False))
ROW = sum(_SIZES.values())
"""Counters in a row."""

_MOMENTS = _STARTS["moments"]
_PAIR_SCORES = _STARTS["pair_scores"]
_UNDIVERGED = _STARTS["undiverged"]
_HANDS = _STARTS["hands"]
_POINTS = _STARTS["points"]
_GAMES = _STARTS["games"]
_SHUTOUTS = _STARTS["shutouts"]
_KNOCKS = _STARTS["knocks"]
_FIRST_LEGAL = _STARTS["first_legal"]
_LENGTHS = _STARTS["lengths"]
_SCORES = _STARTS["scores"]
_KNOCKER_DEADWOOD = _STARTS["knocker_deadwood"]
_LAYOFFS = _STARTS["layoffs"]
_UPCARD_DRAWS = _STARTS["upcard_draws"]

_N = len(OUTCOMES)
_PER_CELL = len(KNOCK_FIELDS)
_BY_SIDE = len(SIDE_ENDINGS)
(
    ONE,
    GAMES_A,
    HANDS,
    DECISIVE,
    HANDS_A,
    POINTS_A,
    POINTS_B,
    TURNS,
    GAMES_MOVER,
    HANDS_MOVER,
    TOTAL_A,
    TOTAL_B,
) = range(_N)
assert ENDINGS[KNOCK : KNOCK + _BY_SIDE] == SIDE_ENDINGS


class Tally:
    """The counters of a run, with names.

    Parameters
    ----------
    counters : ndarray of int64, shape (GROUPS, ROW), optional
        Taken over, not copied; zeros when left out.
    """

    def __init__(self, counters: npt.NDArray[np.int64] | None = None) -> None:
        self.counters = np.zeros((GROUPS, ROW), np.int64) if counters is None else counters

    def groups(self, name: str) -> npt.NDArray[np.int64]:
        """Return a field by group, shape ``(GROUPS, *FIELDS[name])``."""
        start = _STARTS[name]
        return self.counters[:, start : start + _SIZES[name]].reshape(GROUPS, *FIELDS[name])

    def total(self, name: str) -> npt.NDArray[np.int64]:
        """Return a field summed over all groups, shape ``FIELDS[name]``."""
        result: npt.NDArray[np.int64] = self.groups(name).sum(axis=0)
        return result

    def outcome(self, name: str) -> int:
        """Return the sum over all pairs of one of `OUTCOMES`."""
        return int(self.total("moments")[0, OUTCOMES.index(name)])

    @property
    def pairs(self) -> int:
        """Pairs played."""
        return self.outcome("one")

    def merge(self, other: Tally) -> Tally:
        """Return the sum of two tallies."""
        return Tally(self.counters + other.counters)

    def endings(self) -> dict[str, Any]:
        """Return hands by ending: ``{"a": {...}, "b": {...}, "void": n, "capped": n}``."""
        return _by_kind(self.total("hands"))

    def points_by_ending(self) -> dict[str, Any]:
        """Return points of the hands' winners by ending, the same way."""
        return _by_kind(self.total("points"))

    def tobytes(self) -> bytes:
        """Return all counters as bytes, for comparison."""
        return self.counters.tobytes()


def _by_kind(counts: npt.NDArray[np.int64]) -> dict[str, Any]:
    kinds = [int(count) for count in counts.sum(axis=(0, 1))]
    by_side = len(SIDE_ENDINGS)
    return {
        "a": dict(zip(SIDE_ENDINGS, kinds[:by_side], strict=True)),
        "b": dict(zip(SIDE_ENDINGS, kinds[by_side : 2 * by_side], strict=True)),
        "void": kinds[-2],
        "capped": kinds[-1],
    }


# --- kernels -------------------------------------------------------------------------------------


@kernel
def _record_legal_knocks(row: Array, state: Record) -> None:
    """Count each legal knock of a hand, with what came of taking or declining it."""
    for side in range(2):
        first = state.first_legal[side]
        row[_FIRST_LEGAL + side * (KNOCK_TURNS + 1) + min(first, KNOCK_TURNS)] += 1
        won = 1 if state.winner == side else 0
        lost = 1 if state.winner == 1 - side else 0
        points = (won - lost) * state.points
        for i in range(state.declines[side]):
            cell = _knock_cell(side, state.declined[side, i])
            row[cell + 4] += 1
            row[cell + 5] += won
            row[cell + 6] += lost
            row[cell + 7] += points
        if state.knocker == side:
            cell = _knock_cell(side, state.taken)
            row[cell] += 1
            row[cell + 1] += won
            row[cell + 2] += 1 if state.ending == UNDERCUT else 0
            row[cell + 3] += points


@kernel
def _knock_cell(side: int, legal: int) -> int:
    turn = min(legal >> 8, KNOCK_TURNS)
    return _KNOCKS + ((side * KNOCK_TURNS + turn - 1) * 11 + (legal & 255)) * _PER_CELL


@kernel
def record_hand(row: Array, pair: Array, state: Record, melds: Record, packet_a: int, dealer: int) -> None:
    """Count an ended hand in its group's row and in the sums of its pair.

    Parameters
    ----------
    row : ndarray of int64, shape (ROW,)
    pair : ndarray of int64, shape (len(OUTCOMES),)
    state : record of `HAND_DTYPE`
    melds : record of `MELDS_DTYPE`
    packet_a : int
        Packet of side A.
    dealer : int
        Side that dealt.
    """
    ending = state.ending
    winner = state.winner
    points = state.points
    pair[HANDS] += 1
    pair[TURNS] += state.turns
    if winner != NOBODY:
        pair[DECISIVE] += 1
        pair[HANDS_A] += 1 - winner
        pair[POINTS_A + winner] += points
        pair[HANDS_MOVER] += winner ^ dealer
        row[_SCORES + winner * POINTS + min(points, POINTS - 1)] += 1
    if ending >= VOID:
        kind = 2 * _BY_SIDE + ending - VOID
    else:
        kind = ending_side(state) * _BY_SIDE + ending - KNOCK
        knocker = state.knocker
        row[_KNOCKER_DEADWOOD + knocker * 11 + state.knocker_deadwood] += 1
        if state.layoffs:
            row[_LAYOFFS + 2 * (1 - knocker)] += popcount(state.layoffs)
            row[_LAYOFFS + 2 * (1 - knocker) + 1] += layoff_pips(state, melds)
    cell = (packet_a * 2 + 1 - dealer) * KINDS + kind
    row[_HANDS + cell] += 1
    row[_POINTS + cell] += points
    row[_LENGTHS + min(state.turns, LENGTHS - 1)] += 1
    row[_UPCARD_DRAWS] += state.upcard_draws[0]
    row[_UPCARD_DRAWS + 1] += state.upcard_draws[1]
    _record_legal_knocks(row, state)


@kernel
def record_game(
    row: Array, pair: Array, game: Record, packet_a: int, first_dealer: int, shut_out: bool
) -> None:
    """Count an ended game; ``game`` is a record of `sim.game.GAME_DTYPE`."""
    winner = game.winner
    halves_a = 1 if winner == NOBODY else 2 - 2 * winner
    pair[GAMES_A] += halves_a
    pair[GAMES_MOVER] += halves_a if first_dealer == 1 else 2 - halves_a
    pair[TOTAL_A] += game.totals[0]
    pair[TOTAL_B] += game.totals[1]
    result = 2 if winner == NOBODY else winner
    row[_GAMES + (packet_a * 2 + 1 - first_dealer) * 3 + result] += 1
    if shut_out:
        row[_SHUTOUTS + winner] += 1


@kernel
def record_pair(row: Array, pair: Array, same: bool) -> None:
    """Add the sums of a pair and their products to its group's row, and clear them."""
    pair[ONE] = 1
    row[_PAIR_SCORES + pair[GAMES_A]] += 1
    row[_UNDIVERGED] += 1 if same else 0
    for i in range(_N):
        for j in range(_N):
            row[_MOMENTS + i * _N + j] += pair[i] * pair[j]
    for i in range(_N):
        pair[i] = 0
