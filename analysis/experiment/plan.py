"""What an experiment will cost and how sharp it will be, from about a second of play."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.experiment.axes import Axis
from analysis.experiment.cells import spread
from analysis.experiment.experiment import Experiment
from analysis.experiment.foretold import Floats, all_spreads, nearest
from analysis.experiment.schedule import stages
from analysis.match import games_of, play
from analysis.metrics import METRICS
from analysis.stats.power import deviation, half_width_of
from analysis.store.fields import kept_fields
from analysis.store.packed import pack
from sim.run import Run

SECONDS = 1.0
"""Play by which the time is told, in all."""
TIMED_CELLS = 10
"""Cells that are timed, spread evenly over the experiment."""
FIRST = 200
"""Pairs from which a cell's spread is known, to 5 %, and its speed roughly."""
MOST_CELLS = 60
"""Cells that are tried, spread over all; the others' spreads are told by a model of theirs."""
EACH = 10_000
"""Cells of which each is told; of more those alone that were tried."""
SHOWN = 60
"""Cells whose half-widths are printed."""
LOOK_BYTES = 4_500
"""What the journal and the tables keep of a cell for each look at it."""
FEW = 0.7
"""The power of their number that counters of few pairs take."""
CELL_BYTES = 2_000
"""A cell's rows in the tables that every run has, and in each one more that is recorded."""
LOOK_SECONDS = 0.013
"""What a cell's counters take to be kept at a look."""
CELL_SECONDS = 0.014
"""What a cell takes once: to be made, and its rows in the tables."""


def plan(experiment: Experiment, threads: int) -> dict[str, Any]:
    """Say what an experiment will take.

    Parameters
    ----------
    experiment : Experiment
        Its strategies are loaded.
    threads : int

    Returns
    -------
    dict
        ``cells``; ``pairs`` a cell (at most, where cells stop by themselves); ``games`` in all, as many as
        two a pair at least; ``seconds``; ``bytes`` on disk; ``half_widths`` of the experiment's metric:
        ``least``, ``median``, ``most``; ``each``: of every cell (of more than `EACH` of those tried) its
        number, labels, expected ``pairs``,
        ``half_width`` (None where a pilot's pairs do not vary), ``games`` and whether it was ``tried``, or
        its half-width is a model's (its games are as those of the nearest that was tried). ``model_error``:
        by which part the model misses the half-width of a tried cell that it has not seen (root mean square),
        the noise of that cell's own pilot included; None where all were tried.
    """
    cells = experiment.cells
    timed, pilot = (spread(len(cells), most) for most in (TIMED_CELLS, MOST_CELLS))
    tried = [cells[number] for number in sorted(timed | pilot)]
    metric = METRICS[experiment.spec.metric]
    looks = stages(experiment.spec)
    known: dict[int, float | None] = {}
    each_games: dict[int, float] = {}  # games a pair
    each: list[float] = []  # seconds a pair
    sizes: list[tuple[int, int]] = []  # pairs, and bytes that their counters take
    fields = kept_fields(experiment.spec.record)
    for cell in tried:
        run = play(cell.match, threads, 0, FIRST)
        if cell.number in timed:
            # The first pairs are slow, for nothing is in the caches yet; they tell how many to time.
            more = play(cell.match, threads, FIRST, _pairs_in(SECONDS / len(timed), run))
            each.append(more.seconds / more.pairs)
            whole = run.then(more)
            sizes += [(one.pairs, len(pack(one.tally, fields))) for one in (run, whole)]
            run = whole
        moments = run.tally.total("moments")
        known[cell.number] = deviation(moments, metric.numerator, metric.denominator, factor=metric.factor)
        each_games[cell.number] = games_of(moments) / int(moments[0, 0])
    spreads, error = all_spreads(cells.shape, known)
    near = np.array([each_games[cell.number] for cell in tried])
    games = near[nearest(cells.shape, np.array([cell.number for cell in tried]))]
    pairs = _expected_pairs(experiment, spreads)
    with np.errstate(invalid="ignore"):
        per_spread = np.array([half_width_of(1.0, count) if count > 1 else np.nan for count in looks])
        half_widths = np.where(spreads > 0, spreads * per_spread[np.searchsorted(looks, pairs)], np.nan)
    widths = half_widths[np.isfinite(half_widths)]
    shown = range(len(cells)) if len(cells) <= EACH else [cell.number for cell in tried]
    rows = [
        {
            "cell": number,
            "labels": list(cells[number].labels),
            "tried": number in known,
            "pairs": int(pairs[number]),
            "half_width": float(half_widths[number]) if np.isfinite(half_widths[number]) else None,
            "games": float(pairs[number] * games[number]),
        }
        for number in shown
    ]
    looked = np.searchsorted(looks, pairs) + 1  # looks at each cell
    return {
        "experiment": experiment.spec.title,
        "cells": len(cells),
        "pairs": experiment.spec.cap,
        "fixed": experiment.spec.pairs is not None,
        "games": round(float(pairs @ games)),
        "threads": threads,
        "seconds": statistics.fmean(each) * int(pairs.sum())
        + LOOK_SECONDS * int(looked.sum())
        + CELL_SECONDS * len(cells),
        "bytes": round(
            2 * _packed_bytes(sizes, pairs).sum()  # in the journal and in a table
            + LOOK_BYTES * looked.sum()
            + CELL_BYTES * (1 + len(experiment.spec.record)) * len(cells)
        ),
        "metric": experiment.spec.metric,
        "half_widths": {
            "least": float(widths.min()),
            "median": float(np.median(widths)),
            "most": float(widths.max()),
        }
        if widths.size
        else None,
        "model_error": error,
        "each": rows,
    }


def _pairs_in(seconds: float, first: Run) -> int:
    """Return about how many pairs can be played in a time, at least as many as the first run had."""
    return max(first.pairs, int(first.pairs * seconds / max(first.seconds, 1e-6)))


def _expected_pairs(experiment: Experiment, spreads: Floats) -> npt.NDArray[np.int64]:
    """Return the pairs that cells will play, as far as their spreads tell; the most, where a test decides."""
    spec = experiment.spec
    looks = np.array(stages(spec))
    if spec.half_width is None:
        return np.full(len(spreads), spec.cap)
    # The largest spread with which the width is reached at each look; not a number comes last of all.
    reached = [spec.half_width / half_width_of(1.0, pairs) for pairs in looks[:-1]]
    told: npt.NDArray[np.int64] = looks[np.searchsorted(reached, spreads)]
    return told


def _packed_bytes(sizes: Sequence[tuple[int, int]], pairs: npt.NDArray[np.int64]) -> Floats:
    """Return about how much counters of so many pairs take, from some that were packed.

    Counters that differ from zero become more with the logarithm of the pairs; where they are few still,
    below the first of the two numbers of pairs that each cell was packed at, nearly with the pairs.
    """
    played, packed = np.array(sizes, dtype=float).reshape(-1, 2, 2).mean(axis=0).T
    ratio = pairs / played[0]
    growth = (packed[1] - packed[0]) / np.log(played[1] / played[0])
    told: Floats = np.where(ratio < 1, packed[0] * ratio**FEW, packed[0] + growth * np.log(ratio))
    return told


# --- words ---------------------------------------------------------------------------------------


def plan_fields(told: dict[str, Any]) -> list[tuple[str, str]]:
    """Return a plan as labels and texts."""
    most = "" if told["fixed"] else "at most "
    widths = told["half_widths"]
    if widths is None:
        width = "not known: the cells tried do not vary"
    else:
        ends = list(dict.fromkeys(_width_text(told, widths[key]) for key in ("least", "most")))
        tried = sum(row["tried"] for row in told["each"])
        rest = ""
        if tried < told["cells"]:
            rest = f"; {tried} cells tried, the other {told['cells'] - tried:,} "
            if told["model_error"] is None:
                rest += "taken to be as the nearest"
            else:
                miss = max(1, round(100 * told["model_error"]))
                rest += f"foretold from them by a model that is {miss} % off (root mean square)"
        width = f"{' to '.join(ends)} {UNITS[told['metric']]}, 95 %{rest}"
    threads = f"{told['threads']} thread{'s' * (told['threads'] > 1)}"
    return [
        ("Experiment", told["experiment"]),
        ("Cells", f"{told['cells']:,}"),
        ("Pairs a cell", f"{most}{told['pairs']:,}"),
        ("Games", f"about {_rounded(told['games']):,}"),
        ("Time", f"about {time_text(told['seconds'])} on {threads}"),
        ("Disk", f"about {size_text(told['bytes'])}"),
        ("Half-width", width),
    ]


UNITS = {
    "game_share": "% of games",
    "hand_share": "% of hands won",
    "points_per_hand": "points a hand",
}
"""Of the metrics that an experiment can lead with."""


def _width_text(told: dict[str, Any], half_width: float | None) -> str:
    if half_width is None:
        return "not known"
    return f"+-{(1 if told['metric'] == 'points_per_hand' else 100) * half_width:.2g}"


def plan_rows(told: dict[str, Any], axes: Sequence[Axis]) -> tuple[list[str], list[list[str]]] | None:
    """Return headers and rows of a plan's cells; None of one cell, or of too many to print."""
    if not 1 < told["cells"] <= SHOWN:
        return None
    headers = [*(axis.name for axis in axes), "pairs", f"half-width, {UNITS[told['metric']]}"]
    rows = [
        [*row["labels"], f"{row['pairs']:,}", _width_text(told, row["half_width"])] for row in told["each"]
    ]
    return headers, rows


def _rounded(count: int) -> int:
    """Return a number with two digits of its own."""
    step: int = 10 ** max(0, len(str(count)) - 2)
    return round(count / step) * step


def time_text(seconds: float) -> str:
    """Write a time in seconds, minutes or hours."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


def size_text(size: float) -> str:
    """Write a number of bytes in kB, MB or GB."""
    for unit in ("kB", "MB"):
        size /= 1000
        if size < 1000:
            return f"{max(1, round(size))} {unit}"
    return f"{size / 1000:.1f} GB"
