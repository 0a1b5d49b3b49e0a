"""Cells: the product of the axes, each made when it is asked for."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from analysis.console import UsageError
from analysis.experiment.axes import Axes
from analysis.experiment.model import Spec
from analysis.experiment.parts import Maker, Part
from analysis.request import Match
from sim.rules import Rules
from strategies.base import load_strategy_file, parse_strategy

LARGEST = 1_000_000
"""Cells of an experiment: a plan of them takes seconds, and a run of so many days."""
REMEMBERED = 10_000
"""Cells that are kept once made: a few kilobytes each."""

Key = str | int | float | bool


@dataclass(frozen=True)
class Cell:
    """One combination of the axes' values.

    Attributes
    ----------
    number : int
        From 0; the first axis changes slowest.
    keys : dict
        What the axes set, and the label of each axis of tables under the axis' name.
    labels : tuple of str
        One for each axis.
    a, b : str
        Strategies in canonical text.
    rules : Rules
        In full.
    preset, settings : str, tuple of str
        The same rules as the command line asks for them.
    pairs : int
        Pairs to play, or at most.
    seed, scores, dealer, files
        As in `analysis.request.Match`.
    text : str
        The cell in words: ``k = 3, b = gold``; empty where there are no axes.
    """

    number: int
    keys: dict[str, Key]
    labels: tuple[str, ...]
    a: str
    b: str
    rules: Rules
    preset: str
    settings: tuple[str, ...]
    pairs: int
    seed: int
    scores: tuple[int, int] = (0, 0)
    dealer: int | None = None
    files: tuple[str, ...] = field(default=(), compare=False)
    text: str = ""

    @functools.cached_property
    def match(self) -> Match:
        """What is played. Strategy files are loaded for it: they run as Python."""
        for file in self.files:
            load_strategy_file(file)
        return Match(
            parse_strategy(self.a), parse_strategy(self.b), self.rules, self.preset, self.settings,
            self.pairs, self.seed, self.scores, self.dealer, self.files,
        )  # fmt: skip


class Cells(Sequence[Cell]):
    """The cells of an experiment: the product of its axes, the first slowest.

    Each is made when it is asked for; what they are made of is there already, so that takes microseconds.

    Parameters
    ----------
    spec : Spec
    axes : Axes
    rules, a, b, starts : Part
    files : tuple of str
        Strategy files.
    played : callable, optional
        From a cell's number to the rules it was played with, where these sources could tell them otherwise.
    """

    def __init__(
        self,
        spec: Spec,
        axes: Axes,
        rules: Part,
        a: Part,
        b: Part,
        starts: Part,
        files: tuple[str, ...] = (),
        played: Callable[[int], Rules] | None = None,
    ) -> None:
        self._spec = spec
        self._axes = axes
        self._parts = (rules, a, b, starts)
        self._files = files
        self._played = played
        self._shape = tuple(len(options) for _, options in axes)
        self._count = math.prod(self._shape)
        self._made: dict[int, Cell] = {}

    @property
    def shape(self) -> tuple[int, ...]:
        """Values of each axis."""
        return self._shape

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, number: int) -> Cell: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Cell]: ...
    def __getitem__(self, number: int | slice) -> Cell | Sequence[Cell]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(self._count))]
        if number < 0:
            number += self._count
        if not 0 <= number < self._count:
            raise IndexError(f"cell {number}: there are {self._count}")
        cell = self._made.get(number)
        if cell is None:
            cell = self._cell(number)
            if self._count <= REMEMBERED:
                self._made[number] = cell
        return cell

    def __iter__(self) -> Iterator[Cell]:
        return (self[number] for number in range(self._count))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cells):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    def _place(self, number: int) -> tuple[int, ...]:
        place = []
        for size in reversed(self._shape):
            number, at = divmod(number, size)
            place.append(at)
        return tuple(reversed(place))

    def _cell(self, number: int) -> Cell:
        place = self._place(number)
        chosen = [(name, options[at]) for (name, options), at in zip(self._axes, place, strict=True)]
        keys: dict[str, Key] = {}
        for name, option in chosen:
            if option.table:
                keys[name] = option.label
            for key, value in option.sets.items():
                keys.setdefault(key, _key(value))
        (rules, preset, settings), a, b, (scores, dealer) = (part.at(place) for part in self._parts)
        return Cell(
            number,
            keys,
            tuple(option.label for _, option in chosen),
            a,
            b,
            self._played(number) if self._played else rules,
            preset,
            settings,
            self._spec.cap,
            self._spec.seed,
            scores,
            dealer,
            self._files,
            ", ".join(f"{name} = {option.label}" for name, option in chosen),
        )

    def as_played(self, played: Callable[[int], Rules]) -> Cells:
        """Return the cells with the rules that a run has kept, by the cell's number."""
        return Cells(self._spec, self._axes, *self._parts, self._files, played)

    def key_values(self) -> dict[str, list[Key | None]]:
        """Return all values of each key, None where an option of its axis leaves it out."""
        told: dict[str, list[Key | None]] = {}
        for name, options in self._axes:
            if options[0].table:
                told[name] = [option.label for option in options]
            for key in dict.fromkeys(key for option in options for key in option.sets):
                told[key] = [_key(option.sets.get(key)) for option in options]
        return told

    def rule_sets(self) -> list[Rules]:
        """Return all rules that differ, in the order in which they are met."""
        if self._played:
            return list(dict.fromkeys(cell.rules for cell in self))
        return list(dict.fromkeys(found.rules for found in self._parts[0].values))

    def examples(self) -> list[Cell]:
        """Return some cells in which every side, and all rules with every start, is met."""
        if not self._shape:
            return [self[0]]
        rules, a, b, starts = (part.ids for part in self._parts)
        numbers = np.arange(self._count).reshape(self._shape)
        wanted: set[int] = set()
        for ids in (a, b, rules * len(self._parts[3].values) + starts):
            _, first = np.unique(ids, return_index=True)
            wanted |= set(numbers[np.unravel_index(first, ids.shape)].tolist())
        return [self[number] for number in sorted(wanted)]

    def refuse_alike(self, source: str) -> None:
        """Refuse cells that play the same.

        Raises
        ------
        UsageError
            Naming two of them.
        """
        rules = self._parts[0]
        same: dict[tuple[str, Rules], int] = {}  # however they are asked for
        numbers = [same.setdefault((one.preset, one.rules), len(same)) for one in rules.values]
        code = np.zeros(self._shape, np.int64)
        for ids in (np.array(numbers)[rules.ids], *(part.ids for part in self._parts[1:])):
            # Numbered anew at each step: a product of all would pass 64 bits.
            _, code = np.unique(code * (int(ids.max()) + 1) + ids, return_inverse=True)
            code = code.reshape(self._shape)
        codes, first, count = np.unique(code, return_index=True, return_counts=True)
        if (count > 1).any():
            alike = np.flatnonzero(code.ravel() == codes[count > 1][first[count > 1].argmin()])
            one, two = (self[int(number)] for number in alike[:2])
            raise UsageError(f"{source}: axes: the cells ({one.text}) and ({two.text}) are alike")


def _key(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list) else value


def spread(cells: int, most: int) -> set[int]:
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


def make_cells(
    spec: Spec, axes: Axes, source: str, canonical: Callable[[str], str], files: tuple[str, ...] = ()
) -> Cells:
    """Return the cells: the product of the axes, the first slowest.

    Parameters
    ----------
    spec : Spec
    axes : Axes
        From `analysis.experiment.axes.axes_of`, or fewer options of them.
    source : str
        Named in errors.
    canonical : callable
        From a strategy as it is written to its canonical text; it raises `StrategyError`.
    files : tuple of str
        Strategy files.

    Raises
    ------
    UsageError
        With the path of the key that is wrong.
    """
    count = math.prod(len(options) for _, options in axes)
    if count > LARGEST:
        raise UsageError(f"{source}: axes: {count:,} cells, at most {LARGEST:,}")
    maker = Maker(spec, axes, source, canonical)
    cells = Cells(spec, axes, maker.rules(), maker.side("a"), maker.side("b"), maker.starts(), files)
    maker.refuse_idle()
    cells.refuse_alike(source)
    return cells
