"""Where a strategy is sought: the numbers among its parameters, each with its range and first step."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.console import UsageError
from strategies.base import Strategy

DIGITS = 4
"""Significant digits of a parameter that is no whole number: what is found can be written down."""


@dataclass(frozen=True)
class Parameter:
    """A number that is sought.

    Attributes
    ----------
    name : str
        Of the field; in a strategy that is made of others with theirs before it, such as ``knock.k``.
    low, high : float
        Range, both ends allowed.
    start : float
        Value to begin with.
    whole : bool
        True for whole numbers.
    step : float
        Standard deviation of the first generation.
    """

    name: str
    low: float
    high: float
    start: float
    whole: bool
    step: float

    def rounded(self, value: float) -> float | int:
        """Return the value of the range that a number stands for."""
        inside = min(max(float(value), self.low), self.high)
        if self.whole:
            return round(inside)
        short = float(f"{inside:.{DIGITS}g}")
        return min(max(short, self.low), self.high)

    @property
    def count(self) -> float:
        """How many values there are."""
        return round(self.high) - round(self.low) + 1 if self.whole else math.inf


@dataclass(frozen=True)
class Space:
    """The strategies that differ from one in some numbers.

    Attributes
    ----------
    start : Strategy
    parameters : tuple of Parameter
        One or more.
    """

    start: Strategy
    parameters: tuple[Parameter, ...]

    def strategy(self, values: Sequence[float]) -> Strategy:
        """Return the strategy of some numbers, each moved to the nearest its parameter can be.

        Raises
        ------
        StrategyError
            If the strategy's own checks refuse them together.
        """
        chosen = self.start
        for one, value in zip(self.parameters, values, strict=True):
            chosen = _replaced(chosen, one.name.split("."), one.rounded(value))
        return chosen

    def values(self, chosen: Strategy) -> list[float | int]:
        """Return the numbers of a strategy of this space."""
        return [_value(chosen, one.name.split(".")) for one in self.parameters]

    @property
    def count(self) -> float:
        """How many strategies there are."""
        return math.prod(one.count for one in self.parameters)

    def every(self) -> Iterator[list[int]]:
        """Yield the numbers of each strategy, the last parameter's fastest; of whole numbers only."""
        for values in itertools.product(
            *(range(round(one.low), round(one.high) + 1) for one in self.parameters)
        ):
            yield list(values)


def space(start: Strategy, free: Sequence[str] = (), ranges: Mapping[str, tuple[float, float]] = {}) -> Space:
    """Return where to seek.

    Parameters
    ----------
    start : Strategy
        Its flags, files and parts stay as they are.
    free : sequence of str
        Numbers to change; all of them, those of its parts included, when there are none.
    ranges : mapping of str to (float, float)
        Narrower ranges, by name; such a number is free too.

    Returns
    -------
    Space

    Raises
    ------
    UsageError
        If a name is not that of a number, a range does not lie in the parameter's, or the start value not
        in the range, or there is nothing to change.
    """
    known = dict(_numbers(start))
    for name in (*free, *ranges):
        if name not in known:
            has = ", ".join(known) or "none"
            raise UsageError(f"{start}: {name[:60]!r} is not one of its numbers (has: {has})")
    wanted = [name for name in known if name in free or name in ranges or not free]
    if not wanted:
        raise UsageError(f"{start}: it has no numbers to tune")
    return Space(start, tuple(_parameter(start, name, known[name], ranges.get(name)) for name in wanted))


def _parameter(start: Strategy, name: str, spec: Any, narrowed: tuple[float, float] | None) -> Parameter:
    low, high = spec.metadata["range"]
    whole = isinstance(spec.default, int)
    value = float(_value(start, name.split(".")))
    if narrowed is not None:
        shown = f"range {name}={narrowed[0]:g}:{narrowed[1]:g}"
        if not low <= narrowed[0] < narrowed[1] <= high:
            raise UsageError(f"{shown}: expected two numbers within {low}-{high}, the lower first")
        if whole and any(end != round(end) for end in narrowed):
            raise UsageError(f"{shown}: {name} is a whole number")
        low, high = narrowed
        if not low <= value <= high:
            raise UsageError(f"{shown}: the start value {value:g} lies outside")
        return Parameter(name, low, high, value, whole, (high - low) / 4)
    # Ranges say what is possible (a weight of 0-1000), not what is likely: half of the start value is a
    # step that can lead anywhere within a few generations, for the step adapts itself.
    return Parameter(name, low, high, value, whole, min((high - low) / 4, max(abs(value) / 2, 1.0)))


def _numbers(chosen: Strategy, before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield name and field of the numbers of a strategy and of its parts."""
    for spec in dataclasses.fields(chosen):
        if "range" in spec.metadata:
            yield before + spec.name, spec
        elif isinstance(part := getattr(chosen, spec.name), Strategy):
            yield from _numbers(part, f"{before}{spec.name}.")


def _value(chosen: Any, path: Sequence[str]) -> Any:
    for name in path:
        chosen = getattr(chosen, name)
    return chosen


def _replaced(chosen: Any, path: Sequence[str], value: float | int) -> Any:
    name, *rest = path
    return dataclasses.replace(
        chosen, **{name: _replaced(getattr(chosen, name), rest, value) if rest else value}
    )
