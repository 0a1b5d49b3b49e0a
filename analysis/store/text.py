"""A run in words: what was played, and its cells in a table for the terminal."""

from __future__ import annotations

import math
from typing import Any

from analysis.match import mean_text, number, percent, rules_text, share_text
from analysis.metrics import HEADLINES, METRICS
from analysis.store.results import Results


def heading(results: Results) -> list[str]:
    """Return the title, the question, and what was played."""
    spec = results.experiment.spec
    cells = results.table("cells")
    lines = [spec.title]
    if spec.question:
        lines.append(spec.question)
    for side in "ab":
        texts = cells[side].unique()
        if len(texts) == 1:
            lines.append(f"{side.upper()} = {texts[0]}")
    names = {cell.preset for cell in results.cells}
    if len({cell.rules.hash for cell in results.cells}) == 1:
        cell = results.cells[0]
        fields = {"preset": cell.preset, "settings": list(cell.settings), "fields": cell.rules.to_dict()}
        lines.append(rules_text(fields))
    elif len(names) == 1:
        lines.append(f"Rules {names.pop()}, changed as the cells say")
    pairs = cells["pairs"]
    count = f"{len(cells):,} cells of " if len(cells) > 1 else ""
    each = f"{pairs.min():,}" if pairs.min() == pairs.max() else f"{pairs.min():,} to {pairs.max():,}"
    lines.append(f"{count}{each} mirrored pairs, {cells['games'].sum():,} games in all, seed {spec.seed}")
    return lines


def rows(results: Results, most: int) -> tuple[list[str], list[list[str]]]:
    """Return headers and rows of the first cells: labels and the headline metrics.

    The experiment's own metric comes first, with its interval: for any stop where the pairs were not fixed.
    """
    cells = results.table("cells").head(most)
    own = results.experiment.spec.metric
    metrics = [own, *(name for name in HEADLINES if name != own)]
    varied = cells["pairs"].nunique() > 1
    headers = [*(axis.name for axis in results.axes), *(_HEADERS[name] for name in metrics)]
    if varied:
        headers += ["Pairs", "Stopped"]
    body = []
    for cell, row in zip(results.cells, cells.to_dict(orient="records"), strict=False):
        told = [*cell.labels]
        told += [_metric(row, name, with_interval=name == own) for name in metrics]
        body.append([*told, f"{row['pairs']:,}", _stopped(row["stopped"])] if varied else told)
    return headers, body


_HEADERS = {"game_share": "Games won", "hand_share": "Hands won", "points_per_hand": "Points a hand"}


def _stopped(reason: str) -> str:
    """Write why a cell's play ended, no longer than the header."""
    return "not yet" if reason == "interrupted" else reason


def _metric(row: dict[Any, Any], name: str, with_interval: bool) -> str:
    """Write a metric of a row."""
    value = row[name]
    if math.isnan(value):
        return "n/a"
    if not with_interval:
        return f"{percent(value)} %" if METRICS[name].share else number(value)
    ends = "" if row["stopped"] == "pairs" else "_anytime"
    low, high = (row[f"{name}{ends}_{end}"] for end in ("low", "high"))
    told = {"estimate": value, "low": None, "high": None}
    if not math.isnan(low):
        told |= {"low": low, "high": high}
    return share_text(told) if METRICS[name].share else mean_text(told)
