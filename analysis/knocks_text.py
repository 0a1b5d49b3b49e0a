"""The knocking tables in words: a matrix of deadwood by own turn for each measure and side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from analysis.knocks import LEAST, first_legal, knock_cells, last_turn_label, layoffs
from analysis.match import mean_text, number, percent
from sim.tally import Tally

TURNS = 9
"""Own turns with a column of their own; later ones share the last."""

MEASURES = (
    ("P(undercut), % of knocks taken", "undercut", "taken", 100, 1),
    ("P(win), % of knocks taken", "won", "taken", 100, 1),
    ("Points of a knock taken, own less the other's", "points_sum", "taken", 1, 1),
    ("Points of a hand in which a knock was declined", "points_later_sum", "declined", 1, 1),
)
"""Title, counter, what it is divided by, factor, decimals."""


PARTS = (("estimate", ""), ("low", "_low"), ("high", "_high"))
"""Parts of an estimate, and what their columns end in."""


def knocks_dict(tally: Tally) -> dict[str, Any]:
    """Return the knocking tables as plain data: a list of rows for each."""
    return {
        name: table.to_dict("records")
        for name, table in (
            ("cells", knock_cells(tally)),
            ("first_legal", first_legal(tally)),
            ("layoffs", layoffs(tally)),
        )
    }


def matrices(tally: Tally) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield title, headers and rows of each side's measures; cells of fewer than `LEAST` hands are blank."""
    cells = knock_cells(tally)
    cells["column"] = cells["own_turn"].clip(upper=TURNS + 1)
    for side in "ab":
        own = cells[cells["side"] == side]
        for title, above, below, factor, digits in MEASURES:
            counts = own.groupby(["deadwood", "column"])[[above, below]].sum()
            counts = counts[counts[below] >= LEAST]
            if len(counts):
                headers, rows = _matrix(factor * counts[above] / counts[below], digits)
                yield f"{side.upper()}: {title}", headers, rows


def _matrix(values: pd.Series[float], digits: int) -> tuple[list[str], list[list[str]]]:
    table = values.unstack().sort_index().sort_index(axis=1)
    turns = [int(turn) for turn in table.columns]
    headers = ["deadwood", *(f"{turn}+" if turn > TURNS else str(turn) for turn in turns)]
    rows = [
        [str(deadwood), *("" if pd.isna(value) else number(value, digits) for value in row)]
        for deadwood, row in zip(table.index, table.to_numpy(), strict=True)
    ]
    return headers, rows


def remarks(tally: Tally) -> list[str]:
    """Return when knocks became legal and what was laid off, a line each."""
    lines = []
    turns = first_legal(tally)
    for side in "ab":
        own = turns[(turns["side"] == side) & (turns["hands"] > 0)]
        hands, legal = own["hands"].sum(), own[own["own_turn"] > 0]
        if len(legal):
            reached = legal["hands"].cumsum().searchsorted(legal["hands"].sum() / 2)
            median = last_turn_label(int(legal["own_turn"].iloc[int(reached)]))
            lines.append(
                f"{side.upper()} could knock in {percent(legal['hands'].sum() / hands)} % of hands, "
                f"for the first time on own turn {median} in the median."
            )
    for row in layoffs(tally).to_dict("records"):
        if row["knocks"]:
            other = "b" if row["side"] == "a" else "a"
            cards, points = (
                mean_text({part: _known(row[f"{name}{end}"]) for part, end in PARTS})
                for name in ("cards", "points")
            )
            defender, knocker = row["side"].upper(), other.upper()
            lines.append(f"{defender} laid off {cards} cards and {points} points a knock of {knocker}.")
    lines.append(f"Blank cells rest on fewer than {LEAST} hands.")
    return lines


def _known(value: float) -> float | None:
    return None if pd.isna(value) else value
