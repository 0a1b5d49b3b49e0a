"""The knocking tables, straight from a tally: what legal knocks lead to, by deadwood and own turn.

Everything here describes what two players did. A knock that was taken and one that was declined were chosen
by a player who saw his cards, so the two are not to be compared as if chance had decided between them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import stdtrit

from analysis.stats.estimates import LEVEL, score_ends
from sim.tally import KNOCK_FIELDS, KNOCK_TURNS, Tally

LEAST = 100
"""Hands that a number must rest on to get an interval: the jackknife of fewer does not keep its level."""

TAKEN = {"p_win": "won", "p_undercut": "undercut", "points": "points"}
DECLINED = {"p_win_later": "won_later", "p_lose_later": "lost_later", "points_later": "points_later"}
"""What a knock taken, or a hand after one declined, brought: column, and the counter it is a mean of."""

Floats = npt.NDArray[np.float64]


class Ratios(NamedTuple):
    """Ratios of many counters with their intervals.

    Attributes
    ----------
    estimate, low, high : ndarray of float64
        Not a number where nothing was counted, or too little for an interval.
    """

    estimate: Floats
    low: Floats
    high: Floats


def ratios(
    x: npt.ArrayLike, n: npt.ArrayLike, pairs: int | None = None, least: int = LEAST, level: float = LEVEL
) -> Ratios:
    """Return ratios of sums over groups of pairs, each with the interval of the delete-one-group jackknife.

    Parameters
    ----------
    x, n : array_like of int64, shape (groups, ...)
        Numerators and denominators by group; groups that hold no pairs are to be left out.
    pairs : int, optional
        Given where every ratio is a share, between 0 and 1: pairs played. The interval is the score interval
        then, and that of Clopper and Pearson for what came always or never.
    least : int
        Sums of ``n`` below this give no interval.
    level : float
        Coverage.

    Returns
    -------
    Ratios
        Of the shape of a group. `analysis.stats.estimates.jackknife` and `jackknife_share` have the methods.
    """
    above, below = np.asarray(x, np.float64), np.asarray(n, np.float64)
    groups = len(below)
    total_x, total_n = above.sum(axis=0), below.sum(axis=0)
    if groups == 0:
        return Ratios(*(np.full(total_n.shape, np.nan) for _ in Ratios._fields))
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = np.where(total_n > 0, total_x / total_n, np.nan)
        without = (total_x - above) / (total_n - below)
        middle = without.sum(axis=0) / max(groups, 1)  # of no group at all there is no mean
        spread = ((without - middle) ** 2).sum(axis=0) * (groups - 1) / max(groups, 1)
        told = np.isfinite(spread) & (total_n >= least) & (spread > 0)
        error = np.where(told, np.sqrt(spread), np.nan)
        critical = float(stdtrit(max(groups - 1, 1), (1 + level) / 2))
        if pairs is None:
            return Ratios(estimate, estimate - critical * error, estimate + critical * error)
        low, high = score_ends(estimate, error, critical)
    # One tail of so many trials as are surely independent: hands, but not more than there are pairs.
    rare = ((1 - level) / 2) ** (1 / np.maximum(np.minimum(total_n, pairs), 1))
    sure = (total_n >= least) & ((estimate == 0) | (estimate == 1))
    low = np.where(sure, np.where(estimate == 1, rare, 0.0), low)
    high = np.where(sure, np.where(estimate == 0, 1 - rare, 1.0), high)
    return Ratios(estimate, low, high)


def held(tally: Tally, name: str) -> npt.NDArray[np.int64]:
    """Return a field of the tally by group, of the groups that hold pairs alone."""
    rows: npt.NDArray[np.int64] = tally.groups(name)[tally.groups("moments")[:, 0, 0] > 0]
    return rows


def knock_cells(tally: Tally) -> pd.DataFrame:
    """Return what legal knocks led to, by side, own turn and deadwood.

    Parameters
    ----------
    tally : Tally

    Returns
    -------
    DataFrame
        A row for each side (``a``, ``b``), ``own_turn`` (1-32; 32 is that turn and all later) and
        ``deadwood`` (the least that the player could have been left with, points) at which a knock was
        legal: the counters of `sim.tally.KNOCK_FIELDS`, ``legal``, and with ``_low`` and ``_high``
        the 95 % interval of ``p_win``, ``p_undercut`` (shares of knocks taken), ``points`` (mean of a
        knock taken: the player's own less the other's), ``p_win_later``, ``p_lose_later``,
        ``points_later`` (of hands in which it was declined). Sums of points are ``points_sum`` and
        ``points_later_sum``. Not a number where nothing, or for an interval too little, was counted.
    """
    knocks = held(tally, "knocks")
    counts = dict(zip(KNOCK_FIELDS, np.moveaxis(knocks.sum(axis=0), -1, 0), strict=True))
    legal = counts["taken"] + counts["declined"]
    side, turn, deadwood = np.nonzero(legal)
    table: dict[str, Any] = {
        "side": np.array(["a", "b"])[side],
        "own_turn": turn + 1,
        "deadwood": deadwood,
        "legal": legal[side, turn, deadwood],
    }
    for name, count in counts.items():
        told = f"{name}_sum" if name in ("points", "points_later") else name
        table[told] = count[side, turn, deadwood]
    for below, columns in (("taken", TAKEN), ("declined", DECLINED)):
        n = knocks[:, side, turn, deadwood, KNOCK_FIELDS.index(below)]
        for column, counter in columns.items():
            counts_of = knocks[:, side, turn, deadwood, KNOCK_FIELDS.index(counter)]
            found = ratios(counts_of, n, tally.pairs if column.startswith("p_") else None)
            table[column], table[f"{column}_low"], table[f"{column}_high"] = found
    return pd.DataFrame(table)


def first_legal(tally: Tally) -> pd.DataFrame:
    """Return how many hands had their side's first legal knock on which own turn.

    Returns
    -------
    DataFrame
        ``side``, ``own_turn`` (1-32, 32 and later; 0 where a knock was never legal), ``hands``,
        ``share`` of all hands with its interval ``share_low``, ``share_high``.
    """
    by_turn = held(tally, "first_legal")
    hands = by_turn.sum(axis=2, keepdims=True)
    found = ratios(by_turn, np.broadcast_to(hands, by_turn.shape), tally.pairs)
    side, turn = np.indices(found.estimate.shape)
    return pd.DataFrame(
        {
            "side": np.array(["a", "b"])[side.ravel()],
            "own_turn": turn.ravel(),
            "hands": by_turn.sum(axis=0).ravel(),
            "share": found.estimate.ravel(),
            "share_low": found.low.ravel(),
            "share_high": found.high.ravel(),
        }
    )


def layoffs(tally: Tally) -> pd.DataFrame:
    """Return what each side laid off per hand that the other ended with deadwood.

    Returns
    -------
    DataFrame
        ``side`` (the defender), ``knocks`` (hands the other ended and not by gin), ``cards`` and ``points``
        laid off per such hand, each with ``_low`` and ``_high``. Lay-offs on gin, where the rules
        allow them, are in the sums.
    """
    laid = held(tally, "layoffs")
    knocks = held(tally, "deadwoods")[:, ::-1, 1:].sum(axis=(2, 3))  # by defender
    table: dict[str, Any] = {"side": ["a", "b"], "knocks": knocks.sum(axis=0)}
    for at, name in enumerate(("cards", "points")):
        found = ratios(laid[:, :, at], knocks)
        table[name], table[f"{name}_low"], table[f"{name}_high"] = found
    return pd.DataFrame(table)


def last_turn_label(own_turn: int) -> str:
    """Write an own turn; the last of the tally's rows holds all later ones too."""
    return f"{own_turn}+" if own_turn >= KNOCK_TURNS else str(own_turn)
