"""Distribution of hand points: what A won at the right of zero, what B won at the left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.charts import style
from analysis.charts.layout import compact, figure_width, head, text_width
from analysis.charts.pick import labelled, names_of, ordered, pick
from analysis.charts.words import number

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.store.results import Results

BIN = 5
"""Points in a bin: bonuses are multiples of it under most rules."""
TAIL = 0.002
"""Part of the hands beyond the ends of the axis, which the last bins take."""


def points_info(
    results: Results, *, cells: Iterable[int] | None = None, where: Mapping[str, Any] | None = None
) -> DataFrame:
    """Return hands by their points, seen from A.

    Parameters
    ----------
    results : Results
    cells, where
        See `analysis.charts.pick.pick`.

    Returns
    -------
    pandas.DataFrame
        ``cell``, ``label``, ``points`` (A's, or B's with a minus; 0 for hands that nobody won; 255 and -255
        stand for so many and more), ``hands``, ``share`` of all hands of the cell.

    Raises
    ------
    UsageError
        If points were not recorded.
    """
    import pandas as pd

    chosen = ordered(results, pick(results, cells, where))
    table = labelled(results, "points", chosen)
    table["points"] = table["points"].where(table["side"] == "a", -table["points"])
    counts = results.table("cells").set_index("cell")
    frames = []
    for cell, label in zip(chosen, names_of(results, chosen), strict=True):
        own = table.loc[table["cell"] == cell.number, ["points", "hands"]]
        hands, decisive = (int(counts[name][cell.number]) for name in ("hands", "decisive"))
        void = pd.DataFrame({"points": [0], "hands": [hands - decisive]})
        by_points = pd.concat([own, void]).groupby("points")["hands"].sum()
        frames.append(
            pd.DataFrame(
                {
                    "cell": cell.number,
                    "label": label,
                    "points": by_points.index.to_numpy(),
                    "hands": by_points.to_numpy(),
                    "share": by_points.to_numpy() / max(hands, 1),
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def binned(info: DataFrame) -> tuple[Any, dict[str, Any]]:
    """Return the bins' lower ends in points and, by cell, the share of its hands in each.

    Zero, hands that nobody won or won nothing by, has a bin of its own; bins are mirrored around it.
    """
    points = info["points"].to_numpy(float)
    side = np.sign(points) * np.ceil(np.abs(points) / BIN)
    reach = 1
    weights = info.groupby(np.abs(side))["share"].sum()
    labels = info["label"].nunique()
    beyond = weights[::-1].cumsum()[::-1] / labels
    held = beyond[beyond > TAIL]
    if len(held):
        reach = max(1, int(held.index.max()))
    side = np.clip(side, -reach, reach)
    told = {}
    for name, own in info.groupby(info["label"].astype(str), sort=False):
        at = side[info.index.get_indexer(own.index)].astype(int) + reach
        told[str(name)] = np.bincount(at, own["share"].to_numpy(float), 2 * reach + 1)
    return np.arange(-reach, reach + 1), told


def draw_points(info: DataFrame, axes: Any) -> Any:
    """Draw each cell's hand points as a row of bars, on common bins, with a tick at the mean.

    Parameters
    ----------
    info : pandas.DataFrame
        From `points_info`.
    axes : matplotlib.axes.Axes
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        Bins of `BIN` points on either side of zero; the last ones hold all beyond. Hands without points
        stand at zero.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    chosen = style.theme_of(axes)
    bins, shares = binned(info)
    names = list(shares)
    size = style.type_size()
    most = max(float(row.max()) for row in shares.values()) or 1.0
    centres = np.sign(bins) * (np.abs(bins) - 0.5) * BIN
    widths = np.where(bins == 0, 0.25, 1.0) * BIN
    # The bin of zero is drawn narrow between its neighbours, which it would hide.
    colours = [
        chosen.colours[1] if one < 0 else chosen.colours[0] if one > 0 else chosen.muted for one in bins
    ]
    order = np.argsort(bins == 0, kind="stable")
    scale = 0.9 / most if len(names) > 1 else 100.0
    for at, name in enumerate(names):
        base = float(len(names) - 1 - at) if len(names) > 1 else 0.0
        heights = shares[name] * scale
        for i in order:
            axes.bar(
                centres[i],
                heights[i],
                widths[i] * 0.94,
                bottom=base,
                color=colours[i],
                hatch="////" if bins[i] < 0 else "",
                edgecolor=chosen.paper,
                linewidth=0,
            )
        own = info[info["label"].astype(str) == name]
        mean = float((own["points"] * own["share"]).sum())
        height = 0.9 if len(names) > 1 else most * 100
        axes.plot([mean, mean], [base, base + height], color=chosen.ink, linewidth=1.2, label="_mean")
        axes.annotate(
            number(mean, 1, sign=True),
            (mean, base + height),
            xytext=(2, 0),
            textcoords="offset points",
            va="top",
            fontsize=style.small_size(),
            color=chosen.ink,
            bbox={"facecolor": chosen.paper, "edgecolor": "none", "pad": 0.4, "alpha": 0.85},
        )
        if len(names) > 1:
            axes.axhline(base, color=chosen.faint, linewidth=0.6, zorder=0)
    left = 30.0
    if len(names) > 1:
        shown = compact(names, 0.3 * figure_width(axes), size)
        axes.set_yticks([len(names) - 1 - at for at in range(len(names))], shown, va="bottom")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_ylim(0, len(names))
        left = max(text_width(text, size) for text in shown) + size
        title = f"hands by points; the highest bar is {number(100 * most, 1)} % of its hands"
    else:
        axes.set_ylim(0, most * 108)
        axes.set_ylabel("hands, %")
        title = ""
    reach = int(bins.max()) * BIN
    axes.set_xlim(-reach - 1, reach + 1)
    axes.locator_params(axis="x", nbins=9 if figure_width(axes) > 360 else 7, integer=True)
    axes.set_xlabel(f"points of the hand, in bins of {BIN}; B's are negative")
    handles = [
        Patch(facecolor=chosen.colours[1], hatch="////", edgecolor=chosen.paper, linewidth=0, label="B won"),
        Patch(facecolor=chosen.muted, label="no points"),
        Patch(facecolor=chosen.colours[0], label="A won"),
        Line2D([], [], color=chosen.ink, linewidth=1.2, label="mean"),
    ]
    head(axes, title, handles, left)
    return axes


def points_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the area of data."""
    cells = info["label"].nunique()
    return (2.6 if width > 5 else 1.9) if cells == 1 else max(1.0, cells * (0.5 if width > 5 else 0.4))


def points_alt(info: DataFrame) -> str:
    """Return the distribution in words."""
    parts = []
    for name, own in list(info.groupby("label", sort=False))[:12]:
        mean = float((own["points"] * own["share"]).sum())
        a = float(own.loc[own["points"] > 0, "share"].sum())
        b = float(own.loc[own["points"] < 0, "share"].sum())
        parts.append(
            f"{name}: mean {number(mean, 2, sign=True)}, A wins {number(100 * a, 1)} % of hands, "
            f"B {number(100 * b, 1)} %."
        )
    return "Distribution of hand points, B's negative. " + " ".join(parts)
