"""What a knock is worth: knocking now against declining now and following a rule, cell by cell.

``delta(c, h) = E[A's signed points of the hand if A knocks now - if A declines now and then follows h |
what A knows falls in cell c]``. Both sides of the difference are plays of the same true deal (`sim.forks`),
so nothing is selected by who chose to knock. A void hand counts 0. The continuations h:

- ``once``: A declines now, then keeps to his own knock rule;
- ``gin``: A never knocks short of gin from now on.

The populations, over which the mean is taken:

- ``first``: the first legal knock of each hand that has one. Which knocks these are, and what A knows, does
  not depend on A's knock rule;
- ``every``: every legal knock of a player who never knocks short of gin, so those of a hand up to its first
  gin: several a hand, which stand in one group of the jackknife.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.console import UsageError
from analysis.knocking.cells import DEFAULT, Ints, cell_codes, cell_keys, check_axes, check_population
from analysis.knocks import LEAST, Floats, ratios
from analysis.stats.joint import Sample, simultaneous
from sim.forks import Forks, fork_chunks
from sim.rules import Rules
from sim.run import Player
from sim.scoring import UNDERCUT
from sim.tally import GROUPS

CONTINUATIONS = ("once", "gin")
MOST_CELLS = 10_000
"""Cells of a table: 70 MB of counters."""

COUNTERS = ("hands", "knocks", "v_knock", "once", "gin", "undercut", "won")
"""What is summed by group and cell: hands met, legal knocks; points of knocking, and of declining with each
continuation; knocks undercut and won."""


class Counts(NamedTuple):
    """Sums over legal knocks by group of pairs and cell; exact integers.

    Attributes
    ----------
    codes : ndarray of int64, shape (cells,)
        The cells met, ascending; see `analysis.knocking.cells.cell_codes`.
    sums : ndarray of int64, shape (GROUPS, cells, len(COUNTERS))
    dealt : ndarray of int64, shape (GROUPS,)
        Hands dealt, with and without a legal knock.
    """

    codes: Ints
    sums: Ints
    dealt: Ints

    @property
    def pairs(self) -> int:
        """Mirrored pairs of hands."""
        return int(self.dealt.sum()) // 2

    def then(self, other: Counts) -> Counts:
        """Return the counts of both."""
        codes = np.union1d(self.codes, other.codes)
        if len(codes) > MOST_CELLS:
            raise UsageError(f"more than {MOST_CELLS:,} cells: cut them by fewer axes")
        sums = np.zeros((GROUPS, len(codes), len(COUNTERS)), np.int64)
        for part in (self, other):
            sums[:, np.searchsorted(codes, part.codes)] += part.sums
        return Counts(codes, sums, self.dealt + other.dealt)

    def of(self, counter: str) -> Ints:
        """Return a counter of the groups that hold pairs, shape (groups, cells)."""
        return self.sums[self.dealt > 0][:, :, COUNTERS.index(counter)]


NO_COUNTS = Counts(
    np.empty(0, np.int64), np.empty((GROUPS, 0, len(COUNTERS)), np.int64), np.zeros(GROUPS, np.int64)
)


class Counted(NamedTuple):
    """Counts of a run, which may have been stopped."""

    counts: Counts
    interrupted: bool


# --- counting ------------------------------------------------------------------------------------


def members(forks: Forks, population: str) -> npt.NDArray[np.bool_]:
    """Return the forks that belong to a population, shape (forks,)."""
    if population == "first":
        first: npt.NDArray[np.bool_] = forks.number() == 0
        return first
    gin = forks.forks.deadwood == 0
    earlier = np.cumsum(gin) - gin
    return np.asarray(earlier == earlier[forks.deals.start[forks.owner()]])


def count_chunk(forks: Forks, by: Sequence[str], population: str) -> Counts:
    """Return the counts of some hands, whole pairs of them.

    Parameters
    ----------
    forks : Forks
    by : sequence of str
        Axes of the cells, out of `analysis.knocking.cells.AXES`.
    population : str
        One of `analysis.knocking.cells.POPULATIONS`.
    """
    deals, rows = forks
    chosen = np.flatnonzero(members(forks, population))
    owner = forks.owner()[chosen]
    codes, cell = np.unique(cell_codes(forks, by)[chosen], return_inverse=True)
    group = (deals.pair % GROUPS)[owner]
    place = group * len(codes) + cell
    size = GROUPS * len(codes)
    met = np.unique(owner * len(codes) + cell, return_index=True)[1]  # a hand's knocks in one cell once
    weights = {
        "v_knock": rows.points[chosen],
        "once": forks.after(rows.asked == 1)[chosen],
        "gin": forks.after(rows.deadwood == 0)[chosen],
        "undercut": rows.ending[chosen] == UNDERCUT,
        "won": rows.winner[chosen] == 0,
    }
    counted = [np.bincount(place[met], minlength=size), np.bincount(place, minlength=size)]
    # Sums of whole numbers far below 2**53: exact as float64.
    counted += [np.bincount(place, weights[name], size).astype(np.int64) for name in COUNTERS[2:]]
    sums = np.stack(counted, axis=-1).reshape(GROUPS, len(codes), len(COUNTERS)).astype(np.int64)
    return Counts(codes, sums, np.bincount(deals.pair % GROUPS, minlength=GROUPS))


def count_knocks(
    chunks: Iterable[Forks],
    by: Sequence[str],
    population: str,
    on_progress: Callable[[int], None] | None = None,
) -> Counted:
    """Count what forks come to, some hands at a time; Ctrl-C ends it after those that are whole.

    Parameters
    ----------
    chunks : iterable of Forks
        As `sim.forks.fork_chunks` yields them: in order, so that what is counted has no gaps.
    by, population
        As of `count_chunk`.
    on_progress : callable, optional
        Called with the pairs counted.

    Returns
    -------
    Counted
    """
    counts = NO_COUNTS
    try:
        for forks in chunks:
            counts = counts.then(count_chunk(forks, by, population))  # replaced whole: Ctrl-C may come
            if on_progress is not None:
                on_progress(counts.pairs)
    except KeyboardInterrupt:
        return Counted(counts, True)
    return Counted(counts, False)


def knock_counts(
    a: Player,
    b: Player,
    rules: Rules,
    *,
    pairs: int,
    seed: int = 0,
    population: str = "first",
    by: Sequence[str] = DEFAULT,
    threads: int = 1,
    scores: tuple[int, int] = (0, 0),
    dealer: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Counted:
    """Fork hands and count what their legal knocks bring; arguments as of `knock_value`."""
    check_population(population)
    by = check_axes(by)
    chunks = fork_chunks(a, b, rules, pairs=pairs, seed=seed, threads=threads, scores=scores, dealer=dealer)
    with closing(chunks):
        return count_knocks(chunks, by, population, on_progress)


# --- the table -----------------------------------------------------------------------------------


def knock_value(
    a: Player,
    b: Player,
    rules: Rules,
    *,
    pairs: int,
    seed: int = 0,
    population: str = "first",
    by: Sequence[str] = DEFAULT,
    threads: int = 1,
    scores: tuple[int, int] = (0, 0),
    dealer: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> pd.DataFrame:
    """Return what a knock of side A is worth, cell by cell.

    Parameters
    ----------
    a, b : Player
        Side A, whose draws and discards are kept and whose knock rule is the continuation ``once``; side B.
    rules : Rules
        Of two players.
    pairs : int
        Mirrored pairs of hands.
    seed : int
    population : str
        One of `analysis.knocking.cells.POPULATIONS`.
    by : sequence of str
        Axes of the cells, out of `analysis.knocking.cells.AXES`.
    threads : int
        The table does not depend on it.
    scores : tuple of int
        Points of A and B before the hand.
    dealer : int or None
        Side that deals; None as the rules say.
    on_progress : callable, optional
        Called with the pairs counted.

    Returns
    -------
    DataFrame
        See `value_table`.

    Raises
    ------
    UsageError
        If the population or an axis is unknown, or there are more than `MOST_CELLS` cells.
    KeyboardInterrupt
        If the run was stopped; `knock_counts` returns what there is then.
    """
    counts, interrupted = knock_counts(
        a, b, rules, pairs=pairs, seed=seed, population=population, by=by, threads=threads,
        scores=scores, dealer=dealer, on_progress=on_progress,
    )  # fmt: skip
    if interrupted:
        raise KeyboardInterrupt
    return value_table(counts, by, population)


def value_table(counts: Counts, by: Sequence[str], population: str) -> pd.DataFrame:
    """Return the table of what knocks are worth.

    Parameters
    ----------
    counts : Counts
    by : sequence of str
        The axes that were counted by.
    population : str
        The one that was counted.

    Returns
    -------
    DataFrame
        A row for each continuation and cell: the axes; ``continuation``; ``population``; ``hands``; for the
        population ``every`` also ``knocks``; ``v_knock`` and ``v_continue``, mean points of the hand if A
        knocks and if he declines and goes on; ``delta``, the first less the second, with ``low`` and
        ``high``; ``p_undercut`` and ``p_win``, shares of the knocks. Then the ends of the intervals of the
        other means and shares (``v_knock_low`` ...), all 95 %, by the delete-one-group jackknife, each for
        its cell alone; not a number below `LEAST` hands. ``band_low`` and ``band_high`` hold ``delta`` in
        all rows at once, with 95 %, and ``verdict`` says by them: ``knock``, ``wait`` or ``undecided``.
    """
    bands = simultaneous_bands([delta_sample(counts)])[0]
    parts = []
    for at, continuation in enumerate(CONTINUATIONS):
        cells = len(counts.codes)
        part = _rows(counts, by, population, continuation)
        part["band_low"], part["band_high"] = bands[:, at * cells : (at + 1) * cells]
        part["verdict"] = verdicts(part["band_low"].to_numpy(), part["band_high"].to_numpy())
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _rows(counts: Counts, by: Sequence[str], population: str, continuation: str) -> pd.DataFrame:
    """Return the rows of one continuation, without the band."""
    knocks, hands = counts.of("knocks"), counts.of("hands").sum(axis=0)
    gained = counts.of("v_knock") - counts.of(continuation)
    found = {
        "v_knock": ratios(counts.of("v_knock"), knocks),
        "v_continue": ratios(counts.of(continuation), knocks),
        "delta": ratios(gained, knocks),
        "p_undercut": ratios(counts.of("undercut"), knocks, counts.pairs),
        "p_win": ratios(counts.of("won"), knocks, counts.pairs),
    }
    # Several knocks of a hand are no more than one observation of it.
    ends = {
        name: [np.where(hands >= LEAST, end, np.nan) for end in (told.low, told.high)]
        for name, told in found.items()
    }
    table: dict[str, Any] = dict(cell_keys(counts.codes, by))
    table["continuation"] = continuation
    table["population"] = population
    table["hands"] = hands
    if population == "every":
        table["knocks"] = knocks.sum(axis=0)
    for name in ("v_knock", "v_continue", "delta"):
        table[name] = found[name].estimate
    table["low"], table["high"] = ends.pop("delta")
    for name in ("p_undercut", "p_win"):
        table[name] = found[name].estimate
    for name, (low, high) in ends.items():
        table[f"{name}_low"], table[f"{name}_high"] = low, high
    return pd.DataFrame(table, index=range(len(counts.codes)))


def delta_sample(counts: Counts) -> Sample:
    """Return delta of all cells by continuation, in the order of `CONTINUATIONS`, and without each group.

    Cells of fewer than `LEAST` hands are not numbers.
    """
    knocks = counts.of("knocks")
    total = knocks.sum(axis=0)
    enough = counts.of("hands").sum(axis=0) >= LEAST
    values: list[Floats] = []
    without: list[Floats] = []
    for continuation in CONTINUATIONS:
        gained = counts.of("v_knock") - counts.of(continuation)
        whole = gained.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            values.append(np.where(enough, whole / total, np.nan))
            without.append((whole - gained) / (total - knocks))
    return Sample(np.concatenate(values), np.concatenate(without, axis=1))


def simultaneous_bands(samples: Sequence[Sample]) -> list[Floats]:
    """Return the ends of bands that hold all cells of all samples at once, with 95 %.

    Parameters
    ----------
    samples : sequence of Sample
        On the same decks, of as many groups.

    Returns
    -------
    list of ndarray of float64, shape (2, cells)
        One for each sample: low and high; not a number where there is none.
    """
    values = np.concatenate([one.values for one in samples])
    without = np.concatenate([one.without for one in samples], axis=1)
    if len(without) < 2:
        ends = np.full((2, len(values)), np.nan)
    else:
        found = simultaneous(values, without)
        ends = np.array([[one.low, one.high] for one in found.estimates], np.float64).reshape(-1, 2).T
    return np.split(ends, np.cumsum([len(one.values) for one in samples])[:-1], axis=1)


def verdicts(low: npt.ArrayLike, high: npt.ArrayLike) -> npt.NDArray[np.str_]:
    """Return ``knock``, ``wait`` or ``undecided`` by the ends of a band around delta."""
    above, below = np.asarray(low, np.float64) > 0, np.asarray(high, np.float64) < 0
    return np.where(above, "knock", np.where(below, "wait", "undecided"))
