"""Equity map: the chance to win the game by both scores, and what it changes who deals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from analysis.charts import style
from analysis.charts.layout import figure_width, is_narrow, panels, wrap
from analysis.charts.words import number

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.knocking.equity import Equity

Grid = npt.NDArray[np.float64]

WIN, CHANGE = "A wins the game, %", "A's gain if B deals, not A, percentage points, hatched where undecided"
MINUS = "\N{MINUS SIGN}"
LEVELS = tuple(range(10, 100, 10))
"""Per cent at which the map of chances has lines."""


def equity_map_info(equity: Equity) -> DataFrame:
    """Return the chance to win at every score.

    Parameters
    ----------
    equity : Equity

    Returns
    -------
    pandas.DataFrame
        ``score_a``, ``score_b``; ``win`` (A's chance, the mean of both dealers) and ``change`` (if B deals,
        so that A acts first, less if A deals), each with the ends of its 95 % interval, ``_low``, ``_high``.
    """
    import pandas as pd

    from analysis.knocking.equity import ends

    target = equity.rules.game_target
    a, b = np.divmod(np.arange(target * target), target)
    table: dict[str, Any] = {"score_a": a, "score_b": b}
    wins = equity.values[:, 0]
    for name, values, share in (("win", wins.mean(axis=1), True), ("change", wins[:, 1] - wins[:, 0], False)):
        for end, part in zip(("", "_low", "_high"), ends(values, share), strict=True):
            table[name + end] = part.ravel()
    return pd.DataFrame(table)


def draw_equity_map(info: DataFrame, axes: Any) -> Any:
    """Draw the two maps, A's points upwards and B's to the right.

    Parameters
    ----------
    info : pandas.DataFrame
        From `equity_map_info`.
    axes : matplotlib.axes.Axes
        Where to draw; two panels take its place, below each other in a column of print.

    Returns
    -------
    matplotlib.axes.Axes
        The first panel, with a line at every tenth of chance; the second has lines at even steps, and is
        hatched where the interval of the change holds 0.
    """
    narrow = is_narrow(axes)
    grid = panels(axes, 2 if narrow else 1, 1 if narrow else 2, 2)
    win, change = (100 * _grid(info, name) for name in ("win", "change"))
    reach = float(np.abs(change).max()) or 1.0
    _map(grid[0], win, WIN, Normalize(0, 100), LEVELS)
    ticks = MaxNLocator(6).tick_values(float(change.min()), float(change.max()))
    steps = tuple(round(float(tick), 6) for tick in ticks if abs(tick) > 1e-9)
    undecided = (_grid(info, "change_low") <= 0) & (_grid(info, "change_high") >= 0)
    _map(grid[1], np.where(undecided, np.nan, change), CHANGE, Normalize(-reach, reach), steps)
    for at, panel in enumerate(grid):
        if narrow or at == 0:
            panel.set_ylabel("A's points")
        if not narrow or at == 1:
            panel.set_xlabel("B's points")
    return grid[0]


def _grid(info: DataFrame, name: str) -> Grid:
    """Return a column by A's points and B's points."""
    target = int(info["score_a"].max()) + 1
    grid = np.full((target, target), np.nan)
    grid[info["score_a"].to_numpy(), info["score_b"].to_numpy()] = info[name].to_numpy(np.float64)
    return grid


def _map(axes: Any, values: Grid, title: str, norm: Normalize, levels: tuple[float, ...]) -> None:
    """Draw one map with its lines and its bar of colours."""
    chosen = style.theme_of(axes)
    target = len(values)
    edge = (-0.5, target - 0.5)
    axes.add_patch(
        Rectangle(
            (edge[0], edge[0]), target, target, facecolor="none", edgecolor=chosen.muted, hatch="/////", lw=0,
            zorder=-1,
        )
    )  # fmt: skip
    image = axes.imshow(
        np.ma.masked_invalid(values), origin="lower", extent=(*edge, *edge), norm=norm,
        cmap=style.diverging(chosen), interpolation="nearest", aspect="auto",
    )  # fmt: skip
    points = np.arange(target)
    known = values[np.isfinite(values)]
    shown = [level for level in levels if known.size and known.min() < level < known.max()]
    if shown and target > 1:
        lines = axes.contour(
            points, points, np.ma.masked_invalid(values), levels=shown, colors=[chosen.ink], linewidths=0.7
        )
        axes.clabel(lines, fmt=lambda level: f"{level:g}".replace("-", MINUS), fontsize=style.small_size())
    axes.set_xlim(edge)
    axes.set_ylim(edge)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(5, integer=True))
    narrow = is_narrow(axes)
    width = figure_width(axes) - 40 if narrow else figure_width(axes) / 2 - 30
    axes.set_title(wrap(title, width, style.type_size(), 2))
    bar = axes.get_figure(root=False).colorbar(image, ax=axes, location="right", pad=0.02, aspect=24)
    bar.locator = MaxNLocator(5)
    bar.update_ticks()


def equity_map_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the area of data."""
    return 0.4 * width if width > 5 else 1.6 * width


def equity_map_alt(info: DataFrame) -> str:
    """Return the maps in words."""
    target = int(info["score_a"].max()) + 1
    win, change = (_grid(info, name) for name in ("win", "change"))
    places = dict.fromkeys([(0, 0), (0, target - 1), (target - 1, 0), (target - 1, target - 1)])
    told = ", ".join(f"{number(100 * win[a, b], 1)} % at {a}:{b}" for a, b in places)
    least, most = (np.unravel_index(pick(change), change.shape) for pick in (np.argmin, np.argmax))
    return (
        f"Two maps by the points of A and B, to {target}. A wins the game: {told}. If B deals, A's chance is "
        f"{number(100 * change.mean(), 1, sign=True)} percentage points in the mean of all scores, from "
        f"{number(100 * change[least], 1, sign=True)} at {least[0]}:{least[1]} to "
        f"{number(100 * change[most], 1, sign=True)} at {most[0]}:{most[1]}."
    )
