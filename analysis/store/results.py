"""Results: what a run has played, as tables and as exact counters."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.console import UsageError
from analysis.experiment.axes import Axis
from analysis.experiment.cells import Cells
from analysis.experiment.experiment import Experiment
from analysis.store.batches import batches
from analysis.store.journal import Journal
from analysis.store.manifest import state_facts
from analysis.store.packed import add
from analysis.store.tables import RECORDED, TABLES
from sim.tally import Tally


class Tables(Protocol):
    """Where a run's tables are."""

    @property
    def names(self) -> Sequence[str]:
        """Names of the tables there are."""

    def columns(self, name: str) -> Sequence[str]:
        """Return the names of a table's columns."""

    def read(self, name: str, columns: Sequence[str] | None, cells: Sequence[int] | None) -> pd.DataFrame:
        """Return a table, or some of its columns, or the rows of some cells."""


class MemoryTables:
    """Tables held in memory."""

    def __init__(self, frames: Mapping[str, pd.DataFrame]) -> None:
        self._frames = dict(frames)

    @property
    def names(self) -> Sequence[str]:
        """Names of the tables there are."""
        return tuple(self._frames)

    def columns(self, name: str) -> Sequence[str]:
        """Return the names of a table's columns."""
        return list(self._frames[name].columns)

    def read(self, name: str, columns: Sequence[str] | None, cells: Sequence[int] | None) -> pd.DataFrame:
        """Return a copy of a table, or of some of its columns, or of the rows of some cells."""
        frame = self._frames[name]
        if cells is not None:
            frame = frame[frame["cell"].isin(list(cells))].reset_index(drop=True)
        return frame.copy() if columns is None else frame[list(columns)].copy()


class Results:
    """What a run has played.

    Made by ``Experiment.run()``, or from a run's folder by ``analysis.load``; then tables and counters are
    read when they are asked for.

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
        tables: Tables,
        tally: Callable[[int], Tally],
    ) -> None:
        self.experiment = experiment
        self.manifest = dict(manifest)
        self._tables = tables
        self._tally = tally

    @classmethod
    def of_journal(cls, experiment: Experiment, journal: Journal) -> Results:
        """Return the results of a run as its journal stands; they outlast it."""
        packed = [journal.packed(number) for number in range(len(experiment.cells))]
        fields, states = journal.fields, journal.states()
        parts = list(batches(experiment, journal, states))
        tables = {name: pd.concat([part[name] for part in parts], ignore_index=True) for name in parts[0]}
        manifest = {**journal.facts(), **state_facts(states)}

        def tally(number: int) -> Tally:
            blob = packed[number]
            return Tally() if blob is None else add(Tally(), blob, fields)

        return cls(experiment, manifest, MemoryTables(tables), tally)

    def only(self, choice: Mapping[str, str | Iterable[str]] | None = None, /, **more: Any) -> Results:
        """Return the results at some labels of some axes, as if they had been played alone.

        See `analysis.store.slices.only`.
        """
        from analysis.store.slices import only

        return only(self, choice, **more)

    @property
    def source(self) -> Tables:
        """Where the tables are."""
        return self._tables

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The experiment's axes."""
        return self.experiment.axes

    @property
    def cells(self) -> Cells:
        """The experiment's cells."""
        return self.experiment.cells

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables there are."""
        return tuple(name for name in TABLES if name in self._tables.names)

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
        return int(self._pairs[number])

    @functools.cached_property
    def _pairs(self) -> npt.NDArray[np.int64]:
        pairs: npt.NDArray[np.int64] = self._tables.read("cells", ["pairs"], None)["pairs"].to_numpy()
        return pairs

    def table(
        self, name: str, columns: Sequence[str] | None = None, cells: Sequence[int] | None = None
    ) -> pd.DataFrame:
        """Return a table.

        There are ``cells``, ``endings``, ``knocks``, ``lengths``, ``points``, ``convergence``;
        the columns are described in `analysis.store.tables`.

        Parameters
        ----------
        name : str
        columns : sequence of str, optional
            Only these.
        cells : sequence of int, optional
            Only the rows of these cells. Of a large run that is quick, for other rows are hardly read.

        Raises
        ------
        UsageError
            If there is no such table, column or cell, or the table was not recorded.
        """
        if name in RECORDED and name not in self._tables.names:
            raise UsageError(
                f"table {name!r} was not recorded (record = {list(self.experiment.spec.record)})"
            )
        if name not in self.tables:
            raise UsageError(f"no table {name!r}; there are {', '.join(self.tables)}")
        for number in cells or ():
            self._check(number)
        known = self._tables.columns(name)
        for column in columns or ():
            if column not in known:
                raise UsageError(f"table {name!r}: no column {column!r}; there are {', '.join(known)}")
        return self._tables.read(name, columns, cells)

    def _check(self, number: int) -> None:
        if not 0 <= number < len(self.cells):
            raise UsageError(f"no cell {number}: there are {len(self.cells)}, from 0")
