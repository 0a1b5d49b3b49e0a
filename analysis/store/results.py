"""Results: what a run has played, as tables and as exact counters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pandas as pd

from analysis.console import UsageError
from analysis.experiment.cells import Axis, Cell
from analysis.experiment.experiment import Experiment
from analysis.store.journal import Journal, unpack
from analysis.store.manifest import state_facts
from analysis.store.tables import (
    RECORDED,
    TABLES,
    cell_row,
    cells_table,
    convergence_table,
    only_kept,
)
from sim.tally import Tally


class Results:
    """What a run has played.

    Made by ``Experiment.run()``, or from a run's folder by ``analysis.load``.

    Attributes
    ----------
    experiment : Experiment
    manifest : dict
        Seed, rules and strategies in canonical text, versions; see `analysis.store.manifest`.
    """

    def __init__(
        self,
        experiment: Experiment,
        manifest: Mapping[str, Any],
        tables: Mapping[str, pd.DataFrame],
        tally: Callable[[int], Tally],
    ) -> None:
        self.experiment = experiment
        self.manifest = dict(manifest)
        self._tables = dict(tables)
        self._tally = tally

    @classmethod
    def of_journal(cls, experiment: Experiment, journal: Journal) -> Results:
        """Return the results of a run as its journal stands."""
        record = experiment.spec.record
        packed: list[bytes | None] = []
        if journal.path is None:  # it will be gone
            packed = [journal.packed(cell.number) for cell in experiment.cells]

        def tally(number: int) -> Tally:
            return only_kept(unpack(packed[number]) if packed else journal.tally(number), record)

        states = journal.states()
        rows: list[dict[str, Any]] = []
        frames: dict[str, list[pd.DataFrame]] = {name: [] for name in record}
        for cell, state in zip(experiment.cells, states, strict=True):
            held = tally(cell.number)
            rows.append(cell_row(cell, held, state.stopped or "interrupted", experiment.spec.metric))
            for name in record:
                frames[name].append(RECORDED[name](cell.number, held))
        tables = {"cells": cells_table(experiment, rows)}
        tables |= {name: pd.concat(parts, ignore_index=True) for name, parts in frames.items()}
        tables["convergence"] = convergence_table(journal.courses())
        return cls(experiment, {**journal.facts(), **state_facts(states)}, tables, tally)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The experiment's axes."""
        return self.experiment.axes

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The experiment's cells."""
        return self.experiment.cells

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables there are."""
        return tuple(name for name in TABLES if name in self._tables)

    def tally(self, number: int) -> Tally:
        """Return a cell's exact counters; those of tables that were not recorded are zero.

        Raises
        ------
        UsageError
            If there is no such cell.
        """
        self._check(number)
        return self._tally(number)

    def tallies(self) -> Iterator[Tally]:
        """Yield the counters of each cell, one at a time: each takes 7 MB."""
        for cell in self.cells:
            yield self._tally(cell.number)

    def pairs(self, number: int) -> int:
        """Return the pairs a cell has played.

        Raises
        ------
        UsageError
            If there is no such cell.
        """
        self._check(number)
        return int(self._tables["cells"]["pairs"].iloc[number])

    def table(self, name: str) -> pd.DataFrame:
        """Return a copy of a table.

        There are ``cells``, ``endings``, ``knocks``, ``lengths``, ``points``, ``convergence``;
        the columns are described in `analysis.store.tables`.

        Raises
        ------
        UsageError
            If there is no such table, or it was not recorded.
        """
        if name in RECORDED and name not in self._tables:
            raise UsageError(
                f"table {name!r} was not recorded (record = {list(self.experiment.spec.record)})"
            )
        if name not in self._tables:
            raise UsageError(f"no table {name!r}; there are {', '.join(self.tables)}")
        return self._tables[name].copy()

    def _check(self, number: int) -> None:
        if not 0 <= number < len(self.cells):
            raise UsageError(f"no cell {number}: there are {len(self.cells)}, from 0")
