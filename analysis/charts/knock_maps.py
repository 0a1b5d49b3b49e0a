"""Knock maps: what a knock led to, by deadwood and own turn: undercut, win, mean points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import Normalize
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator

from analysis.charts import style
from analysis.charts.layout import figure_width, is_narrow, panels, wrap
from analysis.charts.pick import recorded, side_number
from analysis.charts.rows import least, most, rows
from analysis.charts.words import count, quantity
from analysis.knocks import LEAST, knock_cells, last_turn_label

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.store.results import Results

MAPS = ("p_undercut", "p_win", "points")
"""Columns that become maps, from the left."""


def knock_maps_info(results: Results, cell: int = 0, side: str = "a") -> DataFrame:
    """Return what a side's knocks led to, by deadwood and own turn.

    Parameters
    ----------
    results : Results
    cell : int
        Its number.
    side : str
        ``a`` or ``b``.

    Returns
    -------
    pandas.DataFrame
        ``cell``, and the columns of `analysis.knocks.knock_cells`.

    Raises
    ------
    UsageError
        If there is no such cell or side, or knocks were not recorded.
    """
    side_number(side)
    recorded(results, "knocks")
    table = knock_cells(results.tally(cell))
    table = table[table["side"] == side].reset_index(drop=True)
    table.insert(0, "cell", cell)
    return table


def draw_knock_maps(info: DataFrame, axes: Any) -> Any:
    """Draw three maps of knocks taken, deadwood against own turn.

    Parameters
    ----------
    info : pandas.DataFrame
        From `knock_maps_info`.
    axes : matplotlib.axes.Axes
        Where to draw; three panels take its place in its grid, below each other in a column of print.

    Returns
    -------
    matplotlib.axes.Axes
        The first panel. Cells of fewer than `analysis.knocks.LEAST` knocks are hatched, their numbers being
        noise; empty ones are blank. In the map of points the line is where a knock brings nothing on average.
    """
    narrow = is_narrow(axes)
    last = _last_turn(info)
    grid = panels(axes, 3 if narrow else 1, 1 if narrow else 3, 3)
    for at, (panel, name) in enumerate(zip(grid, MAPS, strict=True)):
        _draw_map(info, panel, name, last)
        if narrow or at == 0:
            panel.set_ylabel("deadwood, points")
        if not narrow or at == 2:
            panel.set_xlabel("own turn")
    chosen = style.theme_of(grid[0])
    grid[0].get_figure(root=False).legend(
        handles=[
            Patch(
                facecolor=chosen.paper,
                hatch="/////",
                edgecolor=chosen.ink,
                linewidth=0,
                label=f"fewer than {LEAST} knocks",
            ),
        ],
        loc="outside upper left",
        borderpad=0.1,
        borderaxespad=0.2,
    )
    return grid[0]


def _last_turn(info: DataFrame) -> int:
    """Return the last own turn worth showing: with a knock count that fills a cell, or all there is."""
    enough = info[info["taken"] >= LEAST]
    own = enough if len(enough) else info[info["taken"] > 0]
    return int(own["own_turn"].max()) if len(own) else 1


def _draw_map(info: DataFrame, axes: Any, name: str, last: int) -> None:
    chosen = style.theme_of(axes)
    told = quantity(name)
    values = np.full((11, last), np.nan)
    taken = np.zeros((11, last))
    for row in rows(info):
        turn = int(row.own_turn) - 1
        if turn < last and row.taken > 0:
            values[int(row.deadwood), turn] = told.scale * getattr(row, name)
            taken[int(row.deadwood), turn] = row.taken
    sure = values[(taken >= LEAST) & np.isfinite(values)]
    if told.even == 0:
        reach = float(np.abs(sure).max(initial=0.0)) or 1.0
        look = {"cmap": style.diverging(chosen), "norm": Normalize(-reach, reach)}
    else:
        low, high = (float(sure.min()), float(sure.max())) if sure.size else (0.0, 1.0)
        look = {"cmap": style.sequential(chosen), "norm": Normalize(low, high if high > low else low + 1)}
    edges = np.arange(last + 1) + 0.5, np.arange(12) - 0.5
    mesh = axes.pcolormesh(*edges, np.ma.masked_invalid(values), **look)
    for deadwood, turn in np.argwhere((taken > 0) & (taken < LEAST)):
        axes.add_patch(
            Rectangle(
                (turn + 0.5, deadwood - 0.5),
                1,
                1,
                facecolor=chosen.paper,
                hatch="/////",
                lw=0,
                edgecolor=chosen.muted,
            )
        )
    if (
        told.even == 0
        and last > 1
        and np.isfinite(values).all(axis=1).sum() > 1
        and (values > 0).any()
        and (values < 0).any()
    ):
        axes.contour(
            np.arange(last) + 1, np.arange(11), values, levels=[0], colors=[chosen.ink], linewidths=1.2
        )
    step = 1 if last <= 8 else 2 if last <= 16 else 5
    turns = list(range(1, last + 1, step)) if step < 5 else [1, *range(5, last + 1, 5)]
    axes.set_xticks(turns, [last_turn_label(turn) for turn in turns])
    axes.set_yticks(range(0, 11, 2))
    axes.set_xlim(0.5, last + 0.5)
    axes.set_ylim(-0.5, 10.5)
    narrow = is_narrow(axes)
    share = figure_width(axes) - 40 if narrow else figure_width(axes) / 3 - 20
    axes.set_title(wrap(told.label, share, style.type_size(), 2))
    place = (
        {"location": "right", "pad": 0.02, "aspect": 14}
        if narrow
        else {"location": "bottom", "pad": 0.02, "aspect": 22}
    )
    bar = axes.get_figure(root=False).colorbar(mesh, ax=axes, **place)
    bar.locator = MaxNLocator(4)
    bar.update_ticks()


def knock_maps_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the area of data."""
    return 2.7 if width > 5 else 4.8


def knock_maps_alt(info: DataFrame) -> str:
    """Return the maps in words."""
    known = info[info["taken"] >= LEAST]
    if known.empty:
        return f"Maps of knocks by deadwood and own turn; no cell holds {LEAST} knocks."
    words = [f"Maps of {count(float(info['taken'].sum()))} knocks by deadwood and own turn."]
    for name in MAPS:
        told = quantity(name)
        low, high = least(known, name), most(known, name)
        least_at, most_at = (
            f"{told.shown(row[name])} with {int(row['deadwood'])} points on own turn {int(row['own_turn'])}"
            for row in (low, high)
        )
        words.append(f"{told.label}: least {least_at}, most {most_at}.")
    return " ".join(words)
