"""One policy's share of hands, points a hand and share of games along one axis: three panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from analysis.charts import style
from analysis.charts.curves import draw_band
from analysis.charts.layout import figure_width, is_narrow, panels, wrap
from analysis.charts.rows import rows
from analysis.charts.words import axis_label, quantity
from analysis.stats.estimates import Estimate

if TYPE_CHECKING:
    from pandas import DataFrame

BOARDS = ("hand_share", "points_per_hand", "game_share")
"""The panels: what a hand, a point and a game say of the same policy."""


def scoreboards_info(axis: str, told: Sequence[tuple[float, Mapping[str, Estimate]]]) -> DataFrame:
    """Return the table of the chart: a row for each value of the axis.

    Parameters
    ----------
    axis : str
        What changes, such as ``k``.
    told : sequence of (float, mapping)
        Value of the axis, and the estimates of `BOARDS` there.

    Returns
    -------
    pandas.DataFrame
        The axis, and estimate, low and high of each of `BOARDS`.
    """
    import pandas as pd

    return pd.DataFrame(
        [
            {
                axis: value,
                **{
                    f"{name}_{part}": getattr(estimates[name], part)
                    for name in BOARDS
                    for part in ("estimate", "low", "high")
                },
            }
            for value, estimates in sorted(told, key=lambda pair: pair[0])
        ]
    )


def draw_scoreboards(info: DataFrame, axes: Any) -> Any:
    """Draw the three panels; the largest value of each is filled in, and even play is a line.

    Parameters
    ----------
    info : pandas.DataFrame
        From `scoreboards_info`.
    axes : matplotlib.axes.Axes
        Where to draw; three panels take its place, below each other in a column of print.

    Returns
    -------
    matplotlib.axes.Axes
        The first panel.
    """
    narrow = is_narrow(axes)
    axis = str(info.columns[0])
    at = info[axis].to_numpy(float)
    width = figure_width(axes) / (1 if narrow else 3) - 30  # of a panel
    grid = panels(axes, 3 if narrow else 1, 1 if narrow else 3, 3, same_y=False)
    for panel, name, colour, marker in zip(
        grid, BOARDS, style.theme_of(axes).colours, style.MARKERS, strict=False
    ):
        told = quantity(name)
        value, low, high = (
            told.scale * info[f"{name}_{part}"].to_numpy(float) for part in ("estimate", "low", "high")
        )
        panel.axhline(told.even, color=style.theme_of(axes).faint, linewidth=0.8, zorder=0)
        draw_band(panel, at, low, high, colour)
        panel.plot(at, value, color=colour, marker=marker, markerfacecolor="none")
        best = int(value.argmax())
        panel.plot(at[best], value[best], color=colour, marker=marker, linestyle="none")
        panel.set_title(wrap(told.label, width, style.type_size()))
        panel.set_xticks(at[:: 2 if len(at) > 6 else 1])
        if not narrow or panel is grid[-1]:
            panel.set_xlabel(wrap(axis_label(axis), width, style.type_size()))
    return grid[0]


def scoreboards_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the area of data."""
    return 2.3 if width > 5 else 4.8


def scoreboards_alt(info: DataFrame) -> str:
    """Return the curves in words."""
    axis = str(info.columns[0])
    parts = []
    for name in BOARDS:
        told = quantity(name)
        best = max(rows(info), key=lambda row: getattr(row, f"{name}_estimate"))
        ends = [getattr(row, f"{name}_estimate") for row in rows(info)]
        parts.append(
            f"{told.label}: from {told.shown(ends[0])} to {told.shown(ends[-1])}, most at "
            f"{axis} = {getattr(best, axis):g} with {told.shown(getattr(best, f'{name}_estimate'))}"
        )
    return f"Three curves along {axis_label(axis)}. {'; '.join(parts)}."
