"""What an experiment will cost and how sharp it will be, from about a second of play."""

from __future__ import annotations

import statistics
from typing import Any

from analysis.experiment.cells import Cell
from analysis.experiment.experiment import Experiment
from analysis.experiment.schedule import stages
from analysis.match import games_of, play
from analysis.metrics import METRICS
from analysis.stats.power import deviation, half_width_of, pairs_for_half_width
from analysis.store.tables import kept_fields
from sim.tally import GROUPS, TALLY_DTYPE

SECONDS = 1.0
"""Play in all."""
FIRST = 100
"""Pairs from which a cell's speed is first known."""
MOST_CELLS = 10
"""Cells that are tried, spread evenly over the experiment."""
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
        ``least``, ``median``, ``most`` over the cells that were ``tried``, each with its number, labels,
        expected ``pairs``, ``half_width`` and ``seconds``. None where a pilot's pairs do not vary.
    """
    cells = experiment.cells
    tried = _spread(cells)
    metric = METRICS[experiment.spec.metric]
    rows: list[dict[str, Any]] = []
    for cell in tried:
        moments, seconds = _pilot(cell, threads, SECONDS / len(tried))
        spread = deviation(moments, metric.numerator, metric.denominator, factor=metric.factor)
        pairs = _expected_pairs(experiment, spread)
        rows.append(
            {
                "cell": cell.number,
                "labels": list(cell.labels),
                "pairs": pairs,
                "half_width": None if not spread or pairs < 2 else half_width_of(spread, pairs),
                "seconds": pairs * seconds,
                "games": pairs * games_of(moments) / int(moments[0, 0]),
            }
        )
    widths = sorted(row["half_width"] for row in rows if row["half_width"] is not None)
    each = statistics.fmean(row["seconds"] for row in rows)
    return {
        "experiment": experiment.spec.title,
        "cells": len(cells),
        "pairs": experiment.spec.cap,
        "fixed": experiment.spec.pairs is not None,
        "games": round(statistics.fmean(row["games"] for row in rows) * len(cells)),
        "threads": threads,
        "seconds": (each + KEEPING) * len(cells),
        "bytes": disk_bytes(experiment),
        "metric": experiment.spec.metric,
        "half_widths": {"least": widths[0], "median": statistics.median(widths), "most": widths[-1]}
        if widths
        else None,
        "tried": rows,
    }


def _spread(cells: tuple[Cell, ...]) -> list[Cell]:
    """Return some cells, spread evenly: the first, the last and those between."""
    count = min(len(cells), MOST_CELLS)
    if count == 1:
        return [cells[0]]
    return [cells[round(place * (len(cells) - 1) / (count - 1))] for place in range(count)]


def _pilot(cell: Cell, threads: int, seconds: float) -> tuple[Any, float]:
    """Play a cell for about so long; return its moments and the seconds of a pair.

    The first pairs tell how many to play: they are slow, for nothing is in the caches yet.
    """
    first = play(cell.match, threads, 0, FIRST)
    pairs = max(FIRST, int(FIRST * seconds / max(first.seconds, 1e-6)))
    run = play(cell.match, threads, FIRST, pairs)
    return first.then(run).tally.total("moments"), run.seconds / pairs


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
    scale, unit = (1.0, "points a hand") if told["metric"] == "points_per_hand" else (100.0, "%")
    name = told["metric"].replace("_", " ")
    if widths is None:
        width = "not known: the cells tried do not vary"
    else:
        least, widest = (f"{scale * widths[key]:.2g}" for key in ("least", "most"))
        width = f"+-{least} to +-{widest} {unit} of {name}, 95 % ({len(told['tried'])} cells tried)"
        width = width.replace(" of points per hand", "")
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
