"""A best reply in words and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from analysis.knocking.gain import OWN, THRESHOLDS, Gain
from analysis.match import mean_text, number
from strategies.knock_cells import DEADWOODS

if TYPE_CHECKING:
    from analysis.knocking.reply import Reply

Table = tuple[Sequence[str], list[Sequence[str]]]
CLOSEST = 5
"""Two-stage rules that are shown: those that come closest to the table."""
SELDOM = 0.0005
"""Turns with less than so many decisions a hand are left out of the map."""

GAIN = (
    "A knock-only best-reply gain: A's draws and discards stay as they are and only a table over own turn "
    "and deadwood was sought. So it is a lower bound of what can be won from that opponent. Points a hand, "
    "A less B, a void hand counting 0, measured on decks that nothing was fitted or chosen on."
)
LEGEND = (
    "Columns are points of deadwood. K: knock, -: wait, with ? where the tables from the starts disagree "
    "(undetermined); blank: the table never comes there. The last column: decisions in 100 hands."
)


def map_rows(reply: Reply) -> Table:
    """Return the table of a reply as a map, a row for each own turn."""
    often = reply.reach.sum(axis=1)
    shown = np.flatnonzero(often >= SELDOM)
    last = int(shown.max()) if len(shown) else 0
    rows: list[Sequence[str]] = []
    for turn in range(last + 1):
        cells = []
        for deadwood in range(DEADWOODS):
            if reply.reach[turn, deadwood] == 0:
                cells.append("")
                continue
            mark = "K" if reply.policy.shares[turn, deadwood] > 0.5 else "-"
            cells.append(mark + "?" * bool(reply.undetermined[turn, deadwood]))
        rows.append([str(turn + 1), *cells, f"{100 * often[turn]:.1f}"])
    return ("turn", *map(str, range(DEADWOODS)), "decisions"), rows


def trace_rows(reply: Reply) -> Table:
    """Return the values of the tables that were tried, a row for each start and iteration."""
    rows: list[Sequence[str]] = []
    for row in reply.trace.to_dict(orient="records"):
        told = {name: None if row[name] != row[name] else row[name] for name in ("estimate", "low", "high")}
        changed = str(row["changed"]) if row["iteration"] else ""
        rows.append(
            (
                str(row["start"]),
                str(row["iteration"]),
                mean_text(told),
                changed,
                "kept" if row["kept"] else "",
            )
        )
    return ("from", "iteration", "points a hand", "cells changed", ""), rows


def gain_rows(gain: Gain) -> Table:
    """Return gains over the own rule, thresholds and the two-stage rules that come closest."""
    rules = gain.rules.set_index("rule")
    stages = rules[rules.index.str.startswith("two_stage")].sort_values("gain")
    names = [OWN, *(f"threshold({k})" for k in THRESHOLDS), *stages.index[:CLOSEST]]
    rows: list[Sequence[str]] = []
    for name in names:
        row = rules.loc[name]
        value, band = (
            mean_text({part: None if row[key] != row[key] else float(row[key]) for part, key in keys.items()})
            for keys in (
                {"estimate": "value", "low": "value_low", "high": "value_high"},
                {"estimate": "gain", "low": "gain_low", "high": "gain_high"},
            )
        )
        rows.append((name, value, band))
    return ("A knocks by", "points a hand", "the table's gain"), rows


def remarks(reply: Reply, gain: Gain) -> list[str]:
    """Return what the tables show, in sentences."""
    total = float(reply.reach.sum())
    unsure = float(reply.reach[reply.undetermined].sum()) / total if total else 0.0
    count = len(gain.rules) - 1
    better = [name for name in gain.better() if name != OWN]
    told = (
        f"None of the {count:,} thresholds and two-stage rules is shown to be better than the table"
        if not better
        else f"Shown to be better than the table: {', '.join(better[:8])}"
    )
    over = gain.over_best
    return [
        f"{told} (95 % bands that hold for all of them at once).",
        f"Best of them on {gain.chosen_on:,} other pairs: {gain.best}; the table's gain over it is "
        f"{mean_text(over.to_dict())} points a hand.",
        f"{number(100 * unsure, 1)} % of the table's decisions are in undetermined cells.",
    ]
