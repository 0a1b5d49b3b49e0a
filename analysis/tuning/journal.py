"""The journal of a search: a line of JSON for each evaluation, in the order they were asked for.

A search is a function of its question and of what it measured. So one that was stopped is asked again from
the start and reads what it had measured instead of playing it; from the end of the journal on it plays. A
line carries a hash over itself and the line before: lines that were changed, lost or moved are noticed. The
last one may be cut short, by a kill in the midst of its writing: it is dropped.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from analysis.console import UsageError
from analysis.store.journal import alone
from sim.run import RunError
from sim.tally import GROUPS

NAME = "evaluations.jsonl"
FORMAT = "ginlab tuning"
SCHEMA = 1
"""Version of the lines."""

Sums = npt.NDArray[np.int64]
"""Numerator and denominator by opponent and group of pairs, shape (opponents, 2, GROUPS)."""


class Journal:
    """What has been measured.

    Parameters
    ----------
    folder : Path or None
        Where the journal is or will be; None keeps it in memory. See `opened`.
    question : dict
        Plain data; what a journal was begun for must be the same.

    Raises
    ------
    UsageError
        If the folder holds the journal of another question, or other things; the message says what differs.
    RunError
        If the journal is damaged, or cannot be written.
    """

    def __init__(self, folder: Path | None, question: dict[str, Any]) -> None:
        self.path = None if folder is None else folder / NAME
        self._kept: list[dict[str, Any]] = []
        self._next = 0
        self._check = ""
        self._file: IO[bytes] | None = None
        head = {"format": FORMAT, "schema": SCHEMA, "question": json.loads(json.dumps(question))}
        if folder is None or self.path is None:
            return
        try:
            others = [one.name for one in folder.iterdir() if one.name not in (NAME, "result.json")]
            if not self.path.exists() and others:
                raise UsageError(f"{folder}: not empty and not a search's folder (has {others[0]})")
            lines, whole = self._read() if self.path.exists() else ([], 0)
            if lines:
                self._same(lines[0], head)
                self._kept = lines[1:]
            self._file = self.path.open("ab")
            self._file.truncate(whole)
        except OSError as error:
            raise RunError(f"{folder}: {error.strerror or error}") from None
        if not lines:
            self._write(head)

    @property
    def kept(self) -> int:
        """Evaluations that are in the journal."""
        return len(self._kept)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def find(self, strategy: str, first: int, pairs: int, opponents: int) -> Sums | None:
        """Return the next evaluation if the journal has it; None where play must go on.

        Raises
        ------
        RunError
            If the journal has another one there.
        """
        if self._next == len(self._kept):
            return None
        line = self._kept[self._next]
        asked = {"strategy": strategy, "first": first, "pairs": pairs}
        try:
            sums = np.array(line["sums"], np.int64)
        except (KeyError, TypeError, ValueError, OverflowError):
            sums = np.empty(0, np.int64)
        if {name: line.get(name) for name in asked} != asked or sums.shape != (opponents, 2, GROUPS):
            raise RunError(
                f"{self.path}: line {self._next + 2} is not the evaluation that comes there, {strategy} on "
                f"{pairs} pairs from {first}: the search went another way on the machine that wrote it"
            )
        self._next += 1
        return sums

    def add(self, strategy: str, first: int, pairs: int, sums: Sums) -> None:
        """Keep an evaluation.

        Raises
        ------
        RunError
            If it cannot be written.
        """
        line = {"strategy": strategy, "first": first, "pairs": pairs, "sums": sums.tolist()}
        self._write(line)
        self._kept.append(line)
        self._next = len(self._kept)

    def _write(self, line: dict[str, Any]) -> None:
        """Append a line and hand it to the system; what is written survives the end of this process."""
        if self._file is None:
            return
        text = json.dumps(line, separators=(",", ":"))
        self._check = _hash(self._check, text)
        try:
            self._file.write(f'{text[:-1]},"check":"{self._check}"}}\n'.encode())
            self._file.flush()
        except OSError as error:
            raise RunError(f"{self.path}: {error.strerror or error}; what is in it is kept") from None

    def _read(self) -> tuple[list[dict[str, Any]], int]:
        """Return the whole lines and their size in bytes."""
        assert self.path is not None
        lines: list[dict[str, Any]] = []
        size = 0
        for number, raw in enumerate(self.path.read_bytes().splitlines(keepends=True), start=1):
            if not raw.endswith(b"\n"):
                break
            try:
                line = json.loads(raw)
                check = line.pop("check")
            except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
                raise self._damaged(number) from None
            self._check = _hash(self._check, json.dumps(line, separators=(",", ":")))
            if check != self._check:
                raise self._damaged(number)
            lines.append(line)
            size += len(raw)
        return lines, size

    def _damaged(self, number: int) -> RunError:
        return RunError(f"{self.path}: line {number} is damaged; take another folder")

    def _same(self, kept: dict[str, Any], asked: dict[str, Any]) -> None:
        """Refuse the journal of another question, naming the first difference."""
        if kept.get("format") != FORMAT:
            raise UsageError(f"{self.path}: not the journal of a search")
        found = _difference(kept, asked)
        if found is not None:
            path, before, now = found
            raise UsageError(
                f"{self.path}: begun for another question: {'.'.join(path)} was {_short(before)}, "
                f"now {_short(now)}"
            )


def _hash(before: str, text: str) -> str:
    return hashlib.sha256(f"{before}\n{text}".encode()).hexdigest()[:16]


def _short(value: Any) -> str:
    text = "absent" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _difference(before: Any, now: Any, path: Sequence[str] = ()) -> tuple[tuple[str, ...], Any, Any] | None:
    """Return the first key of plain data that differs, with both values."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in dict.fromkeys([*now, *before]):
            if (found := _difference(before.get(key), now.get(key), (*path, key))) is not None:
                return found
        return None
    return None if before == now else (tuple(path), before, now)


@contextmanager
def opened(folder: Path | None, question: dict[str, Any]) -> Iterator[Journal]:
    """Open the journal of a folder, which is made if absent, for this process alone; see `Journal`."""
    with ExitStack() as stack:
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                stack.enter_context(alone(folder))
            except OSError as error:
                raise RunError(f"{folder}: {error.strerror or error}") from None
        journal = Journal(folder, question)
        stack.callback(journal.close)
        yield journal


def write_result(folder: Path, text: str) -> None:
    """Write a search's result beside its journal, whole or not at all.

    Raises
    ------
    RunError
        If it cannot be written.
    """
    part = folder / "result.json.part"
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, folder / "result.json")
    except OSError as error:
        raise RunError(f"{folder}: {error.strerror or error}") from None
