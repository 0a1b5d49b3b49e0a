"""How hands end between two players, by who deals and where it matters by the score.

Hands are played out as `sim.forks` records them, side A following its own knock rule. For players whose
decisions do not look at the score one distribution holds at all scores. For others the scores are parted
into square cells, and each cell has a distribution of its own: the mean over scores spread evenly in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.console import UsageError
from sim.forks import PAIRS_AT_ONCE, Forks, fork_hands
from sim.rules import Rules
from sim.run import Player
from sim.tally import GROUPS
from strategies.knock_table import COMPILED as KNOCK_TABLE

LEAST_PAIRS = 64
"""Pairs that a score cell must have: two for each of the 32 groups of the jackknife."""

_SCORES = {"score", "other_score", "boxes", "other_boxes"}
_POINTS, _BOXES = 8192, 16
"""Above the points (two bonuses and twice all cards) and the boxes (twice four) of any hand."""

Counts = npt.NDArray[np.int64]


class Outcomes(NamedTuple):
    """How often hands ended how.

    Attributes
    ----------
    target : int
        Points that end a game.
    step : int
        Points to a side of a score cell; the target where one distribution holds at all scores.
    results : ndarray of int64, shape (results, 3)
        The different results of hands: winner (0 for side A, 1 for B, -1 for nobody), his points, his boxes.
    counts : ndarray of int64, shape (cells, groups, 2, results)
        Hands by score cell (``A's band * bands + B's band``), group of pairs (``pair % groups``), side that
        dealt, and result.
    """

    target: int
    step: int
    results: Counts
    counts: Counts

    @property
    def bands(self) -> int:
        """Bands of points of a side; there are so many squared cells."""
        return -(-self.target // self.step)

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
    step: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Outcomes:
    """Count how hands end.

    Parameters
    ----------
    a, b : Player
    rules : Rules
        Of two players.
    pairs : int
        Mirrored pairs of hands with each dealer, over all score cells; a cell has decks of its own, the two
        dealers have the same ones.
    seed, first : int
        Seed of the decks, and the index of the first pair.
    threads : int
        Threads to play in; what comes out does not depend on it.
    step : int, optional
        Points to a side of a score cell; None takes one distribution for all scores, measured at 0:0.
    on_progress : callable, optional
        Told after each piece how many pairs have been played, of ``2 * pairs``.

    Returns
    -------
    Outcomes
        In `sim.tally.GROUPS` groups.

    Raises
    ------
    UsageError
        If there are fewer than `LEAST_PAIRS` pairs for a cell, or the step is not 1 or more.
    RunError
        If a strategy breaks the rules or its code fails.
    """
    target = rules.game_target
    if step is not None and step < 1:
        raise UsageError(f"step {step}: expected 1 or more points")
    side = target if step is None else min(step, target)
    cells = (-(-target // side)) ** 2
    if pairs < cells * LEAST_PAIRS:
        told = "" if cells == 1 else f": {LEAST_PAIRS} for each of {cells} score cells"
        raise UsageError(f"{pairs} pairs: expected {cells * LEAST_PAIRS} or more{told}")
    keys: list[Counts] = []
    numbers: list[Counts] = []
    done = 0

    def play(piece: Piece) -> tuple[Piece, Counts, Counts]:
        forks = fork_hands(
            a, b, rules, pairs=piece.pairs, seed=seed, first=piece.first, scores=piece.scores,
            dealer=piece.dealer,
        )  # fmt: skip
        return piece, *_count(forks, piece)

    with ThreadPoolExecutor(threads) as pool:
        for piece, key, number in pool.map(play, pieces(target, side, pairs, first, step is not None)):
            keys.append(key)
            numbers.append(number)
            done += piece.pairs
            if on_progress is not None:
                on_progress(done)
    results, counts = _spread(np.concatenate(keys), np.concatenate(numbers), cells)
    return Outcomes(target, side, results, counts)


def pieces(target: int, side: int, pairs: int, first: int, spread: bool) -> Iterator[Piece]:
    """Yield the work of `measure`: both dealers, cell by cell, at scores spread over it."""
    bands = -(-target // side)
    cells = bands * bands
    bounds = [first + pairs * cell // cells for cell in range(cells + 1)]
    for cell in range(cells):
        own = bounds[cell + 1] - bounds[cell]
        places = cell_scores(target, side, cell) if spread else [(0, 0)]
        most = max(1, min(PAIRS_AT_ONCE, -(-own // len(places))))
        for dealer in range(2):
            for number, start in enumerate(range(0, own, most)):
                count = min(most, own - start)
                yield Piece(cell, dealer, places[number % len(places)], bounds[cell] + start, count)


def cell_scores(target: int, side: int, cell: int) -> list[tuple[int, int]]:
    """Return scores spread evenly over a cell: as many as it has points to a side, no two in a row alike.

    Each side's points all occur once; together they lie on a lattice by the golden section, the most even
    of those of one generator for most sizes.
    """
    bands = -(-target // side)
    lows = [band * side for band in divmod(cell, bands)]
    sizes = [min(side, target - low) for low in lows]
    number = max(sizes)
    turn = next(one for one in _near(round(number * 0.6180339887)) if np.gcd(one, number) == 1)
    offsets = [(k, (k * turn + number // 2) % number) for k in range(number)]
    return [(lows[0] + x * sizes[0] // number, lows[1] + y * sizes[1] // number) for x, y in offsets]


def _near(middle: int) -> Iterator[int]:
    """Yield whole numbers from 1, those nearest to a middle first."""
    for away in range(middle + 2):
        for one in (middle - away, middle + away):
            if one >= 1:
                yield one


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


def reads_score(player: Player) -> bool:
    """Tell whether a player's decisions can depend on the score or the boxes of the game.

    The names that the decisions, and all functions they call, read from their view are looked through. A
    knock table looks at the lead only if it has bands of it.
    """
    lookers = [player] if player.policy is None else [player, player.policy]
    for one in lookers:
        for name, function in zip(("draw", "knock", "discard", "spread"), one.decisions, strict=True):
            source = getattr(function, "py_func", function)
            if name == "knock" and source.__module__ == KNOCK_TABLE:
                if int(one.params[one.starts[1] + 2]) > 1:
                    return True
                continue
            if _reads(source, set()):
                return True
    return False


def _reads(function: Any, seen: set[int]) -> bool:
    """Tell whether a function, or one that it calls, names a score."""
    source = getattr(function, "py_func", function)
    code = getattr(source, "__code__", None)
    if code is None or id(source) in seen:
        return False
    seen.add(id(source))
    words: Sequence[str] = [*code.co_names, *(text for text in code.co_consts if isinstance(text, str))]
    if _SCORES & set(words):
        return True
    values = [source.__globals__.get(name) for name in code.co_names]
    modules = [value for value in values if isinstance(value, ModuleType)]
    values += [getattr(module, name, None) for module in modules for name in code.co_names]
    values += [cell.cell_contents for cell in source.__closure__ or ()]
    return any(_reads(value, seen) for value in values if not isinstance(value, ModuleType))
