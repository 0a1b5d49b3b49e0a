"""Why undercuts occur: deadwood of who knocked by deadwood left to the defender, in two dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import LogNorm

from analysis.charts import style
from analysis.charts.layout import figure_width, head, is_narrow
from analysis.charts.pick import recorded, side_number
from analysis.charts.rows import rows
from analysis.charts.words import count, number

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.store.results import Results

MOST = 0.998
"""The axis of the defender ends where so many hands are shown."""


def deadwood_info(results: Results, cell: int = 0, side: str | None = None) -> DataFrame:
    """Return the hands of a cell that somebody ended, by both deadwoods.

    Parameters
    ----------
    results : Results
    cell : int
        Its number.
    side : str, optional
        ``a`` or ``b``: hands that this side ended; both when left out.

    Returns
    -------
    pandas.DataFrame
        ``cell``, ``side`` (who ended the hand), ``knocker`` (his deadwood after the discard, 0-10; 0 is gin),
        ``defender`` (the other's after lay-offs; 99: so many and more), ``hands``.

    Raises
    ------
    UsageError
        If there is no such cell or side, or knocks were not recorded.
    """
    import pandas as pd

    recorded(results, "knocks")
    sides = [0, 1] if side is None else [side_number(side)]
    grid = results.tally(cell).total("deadwoods")
    who, knocker, defender = np.nonzero(grid)
    table = pd.DataFrame(
        {
            "cell": np.full(len(who), cell),
            "side": np.array(["a", "b"], dtype=object)[who],
            "knocker": knocker,
            "defender": defender,
            "hands": grid[who, knocker, defender],
        }
    )
    return table[np.isin(who, sides)].reset_index(drop=True)


def draw_deadwood(info: DataFrame, axes: Any) -> Any:
    """Draw hands that somebody ended by both deadwoods, with the line of equal ones and the margins.

    Parameters
    ----------
    info : pandas.DataFrame
        From `deadwood_info`.
    axes : matplotlib.axes.Axes
        Where to draw; margins stand above and at the right.

    Returns
    -------
    matplotlib.axes.Axes
        On and below the line the defender has no more than who knocked: an undercut or a tie.
    """
    chosen = style.theme_of(axes)
    grid = np.zeros((100, 11))
    for row in rows(info):
        grid[int(row.defender), int(row.knocker)] += row.hands
    total = grid.sum()
    up_to = np.cumsum(grid.sum(axis=1)) / max(total, 1)
    top = min(99, max(12, int(np.searchsorted(up_to, MOST)) + 1))
    shown = np.ma.masked_equal(100 * grid[: top + 1] / max(total, 1), 0)
    most = float(shown.max()) if shown.count() else 1.0
    least = max(float(shown.min()) if shown.count() else most, most / 10_000)
    mesh = axes.pcolormesh(
        np.arange(12) - 0.5,
        np.arange(top + 2) - 0.5,
        shown,
        cmap=style.sequential(chosen),
        norm=LogNorm(least, most if most > least else least * 10),
        rasterized=False,
    )
    equal = np.array([-0.5, 10.5])
    for colour, width in ((chosen.paper, 2.6), (chosen.ink, 1.2)):
        axes.plot(equal, equal, color=colour, linewidth=width, label="_equal")
    axes.set_xlim(-0.5, 10.5)
    axes.set_ylim(-0.5, top + 0.5)
    axes.set_xticks(range(0, 11, 2 if is_narrow(axes) else 1))
    axes.set_xlabel("deadwood of the knocker, points")
    axes.set_ylabel("deadwood of the defender\nafter lay-offs, points")
    across = axes.inset_axes((0, 1.02, 1, 0.14), sharex=axes)
    down = axes.inset_axes((1.02, 0, 0.16, 1), sharey=axes)
    colour = chosen.colours[0]
    across.bar(range(11), grid.sum(axis=0), width=0.9, color=colour)
    down.barh(range(top + 1), grid.sum(axis=1)[: top + 1], height=0.9, color=colour)
    for margin in (across, down):
        margin.set_axis_off()
    bar = axes.get_figure(root=False).colorbar(
        mesh, ax=axes, location="bottom", pad=0.02, fraction=0.05, aspect=45
    )
    bar.set_label("hands, %")
    bar.ax.minorticks_off()
    bar.ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    title = "no hand was ended by a knock or gin"
    if total:
        share = number(100 * undercut_share(info), 1)
        title = f"{count(total)} knocks and gins; knocks on or below the line, undercut or tied: {share} %"
    head(across, title, left=0.3 * figure_width(axes))
    return axes


def undercut_share(info: DataFrame) -> float:
    """Return the share of knocks (more than no deadwood) against which the defender had no more."""
    knocks = info[info["knocker"] > 0]
    total = float(knocks["hands"].sum())
    return float(knocks.loc[knocks["defender"] <= knocks["knocker"], "hands"].sum()) / total if total else 0.0


def deadwood_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the area of data."""
    return 3.6 if width > 5 else 2.6


def deadwood_alt(info: DataFrame) -> str:
    """Return the histogram in words."""
    total = float(info["hands"].sum())
    if not total:
        return "Two-dimensional histogram of deadwood; no hand was ended."
    means = [float((info[name] * info["hands"]).sum()) / total for name in ("knocker", "defender")]
    return (
        f"Two-dimensional histogram of {count(total)} hands by deadwood of who knocked "
        f"(mean {number(means[0], 1)}) and of the defender after lay-offs (mean {number(means[1], 1)}). "
        f"Of knocks with deadwood {number(100 * undercut_share(info), 1)} % "
        "met no more at the defender's: undercuts and ties."
    )
