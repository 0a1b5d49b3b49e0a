"""Two runs compared: what was set otherwise, and what came out significantly different."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri, stdtrit

from analysis.console import UsageError
from analysis.metrics import METRICS, Metric, Sums, difference, estimate_by_group, whenever
from analysis.report.facts import ALPHA, CellFacts, Gap, apart, gather, judged_against
from analysis.stats.estimates import LEVEL, Estimate
from analysis.stats.significance import PValue, holm, p_value
from analysis.store.results import Results


@dataclass(frozen=True)
class Change:
    """A metric of a cell in both runs.

    Attributes
    ----------
    cell : str
        What names the cell; empty where runs have one each.
    metric : str
    before, after : Estimate
    gap : Estimate
        After less before, with the interval of a number of pairs fixed beforehand.
    anytime : Estimate or None
        Where a cell's number of pairs was not settled beforehand: the same with an interval that holds
        however either run was stopped. None where both were settled.
    p : PValue or None
        Adjusted by Holm over all comparisons (by Bonferroni where pairs were not all settled); None where it
        cannot be told, as of pairs that were not settled.
    significant : bool
        All comparisons judged together.
    paired : bool
        True if the interval of the difference is of common decks.
    """

    cell: str
    metric: str
    before: Estimate
    after: Estimate
    gap: Estimate
    anytime: Estimate | None
    p: PValue | None
    significant: bool
    paired: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain data; the p-value as its decimal logarithm."""
        return {
            "cell": self.cell,
            "metric": self.metric,
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "difference": self.gap.to_dict(),
            "difference_anytime": None if self.anytime is None else self.anytime.to_dict(),
            "log10_p_holm": None if self.p is None else self.p.log10,
            "significant": self.significant,
            "paired": self.paired,
        }


@dataclass(frozen=True)
class Comparison:
    """Two runs compared.

    Attributes
    ----------
    settings : list of (str, object, object)
        Keys of the experiments that differ: path, before, after.
    cells : int
        Cells in both.
    only_before, only_after : list of str
        Cells in one run alone.
    same_seed : bool
        True if both played the same decks.
    fixed : bool
        True if all cells played a number of pairs settled beforehand.
    changes : list of Change
        Every comparison, those that are significant first in each cell's order.
    """

    settings: list[tuple[str, Any, Any]]
    cells: int
    only_before: list[str]
    only_after: list[str]
    same_seed: bool
    fixed: bool
    changes: list[Change]

    @property
    def significant(self) -> list[Change]:
        """The changes that are shown, all comparisons judged together."""
        return [change for change in self.changes if change.significant]

    def to_dict(self, everything: bool = False) -> dict[str, Any]:
        """Return the comparison as plain data; only what is significant, or everything."""
        shown = self.changes if everything else self.significant
        return {
            "settings": [
                {"key": key, "before": before, "after": after} for key, before, after in self.settings
            ],
            "cells": self.cells,
            "only_before": self.only_before,
            "only_after": self.only_after,
            "same_seed": self.same_seed,
            "fixed": self.fixed,
            "comparisons": len(self.changes),
            "significant": len(self.significant),
            "changes": [change.to_dict() for change in shown],
        }


def compare(before: Results, after: Results) -> Comparison:
    """Compare two runs cell by cell.

    Cells are matched by what the axes set; runs of one cell each are matched as they are. Where both played
    the same decks, differences are paired: a jackknife that leaves the same group of pairs out of both. Else
    the runs are independent, and variances add.

    Where a cell stopped by a width, a sequential test, extension or interruption, the difference has a second
    interval, between the extremes of the two cells' anytime-valid intervals of level 1 - alpha / 2: the runs
    may have stopped at different pairs, for reasons of their own, for which a paired confidence sequence at
    one number of pairs would not hold. What is significant is then judged by these, all comparisons sharing
    the error (Bonferroni).

    Parameters
    ----------
    before, after : Results

    Returns
    -------
    Comparison

    Raises
    ------
    UsageError
        If the runs have no cell in common; the message says what their axes are.
    """
    old, new = ({cell_key(one): one for one in gather(run)} for run in (before, after))
    common = [key for key in old if key in new]
    if not common:
        raise UsageError(
            f"no cells in common: the first run has {_axes_text(before)}, the second {_axes_text(after)}"
        )
    same_seed = before.experiment.spec.seed == after.experiment.spec.seed
    found: list[tuple[str, str, Estimate, bool]] = []
    fixed = {key: old[key].fixed and new[key].fixed for key in common}
    for key in common:
        paired = same_seed and same_decks(old[key], new[key])
        for name in METRICS:
            gap = _gap(name, old[key], new[key], paired)
            if gap.estimate is not None:
                found.append((key, name, gap, paired))
    gaps = [gap for _, _, gap, _ in found]
    if all(fixed.values()):
        judged = list(zip(_adjusted(gaps), judged_against(gaps, 0.0), strict=True))
    else:
        share = ALPHA / len(found)
        judged = [
            _alone(gap, share) if fixed[key] else (None, _whenever(name, old[key], new[key], 1 - share).shown)
            for key, name, gap, _ in found
        ]
    changes = [
        Change(
            key,
            name,
            old[key].metrics[name],
            new[key].metrics[name],
            gap,
            None if fixed[key] else _whenever(name, old[key], new[key], LEVEL).told,
            p,
            bool(sign),
            paired,
        )
        for (key, name, gap, paired), (p, sign) in zip(found, judged, strict=True)
    ]
    return Comparison(
        settings_that_differ(before, after),
        len(common),
        [key for key in old if key not in new],
        [key for key in new if key not in old],
        same_seed,
        all(fixed.values()),
        changes,
    )


def cell_key(one: CellFacts) -> str:
    """Name a cell by what the axes set."""
    return ", ".join(f"{name}={value}" for name, value in one.cell.keys.items())


def _axes_text(run: Results) -> str:
    if not run.axes:
        return "one cell and no axes"
    return "; ".join(f"{axis.name} = {_some(axis.labels)}" for axis in run.axes)


def _some(labels: Sequence[str]) -> str:
    return ", ".join(labels[:6]) + (", ..." if len(labels) > 6 else "")


def same_decks(one: CellFacts, two: CellFacts) -> bool:
    """Tell whether cells of one seed play the same decks, and so in the same groups of pairs.

    Decks hang on the seed, the pair, the number of the hand, and on which cards there are.
    """
    same_groups = np.array_equal(one.sums["one"] > 0, two.sums["one"] > 0)
    return one.cell.rules.deck == two.cell.rules.deck and same_groups


def _gap(name: str, one: CellFacts, two: CellFacts, paired: bool) -> Estimate:
    """Return by how much a metric of the second run exceeds that of the first."""
    metric = METRICS[name]
    before, after = one.metrics[name], two.metrics[name]
    if before.estimate is None or after.estimate is None:
        return Estimate(None, None, None)
    if paired:
        return difference(metric, two.sums, one.sums)
    return _independent(_with_error(metric, one.sums, before), _with_error(metric, two.sums, after))


def _whenever(name: str, one: CellFacts, two: CellFacts, level: float) -> Gap:
    """Return the difference with an interval that holds however either cell was stopped."""
    metric = METRICS[name]
    each = (1 + level) / 2  # either may err by half of the error
    before, after = (whenever(metric, cell.moments, cell.sums, each) for cell in (one, two))
    return apart(after, before)


def _alone(gap: Estimate, share: float) -> tuple[PValue | None, int]:
    """Return the p-value of one of several comparisons, times their number, and which way it is shown."""
    p = p_value(gap, 0.0)
    if p is None:
        return None, 0
    adjusted = PValue(min(0.0, p.log10 + math.log10(ALPHA / share)))
    shown = adjusted.log10 <= math.log10(ALPHA)
    return adjusted, (1 if (gap.estimate or 0.0) > 0 else -1) if shown else 0


def _with_error(metric: Metric, sums: Sums, told: Estimate) -> Estimate:
    return told if told.se is not None else estimate_by_group(metric, sums)


def _independent(before: Estimate, after: Estimate) -> Estimate:
    """Return a difference of independent estimates, their variances added.

    Student's t with the smaller number of degrees of freedom, which is on the safe side (B. L. Welch,
    Biometrika 34 (1947), 28-35, has one between that and the sum). A share that never varied is as uncertain
    as its interval is wide; with a mean that never varied, as of one pair, there is no interval.
    """
    assert before.estimate is not None and after.estimate is not None
    gap = after.estimate - before.estimate
    errors = [_error(one) for one in (before, after)]
    if None in errors or not any(errors):
        return Estimate(gap, None, None)
    error = float(np.hypot(errors[0] or 0.0, errors[1] or 0.0))
    known = [one.freedom for one in (before, after) if one.se is not None and one.freedom is not None]
    freedom = min(known) if known else None
    reach = float(stdtrit(freedom or 1e9, (1 + LEVEL) / 2)) * error
    return Estimate(gap, gap - reach, gap + reach, error, freedom)


def _error(told: Estimate) -> float | None:
    """Return a standard error; of what never varied that which its interval stands for, None without one."""
    if told.se is not None:
        return told.se
    return None if told.reach is None else told.reach / float(ndtri((1 + LEVEL) / 2))


def _adjusted(gaps: Sequence[Estimate]) -> list[PValue | None]:
    """Return p-values adjusted by Holm; None for differences that never varied."""
    p_values = [p_value(gap, 0.0) for gap in gaps]
    known = [p for p in p_values if p is not None]
    told = iter(holm(known + [PValue(0.0)] * (len(gaps) - len(known))).adjusted)
    return [None if p is None else next(told) for p in p_values]


def settings_that_differ(before: Results, after: Results) -> list[tuple[str, Any, Any]]:
    """Return the keys of two experiments that differ, then versions, files and sources that do."""
    first, second = (_flat(run.experiment.to_dict()) for run in (before, after))
    told = [
        (key, first.get(key), second.get(key))
        for key in dict.fromkeys([*first, *second])
        if first.get(key) != second.get(key)
    ]
    for name in ("source_hash", "versions", "files"):
        one, two = before.manifest.get(name), after.manifest.get(name)
        if one != two and one is not None and two is not None:
            told.append((name, one, two))
    return told


def _flat(data: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    told: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, Mapping):
            told |= _flat(value, f"{path}{key}.")
        else:
            told[f"{path}{key}"] = value
    return told
