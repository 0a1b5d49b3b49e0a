"""A part of a run as if it had been played alone: the cells at some labels of some axes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.store.results import Results, Tables


class SliceTables:
    """Tables of some cells of a run, numbered from 0."""

    def __init__(self, whole: Tables, numbers: Sequence[int]) -> None:
        self._whole = whole
        self._numbers = np.array(numbers)
        self.names = tuple(whole.names)

    def columns(self, name: str) -> Sequence[str]:
        """Return the names of a table's columns."""
        return self._whole.columns(name)

    def read(self, name: str, columns: Sequence[str] | None, cells: Sequence[int] | None) -> pd.DataFrame:
        """Return a table, or some of its columns, or the rows of some cells."""
        numbers = self._numbers if cells is None else self._numbers[sorted(cells)]
        wanted = None if columns is None else list(dict.fromkeys(["cell", *columns]))
        frame = self._whole.read(name, wanted, numbers.tolist())
        frame["cell"] = np.searchsorted(self._numbers, frame["cell"])
        return frame if columns is None else frame[list(columns)]


def only(
    results: Results, choice: Mapping[str, str | Iterable[str]] | None = None, /, **more: Any
) -> Results:
    """Return the results at some labels of some axes.

    Nothing is read before it is asked for. The manifest stays that of the whole run.

    Parameters
    ----------
    results : Results
    choice : mapping of str to str or iterable of str, optional
        Labels by axis.
    **more
        The same: ``only(results, b="simple", k=["0", "10"])``.

    Raises
    ------
    UsageError
        If there is no such axis or label.
    """
    part = results.experiment.only(choice, **more)
    places = []
    for axis, kept in zip(results.axes, part.axes, strict=True):
        wanted = set(kept.labels)
        places.append([at for at, label in enumerate(axis.labels) if label in wanted])
    shape = results.cells.shape
    every = np.arange(len(results.cells)).reshape(shape)
    numbers = every[np.ix_(*places)].ravel().tolist() if shape else [0]
    cells = part.cells.as_played(lambda number: results.cells[numbers[number]].rules)
    return Results(
        part.with_cells(cells),
        results.manifest,
        SliceTables(results.source, numbers),
        lambda number: results.tally(numbers[number]),
    )
