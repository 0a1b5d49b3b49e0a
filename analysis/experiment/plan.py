"""What an experiment will cost and how sharp it will be, from about a second of play."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from analysis.experiment.cells import Axis, Cell
from analysis.experiment.experiment import Experiment
from analysis.experiment.schedule import stages
from analysis.match import games_of, play
from analysis.metrics import METRICS
from analysis.stats.power import deviation, half_width_of, pairs_for_half_width
from analysis.store.tables import kept_fields
from sim.run import Run
from sim.tally import GROUPS, TALLY_DTYPE

SECONDS = 1.0
"""Play by which the time is told, in all."""
TIMED_CELLS = 10
"""Cells that are timed, spread evenly over the experiment."""
FIRST = 200
"""Pairs from which a cell's spread is known, to 5 %, and its speed roughly."""
MOST_CELLS = 60
"""Cells that are tried, spread over all; the others' spreads are told by a model of theirs."""
PENALTIES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
"""Of the model, in tried cells; the one that foretells those it has not seen best is taken."""
SHOWN = 60
"""Cells whose half-widths are printed."""
PACKED = 14
"""Counters take about this part of their size when they are packed."""
TABLES = 40_000
"""Bytes of all other tables, a cell, at most."""
KEEPING = 0.2
"""Seconds that a cell's counters take to be kept and written, all stages together."""


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
        ``least``, ``median``, ``most``; ``each``: of every cell its number, labels, expected ``pairs``,
        ``half_width`` (None where a pilot's pairs do not vary), ``games`` and whether it was ``tried``, or
        its half-width is a model's (its games are as those of the nearest that was tried). ``model_error``:
        by which part the model misses the half-width of a tried cell that it has not seen (root mean square),
        the noise of that cell's own pilot included; None where all were tried.
    """
    cells = experiment.cells
    timed, pilot = (_spread(len(cells), most) for most in (TIMED_CELLS, MOST_CELLS))
    tried = [cell for cell in cells if cell.number in timed | pilot]
    metric = METRICS[experiment.spec.metric]
    spreads: dict[int, float | None] = {}
    each_games: dict[int, float] = {}  # games a pair
    each: list[float] = []  # seconds a pair
    for cell in tried:
        run = play(cell.match, threads, 0, FIRST)
        if cell.number in timed:
            # The first pairs are slow, for nothing is in the caches yet; they tell how many to time.
            more = play(cell.match, threads, FIRST, _pairs_in(SECONDS / len(timed), run))
            each.append(more.seconds / more.pairs)
            run = run.then(more)
        moments = run.tally.total("moments")
        spreads[cell.number] = deviation(moments, metric.numerator, metric.denominator, factor=metric.factor)
        each_games[cell.number] = games_of(moments) / int(moments[0, 0])
    told, error = _all_spreads(cells, spreads)
    rows: list[dict[str, Any]] = []
    for cell, spread in zip(cells, told, strict=True):
        pairs = _expected_pairs(experiment, spread)
        games = each_games.get(cell.number) or each_games[_nearest(cell, tried).number]
        rows.append(
            {
                "cell": cell.number,
                "labels": list(cell.labels),
                "tried": cell.number in spreads,
                "pairs": pairs,
                "half_width": None if not spread or pairs < 2 else half_width_of(spread, pairs),
                "games": pairs * games,
            }
        )
    widths = sorted(row["half_width"] for row in rows if row["half_width"] is not None)
    seconds = statistics.fmean(each) * sum(row["pairs"] for row in rows)
    return {
        "experiment": experiment.spec.title,
        "cells": len(cells),
        "pairs": experiment.spec.cap,
        "fixed": experiment.spec.pairs is not None,
        "games": round(sum(row["games"] for row in rows)),
        "threads": threads,
        "seconds": seconds + KEEPING * len(cells),
        "bytes": disk_bytes(experiment),
        "metric": experiment.spec.metric,
        "half_widths": {"least": widths[0], "median": statistics.median(widths), "most": widths[-1]}
        if widths
        else None,
        "model_error": error,
        "each": rows,
    }


def _spread(cells: int, most: int) -> set[int]:
    """Return the numbers of some cells: the first, the last, and others between by the golden section.

    Evenly spaced ones could meet one value of an inner axis again and again.
    """
    if cells <= most:
        return set(range(cells))
    chosen = {0, cells - 1}
    at = 0
    while len(chosen) < most:
        at += 1
        chosen.add(int(cells * (at * GOLDEN % 1)))
    return chosen


GOLDEN = (5**0.5 - 1) / 2


def _all_spreads(
    cells: Sequence[Cell], known: Mapping[int, float | None]
) -> tuple[list[float | None], float | None]:
    """Return the spread of every cell: as tried, or by a model of those that were.

    The logarithm of the spread is a mean plus an effect of each axis's value, by ridge regression: the
    effects of values seldom tried are drawn towards none. The penalty is that of the least error at
    cells left out. Where many values are tried once that error is too large, for the model has then not seen
    the value at all: it errs to the safe side.

    Parameters
    ----------
    cells : sequence of Cell
    known : mapping of int to (float or None)
        Standard deviation of a pair, by number of the cells that were tried.

    Returns
    -------
    spreads : list of (float or None)
    error : float or None
        Root mean square error of a tried cell that is left out, as a part; None if all were tried, or fewer
        than two vary.

    References
    ----------
    A. E. Hoerl and R. W. Kennard, Technometrics 12 (1970), 55-67; D. M. Allen, Technometrics 16 (1974),
    125-127 (the error of those left out, from one fit).
    """
    if len(known) == len(cells):
        return [known[cell.number] for cell in cells], None
    vary = {number: spread for number, spread in known.items() if spread}
    if len(vary) < 2:
        nearest = [cell for cell in cells if cell.number in known]
        return [known[_nearest(cell, nearest).number] for cell in cells], None
    columns = {pair: at for at, pair in enumerate({pair: None for cell in cells for pair in _values(cell)})}
    rows = np.zeros((len(cells), len(columns)))
    for at, cell in enumerate(cells):
        rows[at, [columns[pair] for pair in _values(cell)]] = 1
    tried = np.array([at for at, cell in enumerate(cells) if cell.number in vary])
    y = np.log([vary[cells[at].number] for at in tried])
    centre = rows[tried].mean(axis=0)
    kernel = (rows[tried] - centre) @ (rows[tried] - centre).T
    best: tuple[float, Any] | None = None
    for penalty in PENALTIES:
        inverse = np.linalg.inv(kernel + penalty * np.eye(len(tried)))
        hat = kernel @ inverse + 1 / len(tried)  # the mean is fitted without a penalty
        missed = (y - y.mean() - kernel @ inverse @ (y - y.mean())) / (1 - np.diag(hat))
        error = float(np.sqrt((missed**2).mean()))
        if best is None or error < best[0]:
            best = error, inverse
    assert best is not None
    error, inverse = best
    fitted = y.mean() + (rows - centre) @ (rows[tried] - centre).T @ inverse @ (y - y.mean())
    told = [
        known[cell.number] if cell.number in known else float(np.exp(fit))
        for cell, fit in zip(cells, fitted, strict=True)
    ]
    return told, float(np.expm1(error))


def _values(cell: Cell) -> list[tuple[int, str]]:
    """Return the values of a cell on the axes."""
    return list(enumerate(cell.labels))


def _nearest(cell: Cell, tried: Sequence[Cell]) -> Cell:
    """Return the cell that was tried with most labels in common, the nearest by number of those."""
    return max(
        tried,
        key=lambda one: (
            sum(mine == theirs for mine, theirs in zip(cell.labels, one.labels, strict=True)),
            -abs(cell.number - one.number),
        ),
    )


def _pairs_in(seconds: float, first: Run) -> int:
    """Return about how many pairs can be played in a time, at least as many as the first run had."""
    return max(first.pairs, int(first.pairs * seconds / max(first.seconds, 1e-6)))


def _expected_pairs(experiment: Experiment, spread: float | None) -> int:
    """Return the pairs a cell will play, as far as its spread tells; the most, where a test decides."""
    spec = experiment.spec
    if spec.half_width is None or spread is None:
        return spec.cap
    if spread == 0:
        return stages(spec)[0]
    wanted = pairs_for_half_width(spread, spec.half_width)
    return next((pairs for pairs in stages(spec) if pairs >= wanted), spec.cap)


def disk_bytes(experiment: Experiment) -> int:
    """Return about how much a run takes on disk: its journal, the exact counters, the tables."""
    whole = GROUPS * TALLY_DTYPE.itemsize
    kept = GROUPS * sum(TALLY_DTYPE[name].itemsize for name in kept_fields(experiment.spec.record))
    return len(experiment.cells) * ((whole + kept) // PACKED + TABLES)


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
