"""Legal knocks, each with what knocking there brings and what the hand comes to without it.

A hand is played in which side A declines every legal knock, and then once for every legal knock of it, in
which A takes that one. All these plays share deal, opponent and random words; A draws and discards by its
strategy in all of them, so they are the same up to the knock. What comes of declining a knock and following
any rule afterwards is then one of the recorded results: that of the first later knock which the rule takes,
or of the hand without a knock. Nothing is selected by who chose to knock.

Where a rule leaves no choice (compulsory gin, a last discard that must knock) there is no fork.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sim._jit import Array, Record, from_dtype, kernel, popcount, typed_kernel, types
from sim.deadwood import arrangement_runs, pips
from sim.deal import HAND, MAX_OWN_TURNS, MAX_TURNS
from sim.game import GAME, begin_hand, start_game
from sim.hand import play_hand
from sim.rules import Rules
from sim.run import Player, Table
from sim.scoring import NOBODY
from sim.tables import MELDS
from sim.threads import check_span
from sim.view import DECISIONS, LAYOFF, RULES, VIEW, joint_layoff

NEVER = 2**30
"""A number that no legal knock of a hand has: all are declined."""
PAIRS_AT_ONCE = 2_048
"""Pairs of hands of a piece of work: tens of milliseconds, and about a megabyte."""

_RESULT = [
    ("points", "i2"),  # of the hand: side A's less side B's
    ("winner", "i1"),  # side that wins the box, -1: nobody
    ("ending", "i1"),  # code of `sim.scoring.ENDINGS`
    ("boxes", "i1"),  # of the winner
]

FORK_DTYPE = np.dtype(
    [
        ("own_turn", "i2"),  # from 1
        ("deadwood", "i1"),  # the least that the turn can end with, points
        ("stock", "i1"),  # cards left
        ("loose", "i1"),  # cards that the knock leaves unmelded
        ("last", "i1"),  # points of the other's last discard; 0: he has thrown none
        ("picked", "i1"),  # upcards that the other has taken
        ("asked", "i1"),  # 1 if A's own strategy would knock
        *_RESULT,  # if A knocks here
    ]
)
"""A legal knock of side A."""

DEAL_DTYPE = np.dtype(
    [
        ("pair", "i8"),
        ("packet", "i1"),  # of side A, which is the number of the hand in its pair
        ("dealer", "i1"),  # side
        ("limit", "i1"),  # most deadwood that may knock
        ("multiplier", "i1"),  # factor on the points of the hand
        ("start", "i8"),  # place of the first fork of the deal
        ("stop", "i8"),  # place behind its last one
        *_RESULT,  # if A declines every knock
    ]
)
"""A hand; its forks stand in the order of turns."""

_FORK, _DEAL = from_dtype(FORK_DTYPE), from_dtype(DEAL_DTYPE)


class Forks(NamedTuple):
    """Hands and their forks.

    Attributes
    ----------
    deals : recarray of `DEAL_DTYPE`, shape (2 * pairs,)
        The two hands of a pair after one another.
    forks : recarray of `FORK_DTYPE`, shape (forks,)
    """

    deals: Any
    forks: Any

    def owner(self) -> npt.NDArray[np.intp]:
        """Return for each fork the place of its hand, shape (forks,)."""
        return np.repeat(np.arange(len(self.deals)), self.deals.stop - self.deals.start)

    def number(self) -> npt.NDArray[np.int64]:
        """Return which legal knock of its hand each fork is, from 0, shape (forks,)."""
        places: npt.NDArray[np.int64] = np.arange(len(self.forks)) - self.deals.start[self.owner()]
        return places

    def next_taken(self, takes: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return for each fork the first later one of its hand that is taken, -1 where there is none.

        Parameters
        ----------
        takes : array_like of bool, shape (forks,)
            The forks that a rule takes.
        """
        count = len(self.forks)
        taken = np.where(takes, np.arange(count), count)
        after = np.append(taken[1:], count)
        found = np.minimum.accumulate(after[::-1])[::-1]
        return np.where(found < self.deals.stop[self.owner()], found, -1)

    def first_taken(self, takes: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return for each hand the first fork that is taken, -1 where there is none; shape (deals,)."""
        count = len(self.forks)
        taken = np.append(np.where(takes, np.arange(count), count), count)
        found = np.minimum.accumulate(taken[::-1])[::-1][self.deals.start]
        return np.where(found < self.deals.stop, found, -1)

    def after(self, takes: npt.ArrayLike, field: str = "points") -> npt.NDArray[Any]:
        """Return what declining each fork brings when a rule is followed afterwards, shape (forks,).

        Parameters
        ----------
        takes : array_like of bool, shape (forks,)
            The forks that the rule takes.
        field : str
            ``points`` (side A's less B's), ``winner``, ``ending`` or ``boxes``.
        """
        found = self.next_taken(takes)
        return np.where(found >= 0, self.forks[field][found], self.deals[field][self.owner()])

    def result(self, takes: npt.ArrayLike, field: str = "points") -> npt.NDArray[Any]:
        """Return what each hand brings when a rule is followed, shape (deals,); arguments as of `after`."""
        if len(self.forks) == 0:
            return np.asarray(self.deals[field])
        found = self.first_taken(takes)
        return np.where(found >= 0, self.forks[field][found], self.deals[field])

    def expected(self, shares: npt.NDArray[np.float64], field: str = "points") -> Expected:
        """Return what following a rule that knocks with probabilities brings, in the mean.

        Parameters
        ----------
        shares : ndarray of float64, shape (forks,)
            Probability that the rule takes each fork.
        field : str
            Field of the results that is wanted, such as ``points``.
        """
        own = self.forks[field].astype(np.float64)
        without = self.deals[field].astype(np.float64)
        return self.expected_of(shares, own, without)

    def expected_of(
        self,
        shares: npt.NDArray[np.float64],
        taken: npt.NDArray[np.float64],
        declined: npt.NDArray[np.float64],
    ) -> Expected:
        """Return the same of any values: of each fork if it is taken, of each hand if none is."""
        after, reach = np.empty(len(self.forks)), np.empty(len(self.forks))
        result = np.empty(len(self.deals))
        _expect(
            np.ascontiguousarray(self.deals.start), np.ascontiguousarray(self.deals.stop),
            np.ascontiguousarray(shares, np.float64), taken, declined, after, reach, result,
        )  # fmt: skip
        return Expected(after, reach, result)


class Expected(NamedTuple):
    """What following a rule brings, in the mean over its own chances.

    Attributes
    ----------
    after : ndarray of float64, shape (forks,)
        Value of declining a fork and following the rule from there.
    reach : ndarray of float64, shape (forks,)
        Probability that the rule has declined all earlier forks of the hand.
    result : ndarray of float64, shape (deals,)
        Value of following the rule from the deal.
    """

    after: npt.NDArray[np.float64]
    reach: npt.NDArray[np.float64]
    result: npt.NDArray[np.float64]


# --- kernels -------------------------------------------------------------------------------------


_PLACES, _VALUES = types.int64[::1], types.float64[::1]


@typed_kernel(types.void(_PLACES, _PLACES, _VALUES, _VALUES, _VALUES, _VALUES, _VALUES, _VALUES))
def _expect(
    start: Array,
    stop: Array,
    shares: Array,
    taken: Array,
    declined: Array,
    after: Array,
    reach: Array,
    result: Array,
) -> None:
    """Fill in `Expected`, hand by hand, from the last fork back and from the first on."""
    for deal in range(len(start)):
        value = declined[deal]
        for place in range(stop[deal] - 1, start[deal] - 1, -1):
            after[place] = value
            value = shares[place] * taken[place] + (1 - shares[place]) * value
        result[deal] = value
        left = 1.0
        for place in range(start[deal], stop[deal]):
            reach[place] = left
            left *= 1 - shares[place]


@kernel
def write_result(row: Record, state: Record) -> None:
    """Write how a hand has ended, side A being side 0 of the state."""
    sign = 0 if state.winner == NOBODY else 1 - 2 * state.winner
    row.points = sign * state.points
    row.winner = state.winner
    row.ending = state.ending
    row.boxes = state.boxes if state.winner != NOBODY else 0


@kernel
def write_fork(row: Record, state: Record, view: Record, melds: Record) -> None:
    """Write the knock with which side A has just ended a hand, as it stood when A was asked."""
    row.own_turn = state.taken >> 8
    row.deadwood = state.taken & 255
    row.stock = state.stock
    rest = view.hand ^ state.sets
    row.loose = popcount(rest) - popcount(arrangement_runs(rest, melds))
    row.last = pips(view.last_discard, melds)
    row.picked = state.upcard_draws[1]
    row.asked = state.asked
    write_result(row, state)


@typed_kernel(
    types.int64(
        types.int64, types.int64, types.int64, VIEW, VIEW, GAME, HAND, RULES, MELDS,
        types.Array(_DEAL, 1, "C"), types.Array(_FORK, 1, "C"), DECISIONS, DECISIONS, LAYOFF,
    )
)  # fmt: skip
def _fork_pairs(
    seed: int,
    first: int,
    count: int,
    view_a: Record,
    view_b: Record,
    game: Record,
    hand: Record,
    rules: Record,
    melds: Record,
    deals: Array,
    forks: Array,
    a: Any,
    b: Any,
    layoff: Any,
) -> int:
    """Fork the first hands of pairs; return how many pairs there was room for, which is at least one."""
    used = 0
    for index in range(count):
        if used + 2 * MAX_OWN_TURNS > len(forks):
            return index
        for number in range(2):
            deal = deals[2 * index + number]
            deal.start = used
            legal = -1
            while True:
                start_game(game, seed, first + index, number, rules)
                begin_hand(game, hand, view_a, view_b, rules)
                hand.take_at = NEVER if legal < 0 else used - deal.start + 1
                play_hand(hand, view_a, view_b, rules, melds, a, b, layoff, MAX_TURNS)
                hand.take_at = 0
                if hand.fault:
                    return index
                if legal < 0:
                    legal = hand.declines[0]
                    deal.pair = first + index
                    deal.packet = number
                    deal.dealer = game.dealer
                    deal.limit = hand.limit
                    deal.multiplier = hand.multiplier
                    write_result(deal, hand)
                else:
                    write_fork(forks[used], hand, view_a, melds)
                    used += 1
                if used - deal.start == legal:
                    break
            deal.stop = used
    return count


# --- library -------------------------------------------------------------------------------------


def fork_pairs(table: Table, first: int, count: int) -> Forks:
    """Fork the first hands of pairs at a table.

    Parameters
    ----------
    table : Table
        Not used by another thread meanwhile.
    first, count : int
        Pairs ``first`` ... ``first + count - 1``: the decks of the pairs of a match on the same seed.

    Returns
    -------
    Forks

    Raises
    ------
    RunError
        If a strategy breaks the rules or its code fails.
    """
    a, b = table.players
    deals: list[Any] = []
    forks: list[Any] = []
    begun = used = 0
    while begun < count:
        deals_here: Any = np.zeros(2 * (count - begun), DEAL_DTYPE).view(np.recarray)
        forks_here = np.zeros(8 * len(deals_here) + 4 * MAX_OWN_TURNS, FORK_DTYPE).view(np.recarray)
        try:
            done = _fork_pairs(
                table.seed, first + begun, count - begun, table.views[0], table.views[1], table.game,
                table.hand, table.rules, table.melds, deals_here, forks_here, a.decisions, b.decisions,
                table.layoff,
            )  # fmt: skip
        except Exception as error:
            raise table.failure(error) from error
        if table.hand.fault:
            raise table.fault()
        deals_here = deals_here[: 2 * done]
        held = int(deals_here.stop[-1])
        deals_here.start += used
        deals_here.stop += used
        deals.append(deals_here)
        forks.append(forks_here[:held])
        begun += done
        used += held
    table.check_views()
    return Forks(np.concatenate(deals).view(np.recarray), np.concatenate(forks).view(np.recarray))


def fork_chunks(
    a: Player,
    b: Player,
    rules: Rules,
    *,
    pairs: int,
    seed: int = 0,
    first: int = 0,
    threads: int = 1,
    scores: tuple[int, int] = (0, 0),
    dealer: int | None = None,
    layoff: Any = joint_layoff,
) -> Generator[Forks, None, None]:
    """Fork the first hands of mirrored pairs, some pairs at a time, in order.

    Parameters
    ----------
    a, b : Player
        Side A, whose knocks are forked, holds packet 0 in the first hand of a pair, packet 1 in the other.
    rules : Rules
        Of two players.
    pairs : int
        Pairs of hands, at least 1.
    seed, first : int
        Seed of the decks, and the index of the first pair.
    threads : int
        Threads to play in; what comes out does not depend on it.
    scores : tuple of int
        Points of A and B before the hand.
    dealer : int or None
        Side that deals (0 for A, 1 for B); None as the rules say for the first hand of a game.
    layoff : function
        The defender's lay-off rule; see `sim.view.LAYOFF`.

    Yields
    ------
    Forks
        Of at most `PAIRS_AT_ONCE` pairs.

    Raises
    ------
    RunError
        If a strategy breaks the rules or its code fails.
    RulesError, ValueError
        If the rules are of the one-player game, or an argument is out of range.
    """
    check_span("pairs", first, pairs, threads, None)
    threads = min(threads, pairs)
    tables = [Table(a, b, rules, seed, scores, dealer, layoff) for _ in range(threads)]
    spans = iter(range(first, first + pairs, PAIRS_AT_ONCE))
    waiting: deque[tuple[Table, Future[Forks]]] = deque()
    with ThreadPoolExecutor(threads) as pool:

        def begin(table: Table) -> None:
            if (start := next(spans, None)) is not None:
                count = min(PAIRS_AT_ONCE, first + pairs - start)
                waiting.append((table, pool.submit(fork_pairs, table, start, count)))

        for table in tables:
            begin(table)
        while waiting:
            table, work = waiting.popleft()
            done = work.result()
            begin(table)
            yield done


def fork_hands(a: Player, b: Player, rules: Rules, **options: Any) -> Forks:
    """Fork the first hands of mirrored pairs, all at once; arguments as of `fork_chunks`.

    A pair takes about 250 bytes.
    """
    parts = list(fork_chunks(a, b, rules, **options))
    starts = np.cumsum([0, *(len(part.forks) for part in parts[:-1])])
    deals = np.concatenate([part.deals for part in parts]).view(np.recarray)
    shift = np.repeat(starts, [len(part.deals) for part in parts])
    deals.start += shift
    deals.stop += shift
    return Forks(deals, np.concatenate([part.forks for part in parts]).view(np.recarray))
