"""The page of a run of very many cells: what there is, the ends of it, and how to see any part whole.

It is made from the table of cells alone, so it takes seconds where a full report would take hours.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from analysis.charts.words import quantity
from analysis.metrics import HEADLINES
from analysis.report.answer import axis_words
from analysis.report.blocks import Block, Cell, Code, Items, Note, Page, Section, Table, Text, code, plain
from analysis.report.facts import even_value
from analysis.report.reproduce import reproduce_run
from analysis.report.setup import rules_blocks, strategy_blocks
from analysis.report.words import label_cell, number_cell
from analysis.stats.estimates import Estimate
from analysis.store.tables import column_name

if TYPE_CHECKING:
    from analysis.store.results import Results

MOST_CELLS = 2_000
"""Cells of which a full report is made."""
ENDS = 12
"""Cells shown with the largest numbers, and as many with the smallest."""
LABELS = 40
"""Labels of an axis that are told one by one."""


def overview_page(results: Results, cells_file: str) -> Page:
    """Return the page of a run of more than `MOST_CELLS` cells."""
    spec = results.experiment.spec
    metric = spec.metric
    columns = [metric, f"{metric}_low", f"{metric}_high"]
    columns += [f"{metric}_anytime_low", f"{metric}_anytime_high"]
    cells = results.table("cells", ["cell", "pairs", "games", "hands", "stopped", "rules_hash", *columns])
    fixed = cells["stopped"] == "pairs"
    for end in ("low", "high"):  # that holds for the way a cell was stopped
        cells[end] = cells[f"{metric}_{end}"].where(fixed, cells[f"{metric}_anytime_{end}"])
    examples = results.cells.examples()
    sections = [
        Section("answer", "What there is", _answer(results, cells)),
        Section("ends", "The largest and the smallest", _ends(results, cells)),
        Section("axes", "Along each axis", _axes(results, cells)),
        Section("parts", "How to see a part whole", _parts(results, cells_file)),
        Section("rules", "Rules", rules_blocks(examples)),
        Section("strategies", "Strategies", strategy_blocks(examples, results.manifest.get("files", {}))),
        Section("reproduce", "How to reproduce", reproduce_run(results)),
    ]
    pairs = cells["pairs"]
    each = f"{pairs.min():,}" if pairs.min() == pairs.max() else f"{pairs.min():,} to {pairs.max():,}"
    line = (
        f"{len(cells):,} cells of {each} mirrored pairs; {cells['games'].sum():,} games, "
        f"{cells['hands'].sum():,} hands in all; seed {spec.seed}; "
        f"{cells['rules_hash'].nunique():,} set{'s' * (cells['rules_hash'].nunique() > 1)} of rules."
    )
    return Page(plain(spec.title), plain(spec.question), line, sections)


def _told(cells: pd.DataFrame, at: int, metric: str) -> Estimate:
    """Return a cell's estimate by its place in the table."""
    parts = cells[[metric, "low", "high"]].to_numpy(float)[at].tolist()
    value, low, high = (None if math.isnan(part) else part for part in parts)
    return Estimate(value, low, high)


def _answer(results: Results, cells: pd.DataFrame) -> list[Block]:
    metric = results.experiment.spec.metric
    what, even = quantity(metric), even_value(metric) or 0.0
    values = cells[metric].dropna()
    blocks: list[Block] = []
    waiting = int((cells["stopped"] == "interrupted").sum())
    if waiting:
        blocks.append(
            Note(f"The run is not finished: {waiting:,} of {len(cells):,} cells have pairs to play.")
        )
    if values.empty:
        return [*blocks, Text("No cell has a number yet.", lead=True)]
    quarters = [what.shown(float(one)) for one in np.quantile(values, (0, 0.25, 0.5, 0.75, 1))]
    ahead, behind = int((cells["low"] > even).sum()), int((cells["high"] < even).sum())
    return [
        *blocks,
        Text(
            f"Over the cells, {what.label} go from {quarters[0]} to {quarters[4]}; half of the cells lie "
            f"between {quarters[1]} and {quarters[3]}, the middle one is at {quarters[2]}.",
            lead=True,
        ),
        Text(
            f"Side A is ahead in {ahead:,} cells and behind in {behind:,} by the 95 % interval of each cell "
            f"alone. Of {len(cells):,} cells with equal sides about {0.025 * len(cells):,.0f} would show A "
            "ahead by chance, and as many behind."
        ),
    ]


def _ends(results: Results, cells: pd.DataFrame) -> list[Block]:
    metric = results.experiment.spec.metric
    values = cells[metric].to_numpy(float)
    order = [int(at) for at in np.argsort(-values, kind="stable") if not np.isnan(values[at])]
    count = min(ENDS, len(order) // 2)
    shown = [*order[:count], *order[len(order) - count :]]
    rows = []
    for at in shown:  # the rows stand in the order of the cells
        cell = results.cells[at]
        names = [
            label_cell(cell.keys.get(axis.name, label))
            for axis, label in zip(results.axes, cell.labels, strict=True)
            if len(axis.labels) > 1
        ]
        rows.append([*names, number_cell(_told(cells, at, metric), metric)])
    headers = [axis_words(axis.name) for axis in results.axes if len(axis.labels) > 1]
    return [
        Text(
            "These were picked by their numbers from very many, so they flatter: played again on other decks "
            "they would lie nearer the middle. The intervals are of each cell for itself."
        ),
        Table(
            f"The {count} cells with the largest numbers and the {count} with the smallest.",
            [*headers, quantity(metric).label],
            rows,
        ),
    ]


def _axes(results: Results, cells: pd.DataFrame) -> list[Block]:
    metric = results.experiment.spec.metric
    what = quantity(metric)
    blocks: list[Block] = [
        Text(
            "For each value of an axis: the mean of all its cells, each counting alike, and the least and "
            "the most of them. These describe the cells that were played; they have no intervals."
        )
    ]
    values = cells[metric].to_numpy(float).reshape(results.cells.shape)
    for place, axis in enumerate(results.axes):
        if not 1 < len(axis.labels) <= LABELS:
            continue
        along = np.moveaxis(values, place, 0).reshape(len(axis.labels), -1)
        rows = []
        for label, mine in zip(axis.labels, along, strict=True):
            mine = mine[~np.isnan(mine)]
            told = [float(of(mine)) for of in (np.mean, np.min, np.max)] if mine.size else []
            numbers = [Cell(what.shown(one), what.scale * one) for one in told] or [Cell("")] * 3
            rows.append([Cell(code(label)) if axis.name in ("a", "b") else label_cell(label), *numbers])
        headers = [axis_words(axis.name), f"mean of {what.label}", "least", "most"]
        blocks.append(Table(f"By {axis_words(axis.name)}.", headers, rows, sortable=len(rows) > 5))
    return blocks


def _parts(results: Results, cells_file: str) -> list[Block]:
    axis = max(results.axes, key=lambda one: len(one.labels))
    others = [name for name in HEADLINES if name != results.experiment.spec.metric]
    column = column_name(axis.name)
    return [
        Text(
            f"A full report, with charts, is made of at most {MOST_CELLS:,} cells. It is made of a part of "
            "this run, such as:"
        ),
        Code(f"ginlab report run --only {axis.name}={axis.labels[0]} --out part"),
        Text(f"All cells with all numbers are in {code(cells_file)}. From Python, without reading all:"),
        Code(
            "import analysis\n\n"
            'results = analysis.load("run")\n'
            f'results.table("cells", columns=["{column}", "{results.experiment.spec.metric}"])\n'
            'results.table("cells", cells=[0, 1, 2])\n'
            "results.tally(0)  # exact counters by group of pairs",
            "python",
        ),
        Items(
            [
                "Every file of the run is Parquet, so that DuckDB, pandas or polars read it too.",
                f"The table has {' and '.join(map(code, others))} too.",
            ]
        ),
    ]
