"""Cells of what a player knows when a knock is legal: which axes there are, and which cell a fork is in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.console import UsageError
from analysis.knocking.policy import TURNS

if TYPE_CHECKING:
    from sim.forks import Forks

Ints = npt.NDArray[np.int64]


class Axis(NamedTuple):
    """One thing that a player knows.

    Attributes
    ----------
    words : str
        What it is, with its unit.
    first, last : int
        Values told apart.
    open_end : bool
        True if ``last`` stands for all larger values too.
    """

    words: str
    first: int
    last: int
    open_end: bool = False

    def label(self, value: int) -> str:
        """Write a value."""
        return f"{value}+" if self.open_end and value == self.last else str(value)


AXES = {
    "deadwood": Axis("least deadwood that the turn can end with, points", 0, 10),
    "own_turn": Axis("own turn", 1, TURNS, open_end=True),
    "stock": Axis("cards left in the stock", 0, 51),
    "limit": Axis("knock limit of the hand, points", 0, 10),
    "loose": Axis("cards that the knock leaves unmelded", 0, 10),
    "last": Axis("points of the other's last discard, 0 before he has thrown one", 0, 15),  # aces at most 15
    "picked": Axis("upcards that the other has taken", 0, 6, open_end=True),
}
"""What cells can be made of, by name; only what the player knows."""

DEFAULT = ("own_turn", "deadwood")
POPULATIONS = ("first", "every")
"""Which legal knocks count; `analysis.knocking.value` says what they are."""


def check_axes(by: Sequence[str]) -> tuple[str, ...]:
    """Return names of axes if they are known and each stands once.

    Raises
    ------
    UsageError
        Naming the axis.
    """
    if not by:
        raise UsageError(f"no axes; expected some of {', '.join(AXES)}")
    for at, name in enumerate(by):
        if name not in AXES:
            raise UsageError(f"unknown axis {name[:40]!r}; expected some of {', '.join(AXES)}")
        if name in by[:at]:
            raise UsageError(f"axis {name} is named twice")
    return tuple(by)


def check_population(name: str) -> str:
    """Return the name of a population if there is one.

    Raises
    ------
    UsageError
        Naming it otherwise.
    """
    if name not in POPULATIONS:
        raise UsageError(f"population {name[:40]!r}: expected {' or '.join(POPULATIONS)}")
    return name


def cell_codes(forks: Forks, by: Sequence[str]) -> Ints:
    """Return a number for the cell of each fork, shape (forks,), ascending along the axes, the last fastest.

    Parameters
    ----------
    forks : Forks
    by : sequence of str
        Names out of `AXES`. All of them together have fewer than 2**28 cells.
    """
    codes = np.zeros(len(forks.forks), np.int64)
    for name in by:
        axis = AXES[name]
        known = forks.deals.limit[forks.owner()] if name == "limit" else forks.forks[name]
        codes *= axis.last - axis.first + 1
        codes += np.minimum(known, axis.last).astype(np.int64) - axis.first
    return codes


def cell_keys(codes: Ints, by: Sequence[str]) -> dict[str, Ints]:
    """Return the value of each axis in cells, by name."""
    keys: dict[str, Ints] = {}
    for name in reversed(by):
        axis = AXES[name]
        codes, values = np.divmod(codes, axis.last - axis.first + 1)
        keys[name] = values + axis.first
    return {name: keys[name] for name in by}
