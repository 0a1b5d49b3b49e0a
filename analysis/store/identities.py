"""Whether a folder's tables say what its exact counters give.

Numbers with a fraction are not computed anew: they are those of the version that wrote them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow.parquet as pq

from analysis.store.parquet import Groups
from analysis.store.tables import COUNTED, COUNTS, RECORDED
from sim.run import RunError
from sim.tally import Tally

if TYPE_CHECKING:
    from analysis.store.results import Tables

AT_ONCE = 1_000
"""Cells whose rows are read together."""


def damaged(folder: Path, reason: str) -> RunError:
    """Return the error of a folder that is not as it was written."""
    return RunError(f"{folder}: damaged: {reason}")


class Identities:
    """Compares the tables of a run with its counters.

    Parameters
    ----------
    folder : Path
        For messages, and for its stages.
    tables : Tables
    groups : Groups
    cells : int
        Of the experiment.
    """

    def __init__(self, folder: Path, tables: Tables, groups: Groups, cells: int) -> None:
        self._folder = folder
        self._tables = tables
        self._groups = groups
        self._cells = cells
        self._recorded = [name for name in RECORDED if name in tables.names]
        self._checked: set[int] = set()

    def whole(self) -> None:
        """Check what needs no cell's counters: that all tables are of the same cells and stages.

        Raises
        ------
        RunError
            Naming the table.
        """
        count = self._cells
        if self._tables.read("cells", ["cell"], None)["cell"].tolist() != list(range(count)):
            raise damaged(self._folder, "cells.parquet has other cells than the run")
        if self._groups.cells != count:
            raise damaged(self._folder, f"groups.parquet has {self._groups.cells} cells of {count}")
        for name in self._recorded:
            told = self._tables.read(name, ["cell"], None)["cell"]
            if len(told) and not (told.between(0, count - 1).all() and told.is_monotonic_increasing):
                raise damaged(self._folder, f"{name}.parquet has cells beyond the {count} of the run")
        stages = pq.read_table(self._folder / "stages.parquet", columns=["cell", "pairs"]).to_pandas()
        if not stages.equals(self._tables.read("convergence", ["cell", "pairs"], None)):
            raise damaged(self._folder, "convergence.parquet has other stages than stages.parquet")

    def cells(self, numbers: Iterable[int]) -> None:
        """Check that every count of some cells is what their counters give, and that hands add up.

        Raises
        ------
        RunError
            Naming the table and the cell.
        """
        for some in _batches(sorted(numbers), AT_ONCE):
            counts = self._tables.read("cells", list(COUNTS), some).to_dict(orient="list")
            tables = {name: self._tables.read(name, None, some) for name in self._recorded}
            rows = {name: dict(iter(table.groupby("cell"))) for name, table in tables.items()}
            for place, number in enumerate(some):
                mine = {name: rows[name].get(number, tables[name].head(0)) for name in self._recorded}
                self._check(number, {name: values[place] for name, values in counts.items()}, mine)
            self._checked |= set(some)

    def tally(self, number: int) -> Tally:
        """Return a cell's counters, compared with the tables if they have not been.

        Raises
        ------
        RunError
            If they are not alike.
        """
        if number not in self._checked:
            self.cells([number])
        return self._groups.tally(number)

    def _check(self, number: int, counts: dict[Hashable, int], tables: dict[str, pd.DataFrame]) -> None:
        held = self._groups.tally(number, COUNTED)
        where = f"cell {number}: "
        for name, outcome in COUNTS.items():
            told, count = counts[name], held.outcome(outcome)
            if told != count:
                reason = f"{told} {name} in cells.parquet, {count} in groups.parquet"
                raise damaged(self._folder, where + reason)
        for name, rows in tables.items():
            if not RECORDED[name](number, held).equals(rows.reset_index(drop=True)):
                raise damaged(self._folder, f"{where}{name}.parquet is not what groups.parquet gives")
        for name, total in (("endings", "hands"), ("lengths", "hands"), ("points", "decisive")):
            if name in tables and len(tables[name]):
                told, count = counts[total], int(tables[name]["hands"].sum())
                if told != count:
                    raise damaged(self._folder, f"{where}{told} {total}, but {count} in {name}.parquet")


def _batches(numbers: Sequence[int], size: int) -> Iterator[list[int]]:
    left = iter(numbers)
    while some := list(islice(left, size)):
        yield some
