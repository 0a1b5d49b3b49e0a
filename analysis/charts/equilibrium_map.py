"""The equilibrium as a map: how often to knock by own turn and deadwood; and what a reply wins of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import Normalize
from matplotlib.ticker import NullLocator, PercentFormatter

from analysis.charts import style
from analysis.charts.curves import draw_band, line_look
from analysis.charts.rows import rows
from analysis.knocking.policy import TURNS

if TYPE_CHECKING:
    from pandas import DataFrame

OFTEN = 0.0005
"""Cells with fewer decisions a hand are blank, as are turns of such cells alone."""


def draw_equilibrium_map(info: DataFrame, axes: Any) -> Any:
    """Draw the probability of knocking, deadwood against own turn, with the percentage in each cell.

    Parameters
    ----------
    info : pandas.DataFrame
        From `analysis.knocking.equilibrium.table_info`.
    axes : matplotlib.axes.Axes
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        Cells that are hardly ever come to are blank.
    """
    chosen = style.theme_of(axes)
    shown = [row for row in rows(info) if row.reach >= OFTEN]
    last = max((int(row.own_turn) for row in shown), default=1)
    values = np.full((11, last), np.nan)
    for row in shown:
        values[int(row.deadwood), int(row.own_turn) - 1] = row.knock
    edges = np.arange(last + 1) + 0.5, np.arange(12) - 0.5
    mesh = axes.pcolormesh(
        *edges, np.ma.masked_invalid(values), cmap=style.sequential(chosen), norm=Normalize(0, 1),
        edgecolors=chosen.paper, linewidth=0.6,
    )  # fmt: skip
    for row in shown:
        red, green, blue, _ = mesh.to_rgba(row.knock)
        bright = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5
        axes.text(
            row.own_turn, row.deadwood, f"{100 * row.knock:.0f}", ha="center", va="center",
            fontsize=style.small_size(), color="#000000" if bright else "#ffffff",
        )  # fmt: skip
    turns = range(1, last + 1)
    axes.set_xticks(turns, [f"{turn}+" if turn == TURNS else str(turn) for turn in turns])
    axes.set_yticks(range(0, 11, 2))
    axes.set_xlim(0.5, last + 0.5)
    axes.set_ylim(-0.5, 10.5)
    axes.set_xlabel("own turn")
    axes.set_ylabel("deadwood, points")
    bar = axes.get_figure(root=False).colorbar(mesh, ax=axes, location="right", pad=0.02, aspect=14)
    bar.ax.yaxis.set_major_formatter(PercentFormatter(1))
    bar.set_label("P(knock)")
    return axes


def equilibrium_map_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the area of data."""
    return 2.9 if width > 5 else 2.2


def equilibrium_map_alt(info: DataFrame) -> str:
    """Return the map in words."""
    parts = []
    for turn, own in info[(info["reach"] >= OFTEN) & (info["deadwood"] > 0)].groupby("own_turn"):
        knocks = ", ".join(str(int(points)) for points in own.loc[own["knock"] > 0.5, "deadwood"])
        parts.append(f"turn {turn}: {knocks or 'gin alone'}")
    return (
        "Map of how often to knock, by own turn and deadwood. Points to knock with more often than not: "
        + "; ".join(parts)
        + "."
    )


# --- gain by iteration ---------------------------------------------------------------------------


def draw_equilibrium_gain(info: DataFrame, axes: Any) -> Any:
    """Draw what the best reply found wins from the average table, by iteration.

    Parameters
    ----------
    info : pandas.DataFrame
        From `analysis.knocking.equilibrium.gains_info`.
    axes : matplotlib.axes.Axes
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    chosen = style.theme_of(axes)
    steps = info["iteration"].to_numpy(float)
    look = line_look(chosen, 0, 1)
    low, high = info["low"].to_numpy(float), info["high"].to_numpy(float)
    draw_band(axes, steps, low, high, look["color"])
    axes.plot(steps, info["gain"].to_numpy(float), **{**look, "marker": "o"})
    axes.axhline(0, color=chosen.muted, linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xticks(steps, [f"{int(step):,}" for step in steps])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("iterations of self-play")
    axes.set_ylabel("best reply's gain, points a hand")
    return axes


def equilibrium_gain_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the area of data."""
    return 2.4 if width > 5 else 1.9


def equilibrium_gain_alt(info: DataFrame) -> str:
    """Return the course in words."""
    parts = [
        f"{row.gain:.2f} ({row.low:.2f} to {row.high:.2f}) after {int(row.iteration):,}" for row in rows(info)
    ]
    return f"What the best reply wins from the average table, points a hand: {', '.join(parts)}."
