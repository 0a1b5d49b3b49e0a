"""The journal: what each cell has played so far, in SQLite, one transaction a chunk.

A transaction is there as a whole or not at all, also after kill -9 or a full disk, so a run that was cut
goes on where its last chunk ended.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.experiment.model import RECORDS
from analysis.store.fields import kept_fields
from analysis.store.packed import add, pack
from sim.run import RunError
from sim.tally import OUTCOMES, Tally

NAME = "journal.sqlite"

STOPS = ("pairs", "width", "max_pairs", "H0", "H1", "extended")
"""Why a cell plays no more."""

_SEAL = 16
"""Bytes of the hash before what a journal holds of a cell."""

_TABLES = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS cells (
    cell INTEGER PRIMARY KEY, pairs INTEGER NOT NULL, target INTEGER, stopped TEXT, seconds REAL NOT NULL,
    tally BLOB
);
CREATE TABLE IF NOT EXISTS stages (
    cell INTEGER NOT NULL, pairs INTEGER NOT NULL, moments BLOB NOT NULL, PRIMARY KEY (cell, pairs)
);
"""


class State(NamedTuple):
    """How far a cell has come.

    Attributes
    ----------
    pairs : int
        Pairs played, from the first without a gap.
    stopped : str or None
        Why it plays no more.
    target : int or None
        Pairs to reach, where the run was extended.
    seconds : float
        Wall time of its play.
    """

    pairs: int
    stopped: str | None
    target: int | None
    seconds: float


Stages = Sequence[tuple[int, npt.NDArray[np.int64]]]
"""Pairs at the end of a stage, and the cell's moments then."""


class Journal:
    """A run's journal.

    Parameters
    ----------
    path : Path or None
        The file, made if absent; None keeps the journal in memory.

    Raises
    ------
    RunError
        If the file cannot be opened, or is no journal.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        try:
            self._base = sqlite3.connect(":memory:" if path is None else path)
        except sqlite3.Error as error:
            raise self._failed(error) from None
        try:
            # Written ahead to a log: no wait for the disk at each chunk, and whole after any crash.
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = NORMAL")
            self._base.executescript(_TABLES)
        except sqlite3.Error as error:
            self._base.close()
            raise self._failed(error) from None

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def _failed(self, error: Exception) -> RunError:
        return RunError(f"{self.path or 'journal'}: {error}; what was played before is kept")

    def damaged(self, cell: int) -> RunError:
        """Return the error of a cell that is not as it was recorded."""
        return RunError(f"{self.path or 'journal'}: damaged: the counters of cell {cell} are not whole")

    def _rows(self, query: str, *values: Any) -> list[Any]:
        try:
            return self._base.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise self._failed(error) from None

    def _change(self, *changes: tuple[str, Sequence[Any]]) -> None:
        """Make changes in one transaction."""
        try:
            with self._base:
                for query, values in changes:
                    self._base.execute(query, values)
        except sqlite3.Error as error:
            raise self._failed(error) from None

    def begin(self, facts: dict[str, Any], cells: int) -> None:
        """Begin a run of so many cells; ``facts`` say what it is."""
        told = [
            ("INSERT INTO facts VALUES (?, ?)", (name, json.dumps(value))) for name, value in facts.items()
        ]
        rows = [("INSERT INTO cells VALUES (?, 0, NULL, NULL, 0, NULL)", (cell,)) for cell in range(cells)]
        self._change(*told, *rows)

    @functools.cached_property
    def fields(self) -> tuple[str, ...]:
        """Fields of the tally that the run keeps."""
        return kept_fields(self.facts().get("experiment", {}).get("record", RECORDS))

    def facts(self) -> dict[str, Any]:
        """Return what the run is."""
        rows = self._rows("SELECT name, value FROM facts")
        try:
            return {name: json.loads(value) for name, value in rows}
        except (TypeError, ValueError, RecursionError):
            raise RunError(f"{self.path or 'journal'}: damaged: what the run is cannot be read") from None

    def states(self) -> list[State]:
        """Return how far each cell has come."""
        rows = self._rows("SELECT cell, pairs, stopped, target, seconds FROM cells ORDER BY cell")
        states = [State(*row[1:]) for row in rows]
        for number, (row, state) in enumerate(zip(rows, states, strict=True)):
            if row[0] != number:
                raise RunError(f"{self.path or 'journal'}: damaged: there is no cell {number}")
            whole = isinstance(state.pairs, int) and isinstance(state.target, int | None)
            if not (whole and state.pairs >= 0 and isinstance(state.seconds, float)) or (
                state.stopped is not None and state.stopped not in STOPS
            ):
                raise self.damaged(number)
        return states

    def packed(self, cell: int) -> bytes | None:
        """Return a cell's counters as they are packed, None before its first record."""
        rows = self._rows("SELECT tally FROM cells WHERE cell = ?", cell)
        if len(rows) != 1:
            raise self.damaged(cell)
        try:
            return None if rows[0][0] is None else _unsealed(rows[0][0], cell)
        except (TypeError, ValueError):
            raise self.damaged(cell) from None

    def tally(self, cell: int) -> Tally:
        """Return a cell's counters; those that the run does not keep are zero.

        Raises
        ------
        RunError
            If they are damaged, or not of as many pairs as the cell has played.
        """
        packed = self.packed(cell)
        try:
            tally = Tally() if packed is None else add(Tally(), packed, self.fields)
        except RunError:
            raise self.damaged(cell) from None
        if [(tally.pairs,)] != self._rows("SELECT pairs FROM cells WHERE cell = ?", cell):
            raise self.damaged(cell)
        return tally

    def record(
        self, cell: int, pairs: int, tally: Tally, seconds: float, stages: Stages, stopped: str | None
    ) -> None:
        """Keep what a cell has played by now, in one transaction.

        Parameters
        ----------
        cell : int
        pairs : int
            Pairs of all its chunks.
        tally : Tally
            Counters of all its chunks.
        seconds : float
            Wall time of the play since the last record.
        stages : sequence of (int, ndarray)
            Pairs and moments at the end of each stage since then.
        stopped : str or None
            Why the cell plays no more.
        """
        update = "UPDATE cells SET pairs = ?, tally = ?, seconds = seconds + ?, stopped = ? WHERE cell = ?"
        self._change(
            (update, (pairs, _sealed(pack(tally, self.fields), cell), seconds, stopped, cell)),
            *_kept(cell, stages),
        )

    def course(self, cell: int) -> list[tuple[int, npt.NDArray[np.int64]]]:
        """Return pairs and moments of a cell at the end of each stage."""
        size = len(OUTCOMES)
        rows = self._rows("SELECT pairs, moments FROM stages WHERE cell = ? ORDER BY pairs", cell)
        try:
            return [
                (
                    pairs,
                    np.frombuffer(_unsealed(blob, cell, pairs), "<i8").astype(np.int64).reshape(size, size),
                )
                for pairs, blob in rows
            ]
        except (TypeError, ValueError):
            raise self.damaged(cell) from None

    def restore(self, cell: int, state: State, tally: Tally, stages: Stages) -> None:
        """Put a cell back as a folder's tables tell it."""
        update = "UPDATE cells SET pairs = ?, stopped = ?, target = ?, seconds = ?, tally = ? WHERE cell = ?"
        self._change((update, (*state, _sealed(pack(tally, self.fields), cell), cell)), *_kept(cell, stages))

    def extend(self, pairs: int) -> None:
        """Let every cell play so many pairs more."""
        self._change(("UPDATE cells SET target = pairs + ?, stopped = NULL", (pairs,)))


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other processes from playing the same run; a lock on the folder itself, which dies with its owner.

    Raises
    ------
    RunError
        If another process plays the run now.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    place = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunError(f"{folder}: another process is playing this run") from None
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(place)


def _sealed(blob: bytes, *place: int) -> bytes:
    """Return bytes with a hash of them and of where they stand: SQLite and zstd do not see flipped bits.

    Of single bits flipped in packed counters, half came out as other counters of as many pairs.
    """
    return hashlib.blake2b(f"{place} ".encode() + blob, digest_size=_SEAL).digest() + blob


def _unsealed(blob: bytes, *place: int) -> bytes:
    """Return what `_sealed` has sealed.

    Raises
    ------
    ValueError
        If it is not as it was.
    """
    whole = bytes(blob)
    if _sealed(whole[_SEAL:], *place) != whole:
        raise ValueError("not as it was sealed")
    return whole[_SEAL:]


def _kept(cell: int, stages: Stages) -> list[tuple[str, tuple[int, int, bytes]]]:
    """Return the changes that keep stages."""
    insert = "INSERT OR REPLACE INTO stages VALUES (?, ?, ?)"
    return [
        (insert, (cell, pairs, _sealed(moments.astype("<i8").tobytes(), cell, pairs)))
        for pairs, moments in stages
    ]
