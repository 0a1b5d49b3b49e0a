"""A comparison of two runs in words and tables for the terminal."""

from __future__ import annotations

import json
from typing import Any

from analysis.charts.words import quantity
from analysis.report.compare import Change, Comparison
from analysis.report.words import NO_NUMBER, ends_text, listing, number_text, several

Rows = list[tuple[str, ...]]

SHOWN = 6
"""Cells in one run alone that are named."""


HOLM = "Holm's procedure"
ANY_STOP = "intervals that hold at any stop, the error shared"


def setting_text(value: Any) -> str:
    """Write a setting; one that is not there as a dash, a long one shortened."""
    if value is None:
        return "-"
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def settings_rows(told: Comparison) -> Rows:
    """Return the settings that differ: key, before, after."""
    return [(key, setting_text(before), setting_text(after)) for key, before, after in told.settings]


def has_p(told: Comparison) -> bool:
    """Tell whether a comparison has p-values: pairs that were not settled beforehand give none."""
    return told.fixed or any(change.p is not None for change in told.changes)


def headers(told: Comparison) -> tuple[str, ...]:
    """Return what stands above the columns of `change_rows`."""
    columns = ("Metric", "Before", "After", "Change")
    return (*columns, "p (Holm)" if told.fixed else "p (Bonf.)") if has_p(told) else columns


def change_rows(changes: list[Change], with_p: bool = True) -> Rows:
    """Return changes: metric with unit, before, after, the change with its 95 % interval, the p-value.

    Where pairs were not settled beforehand, the interval that holds at any stop stands in a row below.
    """
    rows: Rows = []
    for change in changes:
        what = quantity(change.metric)
        gap = number_text(change.gap, what, sign=True) + ends_text(change.gap, what, sign=True)
        star = "*" if change.significant else ""
        p = (("" if change.p is None else str(change.p)),) if with_p else ()
        before, after = number_text(change.before, what), number_text(change.after, what)
        rows.append((what.label, before, after, gap + star, *p))
        if change.anytime is not None:
            ends = ends_text(change.anytime, what, sign=True).strip() or NO_NUMBER
            rows.append(("  at any stop", "", "", ends, *("" for _ in p)))
    return rows


def by_cell(changes: list[Change]) -> list[tuple[str, list[Change]]]:
    """Return changes by cell, in order."""
    told: dict[str, list[Change]] = {}
    for change in changes:
        told.setdefault(change.cell, []).append(change)
    return list(told.items())


def summary(told: Comparison) -> list[str]:
    """Return what was compared and what came of it, a line each."""
    shown = len(told.significant)
    lines = [
        f"{several(told.cells, 'cell')} in common, {several(len(told.changes), 'comparison')}; "
        f"{shown or 'none'} {'is' if shown == 1 else 'are'} significant by "
        f"{HOLM if told.fixed else ANY_STOP} over all of them (family-wise error 5 %).",
        _decks(told),
    ]
    for names, which in ((told.only_before, "first"), (told.only_after, "second")):
        if names:
            lines.append(f"{several(len(names), 'cell')} in the {which} run alone: {listing(names, SHOWN)}.")
    if not told.fixed:
        lines.append(
            "Some cells did not play a number of pairs settled beforehand (width, sequential test, "
            "extension or interruption). For these the interval of fixed pairs holds less often than 95 %; "
            "the one at any stop holds however either run was stopped, and has no p-value."
        )
    if not shown and all(change.gap.estimate == 0 for change in told.changes):
        lines.append("Every number is exactly the same in both runs.")
    return lines


def _decks(told: Comparison) -> str:
    paired = sum(change.paired for change in told.changes)
    if paired == len(told.changes):
        return (
            "Both runs played the same decks: differences are paired, by a jackknife that leaves the same "
            "group of pairs out of both."
        )
    if not told.same_seed:
        return "The runs have different seeds, so different decks: they are independent and variances add."
    return (
        f"{paired} of {len(told.changes)} comparisons are of the same decks and paired; in the others "
        "the decks are not the same all through, and variances add."
    )
