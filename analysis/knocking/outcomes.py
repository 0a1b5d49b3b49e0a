"""How hands end between two players, by who deals and where it matters by the score.

For players whose decisions do not look at the score one distribution holds at all scores. For others the
scores are parted into cells (see `analysis.knocking.score_cells`), and each cell has a distribution of its
own: the mean over scores spread evenly in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import local
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.console import UsageError
from sim._jit import Array, Record, typed_kernel, types
from sim.deal import HAND, MAX_TURNS
from sim.forks import PAIRS_AT_ONCE
from sim.game import GAME, begin_hand, start_game
from sim.hand import play_hand
from sim.rules import Rules
from sim.run import Player, Table
from sim.scoring import NOBODY
from sim.tables import MELDS
from sim.tally import GROUPS
from sim.view import DECISIONS, LAYOFF, RULES, VIEW

LEAST_PAIRS = 64
"""Pairs that a score cell must have: two for each of the 32 groups of the jackknife."""

PLACES = 24
"""Scores of a cell at which it is measured, at most."""

_POINTS, _BOXES = 8192, 16
"""Above the points (two bonuses and twice all cards) and the boxes (twice four) of any hand."""
_ROWS = 4_000_000
"""Counts of pieces that are held apart: 64 MB."""

Counts = npt.NDArray[np.int64]


class Outcomes(NamedTuple):
    """How often hands ended how.

    Attributes
    ----------
    cells : ndarray of int64, shape (target, target)
        Which distribution holds at a score of A and B, from 0; all 0 where one holds everywhere.
    results : ndarray of int64, shape (results, 3)
        The different results of hands: winner (0 for side A, 1 for B, -1 for nobody), his points, his boxes.
    counts : ndarray of int64, shape (cells, groups, 2, results)
        Hands by cell, group of pairs (``pair % groups``), side that dealt, and result.
    """

    cells: Counts
    results: Counts
    counts: Counts

    @property
    def hands(self) -> int:
        """Hands counted."""
        return int(self.counts.sum())

    def shares(self, groups: int) -> npt.NDArray[np.float64]:
        """Return the distribution from all hands, and from those of all groups but each.

        Parameters
        ----------
        groups : int
            A divisor of the number of groups, those that are alike modulo it being taken together; or 0.

        Returns
        -------
        ndarray of float64, shape (1 + groups, cells, 2, results)
        """
        cells, own, _, results = self.counts.shape
        left = self.counts.sum(axis=1)[None]
        if groups:
            merged = self.counts.reshape(cells, own // groups, groups, 2, results).sum(axis=1)
            left = np.concatenate([left, left - np.moveaxis(merged, 1, 0)])
        told: npt.NDArray[np.float64] = left / left.sum(axis=-1, keepdims=True)
        return told


class Seats(local):
    """Tables at which hands can be played from any score; a thread gets its own.

    Laying one takes as long as a thousand hands.
    """

    def __init__(self, a: Player, b: Player, rules: Rules, seed: int) -> None:
        self.tables = [Table(a, b, rules, seed, (0, 0), dealer) for dealer in (0, 1)]

    def results(self, piece: Piece) -> Counts:
        """Return the results of the first hands of pairs: winner, points, boxes; shape (2 * pairs, 3)."""
        table = self.tables[piece.dealer]
        table.game.start_scores[:] = piece.scores
        a, b = table.players
        results = np.zeros((2 * piece.pairs, 3), np.int64)
        with faults_told(table):
            _play_pairs(
                table.seed, piece.first, table.views[0], table.views[1], table.game, table.hand, table.rules,
                table.melds, results, a.decisions, b.decisions, table.layoff,
            )  # fmt: skip
        return results


@contextmanager
def faults_told(table: Table) -> Iterator[None]:
    """Surround play at a table: what goes wrong in it is told with the strategy and the place.

    Raises
    ------
    RunError
        If a strategy has broken the rules, its code has failed, or it has written where it may only read.
    """
    try:
        yield
    except Exception as error:
        raise table.failure(error) from error
    if table.hand.fault:
        raise table.fault()
    table.check_views()


class Piece(NamedTuple):
    """Some pairs to play.

    Attributes
    ----------
    cell, dealer : int
        What they count for; the side that deals.
    scores : tuple of int
        Points of A and B before the hand.
    first, pairs : int
        Index of the first pair, and how many.
    """

    cell: int
    dealer: int
    scores: tuple[int, int]
    first: int
    pairs: int


def measure(
    a: Player,
    b: Player,
    rules: Rules,
    *,
    pairs: int,
    seed: int = 0,
    first: int = 0,
    threads: int = 1,
    cells: Counts | None = None,
    parts: npt.NDArray[np.float64] | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Outcomes:
    """Count how hands end.

    Parameters
    ----------
    a, b : Player
    rules : Rules
        Of two players.
    pairs : int
        Mirrored pairs of hands with each dealer, over all cells; a cell has decks of its own, the two dealers
        have the same ones.
    seed, first : int
        Seed of the decks, and the index of the first pair.
    threads : int
        Threads to play in; what comes out does not depend on it.
    cells : ndarray of int64, shape (target, target), optional
        As of `Outcomes`; None takes one distribution for all scores, measured at 0:0.
    parts : ndarray of float64, shape (cells,), optional
        Part of the pairs that each cell gets, 1 in all; a tenth of the pairs, and all where it is left out,
        are shared out half evenly and half by the number of scores of a cell.
    on_progress : callable, optional
        Told after each piece how many pairs have been played, of ``2 * pairs``.

    Returns
    -------
    Outcomes
        In `sim.tally.GROUPS` groups.

    Raises
    ------
    UsageError
        If there are fewer than `LEAST_PAIRS` pairs for a cell.
    RunError
        If a strategy breaks the rules or its code fails.
    """
    where = np.zeros((rules.game_target,) * 2, np.int64) if cells is None else cells
    number = int(where.max()) + 1
    least = LEAST_PAIRS * (1 if number == 1 else 2 * number if parts is None else 20 * number)
    if pairs < least:
        told = "" if number == 1 else f", for {number} cells of scores with play of their own"
        raise UsageError(f"{pairs} pairs: expected {least} or more{told}")
    counted = _Counted()
    done = 0
    seats = Seats(a, b, rules, seed)

    def play(piece: Piece) -> tuple[Piece, Counts, Counts]:
        return piece, *_count(seats.results(piece), piece)

    pool = ThreadPoolExecutor(threads)
    try:
        for piece, key, often in pool.map(play, pieces(where, pairs, first, parts)):
            counted.add(key, often)
            done += piece.pairs
            if on_progress is not None:
                on_progress(done)
    finally:  # what has not begun when Ctrl-C comes, or a strategy fails, is not played
        pool.shutdown(cancel_futures=True)
    results, counts = _spread(*counted.all(), number)
    return Outcomes(where, results, counts)


def pieces(
    cells: Counts, pairs: int, first: int, parts: npt.NDArray[np.float64] | None = None
) -> Iterator[Piece]:
    """Yield the work of `measure`: both dealers, cell by cell, at scores spread over it."""
    sizes = np.bincount(cells.ravel())
    share = 0.5 / len(sizes) + 0.5 * sizes / sizes.sum()
    if parts is not None:
        share = 0.1 * share + 0.9 * parts
    bounds = [first + int(pairs * part) for part in np.concatenate([[0], np.cumsum(share)[:-1], [1]])]
    for cell in range(len(sizes)):
        own = bounds[cell + 1] - bounds[cell]
        places = spread_scores(cells, cell) if len(sizes) > 1 else [(0, 0)]
        most = max(1, min(PAIRS_AT_ONCE, -(-own // len(places))))
        for dealer in range(2):
            for number, start in enumerate(range(0, own, most)):
                count = min(most, own - start)
                yield Piece(cell, dealer, places[number % len(places)], bounds[cell] + start, count)


def spread_scores(cells: Counts, cell: int) -> list[tuple[int, int]]:
    """Return scores spread over a cell, at most `PLACES`: at even distances along its diagonals."""
    a, b = np.nonzero(cells == cell)
    order = np.lexsort((a - b, a + b))
    count = min(len(a), PLACES)
    chosen = order[(2 * np.arange(count) + 1) * len(a) // (2 * count)]
    return [(int(a[at]), int(b[at])) for at in chosen]


def codes(winner: Any, points: Any, boxes: Any) -> Counts:
    """Return results of hands as numbers that sort as they do, nobody's first; points are A's less B's."""
    told: Counts = (
        (np.asarray(winner, np.int64) + 1) * _POINTS + np.abs(np.asarray(points, np.int64))
    ) * _BOXES + np.asarray(boxes, np.int64)
    return told


def decode(told: Counts) -> Counts:
    """Return the results that `codes` has coded: winner, points, boxes; shape (results, 3)."""
    rest, boxes = np.divmod(told, _BOXES)
    winner, points = np.divmod(rest, _POINTS)
    return np.stack([winner - 1, points, boxes], axis=-1)


def _count(results: Counts, piece: Piece) -> tuple[Counts, Counts]:
    """Count the hands of a piece by cell, group, dealer and result; return what occurs and how often."""
    pair = piece.first + np.arange(len(results)) // 2
    place = (piece.cell * GROUPS + pair % GROUPS) * 2 + piece.dealer
    key, number = np.unique(place * (4 * _POINTS * _BOXES) + codes(*results.T), return_counts=True)
    return key, number.astype(np.int64)


class _Counted:
    """Counts by key; those of many pieces are added up now and then, to take little memory."""

    def __init__(self) -> None:
        self._keys: list[Counts] = []
        self._numbers: list[Counts] = []
        self._rows, self._bound = 0, _ROWS

    def add(self, keys: Counts, numbers: Counts) -> None:
        self._keys.append(keys)
        self._numbers.append(numbers)
        self._rows += len(keys)
        if self._rows > self._bound:
            self.all()

    def all(self) -> tuple[Counts, Counts]:
        """Return the keys that occur, sorted, and the count of each."""
        keys, at = np.unique(np.concatenate(self._keys), return_inverse=True)
        numbers = np.zeros(len(keys), np.int64)
        np.add.at(numbers, at, np.concatenate(self._numbers))
        self._keys, self._numbers = [keys], [numbers]
        self._rows, self._bound = len(keys), len(keys) + _ROWS
        return keys, numbers


def _spread(keys: Counts, numbers: Counts, cells: int) -> tuple[Counts, Counts]:
    """Return the results that occur, and the counts of sorted keys as a full array."""
    place, told = np.divmod(keys, 4 * _POINTS * _BOXES)
    found, at = np.unique(told, return_inverse=True)
    counts = np.zeros((cells * GROUPS * 2, len(found)), np.int64)
    counts[place, at] = numbers
    return decode(found), counts.reshape(cells, GROUPS, 2, len(found))


# --- kernel --------------------------------------------------------------------------------------


@typed_kernel(
    types.void(
        types.int64, types.int64, VIEW, VIEW, GAME, HAND, RULES, MELDS, types.int64[:, ::1], DECISIONS,
        DECISIONS, LAYOFF,
    )
)  # fmt: skip
def _play_pairs(
    seed: int,
    first: int,
    view_a: Record,
    view_b: Record,
    game: Record,
    hand: Record,
    rules: Record,
    melds: Record,
    results: Array,
    a: Any,
    b: Any,
    layoff: Any,
) -> None:
    """Play the first hands of pairs and write how they ended; stop at a fault."""
    for row in range(len(results)):
        start_game(game, seed, first + row // 2, row % 2, rules)
        begin_hand(game, hand, view_a, view_b, rules)
        play_hand(hand, view_a, view_b, rules, melds, a, b, layoff, MAX_TURNS)
        if hand.fault:
            return
        results[row, 0] = hand.winner
        if hand.winner != NOBODY:
            results[row, 1] = hand.points
            results[row, 2] = hand.boxes
