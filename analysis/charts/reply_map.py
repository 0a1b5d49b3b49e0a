"""The best reply as a map: knock or wait by own turn and deadwood; and how it was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator

from analysis.charts import style
from analysis.charts.curves import draw_band, line_look
from analysis.charts.layout import end_labels, head
from analysis.charts.rows import most, rows
from analysis.charts.words import number

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.knocking.reply import Reply

LARGEST_DOT = 60.0
"""Square points of the dot of the cell that is decided in most often."""
OFTEN = 0.0005
"""Turns with less than so many decisions a hand stay out of the picture, and cells without any are blank."""
HATCH = "/////"


def reply_map_info(reply: Reply) -> DataFrame:
    """Return the table of a reply, cell by cell.

    Parameters
    ----------
    reply : Reply

    Returns
    -------
    pandas.DataFrame
        ``own_turn``, ``deadwood``, ``knock`` (the table's share), ``undetermined`` (1 where the tables from
        different starts disagree) and ``reach`` (decisions a hand) of the cells that the table comes to.
    """
    import pandas as pd

    turn, deadwood = np.nonzero(reply.reach > 0)
    return pd.DataFrame(
        {
            "own_turn": turn + 1,
            "deadwood": deadwood,
            "knock": reply.policy.shares[turn, deadwood],
            "undetermined": reply.undetermined[turn, deadwood].astype(np.int64),
            "reach": reply.reach[turn, deadwood],
        }
    )


def draw_reply_map(info: DataFrame, axes: Any) -> Any:
    """Draw where to knock (blue) and where to wait (orange), with a dot for how often that is decided.

    Parameters
    ----------
    info : pandas.DataFrame
        From `reply_map_info`.
    axes : matplotlib.axes.Axes
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        Undetermined cells are hatched; those that the table never comes to are blank.
    """
    chosen = style.theme_of(axes)
    last = _last_turn(info)
    values = np.full((11, last), np.nan)
    shown = [row for row in rows(info) if row.own_turn <= last]
    for row in shown:
        values[int(row.deadwood), int(row.own_turn) - 1] = float(row.knock > 0.5)
    edges = np.arange(last + 1) + 0.5, np.arange(12) - 0.5
    ends = style.diverging(chosen)
    wait, knock = ends(0.22), ends(0.78)
    axes.pcolormesh(
        *edges, np.ma.masked_invalid(values), cmap=ListedColormap([wait, knock]), vmin=0, vmax=1,
        edgecolors=chosen.paper, linewidth=0.6,
    )  # fmt: skip
    for row in shown:
        if row.undetermined:
            corner = (row.own_turn - 0.5, row.deadwood - 0.5)
            axes.add_patch(Rectangle(corner, 1, 1, facecolor="none", edgecolor=chosen.ink, hatch=HATCH, lw=0))
    top = max(row.reach for row in shown)
    axes.scatter(
        [row.own_turn for row in shown],
        [row.deadwood for row in shown],
        s=[LARGEST_DOT * row.reach / top for row in shown],
        color=chosen.ink,
        linewidths=0,
        zorder=3,
    )
    axes.set_xticks(range(1, last + 1))
    axes.set_yticks(range(0, 11, 2))
    axes.set_xlim(0.5, last + 0.5)
    axes.set_ylim(-0.5, 10.5)
    axes.set_xlabel("own turn")
    axes.set_ylabel("deadwood, points")
    dot = Line2D([], [], linestyle="", marker="o", color=chosen.ink, markersize=LARGEST_DOT**0.5 * 0.9)
    dot.set_label(f"area: decisions a hand (largest {number(top, 3)})")
    handles = [
        Patch(facecolor=knock, label="knock"),
        Patch(facecolor=wait, label="wait"),
        Patch(facecolor="none", hatch=HATCH, edgecolor=chosen.ink, linewidth=0, label="undetermined"),
        dot,
    ]
    head(axes, "", handles)
    return axes


def _last_turn(info: DataFrame) -> int:
    """Return the last own turn worth showing."""
    by_turn = info.groupby("own_turn")["reach"].sum()
    often = by_turn[by_turn >= OFTEN]
    return int((often if len(often) else by_turn).index.max())


def reply_map_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the area of data."""
    return 2.9 if width > 5 else 2.2


def reply_map_alt(info: DataFrame) -> str:
    """Return the map in words."""
    total = float(info["reach"].sum())
    short = info[info["deadwood"] > 0]
    parts = []
    for turn, own in short[short["own_turn"] <= _last_turn(info)].groupby("own_turn"):
        knocks = ", ".join(str(int(points)) for points in own.loc[own["knock"] > 0.5, "deadwood"])
        parts.append(f"turn {turn}: {knocks or 'gin alone'}")
    unsure = float(info.loc[info["undetermined"] == 1, "reach"].sum()) / total
    often = most(info, "reach")
    return (
        "Map of where to knock, by own turn and deadwood. Points to knock with: "
        + "; ".join(parts)
        + f". {100 * unsure:.1f} % of decisions are in undetermined cells. Most decisions are with "
        f"{int(often['deadwood'])} points on turn {int(often['own_turn'])}."
    )


# --- how it was found ----------------------------------------------------------------------------


def reply_trace_info(reply: Reply) -> DataFrame:
    """Return what the tables of each start bring, by iteration.

    Returns
    -------
    pandas.DataFrame
        As `Reply.trace`; ``kept`` is 1 for the table that was kept, else 0.
    """
    info = reply.trace.copy()
    info["kept"] = info["kept"].astype(int)
    return info


def draw_reply_trace(info: DataFrame, axes: Any) -> Any:
    """Draw the value of each start's tables by iteration, with intervals, and a ring around the one kept.

    Parameters
    ----------
    info : pandas.DataFrame
        From `reply_trace_info`.
    axes : matplotlib.axes.Axes
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    chosen = style.theme_of(axes)
    names = list(dict.fromkeys(info["start"].astype(str)))
    ends = []
    for at, name in enumerate(names):
        own = info[info["start"].astype(str) == name].sort_values("iteration")
        look = line_look(chosen, at, len(names))
        steps, value = own["iteration"].to_numpy(float), own["estimate"].to_numpy(float)
        draw_band(axes, steps, own["low"].to_numpy(float), own["high"].to_numpy(float), look["color"])
        axes.plot(steps, value, **look)
        ends.append((float(steps[-1]), float(value[-1]), f"from {name}", str(look["color"])))
    kept = info[info["kept"] == 1].iloc[0]
    axes.plot(
        [kept["iteration"]], [kept["estimate"]], linestyle="", marker="o", markersize=11,
        markerfacecolor="none", markeredgecolor=chosen.ink, label="_kept",
    )  # fmt: skip
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(x=0.03)
    axes.set_xlabel("iteration (ring: the table kept)")
    axes.set_ylabel("points a hand, A less B")
    end_labels(axes, ends)
    return axes


def reply_trace_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the area of data."""
    return 2.4 if width > 5 else 1.9


def reply_trace_alt(info: DataFrame) -> str:
    """Return the courses in words."""
    parts = []
    for name, own in info.groupby("start", sort=False):
        own = own.sort_values("iteration")
        first, final = own["estimate"].iloc[0], own["estimate"].iloc[-1]
        parts.append(f"from {name}: {first:.2f} at the start, {final:.2f} at the end")
    kept = info[info["kept"] == 1].iloc[0]
    return (
        f"Points a hand by iteration of each start. {'; '.join(parts)}. Kept: iteration "
        f"{int(kept['iteration'])} from {kept['start']}, {kept['estimate']:.2f}."
    )
