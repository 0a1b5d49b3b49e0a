"""What articles on changing rules share: the comparison, its levels as curves and tables, claims."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.charts.curves import curves_alt, curves_height, draw_curves
from analysis.charts.save import Saved, save_chart
from analysis.knocking.moves import ANSWERS, Moves, Plan, compare_rule_sets
from analysis.knocking.rule_sets import RuleSet
from analysis.request import available_threads
from analysis.stats.estimates import Estimate
from results.publish import Claim, interval
from strategies.base import parse_strategy, player

WORDS = {
    "fixed": "A's own rule v B",
    "reply": "A's best knock table v B",
    "equilibrium": "both by the table of self-play",
}
"""The three answers."""
SCALES = {"edge": (100.0, 2), "knock_share": (100.0, 1), "knock_deadwood": (1.0, 2), "game_share": (100.0, 2)}
"""Factor to what is printed, and decimals, of each measure."""


def compared(a: str, b: str, sets: Sequence[RuleSet], plan: Plan, seed: int) -> Moves:
    """Fit and measure the answers under each rule set."""
    return compare_rule_sets(
        parse_strategy(a),
        player(parse_strategy(b)),
        sets,
        plan._replace(seed=seed, threads=available_threads()),
    )


def level(moves: Moves, name: str, answer: str, measure: str) -> Estimate | None:
    """Return a measure under a rule set; None where there is none."""
    for one in moves.levels:
        if (one.rule_set, one.answer, one.measure) == (name, answer, measure):
            return one.value
    return None


def adaptation(
    one: Moves, again: Moves, name: str, answer: str, measure: str, words: str, **how: Any
) -> Claim:
    """Return the claim that A's adaptation to a rule set changes a measure."""

    def found(moves: Moves) -> Estimate:
        return next(
            change.adaptation
            for change in moves.changes
            if (change.rule_set, change.answer, change.measure) == (name, answer, measure)
        )

    scale, digits = SCALES[measure]
    return Claim(words, found(one), found(again), 0, scale, digits=digits, **how)


def curves(
    moves: Moves, measure: str, axis: str, places: dict[str, tuple[str, str]], panel_axis: str = ""
) -> pd.DataFrame:
    """Return a measure as the table of `analysis.charts.curves.draw_curves`, a line for each answer.

    Parameters
    ----------
    places : dict of str to (str, str)
        Rule sets shown, with their panel and their place along the axis.
    """
    rows = []
    for answer in ANSWERS:
        for name, (panel, x) in places.items():
            value = level(moves, name, answer, measure)
            if value is not None and value.estimate is not None:
                rows.append(
                    {
                        "x_axis": axis,
                        "x": x,
                        "line_axis": "answer",
                        "line": WORDS[answer],
                        "panel_axis": panel_axis,
                        "panel": panel,
                        "metric": measure,
                        "estimate": value.estimate,
                        "low": value.estimate if value.low is None else value.low,
                        "high": value.estimate if value.high is None else value.high,
                    }
                )
    return pd.DataFrame(rows)


def level_charts(
    folder: Path,
    moves: Moves,
    titles: dict[str, str],
    axis: str,
    places: dict[str, tuple[str, str]],
    *,
    caption: str,
    shown: str,
    panel_axis: str = "",
) -> list[tuple[Saved, str]]:
    """Draw a chart of each measure that has a title; ``shown`` is added to what the page says of it."""
    charts = []
    for measure, title in titles.items():
        info = curves(moves, measure, axis, places, panel_axis)
        saved = save_chart(
            draw_curves,
            info,
            folder / measure,
            height=curves_height(info, 7.0),
            title=title,
            caption=caption,
            alt=curves_alt(info),
        )
        charts.append((saved, f"{title}{shown}"))
    return charts


def all_levels(moves: Moves) -> pd.DataFrame:
    """Return every measure at full precision."""
    return pd.DataFrame(
        [
            {"rules": one.rule_set, "answer": one.answer, "measure": one.measure, **one.value.to_dict()}
            for one in moves.levels
        ]
    )


def level_rows(moves: Moves, measures: dict[str, str]) -> pd.DataFrame:
    """Return a table to be read: a row for each rule set, the measures by answer."""
    rows = []
    for chosen in moves.sets:
        row: dict[str, Any] = {"rules": chosen.name}
        for measure, title in measures.items():
            scale, digits = SCALES[measure]
            for answer in ANSWERS:
                value = level(moves, chosen.name, answer, measure)
                if value is not None:
                    row[f"{title}, {answer}"] = interval(value, scale, digits=digits)
        rows.append(row)
    return pd.DataFrame(rows).fillna("")
