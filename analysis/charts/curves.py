"""Curves of a metric along a parameter or by own turn, with their intervals, in small multiples."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.charts import style
from analysis.charts.layout import compact, end_labels, figure_width, is_narrow, panels, text_width, wrap
from analysis.charts.words import axis_label, count, quantity

if TYPE_CHECKING:
    from pandas import DataFrame


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
    numeric = all(_is_number(tick) for tick in ticks)
    place = {tick: float(tick) if numeric else at for at, tick in enumerate(ticks)}
    columns = min(len(names), 2 if is_narrow(axes) else 4)
    grid = [axes]
    if len(names) > 1:
        grid = panels(axes, math.ceil(len(names) / columns), columns, len(names))
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
        if at + columns >= len(names):
            panel.set_xlabel(x_label)
        if at % columns == 0:
            panel.set_ylabel(told.label)
        if len(names) > 1:
            panel.set_title(wrap(name, share, size, 2))
        if "n" in info.columns:
            _draw_counts(own, panel, place)
            if at == len(names) - 1:  # panels share their scale, so room for the bars is made once
                low, high = panel.get_ylim()
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
    return math.ceil(names / (4 if width > 5 else 2)) * (1.9 if width > 5 else 1.5)


def curves_alt(info: DataFrame) -> str:
    """Return the curves in words."""
    told = quantity(str(info["metric"].iloc[0]))
    words = [f"Curves of {told.label} by {axis_label(str(info['x_axis'].iloc[0]))}."]
    known = info.dropna(subset=["estimate"])
    for (panel, line), own in list(known.fillna("").groupby(["panel", "line"], sort=False))[:8]:
        name = ", ".join(part for part in (str(panel), str(line)) if part)
        best = own.loc[own["estimate"].idxmax()]
        words.append(
            f"{name or 'The line'}: from {told.text(told.scale * own['estimate'].iloc[0])} at {own['x'].iloc[0]} "
            f"to {told.text(told.scale * own['estimate'].iloc[-1])} at {own['x'].iloc[-1]}, "
            f"most {told.text(told.scale * best['estimate'])} at {best['x']}."
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
        axes.fill_between(x, low, high, color=look["color"], alpha=0.22, linewidth=0)
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


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
