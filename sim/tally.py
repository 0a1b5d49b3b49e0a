"""Exact, mergeable counters of what happened, in 128 groups of pairs.

A tally is an array of GROUPS rows, records of `TALLY_DTYPE`; row ``pair % GROUPS`` takes all of a pair.
Adding two tallies is exact and associative, so any split of the work gives the same bytes; and any
function of cells that were played on the same seed gets a jackknife over the groups. The kernels below
fill the rows.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sim._jit import Array, Record, from_dtype, kernel, popcount
from sim.hand import ending_side, layoff_pips
from sim.scoring import ENDINGS, KNOCK, NOBODY, UNDERCUT, VOID

GROUPS = 128
"""Groups of pairs: enough for a jackknife with a normal interval, few enough for the cache."""

OUTCOMES = (
    "one",  # 1 a pair, which is two matches, of one game each under most rules
    "matches_a",  # side A's matches in halves: 2 a match won, 1 a match without a winner
    "games",  # games played
    "games_a",  # side A's games in halves, the same way
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
    "payoff_a",  # rewards in hundredths, where the rules pay one beside the points
    "payoff_b",
)
"""What is summed for each pair; `moments` holds the sums of all products of two of these."""

MATCH_OUTCOMES = OUTCOMES[: OUTCOMES.index("points_b") + 1]
"""What is summed for each match alone too, 1 being a match; `match_moments` holds the sums of their products.

So it can be told what the same matches would have shown had the two of a pair been independent.
"""

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
DEFENDER_POINTS = 100
"""The defender's deadwoods kept apart; the last is 99 points and more."""

SIDE_ENDINGS = ("knock", "gin", "big_gin", "undercut", "tie", "gin_cancelled")
"""Endings counted by side: `undercut` under its winner, the others under who ended the hand."""
KINDS = 2 * len(SIDE_ENDINGS) + 2
"""Six endings of side A, six of side B, void, capped."""

TALLY_DTYPE = np.dtype(
    [
        ("moments", "i8", (len(OUTCOMES), len(OUTCOMES))),
        ("match_moments", "i8", (len(MATCH_OUTCOMES), len(MATCH_OUTCOMES))),
        ("pair_scores", "i8", (5,)),  # pairs by side A's matches in halves
        ("undiverged", "i8"),  # pairs whose two games went card for card the same way
        ("hands", "i8", (2, 2, KINDS)),  # packet of side A, side A deals, kind
        ("points", "i8", (2, 2, KINDS)),  # points of the hand's winner, the same way
        ("games", "i8", (2, 2, 3)),  # packet of A, A deals first; A wins, B wins, nobody
        ("unfinished", "i8"),  # games stopped after too many hands
        ("shutouts", "i8", (2,)),  # games (columns of a sheet) won to nothing, by winner
        ("knocks", "i8", (2, KNOCK_TURNS, 11, len(KNOCK_FIELDS))),  # side, own turn - 1, deadwood
        ("first_legal", "i8", (2, KNOCK_TURNS + 1)),  # hands by own turn of it; 0: never
        ("lengths", "i8", (LENGTHS,)),  # hands by turns
        ("scores", "i8", (2, POINTS)),  # decisive hands by winner and points
        # Hands somebody ended, by who: his deadwood after the discard, the defender's after lay-offs.
        ("deadwoods", "i8", (2, 11, DEFENDER_POINTS)),
        ("layoffs", "i8", (2, 2)),  # by defender: cards and points laid off
        ("upcard_draws", "i8", (2,)),  # by side
    ],
    align=True,
)
"""A row of counters: one group of pairs."""

TALLY_ROW = from_dtype(TALLY_DTYPE)

PAIR_DTYPE = np.dtype([*((name, "i8") for name in OUTCOMES), ("before", "i8", (len(MATCH_OUTCOMES),))])
"""The sums of one pair, and what they were before the match being played."""

PAIR = from_dtype(PAIR_DTYPE)

_N = len(OUTCOMES)
_IN_MATCH = len(MATCH_OUTCOMES)
_BY_SIDE = len(SIDE_ENDINGS)
if ENDINGS[KNOCK : KNOCK + _BY_SIDE] != SIDE_ENDINGS:
    raise AssertionError("endings counted by side must stand together")


class Counters:
    """Counters in groups, with names: what the tallies of matches and of solo games have in common.

    Parameters
    ----------
    rows : recarray of `dtype`, shape (GROUPS,), optional
        Taken over, not copied; zeros when left out.
    """

    dtype: ClassVar[np.dtype[Any]]
    """A row: one group; all its fields are int64."""
    outcomes: ClassVar[tuple[str, ...]]
    """What is summed for each unit; the field ``moments`` holds the sums of all products of two."""

    def __init__(self, rows: Any = None) -> None:
        self.rows: Any = np.zeros(GROUPS, self.dtype).view(np.recarray) if rows is None else rows

    def groups(self, name: str) -> npt.NDArray[np.int64]:
        """Return a field by group, shape ``(GROUPS, ...)``."""
        field: npt.NDArray[np.int64] = np.asarray(self.rows[name])
        return field

    def total(self, name: str) -> npt.NDArray[np.int64]:
        """Return a field summed over all groups."""
        result: npt.NDArray[np.int64] = self.groups(name).sum(axis=0)
        return result

    def outcome(self, name: str) -> int:
        """Return the sum over all units of one of the outcomes."""
        return int(self.total("moments")[0, self.outcomes.index(name)])

    def merge(self, other: Self) -> Self:
        """Return the sum of two tallies of a kind."""
        merged = type(self)()
        np.add(_flat(self.rows), _flat(other.rows), out=_flat(merged.rows))
        return merged

    def tobytes(self) -> bytes:
        """Return all counters as bytes, for comparison."""
        return _flat(self.rows).tobytes()


class Tally(Counters):
    """The counters of a run of pairs: rows of `TALLY_DTYPE`, outcomes `OUTCOMES`."""

    dtype = TALLY_DTYPE
    outcomes = OUTCOMES

    @property
    def pairs(self) -> int:
        """Pairs played."""
        return self.outcome("one")

    def endings(self) -> dict[str, Any]:
        """Return hands by ending: ``{"a": {...}, "b": {...}, "void": n, "capped": n}``."""
        return _by_kind(self.total("hands"))

    def points_by_ending(self) -> dict[str, Any]:
        """Return points of the hands' winners by ending, the same way."""
        return _by_kind(self.total("points"))


def _flat(rows: Any) -> npt.NDArray[np.int64]:
    """Return all counters as one int64 array over the same memory."""
    return np.asarray(rows).view(np.int64)


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
def _record_legal_knocks(row: Record, state: Record) -> None:
    """Count each legal knock of a hand, with what came of taking or declining it."""
    for side in range(2):
        row.first_legal[side, min(state.first_legal[side], KNOCK_TURNS)] += 1
        won = 1 if state.winner == side else 0
        lost = 1 if state.winner == 1 - side else 0
        points = (won - lost) * state.points
        for i in range(state.declines[side]):
            legal = state.declined[side, i]
            turn = min(legal >> 8, KNOCK_TURNS) - 1
            row.knocks[side, turn, legal & 255, 4] += 1
            row.knocks[side, turn, legal & 255, 5] += won
            row.knocks[side, turn, legal & 255, 6] += lost
            row.knocks[side, turn, legal & 255, 7] += points
        if state.knocker == side:
            turn = min(state.taken >> 8, KNOCK_TURNS) - 1
            row.knocks[side, turn, state.taken & 255, 0] += 1
            row.knocks[side, turn, state.taken & 255, 1] += won
            row.knocks[side, turn, state.taken & 255, 2] += 1 if state.ending == UNDERCUT else 0
            row.knocks[side, turn, state.taken & 255, 3] += points


@kernel
def record_hand(row: Record, pair: Record, state: Record, melds: Record, packet_a: int, dealer: int) -> None:
    """Count an ended hand in its group's row and in the sums of its pair.

    Parameters
    ----------
    row : record of `TALLY_DTYPE`
    pair : record of `PAIR_DTYPE`
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
    pair.hands += 1
    pair.turns += state.turns
    pair.payoff_a += state.payoff[0]
    pair.payoff_b += state.payoff[1]
    if winner != NOBODY:
        pair.decisive += 1
        pair.hands_mover += winner ^ dealer
        if winner == 0:
            pair.hands_a += 1
            pair.points_a += points
        else:
            pair.points_b += points
        row.scores[winner, min(points, POINTS - 1)] += 1
    if ending >= VOID:
        kind = 2 * _BY_SIDE + ending - VOID
    else:
        kind = ending_side(state) * _BY_SIDE + ending - KNOCK
        knocker = state.knocker
        left = min(state.defender_deadwood, DEFENDER_POINTS - 1)
        row.deadwoods[knocker, state.knocker_deadwood, left] += 1
        if state.layoffs:
            row.layoffs[1 - knocker, 0] += popcount(state.layoffs)
            row.layoffs[1 - knocker, 1] += layoff_pips(state, melds)
    row.hands[packet_a, 1 - dealer, kind] += 1
    row.points[packet_a, 1 - dealer, kind] += points
    row.lengths[min(state.turns, LENGTHS - 1)] += 1
    row.upcard_draws[0] += state.upcard_draws[0]
    row.upcard_draws[1] += state.upcard_draws[1]
    _record_legal_knocks(row, state)


@kernel
def _halves_a(winner: int) -> int:
    """Return what side A has of a game or match: 2 halves won, 1 without a winner, 0 lost."""
    return 1 if winner == NOBODY else 2 - 2 * winner


@kernel
def record_game(row: Record, pair: Record, game: Record, packet_a: int) -> None:
    """Count an ended game; ``game`` is a record of `sim.game.GAME_DTYPE`."""
    winner = game.winner
    dealer = game.first_dealer
    halves_a = _halves_a(winner)
    pair.games += 1
    pair.games_a += halves_a
    pair.games_mover += halves_a if dealer == 1 else 2 - halves_a
    pair.total_a += game.totals[0]
    pair.total_b += game.totals[1]
    row.games[packet_a, 1 - dealer, 2 if winner == NOBODY else winner] += 1
    row.unfinished += game.unfinished
    for side in range(2):
        row.shutouts[side] += game.shutouts[side]


@kernel
def record_match(row: Record, pair: Record, sums: Array, game: Record) -> None:
    """Count an ended match in the sums of its pair, and by itself in its group's row.

    ``sums`` is the record ``pair`` as an array of int64.
    """
    pair.one += 1
    pair.matches_a += _halves_a(game.match_winner)
    before = pair.before
    for i in range(_IN_MATCH):
        for j in range(i, _IN_MATCH):
            row.match_moments[i, j] += (sums[i] - before[i]) * (sums[j] - before[j])
    for i in range(_IN_MATCH):
        before[i] = sums[i]


@kernel
def record_pair(row: Record, pair: Record, sums: Array, same: bool) -> None:
    """Add the sums of a pair and their products to its group's row, and clear them.

    ``sums`` is the record ``pair`` as an array of int64.
    """
    pair.one = 1
    row.pair_scores[pair.matches_a] += 1
    if same:
        row.undiverged += 1
    for i in range(_N):
        for j in range(i, _N):
            row.moments[i, j] += sums[i] * sums[j]
    for i in range(_N):
        sums[i] = 0
    for i in range(_IN_MATCH):
        pair.before[i] = 0


@kernel
def mirror_moments(row: Record) -> None:
    """Fill in the lower halves of the products, of which pairs and matches add to the upper ones alone."""
    for i in range(_N):
        for j in range(i):
            row.moments[i, j] = row.moments[j, i]
    for i in range(_IN_MATCH):
        for j in range(i):
            row.match_moments[i, j] = row.match_moments[j, i]
