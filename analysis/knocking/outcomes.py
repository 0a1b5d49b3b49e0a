"""How hands end between two players, by who deals and where it matters by the score.

Hands are played out as `sim.forks` records them, side A following its own knock rule. For players whose
decisions do not look at the score one distribution holds at all scores. For others the scores are parted
into cells (see `analysis.knocking.score_cells`), and each cell has a distribution of its own: the mean over
scores spread evenly in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import local
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.console import UsageError
from sim.forks import PAIRS_AT_ONCE, Forks, fork_pairs
from sim.rules import Rules
from sim.run import Player, Table
from sim.tally import GROUPS

LEAST_PAIRS = 64
"""Pairs that a score cell must have: two for each of the 32 groups of the jackknife."""

PLACES = 24
"""Scores of a cell at which it is measured, at most."""

_POINTS, _BOXES = 8192, 16
"""Above the points (two bonuses and twice all cards) and the boxes (twice four) of any hand."""

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
    """Tables at which hands can be forked from any score; a thread gets its own.

    Laying one takes as long as a thousand hands.
    """

    def __init__(self, a: Player, b: Player, rules: Rules, seed: int) -> None:
        self.tables = [Table(a, b, rules, seed, (0, 0), dealer) for dealer in (0, 1)]

    def forks(self, scores: tuple[int, int], dealer: int, first: int, pairs: int) -> Forks:
        """Fork hands from a score below the target."""
        table = self.tables[dealer]
        table.game.start_scores[:] = scores
        return fork_pairs(table, first, pairs)


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
        have the same ones. Half are shared out evenly, half by the number of scores of a cell.
    seed, first : int
        Seed of the decks, and the index of the first pair.
    threads : int
        Threads to play in; what comes out does not depend on it.
    cells : ndarray of int64, shape (target, target), optional
        As of `Outcomes`; None takes one distribution for all scores, measured at 0:0.
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
    least = LEAST_PAIRS * (1 if number == 1 else 2 * number)
    if pairs < least:
        told = "" if number == 1 else f", for {number} cells of scores with play of their own"
        raise UsageError(f"{pairs} pairs: expected {least} or more{told}")
    keys: list[Counts] = []
    numbers: list[Counts] = []
    done = 0
    seats = Seats(a, b, rules, seed)

    def play(piece: Piece) -> tuple[Piece, Counts, Counts]:
        forks = seats.forks(piece.scores, piece.dealer, piece.first, piece.pairs)
        return piece, *_count(forks, piece)

    pool = ThreadPoolExecutor(threads)
    try:
        for piece, key, often in pool.map(play, pieces(where, pairs, first)):
            keys.append(key)
            numbers.append(often)
            done += piece.pairs
            if on_progress is not None:
                on_progress(done)
    finally:  # what has not begun when Ctrl-C comes, or a strategy fails, is not played
        pool.shutdown(cancel_futures=True)
    results, counts = _spread(np.concatenate(keys), np.concatenate(numbers), number)
    return Outcomes(where, results, counts)


def pieces(cells: Counts, pairs: int, first: int) -> Iterator[Piece]:
    """Yield the work of `measure`: both dealers, cell by cell, at scores spread over it."""
    sizes = np.bincount(cells.ravel())
    parts = 0.5 / len(sizes) + 0.5 * sizes / sizes.sum()
    bounds = [first + int(pairs * part) for part in np.concatenate([[0], np.cumsum(parts)[:-1], [1]])]
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


def hand_codes(forks: Forks, takes: npt.ArrayLike) -> Counts:
    """Return the result of each hand when a rule is followed, as `codes` codes it, shape (deals,)."""
    return codes(*(forks.result(takes, field) for field in ("winner", "points", "boxes")))


def _count(forks: Forks, piece: Piece) -> tuple[Counts, Counts]:
    """Count the hands of a piece by cell, group, dealer and result; return what occurs and how often."""
    place = (piece.cell * GROUPS + forks.deals.pair % GROUPS) * 2 + piece.dealer
    told = hand_codes(forks, forks.forks.asked == 1)
    key, number = np.unique(place * (4 * _POINTS * _BOXES) + told, return_counts=True)
    return key, number.astype(np.int64)


def _spread(keys: Counts, numbers: Counts, cells: int) -> tuple[Counts, Counts]:
    """Return the results that occur, and the counts as a full array."""
    place, told = np.divmod(keys, 4 * _POINTS * _BOXES)
    found, at = np.unique(told, return_inverse=True)
    counts = np.zeros((cells * GROUPS * 2, len(found)), np.int64)
    np.add.at(counts, (place, at), numbers)
    return decode(found), counts.reshape(cells, GROUPS, 2, len(found))
