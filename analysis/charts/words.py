"""What charts call the numbers: names with units, and numbers as text."""

from __future__ import annotations

import math
from dataclasses import dataclass

from analysis.metrics import SHOWN_ENDINGS


@dataclass(frozen=True)
class Quantity:
    """A metric as a chart tells it.

    Attributes
    ----------
    words : str
        What it is, of side A, without the unit.
    unit : str
        ``%``, or empty where the words tell it.
    scale : float
        Factor from the table's number to the unit.
    even : float or None
        Value in the unit at which the sides are equal; None where there is no such value.
    digits : int
        Decimals shown.
    """

    words: str
    unit: str
    scale: float = 1.0
    even: float | None = None
    digits: int = 2

    @property
    def label(self) -> str:
        """Name with unit, for an axis; the unit of points a hand stands in its name."""
        return f"{self.words}, {self.unit}" if self.unit else self.words

    def text(self, value: float, digits: int | None = None) -> str:
        """Write a value given in the unit; with its sign where zero is even."""
        return number(value, self.digits if digits is None else digits, sign=self.even == 0)

    def shown(self, value: float) -> str:
        """Write a value given as tables have it."""
        return self.text(self.scale * value)

    def gap_text(self, value: float) -> str:
        """Write a difference of two values."""
        return number(value, self.digits, sign=True)


def _share(words: str, even: float | None = None) -> Quantity:
    return Quantity(words, "%", 100.0, even, 1)


QUANTITIES = {
    "game_share": _share("games won by A", 50.0),
    "match_share": _share("matches won by A", 50.0),
    "hand_share": _share("hands won by A", 50.0),
    "points_per_hand": Quantity("points a hand, A less B", "", even=0.0),
    "hands_per_game": Quantity("hands a game", ""),
    "turns_per_hand": Quantity("turns a hand", ""),
    "first_mover_game_share": _share("games won by the first to move", 50.0),
    "dealer_hand_share": _share("hands won by the dealer", 50.0),
    "dealer_points_per_hand": Quantity("points a hand, dealer less the other", "", even=0.0),
    "p_win": _share("knocks won"),
    "p_undercut": _share("knocks undercut"),
    "points": Quantity("mean points of a knock", "", even=0.0),
    "delta": Quantity("knock less wait", "points", even=0.0, digits=1),
    "delta_share": Quantity("knock less wait, games won", "percentage points", 100.0, 0.0, 1),
    "knock_share": _share("hands A knocks"),
    "edge": Quantity("edge of a hand", "% of SD", 100.0, 0.0, 1),
    "knock_deadwood": Quantity("mean deadwood of knocks, points", ""),
    **{f"ending_{kind}": _share(f"hands ending: {kind.replace('_', ' ')}") for kind in SHOWN_ENDINGS},
}

AXES = {
    "k": "knock threshold k, points of deadwood",
    "early": "early knock threshold, points of deadwood",
    "late": "late knock threshold, points of deadwood",
    "undercut_bonus": "undercut bonus, points",
    "gin_bonus": "gin bonus, points",
    "big_gin_bonus": "big gin bonus, points",
    "knock_limit": "knock limit, points of deadwood",
    "game_target": "game target, points",
    "game_bonus": "game bonus, points",
    "box_bonus": "box bonus, points",
    "own_turn": "own turn",
    "loose": "loose cards",
    "switch": "own turn of the switch",
    "a": "side A",
    "b": "side B",
    "base": "rules",
    "score": "score when a game begins, A:B",
    "score_a": "A's points",
    "score_b": "B's points",
    "dealer": "first dealer",
}
"""Axes of experiments by name; others are told by their names."""


def quantity(metric: str) -> Quantity:
    """Return how a metric is told; one that is not known by its name alone."""
    return QUANTITIES.get(metric, Quantity(metric.replace("_", " "), "", digits=3))


def axis_label(name: str) -> str:
    """Return the label of an axis of an experiment."""
    return AXES.get(name, name.replace("_", " "))


def is_number(text: str) -> bool:
    """Tell if a label is a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def number(value: float, digits: int = 0, sign: bool = False) -> str:
    """Write a number with a true minus; never a zero with a sign."""
    text = f"{value:+,.{digits}f}" if sign else f"{value:,.{digits}f}"
    if not any(digit in text for digit in "123456789"):
        text = text.lstrip("+-")
    return text.replace("-", "\N{MINUS SIGN}")


def count(value: float) -> str:
    """Write a count in three figures, or four if it has no more: 9,500, 12.3 k, 4.56 M, 1.2 G."""
    for least, scale, letter in ((999.5e6, 1e9, "G"), (999.5e3, 1e6, "M"), (1e4, 1e3, "k")):
        if value >= least:
            part = value / scale
            digits = 2 if part < 10 else 1 if part < 100 else 0
            text = f"{part:.{digits}f}"
            return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {letter}"
    return f"{value:,.0f}"
