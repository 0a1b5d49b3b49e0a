"""Curves of a metric along a parameter or by own turn, with their intervals, in small multiples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.charts import style
from analysis.charts.layout import compact, end_labels, figure_width, is_narrow, panels, text_width, wrap
from analysis.charts.pick import (
    labels_along,
    metric_columns,
    names_of,
    part_name,
    pick,
    recorded,
    side_number,
    varying,
)
from analysis.charts.rows import most
from analysis.charts.words import axis_label, count, is_number, quantity
from analysis.console import UsageError
from analysis.knocks import LEAST, held, ratios
from sim.tally import KNOCK_FIELDS, KNOCK_TURNS

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.store.results import Results


def curves_info(
    results: Results,
    metric: str | None = None,
    *,
    x: str | None = None,
    lines: str | None = None,
    panels: str | None = None,
    cells: Iterable[int] | None = None,
    where: Mapping[str, Any] | None = None,
) -> DataFrame:
    """Return a metric along an axis, by the values of up to two others.

    Parameters
    ----------
    results : Results
    metric : str, optional
        A metric of the table ``cells``; the experiment's own when left out.
    x, lines, panels : str, optional
        Axes. Left out, the cells' axes are taken: of numbers before others, the longest along ``x``, the
        next as lines, the last as panels.
    cells, where
        See `analysis.charts.pick.pick`.

    Returns
    -------
    pandas.DataFrame
        A row a cell: ``x_axis``, ``x``, ``line_axis``, ``line``, ``panel_axis``, ``panel`` (texts, empty
        where there is none), ``cell``, ``metric``, ``estimate``, ``low``, ``high``.

    Raises
    ------
    UsageError
        If there is no such axis, or more than three differ.
    """
    import pandas as pd

    chosen = pick(results, cells, where)
    for name in filter(None, (x, lines, panels)):
        labels_along(results, chosen, name)
    free = [name for name in varying(results, chosen) if name not in (x, lines, panels)]
    free.sort(key=lambda name: _rank(labels_along(results, chosen, name)))
    x, lines, panels = (name or (free.pop(0) if free else "") for name in (x, lines, panels))
    if free:
        raise UsageError(
            f"axes {', '.join([x, lines, panels, *free])} all differ: a chart of curves takes three"
        )
    if not x:
        raise UsageError("a chart of curves needs an axis along which the cells differ")
    columns = {"x": x, "line": lines, "panel": panels}
    table: dict[str, Any] = {}
    for name, axis in columns.items():
        table[f"{name}_axis"] = axis
        labels = labels_along(results, chosen, axis) if axis else [""] * len(chosen)
        table[name] = labels if name == "x" else [part_name(axis, one) if axis else "" for one in labels]
    told = metric_columns(results, chosen, metric)
    return pd.DataFrame({**table, **told})[["x_axis", "x", "line_axis", "line", "panel_axis", "panel", *told]]


def _rank(labels: Sequence[str]) -> tuple[bool, int]:
    """Return the place of an axis in the order in which axes are taken."""
    return not all(is_number(label) for label in labels), -len(set(labels))


def turns_info(
    results: Results,
    metric: str = "knock_deadwood",
    *,
    side: str = "a",
    cells: Iterable[int] | None = None,
    where: Mapping[str, Any] | None = None,
) -> DataFrame:
    """Return what a side's knocks were like by own turn: the threshold it keeps, or what knocks brought.

    Parameters
    ----------
    results : Results
    metric : str
        ``knock_deadwood`` (mean deadwood of the knocks, gin left out), ``p_win``, ``p_undercut``,
        ``points``.
    side : str
        ``a`` or ``b``.
    cells, where
        See `analysis.charts.pick.pick`.

    Returns
    -------
    pandas.DataFrame
        As from `curves_info`, with the knocks ``n`` that a number rests on; a line a cell. Intervals are
        the jackknife's over groups of pairs.

    Raises
    ------
    UsageError
        If there is no such metric or side, or knocks were not recorded.
    """
    import pandas as pd

    counters = {"p_win": "won", "p_undercut": "undercut", "points": "points"}
    if metric not in ("knock_deadwood", *counters):
        raise UsageError(f"metric {metric!r}: expected knock_deadwood, {', '.join(counters)}")
    at_side = side_number(side)
    recorded(results, "knocks")
    chosen = pick(results, cells, where)
    frames = []
    for cell, name in zip(chosen, names_of(results, chosen), strict=True):
        tally = results.tally(cell.number)
        knocks = held(tally, "knocks")[:, at_side, :, 1:]
        taken = knocks[..., KNOCK_FIELDS.index("taken")]
        if metric == "knock_deadwood":
            above = (taken * np.arange(1, 11)).sum(axis=2)
        else:
            above = knocks[..., KNOCK_FIELDS.index(counters[metric])].sum(axis=2)
        found = ratios(above, taken.sum(axis=2), tally.pairs if metric.startswith("p_") else None)
        n = taken.sum(axis=(0, 2))
        frames.append(
            pd.DataFrame(
                {
                    "x_axis": "own_turn",
                    "x": [str(turn + 1) for turn in range(KNOCK_TURNS)],
                    "line_axis": "cell",
                    "line": name if len(chosen) > 1 else "",
                    "panel_axis": "",
                    "panel": "",
                    "cell": cell.number,
                    "metric": metric,
                    "estimate": np.where(n >= LEAST, found.estimate, np.nan),
                    "low": found.low,
                    "high": found.high,
                    "n": n,
                }
            )
        )
    whole = pd.concat(frames, ignore_index=True)
    enough = whole.loc[whole["n"] >= LEAST, "x"].astype(int)
    last = int(enough.max()) if len(enough) else 1
    return whole[whole["x"].astype(int) <= last].reset_index(drop=True)


def draw_curves(info: DataFrame, axes: Any) -> Any:
    """Draw lines of a metric with their 95 % bands, a panel for each value of a third axis.

    Parameters
    ----------
    info : pandas.DataFrame
        From `curves_info` or `turns_info`. Where it has a column ``n``, bars along the bottom show it.
    axes : matplotlib.axes.Axes
        Where to draw; several panels take its place in its grid.

    Returns
    -------
    matplotlib.axes.Axes
        The first panel.
    """
    told = quantity(str(info["metric"].iloc[0]))
    names = list(dict.fromkeys(info["panel"].fillna("").astype(str)))
    lines = list(dict.fromkeys(info["line"].fillna("").astype(str)))
    ticks = list(dict.fromkeys(info["x"].astype(str)))
    numeric = all(is_number(tick) for tick in ticks)
    place = {tick: float(tick) if numeric else at for at, tick in enumerate(ticks)}
    rows, columns = _shape(len(names), is_narrow(axes))
    grid = panels(axes, rows, columns, len(names)) if len(names) > 1 else [axes]
    share = figure_width(grid[0]) / columns - 20
    size = style.type_size()
    x_label = wrap(axis_label(str(info["x_axis"].iloc[0])), share, size, 3)
    for at, (name, panel) in enumerate(zip(names, grid, strict=True)):
        own = info[info["panel"].fillna("").astype(str) == name]
        ends = _draw_panel(own, panel, lines, place, told)
        panel.set_xmargin(0.03)
        if numeric:
            _number_ticks(panel, sorted(place.values()), columns)
        else:
            panel.set_xticks(range(len(ticks)), ticks)
        if at // columns == rows - 1:
            panel.set_xlabel(x_label)
        if at % columns == 0:
            panel.set_ylabel(told.label)
        if len(names) > 1:
            panel.set_title(wrap(name, share, size, 2))
        if "n" in info.columns:
            _draw_counts(own, panel, place)
            if at == len(names) - 1:  # panels share their scale, so room for the bars is made once
                low, high = panel.get_ylim()
                shown = [tick for tick in panel.get_yticks() if low <= tick <= high]
                panel.set_yticks(shown)
                panel.set_ylim(low - 0.28 * (high - low), high)
        if len(names) == 1 and lines != [""]:
            end_labels(panel, ends)
    if len(names) > 1 and lines != [""]:
        _key(grid[0], lines)
    return grid[0]


def _key(panel: Any, lines: list[str]) -> None:
    """Name the lines of small multiples above all of them."""
    from matplotlib.lines import Line2D

    chosen = style.theme_of(panel)
    size = style.type_size()
    wide = figure_width(panel) - 10
    mark = 3.2 * size + 12
    names = compact(lines, wide - mark, size)
    handles = [
        Line2D([], [], label=name, **line_look(chosen, at, len(lines))) for at, name in enumerate(names)
    ]
    widest = max(text_width(name, size) for name in names) + mark
    panel.get_figure(root=False).legend(
        handles=handles,
        loc="outside upper left",
        ncols=max(1, min(len(handles), int(wide // widest))),
        handlelength=2.8,
        borderpad=0.1,
        borderaxespad=0.2,
        columnspacing=1.0,
        labelspacing=0.3,
    )


def curves_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the area of data."""
    names = info["panel"].nunique()
    if names <= 1:
        return 3.2 if width > 5 else 2.2
    return _shape(names, width < 5)[0] * (1.9 if width > 5 else 1.5)


def _shape(count: int, narrow: bool) -> tuple[int, int]:
    """Return rows and columns for so many panels, as even as can be."""
    rows = math.ceil(count / (2 if narrow else 4))
    return rows, math.ceil(count / rows)


def curves_alt(info: DataFrame) -> str:
    """Return the curves in words."""
    told = quantity(str(info["metric"].iloc[0]))
    words = [f"Curves of {told.label} by {axis_label(str(info['x_axis'].iloc[0]))}."]
    known = info.dropna(subset=["estimate"])
    for (panel, line), own in list(known.fillna("").groupby(["panel", "line"], sort=False))[:8]:
        name = ", ".join(part for part in (str(panel), str(line)) if part)
        best = most(own, "estimate")
        words.append(
            f"{name or 'The line'}: from {told.shown(own['estimate'].iloc[0])} at {own['x'].iloc[0]} "
            f"to {told.shown(own['estimate'].iloc[-1])} at {own['x'].iloc[-1]}, "
            f"most {told.shown(best['estimate'])} at {best['x']}."
        )
    return " ".join(words)


def line_look(chosen: style.Theme, at: int, lines: int) -> dict[str, Any]:
    """Return colour, dash and marker of one of several lines; beyond the palette, shades in order."""
    if lines <= len(chosen.colours):
        colour: Any = chosen.colours[at]
    else:
        low, high = (0.3, 1.0) if chosen.name == "light" else (0.4, 1.0)
        colour = style.sequential(chosen)(low + (high - low) * at / (lines - 1))
    return {
        "color": colour,
        "linestyle": style.DASHES[at % len(style.DASHES)],
        "marker": style.MARKERS[at % len(style.MARKERS)],
    }


def draw_band(axes: Any, x: Any, low: Any, high: Any, colour: Any) -> None:
    """Draw intervals as a band, or as a bar where there is but one."""
    if np.isfinite(low).sum() == 1:
        axes.vlines(x, low, high, color=colour, linewidth=1.2)
    else:
        axes.fill_between(x, low, high, color=colour, alpha=0.22, linewidth=0)


def _draw_panel(
    info: DataFrame, axes: Any, lines: list[str], place: dict[str, float], told: Any
) -> list[tuple[float, float, str, Any]]:
    chosen = style.theme_of(axes)
    if told.even is not None:
        axes.axhline(told.even, color=chosen.faint, linewidth=0.8, zorder=0)
    ends = []
    for at, name in enumerate(lines):
        own = info[info["line"].fillna("").astype(str) == name]
        if own.empty:
            continue
        look = line_look(chosen, at, len(lines))
        x = [place[text] for text in own["x"].astype(str)]
        value, low, high = (told.scale * own[part].to_numpy(float) for part in ("estimate", "low", "high"))
        draw_band(axes, x, low, high, look["color"])
        markersize = 3.5 if len(x) < 25 else 0
        axes.plot(x, value, markersize=markersize, **look)
        known = np.flatnonzero(np.isfinite(value))
        if known.size:
            ends.append((x[known[-1]], float(value[known[-1]]), name, look["color"]))
    return ends


def _draw_counts(info: DataFrame, axes: Any, place: dict[str, float]) -> None:
    """Draw how much the points rest on as bars along the bottom, the highest an eighth of the height."""
    chosen = style.theme_of(axes)
    total = info.groupby(info["x"].astype(str), sort=False)["n"].sum()
    most = float(total.max())
    bars = axes.inset_axes((0, 0, 1, 0.13), sharex=axes)
    bars.bar([place[text] for text in total.index], total / most, width=0.7, color=chosen.faint, alpha=0.6)
    bars.set_axis_off()
    bars.set_ylim(0, 1)
    bars.set_zorder(-1)
    tallest = place[str(total.idxmax())]
    right = tallest < np.mean(list(place.values()))
    axes.annotate(
        f"n up to {count(most)}",
        (1 if right else 0, 0.145),
        xycoords="axes fraction",
        xytext=(-3 if right else 3, 0),
        textcoords="offset points",
        ha="right" if right else "left",
        va="bottom",
        fontsize=style.small_size(),
        color=chosen.muted,
    )


def _number_ticks(axes: Any, values: list[float], columns: int) -> None:
    """Put ticks on the values themselves where they are few, else leave them to matplotlib."""
    per_panel = figure_width(axes) / columns
    if len(values) * 22 < per_panel and len(values) > 0:
        axes.set_xticks(values, [f"{value:g}" for value in values])
    else:
        axes.locator_params(axis="x", integer=all(value == int(value) for value in values), nbins=6)
