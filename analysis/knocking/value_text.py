"""What a knock is worth, in words: the estimand, maps of knock or wait, the long table, the styles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from analysis.knocking.cells import AXES
from analysis.knocking.value import CONTINUATIONS
from analysis.knocks import LEAST
from analysis.match import mean_text, number

if TYPE_CHECKING:
    from analysis.knocking.styles import Cautious

POPULATION_WORDS = {
    "first": "the first legal knock of each hand, which does not depend on A's knock rule",
    "every": "every legal knock of a player who never knocks short of gin, several a hand",
}
CONTINUATION_WORDS = {
    "once": "decline now, then A's own knock rule",
    "gin": "decline now, then never short of gin",
}
MARKS = {"knock": "K", "wait": "w", "undecided": "?"}
"""Verdicts in maps."""

Grid = tuple[str, list[str], list[list[str]]]
"""Title, headers and rows."""


def estimand(population: str) -> str:
    """Say in a sentence what is estimated."""
    return (
        f"delta is A's mean points of the hand (less B's; a void hand counts 0) if he knocks now, less the "
        f"same if he declines now and goes on as named, on the same deal; over "
        f"{POPULATION_WORDS[population]}."
    )


def legend(count: str = "") -> str:
    """Say what stands in the maps."""
    return (
        f"K: knock, w: wait, ?: undecided, by a band that holds in all cells{count} at once with 95 %. "
        f"Blank: fewer than {LEAST} hands."
    )


def maps(table: pd.DataFrame, by: Sequence[str]) -> Iterator[Grid]:
    """Yield for each continuation a map of delta and verdict, the first of two axes from left to right.

    Parameters
    ----------
    table : DataFrame
        From `analysis.knocking.value.value_table` by two axes.
    by : sequence of str
        Those axes.
    """
    for continuation in CONTINUATIONS:
        own = table[(table["continuation"] == continuation) & (table["hands"] >= LEAST)]
        if len(own):
            texts = [
                f"{number(delta, 1) if delta < 0 else '+' + number(delta, 1)}{MARKS[verdict]}"
                for delta, verdict in zip(own["delta"], own["verdict"], strict=True)
            ]
            title = f"delta, points: knock now against {CONTINUATION_WORDS[continuation]}"
            yield title, *_grid(own, by, texts)


def _grid(cells: pd.DataFrame, by: Sequence[str], texts: list[str]) -> tuple[list[str], list[list[str]]]:
    """Return headers and rows of texts: the first axis from left to right, the second downwards."""
    across, down = by
    placed = {
        (x, y): text for x, y, text in zip(cells[across].tolist(), cells[down].tolist(), texts, strict=True)
    }
    columns, lines = (sorted(cells[name].unique().tolist()) for name in (across, down))
    headers = [f"{down} \\ {across}", *(AXES[across].label(x) for x in columns)]
    return headers, [[AXES[down].label(y), *(placed.get((x, y), "") for x in columns)] for y in lines]


def verdict_counts(table: pd.DataFrame) -> list[str]:
    """Say for each continuation in how many cells which verdict stands."""
    lines = []
    for continuation in CONTINUATIONS:
        own = table[(table["continuation"] == continuation) & (table["hands"] >= LEAST)]
        signs = own["verdict"].value_counts()
        lines.append(
            f"{continuation}: knock in {signs.get('knock', 0)} of {len(own)} cells, wait in "
            f"{signs.get('wait', 0)}, undecided in {signs.get('undecided', 0)}."
        )
    return lines


def long_rows(table: pd.DataFrame, by: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Return headers and rows of the long table, a row for each row of it."""
    counted = ["knocks"] if "knocks" in table.columns else []
    headers = [*by, "h", "hands", *counted, "knock", "continue", "delta", "undercut %", "win %", "verdict"]
    rows = []
    for row in table.to_dict("records"):
        delta = {"estimate": row["delta"], "low": _known(row["low"]), "high": _known(row["high"])}
        rows.append(
            [
                *(AXES[name].label(row[name]) for name in by),
                str(row["continuation"]),
                f"{row['hands']:,}",
                *(f"{row[name]:,}" for name in counted),
                number(row["v_knock"], 1),
                number(row["v_continue"], 1),
                mean_text(delta),
                number(100 * row["p_undercut"], 1),
                number(100 * row["p_win"], 1),
                str(row["verdict"]),
            ]
        )
    return headers, rows


def _known(value: float) -> float | None:
    return None if pd.isna(value) else value


# --- styles --------------------------------------------------------------------------------------


def sign_maps(table: pd.DataFrame, by: Sequence[str]) -> Iterator[Grid]:
    """Yield for each continuation a map of in how many settings the sign of delta is decided which way.

    Parameters
    ----------
    table : DataFrame
        From `analysis.knocking.styles.sign_table` by two axes.
    by : sequence of str
        Those axes.
    """
    for continuation in CONTINUATIONS:
        own = table[table["continuation"] == continuation]
        own = own[own[["knock", "wait", "undecided"]].sum(axis=1) > 0]
        if len(own):
            texts = [sign_text(row) for row in own.to_dict("records")]
            title = f"settings of the twelve: knock now against {CONTINUATION_WORDS[continuation]}"
            yield title, *_grid(own, by, texts)


def sign_text(row: Mapping[Any, Any]) -> str:
    """Write the settings of a cell: how many say knock, wait, undecided, without those that are none."""
    return "".join(f"{row[name]}{mark}" for name, mark in MARKS.items() if row[name])


def sign_rows(table: pd.DataFrame, by: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Return headers and rows of the table of signs."""
    counted = ("knock", "wait", "undecided", "too_few")
    headers = [*by, "h", *(name.replace("_", " ") for name in counted), "least delta", "most delta"]
    rows = [
        [
            *(AXES[name].label(row[name]) for name in by),
            str(row["continuation"]),
            *(str(row[name]) for name in counted),
            *("" if pd.isna(row[end]) else number(row[end], 1) for end in ("least", "most")),
        ]
        for row in table.to_dict("records")
    ]
    return headers, rows


def cautious_lines(told: Cautious) -> list[str]:
    """Say which knock rule has the least worst-case loss."""
    others = ", ".join(
        f"{row['rule']} {number(row['worst'])}" for row in told.ranking.iloc[1:4].to_dict("records")
    )
    thresholds = told.ranking[told.ranking["rule"].str.startswith("threshold(")].iloc[0]
    return [
        f"The knock rule with the least worst-case loss is {told.rule}: to the best rule of each setting it "
        f"loses at most {mean_text(told.loss.to_dict())} points a hand (jackknife 95 %), v "
        f"{told.ranking['opponent'].iloc[0]} with the style {told.ranking['style'].iloc[0]}.",
        f"Next are {others}; the best threshold is {thresholds['rule']}, {number(thresholds['worst'])}. "
        f"{number(100 * told.share, 0)} % of bootstrap draws of the decks name the same rule.",
    ]


def setting_rows(told: Cautious) -> tuple[list[str], list[list[str]]]:
    """Return headers and rows of the settings: their best rule, and what the named rule loses to it."""
    headers = ["style", "opponent", "best rule", "points a hand", f"loss of {told.rule}"]
    rows = [
        [
            row["style"],
            row["opponent"],
            row["best"],
            number(row["points"]),
            mean_text({"estimate": row["loss"], "low": _known(row["low"]), "high": _known(row["high"])}),
        ]
        for row in told.settings.to_dict("records")
    ]
    return headers, rows
