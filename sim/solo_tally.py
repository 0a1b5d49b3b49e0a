"""Exact, mergeable counters of solo games, in 128 groups of games.

As in `sim.tally` a sum is an integer and belongs to the group of its game, so any split of the work gives
the same bytes; here the unit is the game, since nobody plays the other packet.
"""

from __future__ import annotations

import numpy as np

from sim._jit import Array, Record, from_dtype, kernel
from sim.solo_hand import SOLO_ENDINGS, SOLO_GIN, SOLO_KNOCK
from sim.tally import Counters

SOLO_OUTCOMES = (
    "one",  # 1 a game
    "games",  # the player's games in halves: 2 a game won, 1 an unfinished one
    "hands",  # hands played, void ones too
    "ended",  # hands that the player ended by a knock or gin
    "points_player",  # points of the hands
    "points_joker",
    "turns",
    "turned",  # cards turned over at the end of hands, the jokers included
    "jokers",  # jokers drawn in play
    "score_player",  # final score of the game, points at its beginning included
    "score_joker",
)
"""What is summed for each game; `moments` holds the sums of all products of two of these."""

KINDS = SOLO_ENDINGS[1:]
"""Endings that are counted, in the order of the counters."""

TURNED = 64
"""Counts of cards turned over kept apart: a stock has at most 45 cards and 4 jokers."""

SOLO_TALLY_DTYPE = np.dtype(
    [
        ("moments", "i8", (len(SOLO_OUTCOMES), len(SOLO_OUTCOMES))),
        ("games", "i8", (3,)),  # won by the player, by the joker, unfinished
        ("hands", "i8", (len(KINDS),)),  # by ending
        ("points", "i8", (len(KINDS), 2)),  # by ending: of the player, of the joker
        ("deadwood", "i8", (11,)),  # knocks and gins by deadwood
        ("turned", "i8", (TURNED,)),  # knocks and gins by cards turned over
    ],
    align=True,
)
"""A row of counters: one group of games."""

SOLO_TALLY_ROW = from_dtype(SOLO_TALLY_DTYPE)

SOLO_SUMS_DTYPE = np.dtype([(name, "i8") for name in SOLO_OUTCOMES])
"""The sums of one game."""

SOLO_SUMS = from_dtype(SOLO_SUMS_DTYPE)

_N = len(SOLO_OUTCOMES)


class SoloTally(Counters):
    """The counters of a run of solo games: rows of `SOLO_TALLY_DTYPE`, outcomes `SOLO_OUTCOMES`."""

    dtype = SOLO_TALLY_DTYPE
    outcomes = SOLO_OUTCOMES

    @property
    def games(self) -> int:
        """Games played."""
        return self.outcome("one")

    def endings(self) -> dict[str, int]:
        """Return hands by ending."""
        return {kind: int(count) for kind, count in zip(KINDS, self.total("hands"), strict=True)}

    def points_by_ending(self) -> dict[str, dict[str, int]]:
        """Return points of the player and of the joker by ending."""
        return {
            kind: {"player": int(player), "joker": int(joker)}
            for kind, (player, joker) in zip(KINDS, self.total("points"), strict=True)
        }


@kernel
def record_solo_hand(row: Record, sums: Record, state: Record) -> None:
    """Count an ended hand, a record of `SOLO_HAND_DTYPE`, in its group's row and its game's sums."""
    kind = state.ending - 1
    sums.hands += 1
    sums.points_player += state.points_player
    sums.points_joker += state.points_joker
    sums.turns += state.turns
    sums.turned += state.turned
    sums.jokers += state.jokers_drawn
    row.hands[kind] += 1
    row.points[kind, 0] += state.points_player
    row.points[kind, 1] += state.points_joker
    if state.ending == SOLO_KNOCK or state.ending == SOLO_GIN:
        sums.ended += 1
        row.deadwood[state.deadwood] += 1
        row.turned[state.turned] += 1


@kernel
def record_solo_game(row: Record, sums: Record, array: Array, winner: int, player: int, joker: int) -> None:
    """Count an ended game, add its sums and their products to its group's row, and clear them.

    Parameters
    ----------
    row : record of `SOLO_TALLY_DTYPE`
    sums : record of `SOLO_SUMS_DTYPE`
    array : ndarray of int64, shape (len(SOLO_OUTCOMES),)
        The same memory as ``sums``.
    winner : int
        0 for the player, 1 for the joker, 2 for neither.
    player, joker : int
        Final scores.
    """
    sums.one = 1
    sums.games = 1 if winner == 2 else 2 - 2 * winner
    sums.score_player = player
    sums.score_joker = joker
    row.games[winner] += 1
    for i in range(_N):
        for j in range(_N):
            row.moments[i, j] += array[i] * array[j]
    for i in range(_N):
        array[i] = 0
