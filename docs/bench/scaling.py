"""How play scales over workers, and what a cluster costs: games a second, and busy time against wall time.

    python docs/bench/scaling.py --seconds 60

Plays one experiment of nine cells for about so long in each way: in this process with one and two threads,
and in local clusters of one to four workers of one thread. Prints a row for each. ``busy`` is what the
workers' tasks took, in parts of wall time x workers; ``overhead`` is the rest, in which they waited for
tasks. With more workers than processors it says nothing, for a task that waits for a processor is busy. Wall
time leaves out starting the workers and loading the engine in them. With ``--uneven`` the cells are five, of
which one costs hundreds of times as much as the others together: it has to be shared out to the end.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from rich.console import Console
from rich.table import Table

from analysis.cluster import driver
from analysis.cluster.connect import local_cluster
from analysis.experiment.experiment import Experiment
from analysis.request import available_threads

SPEC = """
title = "Scaling"
seed = 1
pairs = 4000
[strategies]
a = "threshold({k})"
b = "gold"
[rules]
base = "eaai"
[axes]
k = [0, 4, 10]
undercut_bonus = [0, 10, 25]
"""
UNEVEN = """
title = "Scaling, uneven"
seed = 1
pairs = 20
[strategies]
b = "simple"
[rules]
base = "eaai"
[axes]
a = ["gold", "marjj", "monte_carlo", "human", "goldstein"]
"""


class Watched(driver._Flight):
    """A flight that adds up what tasks took on the workers."""

    busy = 0.0

    def _answered(self, pieces: Any, answer: Any) -> None:
        Watched.busy += answer["busy"]
        super()._answered(pieces, answer)


def in_process(experiment: Experiment, threads: int) -> float:
    """Return the wall time of playing in this process."""
    begun = time.perf_counter()
    experiment.run(threads=threads)
    return time.perf_counter() - begun


def on_workers(experiment: Experiment, first: int, workers: int) -> tuple[float, float]:
    """Return the wall time of playing on so many workers, and the seconds their tasks took."""
    with local_cluster(workers) as client:
        experiment.changed(pairs=first * workers).run(client=client)  # all have loaded the engine
        Watched.busy = 0.0
        begun = time.perf_counter()
        experiment.run(client=client)
        return time.perf_counter() - begun, Watched.busy


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="of play of one thread, about")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 3, 4])
    parser.add_argument("--uneven", action="store_true", help="one cell that costs far more than the others")
    told = parser.parse_args()
    experiment = Experiment.from_text(UNEVEN if told.uneven else SPEC)
    cells, first = len(experiment.cells), experiment.spec.cap
    experiment.changed(pairs=1).run(threads=1)  # compiled
    pairs = max(first, int(first * told.seconds / in_process(experiment, 1)))
    experiment = experiment.changed(pairs=pairs)
    games = 2 * cells * pairs
    driver._Flight = Watched  # type: ignore[misc]

    table = Table("where", "seconds", "games a second", "of 2 threads", "busy", "overhead", box=None)
    two = in_process(experiment, 2)
    rows: list[tuple[str, float, float | None]] = [
        ("one process, 1 thread", in_process(experiment, 1), None),
        ("one process, 2 threads", two, None),
    ]
    for count in told.workers:
        wall, busy = on_workers(experiment, max(1, first // 10), count)
        rows.append((f"cluster of {count}", wall, busy / wall / count))
    for where, wall, share in rows:
        shares = ("", "") if share is None else (f"{100 * share:.1f} %", f"{100 * (1 - share):.1f} %")
        table.add_row(where, f"{wall:.1f}", f"{games / wall:,.0f}", f"{two / wall:.3f}", *shares)
    console = Console(width=100)
    console.print(f"{games:,} games in {cells} cells; {available_threads()} processors here")
    console.print(table)


if __name__ == "__main__":
    main()
