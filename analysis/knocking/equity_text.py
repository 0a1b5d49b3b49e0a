"""Match equity told: rows of data, a report, and tables in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.knocking.equity import QUANTITIES, Equity
from analysis.match import mean_text, number, request_dict, share_text

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.knocking.outcomes import Outcomes
    from analysis.request import Match

DEALS = ("a", "b")
ROWS = 10
"""Scores of a side that a table in words has."""
ESTIMAND = "A's chance to win the game, and the mean of A's final total less B's, before a hand is dealt"


def paid(equity: Equity) -> tuple[str, ...]:
    """Return the quantities worth telling: shutouts where the rules reward them."""
    return QUANTITIES if equity.rules.shutout != "none" else QUANTITIES[:2]


def equity_table(equity: Equity, score: tuple[int, int] | None, dealer: int | None) -> DataFrame:
    """Return the equity as data: a row for each side that deals and each score, or for those asked for.

    Returns
    -------
    pandas.DataFrame
        ``dealer`` (a, b), ``score_a``, ``score_b``, and of each quantity the estimate and the ends of its
        95 % interval, with ``_low`` and ``_high``.
    """
    import pandas as pd

    target = equity.rules.game_target
    a, b = np.divmod(np.arange(target * target), target)
    parts = []
    for side in (0, 1) if dealer is None else (dealer,):
        told: dict[str, Any] = {"dealer": DEALS[side], "score_a": a, "score_b": b}
        found = equity.intervals(side)
        for name in paid(equity):
            for end, values in zip(("", "_low", "_high"), found[name], strict=True):
                told[name + end] = values.ravel()
        parts.append(pd.DataFrame(told))
    table = pd.concat(parts, ignore_index=True)
    if score is None:
        return table
    return table[(table["score_a"] == score[0]) & (table["score_b"] == score[1])].reset_index(drop=True)


def equity_report(
    match: Match, outcomes: Outcomes, equity: Equity, table: DataFrame, score: tuple[int, int] | None
) -> dict[str, Any]:
    """Return what was measured as plain data."""
    return {
        **request_dict(match),
        "estimand": ESTIMAND,
        "pairs": match.pairs,
        "hands": outcomes.hands,
        "score_cells": len(outcomes.counts),
        "asked_score": None if score is None else list(score),
        "rows": table.to_dict(orient="records"),
    }


def measured_text(match: Match, outcomes: Outcomes) -> str:
    """Say what the numbers rest on."""
    told = f"{outcomes.hands:,} hands, {match.pairs:,} mirrored pairs with each dealer, seed {match.seed}"
    if len(outcomes.counts) == 1:
        return f"{told}; play is the same at all scores"
    return f"{told}; in {len(outcomes.counts)} cells of scores with play of their own"


def score_rows(equity: Equity, score: tuple[int, int], dealer: int | None) -> list[list[str]]:
    """Return rows of one score: quantity, who deals, the number with its interval."""
    names = {
        "win": "A wins",
        "margin": "Final margin, points",
        "shutout_a": "A shuts B out",
        "shutout_b": "B shuts A out",
    }
    sides: list[int | None] = [0, 1, None] if dealer is None else [dealer]
    found = [equity.at(*score, side) for side in sides]
    rows = []
    for name in paid(equity):
        told = mean_text if name == "margin" else share_text
        for side, values in zip(sides, found, strict=True):
            deals = "as the rules say" if side is None else "AB"[side]
            rows.append([names[name] if side == sides[0] else "", deals, told(values[name].to_dict())])
    return rows


def win_rows(equity: Equity, dealer: int) -> tuple[list[str], list[list[str]]]:
    """Return headers and rows of A's chance in per cent: A's points down, B's across."""
    target = equity.rules.game_target
    scores = list(range(0, target, max(1, -(-target // ROWS))))
    win = 100 * equity.intervals(dealer)["win"][0]
    rows = [[str(a), *(number(float(win[a, b]), 1) for b in scores)] for a in scores]
    return ["A \\ B", *map(str, scores)], rows


def widest(equity: Equity) -> float:
    """Return the longest reach of an interval of A's chance, either side dealing, in percentage points."""
    reaches = []
    for dealer in (0, 1):
        estimate, low, high = equity.intervals(dealer)["win"]
        reaches.append(np.maximum(estimate - low, high - estimate).max())
    return 100 * float(max(reaches))
