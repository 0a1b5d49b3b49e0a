"""Estimates with their intervals in rows, grouped: points and whiskers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.charts import style
from analysis.charts.layout import compact, figure_width, head
from analysis.charts.rows import rows
from analysis.charts.words import number
from analysis.stats.estimates import Estimate

if TYPE_CHECKING:
    from pandas import DataFrame


def whiskers_info(told: Sequence[tuple[str, str, Estimate]]) -> DataFrame:
    """Return the table of the chart.

    Parameters
    ----------
    told : sequence of (str, str, Estimate)
        Group, name within the group (the same names in every group, in the same order), and number.

    Returns
    -------
    pandas.DataFrame
        ``row`` (the group), ``label``, ``estimate``, ``low``, ``high``.
    """
    import pandas as pd

    return pd.DataFrame(
        [
            {"row": group, "label": name, "estimate": value.estimate, "low": value.low, "high": value.high}
            for group, name, value in told
        ]
    )


def draw_whiskers(scale: float, label: str, even: float) -> Callable[[DataFrame, Any], Any]:
    """Return a drawing function for tables of `whiskers_info`.

    Parameters
    ----------
    scale : float
        Factor from the table's numbers to what is drawn.
    label : str
        Of the axis, with the unit.
    even : float
        Value at which a line is drawn, in the unit drawn.
    """

    def draw(info: DataFrame, axes: Any) -> Any:
        chosen = style.theme_of(axes)
        groups, names = (list(dict.fromkeys(info[column])) for column in ("row", "label"))
        axes.axvline(even, color=chosen.faint, linewidth=0.8, zorder=0)
        step = 0.6 / max(len(names) - 1, 1)
        handles = []
        for at, (name, colour, marker) in enumerate(zip(names, chosen.colours, style.MARKERS, strict=False)):
            part = info[info["label"] == name]
            heights = np.array([groups.index(group) for group in part["row"]], float)
            heights += (at - (len(names) - 1) / 2) * step if len(names) > 1 else 0.0
            middle, low, high = (
                scale * part[column].to_numpy(float) for column in ("estimate", "low", "high")
            )
            axes.hlines(heights, low, high, color=colour, linewidth=1.6)
            handles += axes.plot(
                middle, heights, color=colour, marker=marker, linestyle="none", label=name, markersize=4.5
            )
        left = figure_width(axes) * 0.3
        axes.set_yticks(range(len(groups)), compact(groups, left, style.type_size()))
        axes.set_ylim(len(groups) - 0.5, -0.5)
        axes.set_xlabel(label)
        if len(names) > 1:
            head(axes, "", handles)
        return axes

    return draw


def whiskers_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the area of data."""
    return max(1.0, 0.14 * len(info) + 0.12 * info["row"].nunique())


def whiskers_alt(info: DataFrame, what: str, scale: float, digits: int = 2) -> str:
    """Return the numbers in words."""
    parts = [
        f"{row.row}, {row.label}: {number(scale * row.estimate, digits)}"
        + (
            ""
            if np.isnan(row.low)
            else f" ({number(scale * row.low, digits)} to {number(scale * row.high, digits)})"
        )
        for row in rows(info)
    ]
    return f"{what}. {'; '.join(parts)}."
