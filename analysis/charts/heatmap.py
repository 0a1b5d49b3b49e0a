"""Heat map: a metric over two axes of an experiment, and the region not significantly worse than the best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from matplotlib.colors import Normalize
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from analysis.charts import style
from analysis.charts.layout import compact, figure_width, head, room, text_width, wrap
from analysis.charts.pick import best_among, labels_along, metric_columns, pick, varying
from analysis.charts.rows import least, most
from analysis.charts.words import Quantity, axis_label, is_number, quantity
from analysis.console import UsageError
from analysis.metrics import HEADLINES

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.store.results import Results

Grid = npt.NDArray[np.float64]


RANKED = (*HEADLINES, "match_share")
"""Metrics of which more is better for A, so that there is a best."""


def heatmap_info(
    results: Results,
    metric: str | None = None,
    *,
    rows: str | None = None,
    columns: str | None = None,
    cells: Iterable[int] | None = None,
    where: Mapping[str, Any] | None = None,
) -> DataFrame:
    """Return a metric over two axes, and which cells are not significantly worse than the best.

    Parameters
    ----------
    results : Results
    metric : str, optional
        A metric of the table ``cells``; the experiment's own when left out.
    rows, columns : str, optional
        Axes; left out, the two along which the cells differ, in their order.
    cells, where
        See `analysis.charts.pick.pick`; ``where`` holds other axes.

    Returns
    -------
    pandas.DataFrame
        A row a cell: ``cell``, ``row_axis``, ``row``, ``column_axis``, ``column`` (texts), ``metric``,
        ``estimate``, ``low``, ``high``, and as not shown to be worse than the best at 95 %
        (`analysis.charts.pick.best_among`) ``kept_in_column`` among the cells of its column and
        ``kept`` among all; both false throughout for a metric of which more is not better.

    Raises
    ------
    UsageError
        If there are no two such axes, or cells differ along a third.
    """
    import pandas as pd

    chosen = pick(results, cells, where)
    names = [axis.name for axis in results.axes]
    free = [name for name in varying(results, chosen) if name not in (rows, columns)]
    free += [name for name in names if name not in (*free, rows, columns)]
    rows, columns = (name or (free.pop(0) if free else None) for name in (rows, columns))
    if rows is None or columns is None:
        raise UsageError("a heat map needs an experiment with two axes")
    third = [name for name in varying(results, chosen) if name not in (rows, columns)]
    if third:
        raise UsageError(f"where: a heat map of {rows} by {columns} needs one value of {', '.join(third)}")
    told = metric_columns(results, chosen, metric)
    across = labels_along(results, chosen, columns)
    kept = np.zeros(len(chosen), bool)
    in_column = kept.copy()
    if told["metric"] in RANKED:
        kept = best_among(results, chosen, told["metric"])
        for label in dict.fromkeys(across):
            own = [at for at, one in enumerate(across) if one == label]
            in_column[own] = best_among(results, [chosen[at] for at in own], told["metric"])
    return pd.DataFrame(
        {
            "cell": told.pop("cell"),
            "row_axis": rows,
            "row": labels_along(results, chosen, rows),
            "column_axis": columns,
            "column": across,
            **told,
            "kept_in_column": in_column,
            "kept": kept,
        }
    )


def draw_heatmap(info: DataFrame, axes: Any) -> Any:
    """Draw a metric over two axes, the values in the cells where there is room.

    Parameters
    ----------
    info : pandas.DataFrame
        From `heatmap_info`. Estimates without a value are hatched.
    axes : matplotlib.axes.Axes
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        Colours diverge from the value at which the sides are equal. A solid line bounds what is not
        significantly worse than the best of all, dashed ones the same within each column; the best
        value is in bold.
    """
    chosen = style.theme_of(axes)
    told = quantity(str(info["metric"].iloc[0]))
    rows, columns = (list(dict.fromkeys(info[name].astype(str))) for name in ("row", "column"))
    if all(map(is_number, rows)):  # numbers grow upwards, names are read downwards
        rows = rows[::-1]
    values = told.scale * _grid(info, "estimate", rows, columns)
    mesh = draw_cells(axes, values, told)
    left = ticks(axes, rows, columns, str(info["column_axis"].iloc[0]))
    handles: list[Any] = []
    kept = _grid(info, "kept", rows, columns) == 1
    in_column = _grid(info, "kept_in_column", rows, columns) == 1
    regions: Any = (
        (in_column, True, (0, (2.5, 1.5)), 1.0, "not significantly worse than its column's best"),
        (kept, False, "-", 1.8, "not significantly worse than the best of all"),
    )
    for mask, apart, dash, width, words in regions:
        if mask.any() and (not apart or len(rows) > 1) and values.size > 1:
            outline(axes, mask, apart, linestyle=dash, linewidth=width, color=chosen.ink)
            handles.insert(0, Line2D([], [], color=chosen.ink, linestyle=dash, linewidth=width, label=words))
    if np.isnan(values).any():
        handles.append(
            Rectangle((0, 0), 1, 1, fill=False, hatch="////", lw=0, edgecolor=chosen.muted, label="no value")
        )
    head(axes, told.label, handles, left)
    name_rows(axes, str(info["row_axis"].iloc[0]))
    best = np.nanargmax(values) if kept.any() else -1
    if not write_values(axes, mesh, values, told, bold=int(best)):
        axes.get_figure().colorbar(mesh, ax=axes, label=told.unit, pad=0.02, aspect=30)
    return axes


def heatmap_height(info: DataFrame, width: float) -> float:
    """Return the height of the grid in inches."""
    return grid_height(list(info["row"].astype(str).unique()), width)


def heatmap_alt(info: DataFrame) -> str:
    """Return the heat map in words."""
    told = quantity(str(info["metric"].iloc[0]))
    across, down = (axis_label(str(info[f"{name}_axis"].iloc[0])) for name in ("column", "row"))
    known = info.dropna(subset=["estimate"])
    words = f"Heat map of {told.label}, over {down} (rows) and {across} (columns)."
    if known.empty:
        return f"{words} No cell has a value."
    best, worst = most(known, "estimate"), least(known, "estimate")
    kept = int((known["kept"] == 1).sum())
    ranked = f"; {kept} of {len(known)} cells are not significantly worse than the best" if kept else ""
    return (
        f"{words} The most is {told.shown(best['estimate'])} at {best['row']} and {best['column']}, "
        f"the least {told.shown(worst['estimate'])} at {worst['row']} and {worst['column']}{ranked}."
    )


# --- shared with the head-to-head matrix -----------------------------------------------------------


def draw_cells(axes: Any, values: Grid, told: Quantity, diagonal: bool = True) -> Any:
    """Draw a grid of values in colours, the first row at the top; what has no value is hatched.

    The diagonal can be left blank.
    """
    chosen = style.theme_of(axes)
    known = values[np.isfinite(values)]
    if told.even is not None:
        reach = float(np.abs(known - told.even).max()) if known.size else 0.0
        reach = reach or 1.0
        colours, norm = style.diverging(chosen), Normalize(told.even - reach, told.even + reach)
    else:
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
        colours, norm = style.sequential(chosen), Normalize(low, high if high > low else low + 1)
    rows, columns = values.shape
    mesh = axes.pcolormesh(
        np.arange(columns + 1) - 0.5,
        np.arange(rows + 1) - 0.5,
        np.ma.masked_invalid(values),
        cmap=colours,
        norm=norm,
        edgecolors=chosen.paper,
        linewidth=0.6,
    )
    for i, j in np.argwhere(~np.isfinite(values)):
        if i == j and not diagonal:
            continue
        axes.add_patch(
            Rectangle((j - 0.5, i - 0.5), 1, 1, fill=False, hatch="////", lw=0, edgecolor=chosen.muted)
        )
    axes.set_ylim(rows - 0.5, -0.5)
    axes.set_xlim(-0.5, columns - 0.5)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    return mesh


def write_values(
    axes: Any, mesh: Any, values: Grid, told: Quantity, halves: Grid | None = None, bold: int = -1
) -> bool:
    """Write values into cells with as many decimals as there is room for; tell if there was any.

    Parameters
    ----------
    halves : ndarray of float64, shape (rows, columns), optional
        Half-widths of the intervals, in smaller type below, where there is room for two lines.
    bold : int
        Flat index of a value in bold, or -1.
    """
    rows, columns = values.shape
    wide, high = room(axes)
    wide, high = wide / columns - 3, high / rows
    known = values[np.isfinite(values)]
    for size in dict.fromkeys((style.type_size(), style.small_size())):
        for digits in range(told.digits, -1, -1):
            if digits == 0 and told.even == 0:
                break  # whole points tell nothing
            widest = max((text_width(told.text(one, digits), size, "bold") for one in known), default=0)
            if widest <= wide and 1.15 * size <= high:
                break
        else:
            continue
        if widest <= wide and 1.15 * size <= high:
            break
    else:
        return False
    small = style.LEAST_TYPE
    texts = None
    if halves is not None and high >= 1.2 * (size + small) and digits == told.digits:
        texts = [
            "" if not np.isfinite(half) else f"\N{PLUS-MINUS SIGN}{half:.{digits + 1}f}"
            for half in halves.flat
        ]
        if max(text_width(text, small) for text in texts) > wide:
            texts = None
    for at, value in enumerate(values.flat):
        if not np.isfinite(value):
            continue
        i, j = divmod(at, columns)
        colour = style.text_on(mesh.cmap(mesh.norm(value)))
        two = texts is not None and texts[at] != ""
        weight = "bold" if at == bold else "normal"
        axes.text(
            j,
            i,
            told.text(value, digits),
            ha="center",
            va="bottom" if two else "center",
            color=colour,
            fontsize=size,
            fontweight=weight,
        ).set_in_layout(False)
        if two and texts is not None:
            axes.annotate(
                texts[at],
                (j, i),
                xytext=(0, -1),
                textcoords="offset points",
                ha="center",
                va="top",
                color=colour,
                fontsize=small,
            ).set_in_layout(False)
    return True


def ticks(axes: Any, rows: list[str], columns: list[str], column_axis: str) -> float:
    """Label the rows and columns of a grid, names that are too long in two lines or shortened.

    Returns
    -------
    float
        Width in points of what stands left of the grid.
    """
    width = figure_width(axes)
    size = style.type_size()
    lines = row_lines(rows, width / 72)
    down = compact(rows, NAMES * width, size, lines)
    left = max(text_width(text, size) for text in down) + 2.4 * size
    across = (width - left - 16) / len(columns) - 4
    labels = [wrap(text, across, size, 3) for text in columns]
    upright = any("\N{HORIZONTAL ELLIPSIS}" in text for text in labels)
    if upright:
        labels = compact(columns, 100, size, 2 if across > 2.4 * size else 1)
    axes.set_xticks(range(len(columns)), labels, rotation=90 if upright else 0)
    axes.set_yticks(range(len(rows)), down)
    axes.set_xlabel(wrap(axis_label(column_axis), width - left - 16, size, 3))
    return left


def name_rows(axes: Any, row_axis: str) -> None:
    """Name the axis of the rows, in as many lines as the height asks for."""
    size = style.type_size()
    axes.set_ylabel(wrap(axis_label(row_axis), room(axes)[1], size, 4))


NAMES = 0.33
"""Part of a figure's width that names of rows may take."""


def row_lines(rows: list[str], width: float) -> int:
    """Return how many lines the names of rows take in a figure of a width in inches."""
    size = style.type_size()
    return 2 if any(text_width(text, size) > NAMES * 72 * width for text in rows) else 1


def grid_height(rows: list[str], width: float) -> float:
    """Return the height of a grid in inches: a line of type a row, two where names take two."""
    lines = row_lines(rows, width)
    return min(max(len(rows) * ((0.23 if width > 5 else 0.18) + 0.1 * (lines - 1)), 0.9), 7.5)


def outline(axes: Any, mask: npt.NDArray[np.bool_], apart: bool, **line: Any) -> None:
    """Draw the border of a region of a grid; ``apart`` takes each column for itself."""
    rows, columns = mask.shape
    padded = np.zeros((rows + 2, columns + 2), bool)
    padded[1:-1, 1:-1] = mask
    xs: list[float] = []
    ys: list[float] = []
    inset = 0.04 if apart else 0.0
    for i, j in np.argwhere(mask):
        left, right, top, bottom = j - 0.5 + inset, j + 0.5 - inset, i - 0.5, i + 0.5
        open_above, open_below = not padded[i, j + 1], not padded[i + 2, j + 1]
        if open_above:
            xs += [left, right, np.nan]
            ys += [top + inset, top + inset, np.nan]
        if open_below:
            xs += [left, right, np.nan]
            ys += [bottom - inset, bottom - inset, np.nan]
        ends = [top + inset * open_above, bottom - inset * open_below, np.nan]
        if apart or not padded[i + 1, j]:
            xs += [left, left, np.nan]
            ys += ends
        if apart or not padded[i + 1, j + 2]:
            xs += [right, right, np.nan]
            ys += ends
    axes.plot(xs, ys, clip_on=False, solid_capstyle="projecting", **line)


def _grid(info: DataFrame, name: str, rows: list[str], columns: list[str]) -> Grid:
    """Return a column of the info table by row and column, NaN where there is none."""
    grid = np.full((len(rows), len(columns)), np.nan)
    places = zip(info["row"].astype(str), info["column"].astype(str), info[name], strict=True)
    for row, column, value in places:
        if value is not None:
            grid[rows.index(row), columns.index(column)] = float(value)
    return grid
