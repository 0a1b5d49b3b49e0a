"""Numbers and names as a report writes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from analysis.charts.words import Quantity, number, quantity
from analysis.report.blocks import Cell, plain
from analysis.stats.estimates import Estimate

NO_NUMBER = "\N{EN DASH}"
"""Stands where there is no number."""


def decimals(told: Estimate, scale: float, least: int) -> int:
    """Return the decimals that show an interval's width with at least one digit; at most six."""
    if told.low is None or told.high is None:
        return least
    width = abs(scale) * (told.high - told.low)
    digits = least
    while 0 < width < 2 * 10.0**-digits and digits < 6:
        digits += 1
    return digits


def interval(told: Estimate, metric: str | Quantity, sign: bool = False) -> str:
    """Write an estimate with its interval and unit, such as ``52.3 % (52.1 to 52.5)``.

    Parameters
    ----------
    told : Estimate
    metric : str or Quantity
        What it is of.
    sign : bool
        For differences: a plus is written too, and a difference of shares is of percentage points.
    """
    if told.estimate is None:
        return NO_NUMBER
    what = quantity(metric) if isinstance(metric, str) else metric
    unit = unit_text(what, sign)
    return f"{number_text(told, what, sign)}{unit}{ends_text(told, what, sign)}"


def number_text(told: Estimate, what: Quantity, sign: bool = False) -> str:
    """Write the estimate alone, in its unit but without it."""
    if told.estimate is None:
        return NO_NUMBER
    signed = sign or what.even == 0
    return number(what.scale * told.estimate, decimals(told, what.scale, what.digits), sign=signed)


def ends_text(told: Estimate, what: Quantity, sign: bool = False) -> str:
    """Write the ends of the interval in brackets, after a blank; nothing where there are none."""
    if told.low is None or told.high is None:
        return ""
    digits = decimals(told, what.scale, what.digits)
    signed = sign or what.even == 0
    low, high = (number(what.scale * end, digits, sign=signed) for end in (told.low, told.high))
    return f" ({low} to {high})"


def unit_text(what: Quantity, sign: bool = False) -> str:
    """Return the unit after a number, with the blank before it; points are understood in tables."""
    if what.unit == "%":
        return " percentage points" if sign else " %"
    return f" {what.unit}" if what.unit else ""


def number_cell(told: Estimate, metric: str | Quantity, sign: bool = False) -> Cell:
    """Return a table's cell with an estimate and its interval; the unit is the column's."""
    what = quantity(metric) if isinstance(metric, str) else metric
    if told.estimate is None:
        return Cell(NO_NUMBER)
    return Cell(
        number_text(told, what, sign), what.scale * told.estimate, ends_text(told, what, sign).strip()
    )


def count_cell(value: float) -> Cell:
    """Return a table's cell with a count."""
    return Cell(f"{int(value):,}", float(value))


def value_cell(value: float | None, digits: int, sign: bool = False) -> Cell:
    """Return a table's cell with a number of so many decimals."""
    if value is None or not math.isfinite(value):
        return Cell(NO_NUMBER)
    return Cell(number(value, digits, sign), float(value))


def label_cell(value: Any) -> Cell:
    """Return a table's cell with a label of an axis: sorted as a number if it is one."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Cell(f"{value:g}" if isinstance(value, float) else str(value), float(value))
    return Cell(plain(str(value).lower() if isinstance(value, bool) else str(value)))


def listing(words: Sequence[str], most: int = 12, last: str = "and") -> str:
    """Join words as a sentence does, by semicolons where they hold commas; what is beyond is counted."""
    words = list(words)
    comma = "; " if any(", " in word for word in words) else ", "
    if len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1} more"]
    if len(words) < 2:
        return "".join(words)
    return f"{comma.join(words[:-1])}{';' if comma == '; ' else ''} {last} {words[-1]}"


def several(count: int, one: str, many: str | None = None) -> str:
    """Write a count with its noun."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
