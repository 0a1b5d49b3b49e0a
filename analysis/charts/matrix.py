"""Head-to-head matrix: who beats whom, by how much, and how surely."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.charts import style
from analysis.charts.heatmap import RANKED, draw_cells, write_values
from analysis.charts.layout import compact, figure_width, head, text_width
from analysis.charts.pick import metric_columns, pick, short
from analysis.charts.rows import rows
from analysis.charts.words import quantity
from analysis.console import UsageError
from analysis.tournament import label as letters

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.store.results import Results


def matrix_info(
    results: Results,
    metric: str | None = None,
    *,
    cells: Iterable[int] | None = None,
    where: Mapping[str, Any] | None = None,
) -> DataFrame:
    """Return what players make against each other.

    Parameters
    ----------
    results : Results
    metric : str, optional
        One that has a value at which the sides are equal; the experiment's own when left out.
    cells, where
        See `analysis.charts.pick.pick`; ``where`` holds axes other than the players'.

    Returns
    -------
    pandas.DataFrame
        ``a``, ``b`` (strategies), ``metric``, ``estimate``, ``low``, ``high`` of a against b. A pairing
        played one way round stands both ways; play against oneself is left out.

    Raises
    ------
    UsageError
        If two cells have the same players, or the metric is not of one side against the other.
    """
    import pandas as pd

    chosen = pick(results, cells, where)
    told = metric_columns(results, chosen, metric)
    name = told["metric"]
    if name not in RANKED:
        raise UsageError(f"metric {name!r}: a matrix takes {', '.join(RANKED)}")
    sides = [(short(cell.a), short(cell.b)) for cell in chosen]
    twice = next((one for one in sides if sides.count(one) > 1), None)
    if twice:
        raise UsageError(f"where: several cells play {twice[0]} against {twice[1]}")
    whole = 0.0 if name == "points_per_hand" else 1.0
    found = {}
    for pair, value, low, high in zip(sides, told["estimate"], told["low"], told["high"], strict=True):
        if pair[0] != pair[1]:
            found[pair] = (value, low, high)
    for (a, b), (value, low, high) in list(found.items()):
        found.setdefault((b, a), (whole - value, whole - high, whole - low))
    rows = [(a, b, name, *numbers) for (a, b), numbers in found.items()]
    if not rows:
        raise UsageError("a matrix needs two different players")
    return pd.DataFrame(rows, columns=["a", "b", "metric", "estimate", "low", "high"])


def order(info: DataFrame) -> list[tuple[str, float]]:
    """Return the players by their mean over opponents, the best first, with the mean."""
    known = info.dropna(subset=["estimate"])
    means = known.groupby(known["a"].astype(str))["estimate"].mean()
    names = list(dict.fromkeys([*info["a"].astype(str), *info["b"].astype(str)]))
    return sorted(
        ((name, float(means.get(name, float("nan")))) for name in names),
        key=lambda one: (one[1] != one[1], -one[1]),
    )


def draw_matrix(info: DataFrame, axes: Any) -> Any:
    """Draw what each player makes against each other, row against column.

    Parameters
    ----------
    info : pandas.DataFrame
        From `matrix_info`.
    axes : matplotlib.axes.Axes
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        Ordered by the mean over opponents, which stands at the right; half-widths of the intervals in small
        type where there is room.
    """
    chosen = style.theme_of(axes)
    told = quantity(str(info["metric"].iloc[0]))
    ordered = order(info)
    names = [name for name, _ in ordered]
    values = np.full((len(names), len(names)), np.nan)
    halves = values.copy()
    for row in rows(info):
        place = names.index(str(row.a)), names.index(str(row.b))
        values[place] = told.scale * row.estimate
        halves[place] = told.scale * (row.high - row.low) / 2
    mesh = draw_cells(axes, values, told, diagonal=False)
    size, width = style.type_size(), figure_width(axes)
    keys = [letters(at) for at in range(len(names))]
    short = compact(names, 0.34 * width, size)
    shown = [f"{name}  {key}" for key, name in zip(keys, short, strict=True)]
    axes.set_yticks(range(len(names)), shown)
    axes.set_xticks(range(len(names)), keys)
    axes.xaxis.tick_top()
    left = max(text_width(text, size) for text in shown) + size
    head(axes, _title(told.label), (), left)
    for at, (_, mean) in enumerate(ordered):
        axes.annotate(
            "" if mean != mean else told.shown(mean),
            (1, at),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            color=chosen.ink,
            fontsize=style.small_size(),
            annotation_clip=False,
        )
    axes.annotate(
        "mean",
        (1, len(names) - 0.5),
        xycoords=("axes fraction", "data"),
        xytext=(4, -3),
        textcoords="offset points",
        va="top",
        color=chosen.muted,
        fontsize=style.small_size(),
        annotation_clip=False,
    )
    if not write_values(axes, mesh, values, told, halves):
        axes.get_figure().colorbar(mesh, ax=axes, location="bottom", label=told.unit, pad=0.03, aspect=40)
    return axes


def _title(label: str) -> str:
    """Name the metric of the row against the column."""
    return label.replace("A less B", "row less column").replace("by A", "by the row against the column")


def matrix_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the grid."""
    players = len(order(info))
    return max(0.5, players * (0.3 if width > 5 and players <= 12 else 0.22 if players <= 12 else 0.17))


def matrix_alt(info: DataFrame) -> str:
    """Return the matrix in words."""
    told = quantity(str(info["metric"].iloc[0]))
    parts = [f"{name} {told.shown(mean)}" for name, mean in order(info) if mean == mean]
    return (
        f"Head-to-head matrix of {_title(told.label)}. Means over opponents, best first: {'; '.join(parts)}."
    )
