"""What a report is made of: each cell's estimates, and cells judged together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from analysis.charts.words import quantity
from analysis.experiment.cells import Cell
from analysis.knocks import DECLINED, TAKEN, held, layoffs, ratios
from analysis.metrics import (
    HEADLINES,
    MATCH_SHARE,
    METRICS,
    Metric,
    Sums,
    difference,
    estimate,
    group_sums,
    whenever,
)
from analysis.stats.estimates import LEVEL, Estimate, ratio
from analysis.stats.joint import Sample, not_worse_than_best, sample, simultaneous
from analysis.stats.pairing import pairing_gain
from analysis.stats.significance import PValue, holm, p_value
from analysis.store.results import Results
from sim.tally import KNOCK_FIELDS, Tally

ALPHA = 1 - LEVEL
"""Allowed probability of a false claim among all claims of a kind."""


@dataclass(frozen=True)
class CellFacts:
    """What is told of a cell.

    Attributes
    ----------
    cell : Cell
    pairs : int
    stopped : str
        Why it played no more, see `analysis.store.tables`.
    sums : mapping of str to ndarray of int64, shape (GROUPS,)
        By group of pairs.
    moments : ndarray of int64, shape (len(OUTCOMES), len(OUTCOMES))
    metrics : dict of str to Estimate
        Every metric.
    anytime : dict of str to Estimate
        Headline metrics with intervals that hold whenever the run is stopped.
    endings : dict
        Hands by side and ending.
    gain : dict of str to (float or None)
        By headline metric, what mirroring is worth.
    knocks : dict of str to ndarray of int64, shape (2,)
        By side, over all turns and deadwoods: each counter of legal knocks.
    rates : dict of str to tuple of Estimate
        By side (A, B): what came of knocks taken and declined, under the names of `analysis.knocks.TAKEN` and
        `DECLINED`; ``layoff_cards`` and ``layoff_points`` are of the defender a knock.
    undiverged : int
        Pairs whose two games went card for card the same way.
    """

    cell: Cell
    pairs: int
    stopped: str
    sums: Sums = field(repr=False)
    moments: npt.NDArray[np.int64] = field(repr=False)
    metrics: dict[str, Estimate] = field(repr=False)
    anytime: dict[str, Estimate] = field(repr=False)
    endings: dict[str, Any] = field(repr=False)
    gain: dict[str, float | None] = field(repr=False)
    knocks: dict[str, npt.NDArray[np.int64]] = field(repr=False)
    rates: dict[str, tuple[Estimate, Estimate]] = field(repr=False)
    undiverged: int = 0

    @property
    def fixed(self) -> bool:
        """True if the number of pairs was settled beforehand and reached."""
        return self.stopped == "pairs"

    @property
    def hands(self) -> int:
        """Hands played."""
        return int(self.sums["hands"].sum())

    @property
    def games(self) -> int:
        """Games played."""
        return int(self.sums["games"].sum())

    def value(self, metric: str) -> float:
        """Return an estimate's number, less than any other where there is none."""
        told = self.metrics[metric].estimate
        return float("-inf") if told is None else told

    def told(self, metric: str) -> Estimate:
        """Return an estimate with the interval that holds for the way the run was stopped."""
        return self.metrics[metric] if self.fixed else self.anytime.get(metric, self.metrics[metric])


def gather(results: Results) -> list[CellFacts]:
    """Return the facts of every cell; only one tally is held at a time."""
    stopped = [str(one) for one in results.table("cells")["stopped"]]
    return [
        _cell_facts(cell, results.tally(cell.number), why)
        for cell, why in zip(results.cells, stopped, strict=True)
    ]


def _cell_facts(cell: Cell, tally: Tally, stopped: str) -> CellFacts:
    sums = group_sums(tally)
    metrics = dict(METRICS)
    if cell.rules.match_type in ("best_of", "first_to_points"):
        metrics["match_share"] = MATCH_SHARE
    moments, single = tally.total("moments"), tally.total("match_moments")
    knocks = tally.total("knocks").sum(axis=(1, 2))
    headline = {name: METRICS[name] for name in HEADLINES}
    return CellFacts(
        cell=cell,
        pairs=tally.pairs,
        stopped=stopped,
        sums=sums,
        moments=moments,
        metrics={name: estimate(metric, tally, sums) for name, metric in metrics.items()},
        anytime={name: whenever(metric, moments) for name, metric in headline.items()},
        endings=tally.endings(),
        gain={
            name: pairing_gain(moments, single, metric.numerator, metric.denominator)
            for name, metric in headline.items()
        },
        knocks={name: knocks[:, at] for at, name in enumerate(KNOCK_FIELDS)},
        rates=_rates(tally),
        undiverged=int(tally.total("undiverged")),
    )


def _rates(tally: Tally) -> dict[str, tuple[Estimate, Estimate]]:
    """Return what came of each side's legal knocks, over all turns and deadwoods, and what it laid off."""
    counts = held(tally, "knocks").sum(axis=(2, 3))
    told: dict[str, tuple[Estimate, Estimate]] = {}
    for below, columns in (("taken", TAKEN), ("declined", DECLINED)):
        n = counts[:, :, KNOCK_FIELDS.index(below)]
        for name, counter in columns.items():
            pairs = tally.pairs if name.startswith("p_") else None
            told[name] = _both(*ratios(counts[:, :, KNOCK_FIELDS.index(counter)], n, pairs))
    laid = layoffs(tally)
    for name in ("cards", "points"):
        value, low, high = (laid[f"{name}{end}"].to_numpy(float) for end in ("", "_low", "_high"))
        told[f"layoff_{name}"] = _both(value, low, high)
    return told


def _both(value: Any, low: Any, high: Any) -> tuple[Estimate, Estimate]:
    """Return the estimates of both sides; what is not a number is None."""
    sides = []
    for at in range(2):
        ends = [None if not np.isfinite(part[at]) else float(part[at]) for part in (value, low, high)]
        sides.append(Estimate(ends[0], ends[1], ends[2]))
    return sides[0], sides[1]


def _settled(metric: Metric, moments: Any, level: float) -> Estimate:
    return ratio(
        moments, metric.numerator, metric.denominator, factor=metric.factor, share=metric.share, level=level
    )


# --- cells judged together -------------------------------------------------------------------------


def even_value(metric: str) -> float | None:
    """Return the value of a metric at which the sides are equal, as a fraction or in points."""
    what = quantity(metric)
    return None if what.even is None else what.even / what.scale


def side_ahead(told: Estimate, even: float) -> int:
    """Return which side an interval shows ahead: 1 for A, -1 for B, 0 for neither."""
    if told.low is not None and told.low > even:
        return 1
    if told.high is not None and told.high < even:
        return -1
    return 0


def judged_against(estimates: Sequence[Estimate], value: float) -> list[int]:
    """Tell which estimates are shown to lie above (1) or below (-1) a value, all judged together by Holm.

    An estimate without a standard error (all pairs had the same ratio) is judged by its interval, if it has
    one, which is to share the error among all (Bonferroni).
    """
    signs = [0] * len(estimates)
    tested: list[tuple[int, PValue]] = []
    for at, told in enumerate(estimates):
        p = p_value(told, value)
        if p is not None:
            tested.append((at, p))
        else:
            signs[at] = side_ahead(told, value)
    # Those judged by their intervals count as hypotheses too.
    padding = [PValue(0.0)] * (len(estimates) - len(tested))
    rejected = holm([p for _, p in tested] + padding, ALPHA).rejected
    for (at, _), shown in zip(tested, rejected, strict=False):
        if shown:
            signs[at] = 1 if (estimates[at].estimate or 0.0) > value else -1
    return signs


def shown_ahead(facts: Sequence[CellFacts], metric: str) -> list[int]:
    """Tell which side is shown to be ahead in each cell, all cells judged together.

    By Holm where the pairs were settled beforehand, else by anytime-valid intervals that share the error.

    Returns
    -------
    list of int
        1 for A, -1 for B, 0 for neither.
    """
    even = even_value(metric) or 0.0
    level = 1 - ALPHA / len(facts)
    if all(one.fixed for one in facts):
        told = [one.metrics[metric] for one in facts]
        shared = [
            made if made.se is not None else _settled(METRICS[metric], one.moments, level)
            for made, one in zip(told, facts, strict=True)
        ]
        return judged_against(shared, even)
    return [side_ahead(whenever(METRICS[metric], one.moments, one.sums, level), even) for one in facts]


def same_pairs(facts: Sequence[CellFacts]) -> bool:
    """Tell whether cells played the same pairs, so that groups of them can be left out together."""
    return all(
        one.cell.seed == facts[0].cell.seed and np.array_equal(one.sums["one"], facts[0].sums["one"])
        for one in facts
    )


def not_worse(facts: Sequence[CellFacts], metric: str, share_of: int = 1) -> list[bool]:
    """Tell which cells are not shown to be worse than the best of them.

    Parameters
    ----------
    facts : sequence of CellFacts
    metric : str
        A headline metric.
    share_of : int
        So many questions of this kind are asked; the error is shared among them (Bonferroni).

    Returns
    -------
    list of bool
        By multiple comparisons with the best where all cells played the same settled number of pairs.
        Else by anytime-valid intervals, the error shared among the cells too.
    """
    alpha = ALPHA / share_of
    if all(one.fixed for one in facts) and same_pairs(facts):
        told = _together(facts, metric)
        if told is None:
            return [True] * len(facts)
        return [bool(kept) for kept in not_worse_than_best(told.values, told.without, 1 - alpha)]
    ends = [whenever(METRICS[metric], one.moments, one.sums, 1 - alpha / len(facts)) for one in facts]
    lows = [told.low for told in ends if told.low is not None]
    floor = max(lows, default=-np.inf)
    return [told.high is None or told.high >= floor for told in ends]


def _together(facts: Sequence[CellFacts], metric: str) -> Sample | None:
    """Return a metric of cells that played the same pairs, for the jackknife; None of a single group."""
    held = facts[0].sums["one"] > 0
    if held.sum() < 2:
        return None
    spec = METRICS[metric]
    x = np.stack([sum(w * one.sums[n] for n, w in spec.numerator.items()) for one in facts], axis=1)
    n = np.stack([spec.factor * one.sums[spec.denominator] for one in facts], axis=1)

    def value(sums: dict[str, Any]) -> Any:
        with np.errstate(invalid="ignore", divide="ignore"):
            return sums["x"] / sums["n"]

    return sample(value, {"x": x[held], "n": n[held]})


def wider_at_once(facts: Sequence[CellFacts], metric: str) -> float | None:
    """Return how many times as wide the intervals of all cells would have to be to hold all at once.

    Returns
    -------
    float or None
        By the largest deviation of all cells on common decks; None where they did not play the same settled
        pairs, or nothing varies.
    """
    if not (all(one.fixed for one in facts) and same_pairs(facts)):
        return None
    told = _together(facts, metric)
    if told is None:
        return None
    critical = simultaneous(told.values, told.without).critical
    alone = float(stdtrit(len(told.without) - 1, (1 + LEVEL) / 2))
    return critical / alone if np.isfinite(critical) else None


@dataclass(frozen=True)
class Gap:
    """How a cell differs from another.

    Attributes
    ----------
    told : Estimate
        The difference.
    shown : int
        1 or -1 if it is shown to be more or less than nothing, all differences judged together; else 0.
    """

    told: Estimate
    shown: int


def gaps_to(facts: Sequence[CellFacts], first: CellFacts, metric: str) -> list[Gap]:
    """Return the differences of cells to another, Holm over all of them.

    Where the pairs were settled beforehand and are the same, the intervals are paired: of the jackknife over
    groups of common decks. Else a difference is shown if the anytime-valid intervals, the error shared among
    all cells, are apart.
    """
    if all(one.fixed for one in (*facts, first)) and same_pairs([first, *facts]):
        told = [difference(METRICS[metric], one.sums, first.sums) for one in facts]
        return [Gap(one, sign) for one, sign in zip(told, judged_against(told, 0.0), strict=True)]
    alpha = ALPHA / (len(facts) + 1)
    base = whenever(METRICS[metric], first.moments, first.sums, 1 - alpha)
    return [apart(whenever(METRICS[metric], one.moments, one.sums, 1 - alpha), base) for one in facts]


def apart(one: Estimate, base: Estimate) -> Gap:
    """Return a difference by the intervals of both: it lies between its extremes wherever both hold.

    So it errs as often as one of the two does, at most the sum of their errors, whatever they have in common
    and however either was stopped.
    """
    if one.estimate is None or base.estimate is None:
        return Gap(Estimate(None, None, None), 0)
    gap = one.estimate - base.estimate
    if None in (one.low, one.high, base.low, base.high):
        return Gap(Estimate(gap, None, None), 0)
    assert one.low is not None and one.high is not None and base.low is not None and base.high is not None
    low, high = one.low - base.high, one.high - base.low
    return Gap(Estimate(gap, low, high), 1 if low > 0 else -1 if high < 0 else 0)
