"""Is it enough: estimates and their intervals as pairs are added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import FuncFormatter, NullFormatter

from analysis.charts import style
from analysis.charts.curves import draw_band, line_look
from analysis.charts.layout import end_labels
from analysis.charts.pick import labelled, metric_of, pick
from analysis.charts.words import count, quantity
from analysis.console import UsageError
from analysis.metrics import HEADLINES

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.store.results import Results

EARLY = 0.01
"""Stages of less than this part of all pairs may leave the picture, or they would flatten the rest."""


def convergence_info(
    results: Results,
    metric: str | None = None,
    *,
    cells: Iterable[int] | None = None,
    where: Mapping[str, Any] | None = None,
) -> DataFrame:
    """Return how a headline metric went as pairs were added.

    Parameters
    ----------
    results : Results
    metric : str, optional
        Of `analysis.metrics.HEADLINES`; the experiment's own when left out.
    cells, where
        See `analysis.charts.pick.pick`.

    Returns
    -------
    pandas.DataFrame
        ``cell``, ``label``, ``metric``, ``pairs``, ``estimate``, ``low``, ``high``.

    Raises
    ------
    UsageError
        If the metric is not a headline.
    """
    name = metric_of(results, metric)
    if name not in HEADLINES:
        raise UsageError(f"metric {name!r}: its course is kept for {', '.join(HEADLINES)}")
    table = labelled(results, "convergence", pick(results, cells, where))
    table = table.rename(columns={name: "estimate", f"{name}_low": "low", f"{name}_high": "high"})
    table["metric"] = name
    return table[["cell", "label", "metric", "pairs", "estimate", "low", "high"]]


def draw_convergence(info: DataFrame, axes: Any) -> Any:
    """Draw a metric against the pairs played, on a logarithmic scale, with a line at its last value.

    Parameters
    ----------
    info : pandas.DataFrame
        From `convergence_info`.
    axes : matplotlib.axes.Axes
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    chosen = style.theme_of(axes)
    told = quantity(str(info["metric"].iloc[0]))
    names = list(dict.fromkeys(info["label"].astype(str)))
    ends = []
    for at, name in enumerate(names):
        own = info[info["label"].astype(str) == name].sort_values("pairs")
        look = line_look(chosen, at, len(names))
        pairs = own["pairs"].to_numpy(float)
        value, low, high = (told.scale * own[part].to_numpy(float) for part in ("estimate", "low", "high"))
        axes.axhline(value[-1], color=look["color"], linewidth=0.6, linestyle=":", zorder=1, label="_last")
        draw_band(axes, pairs, low, high, look["color"])
        axes.plot(pairs, value, markersize=3.5, **look)
        label = told.text(float(value[-1])) if len(names) == 1 else f"{name}: {told.text(float(value[-1]))}"
        ends.append((float(pairs[-1]), float(value[-1]), label, look["color"]))
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: count(value)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.margins(x=0.02)
    settled = info[info["pairs"] >= EARLY * info["pairs"].max()]
    bottom, top = told.scale * float(settled["low"].min()), told.scale * float(settled["high"].max())
    if top > bottom:
        axes.set_ylim(bottom - 0.05 * (top - bottom), top + 0.05 * (top - bottom))
    axes.set_xlabel("pairs played")
    axes.set_ylabel(told.label)
    end_labels(axes, ends)
    return axes


def convergence_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the area of data."""
    return 2.8 if width > 5 else 2.0


def convergence_alt(info: DataFrame) -> str:
    """Return the courses in words."""
    told = quantity(str(info["metric"].iloc[0]))
    parts = []
    for name, own in list(info.groupby("label", sort=False))[:12]:
        last = own.sort_values("pairs").iloc[-1]
        value, low, high = (told.shown(last[part]) for part in ("estimate", "low", "high"))
        parts.append(f"{name}: {value} ({low} to {high}) after {last['pairs']:,} pairs.")
    return f"Course of {told.label}, by pairs played. " + " ".join(parts)
