"""Knock or wait: what knocking now gains over waiting, by deadwood and own turn; who is undercut when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import Normalize
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator

from analysis.charts import style
from analysis.charts.layout import figure_width, is_narrow, panels, wrap
from analysis.charts.rows import least, most, rows
from analysis.charts.words import quantity
from analysis.console import UsageError
from analysis.knocks import LEAST

if TYPE_CHECKING:
    from pandas import DataFrame

CONTINUATIONS = {"once": "wait now, then his own rule", "gin": "wait for gin"}
"""What the other branch is, by continuation."""

HATCH = "/////"

KEPT = (
    "population",
    "own_turn",
    "deadwood",
    "hands",
    "delta",
    "low",
    "high",
    "band_low",
    "band_high",
    "verdict",
)


def knock_wait_info(tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return what knocking gains over waiting, by deadwood and own turn.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
        From `analysis.knocking.value.value_table` by own turn and deadwood, each under its name, such as the
        opponent's; a single one may have an empty name.

    Returns
    -------
    pandas.DataFrame
        ``panel`` (the name), ``continuation``, ``population``, ``own_turn``, ``deadwood``, ``hands``,
        ``delta`` (mean points) with ``low`` and ``high``, ``band_low``, ``band_high`` and ``verdict``. Cells
        of fewer than `analysis.knocks.LEAST` hands are left out.

    Raises
    ------
    UsageError
        If a table is by other axes, or no cell has enough hands.
    """
    import pandas as pd

    parts = []
    for name, table in tables.items():
        _by(table, "own_turn", "deadwood")
        part = table.loc[table["hands"] >= LEAST, ["continuation", *KEPT]].reset_index(drop=True)
        part.insert(0, "panel", name)
        parts.append(part)
    return _some(pd.concat(parts, ignore_index=True))


def draw_knock_wait(info: DataFrame, axes: Any) -> Any:
    """Draw maps of what knocking gains over waiting: blue where it gains, orange where waiting does.

    Parameters
    ----------
    info : pandas.DataFrame
        From `knock_wait_info`.
    axes : matplotlib.axes.Axes
        Where to draw; a panel for each name and continuation takes its place in its grid.

    Returns
    -------
    matplotlib.axes.Axes
        The first panel. Cells whose sign is not decided by the simultaneous band are hatched; those of too
        few hands are blank.
    """
    names = list(dict.fromkeys(info["panel"].fillna("").astype(str)))
    told = [(name, one) for name in names for one in dict.fromkeys(info["continuation"].astype(str))]
    across = 1 if is_narrow(axes) else min(2, len(told))
    down = -(-len(told) // across)
    grid = panels(axes, down, across, len(told))  # also one alone: the key needs a place of its own
    last = int(info["own_turn"].max())
    reach = float(info["delta"].abs().max()) or 1.0
    mesh = None
    for at, ((name, continuation), panel) in enumerate(zip(told, grid, strict=True)):
        own = info[(info["panel"].fillna("").astype(str) == name) & (info["continuation"] == continuation)]
        mesh = _draw_map(own, panel, last, reach)
        words = f"{name}: {CONTINUATIONS[continuation]}" if name else CONTINUATIONS[continuation]
        width = figure_width(panel) * 0.8 / across - 20
        panel.set_title(wrap(words, width, style.type_size(), 2))
        if at % across == 0:
            panel.set_ylabel("deadwood, points")
        if at + across >= len(told):
            panel.set_xlabel("own turn")
    chosen = style.theme_of(grid[0])
    figure = grid[0].get_figure(root=False)
    bar = figure.colorbar(mesh, ax=grid, location="right", pad=0.02, aspect=25, fraction=0.06)
    bar.set_label(quantity("delta").label)
    bar.locator = MaxNLocator(6)
    bar.update_ticks()
    mark: dict[str, Any] = {"facecolor": chosen.paper, "edgecolor": chosen.ink, "linewidth": 0}
    figure.legend(
        handles=[Patch(hatch=HATCH, label=f"undecided (blank: fewer than {LEAST} hands)", **mark)],
        loc="outside upper left",
        borderpad=0.1,
        borderaxespad=0.2,
    )
    return grid[0]


def _draw_map(info: DataFrame, axes: Any, last: int, reach: float) -> Any:
    """Draw one map and return its mesh."""
    chosen = style.theme_of(axes)
    values = np.full((11, last), np.nan)
    for row in rows(info):
        values[int(row.deadwood), int(row.own_turn) - 1] = row.delta
    edges = np.arange(last + 1) + 0.5, np.arange(12) - 0.5
    mesh = axes.pcolormesh(
        *edges, np.ma.masked_invalid(values), cmap=style.diverging(chosen), norm=Normalize(-reach, reach)
    )
    for row in rows(info[info["verdict"] == "undecided"]):
        corner = (row.own_turn - 0.5, row.deadwood - 0.5)
        axes.add_patch(Rectangle(corner, 1, 1, facecolor="none", edgecolor=chosen.ink, hatch=HATCH, lw=0))
    step = 1 if last <= 10 else 2
    axes.set_xticks(range(1, last + 1, step))
    axes.set_yticks(range(0, 11, 2))
    axes.set_xlim(0.5, last + 0.5)
    axes.set_ylim(-0.5, 10.5)
    return mesh


def knock_wait_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the area of data."""
    names = max(info["panel"].fillna("").nunique(), 1)
    maps = names * info["continuation"].nunique()
    return float(2.6 * -(-maps // 2) if width > 5 else 1.9 * maps)


def knock_wait_alt(info: DataFrame) -> str:
    """Return the maps in words."""
    words = ["Maps of knock less wait, in mean points of the hand, by deadwood and own turn."]
    told = quantity("delta")
    for (panel, continuation), own in info.fillna({"panel": ""}).groupby(
        ["panel", "continuation"], sort=False
    ):
        signs = own["verdict"].value_counts()
        low, high = (
            f"{told.shown(row['delta'])} with {_points(int(row['deadwood']))} on turn {int(row['own_turn'])}"
            for row in (least(own, "delta"), most(own, "delta"))
        )
        name = f"{panel}, {CONTINUATIONS[str(continuation)]}" if panel else CONTINUATIONS[str(continuation)]
        words.append(
            f"{name[:1].upper()}{name[1:]}: knock in {signs.get('knock', 0)} cells, wait in "
            f"{signs.get('wait', 0)}, undecided in {signs.get('undecided', 0)}; "
            f"least {low}, most {high}."
        )
    return " ".join(words)


# --- lines ---------------------------------------------------------------------------------------


def undercut_info(table: DataFrame) -> DataFrame:
    """Return how often a knock is undercut by own turn, a line for each deadwood: for `curves.draw_curves`.

    Parameters
    ----------
    table : pandas.DataFrame
        From `analysis.knocking.value.value_table` by own turn and deadwood.

    Returns
    -------
    pandas.DataFrame
        As from `analysis.charts.curves.curves_info`, with the hands ``n``. Cells of fewer than
        `analysis.knocks.LEAST` hands are left out; so is gin, which cannot be undercut.

    Raises
    ------
    UsageError
        If the table is by other axes, or no cell has enough hands.
    """
    _by(table, "own_turn", "deadwood")
    own = table[(table["continuation"] == "once") & (table["deadwood"] > 0) & (table["hands"] >= LEAST)]
    own = _some(own.sort_values(["deadwood", "own_turn"]))
    ends = own["p_undercut"], own["p_undercut_low"], own["p_undercut_high"]
    lines = "deadwood", [_points(points) for points in own["deadwood"]]
    return _lines("p_undercut", ends, own, "own_turn", lines, ("", [""] * len(own)))


def loose_info(table: DataFrame) -> DataFrame:
    """Return what a knock gains by loose cards, a panel for each deadwood: for `curves.draw_curves`.

    Parameters
    ----------
    table : pandas.DataFrame
        From `analysis.knocking.value.value_table` by loose cards and deadwood.

    Returns
    -------
    pandas.DataFrame
        As `undercut_info`, a line for each continuation.

    Raises
    ------
    UsageError
        If the table is by other axes, or no cell has enough hands.
    """
    _by(table, "loose", "deadwood")
    own = table[(table["deadwood"] > 0) & (table["hands"] >= LEAST)]
    own = _some(own.sort_values(["deadwood", "continuation", "loose"], ascending=[True, False, True]))
    ends = own["delta"], own["low"], own["high"]
    lines = "continuation", [CONTINUATIONS[one] for one in own["continuation"]]
    shown = "deadwood", [_points(points) for points in own["deadwood"]]
    return _lines("delta", ends, own, "loose", lines, shown)


def _lines(metric: str, ends: Any, own: DataFrame, x: str, lines: Any, shown: Any) -> DataFrame:
    import pandas as pd

    estimate, low, high = (part.to_numpy(float) for part in ends)
    return pd.DataFrame(
        {
            "x_axis": x,
            "x": own[x].astype(str).to_numpy(),
            "line_axis": lines[0],
            "line": lines[1],
            "panel_axis": shown[0],
            "panel": shown[1],
            "metric": metric,
            "population": own["population"].to_numpy(),
            "estimate": estimate,
            "low": low,
            "high": high,
            "n": own["hands"].to_numpy(),
        }
    )


def _points(number: int) -> str:
    return f"{number} point{'s' * (number != 1)}"


def _by(table: DataFrame, *axes: str) -> None:
    """Refuse a table that is by other axes."""
    by = set(table.columns[: table.columns.get_loc("continuation")])
    if by != set(axes):
        raise UsageError(f"this chart is of cells by {' and '.join(axes)}, not by {', '.join(sorted(by))}")


def _some(info: DataFrame) -> DataFrame:
    """Refuse a table without a cell of enough hands."""
    if info.empty:
        raise UsageError(f"no cell holds {LEAST} hands: play more for a chart")
    return info
