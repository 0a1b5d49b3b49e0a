"""Tables of a run as its journal stands, some cells at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pandas as pd

from analysis.experiment.experiment import Experiment
from analysis.store.journal import Journal, State
from analysis.store.parquet import Course
from analysis.store.tables import RECORDED, cell_row, cells_table, convergence_table
from sim.tally import Tally

AT_ONCE = 1_000
"""Cells whose rows are made together; a row group of each table."""


def batches(
    experiment: Experiment,
    journal: Journal,
    states: Sequence[State],
    seen: Callable[[Tally, list[Course]], None] | None = None,
) -> Iterator[dict[str, pd.DataFrame]]:
    """Yield the tables of `AT_ONCE` cells after the other, by name.

    Parameters
    ----------
    experiment : Experiment
    journal : Journal
    states : sequence of State
        The journal's, of all cells.
    seen : callable, optional
        Given each cell's counters, and its moments at the end of stages, in the order of the cells.
    """
    spec = experiment.spec
    for start in range(0, len(experiment.cells), AT_ONCE):
        rows: list[dict[str, Any]] = []
        parts: dict[str, list[pd.DataFrame]] = {name: [] for name in spec.record}
        courses: list[Course] = []
        for cell in experiment.cells[start : start + AT_ONCE]:
            tally = journal.tally(cell.number)
            course = [(cell.number, pairs, moments) for pairs, moments in journal.course(cell.number)]
            if states[cell.number].stopped is not None:  # then a stage has just ended
                last = course[-1] if course else None
                if last is None or last[1] != tally.pairs or (last[2] != tally.total("moments")).any():
                    raise journal.damaged(cell.number)
            if seen is not None:
                seen(tally, course)
            courses += course
            rows.append(cell_row(cell, tally, states[cell.number].stopped or "interrupted", spec.metric))
            for name in spec.record:
                parts[name].append(RECORDED[name](cell.number, tally))
        yield {
            "cells": cells_table(experiment.cells, rows),
            **{name: pd.concat(frames, ignore_index=True) for name, frames in parts.items()},
            "convergence": convergence_table(courses),
        }
