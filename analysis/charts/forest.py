"""Forest plot: by how much each variant differs from a baseline on the same decks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D

from analysis.charts import style
from analysis.charts.layout import compact, figure_width, head, is_narrow, text_width, wrap
from analysis.charts.words import quantity

if TYPE_CHECKING:
    from pandas import DataFrame


def draw_forest(info: DataFrame, axes: Any) -> Any:
    """Draw differences with their intervals around a line at zero, one row a variant.

    Parameters
    ----------
    info : pandas.DataFrame
        From `forest_info`, in the order drawn from the top.
    axes : matplotlib.axes.Axes
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        Filled marks differ significantly, all variants judged together; open ones do not.
    """
    chosen = style.theme_of(axes)
    size = style.type_size()
    told = quantity(str(info["metric"].iloc[0]))
    names = list(info["label"].astype(str))
    width = figure_width(axes)
    shown = compact(names, 0.36 * width, size)
    left = max(text_width(name, size) for name in shown) + size
    axes.axvline(0, color=chosen.muted, linewidth=0.8, zorder=0)
    for at, row in enumerate(info.itertuples()):
        if row.estimate != row.estimate:
            continue
        value, low, high = (told.scale * part for part in (row.estimate, row.low, row.high))
        better = chosen.colours[0] if value >= 0 else chosen.colours[1]
        axes.plot([low, high], [at, at], color=better, linewidth=1.4, solid_capstyle="butt", label="_interval")
        axes.plot(
            [value],
            [at],
            marker="o" if value >= 0 else "s",
            markersize=5,
            color=better,
            markerfacecolor=better if row.significant else chosen.paper,
            linestyle="",
            label="_estimate",
        )
        text = told.gap_text(value)
        if not is_narrow(axes) and low == low:
            text += f"  [{told.gap_text(low)}, {told.gap_text(high)}]"
        axes.annotate(
            text,
            (1, at),
            xycoords=("axes fraction", "data"),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            fontsize=style.small_size(),
            annotation_clip=False,
        )
    axes.set_yticks(range(len(names)), shown)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.locator_params(axis="x", nbins=5)
    axes.margins(x=0.08)
    unit = "percentage points" if told.unit == "%" else told.unit
    axes.set_xlabel(wrap(f"difference in {told.words}" + (f", {unit}" if unit else ""), width - left - 30, size, 3))
    marks = [
        Line2D(
            [],
            [],
            linestyle="",
            marker="o",
            markersize=5,
            color=chosen.ink,
            markerfacecolor=chosen.ink if filled else chosen.paper,
            label=words,
        )
        for filled, words in ((True, "significant (Holm)"), (False, "not significant"))
    ]
    baseline = str(info["baseline"].iloc[0])
    head(axes, f"baseline: {baseline}", marks, left)
    return axes


def forest_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the area of data."""
    return max(0.6, len(info) * (0.2 if width > 5 else 0.16))


def forest_alt(info: DataFrame) -> str:
    """Return the forest plot in words."""
    told = quantity(str(info["metric"].iloc[0]))
    parts = []
    for row in info.itertuples():
        if row.estimate == row.estimate:
            mark = "significant" if row.significant else "not significant"
            parts.append(f"{row.label} {told.gap_text(told.scale * row.estimate)} ({mark})")
    return (
        f"Forest plot of the difference in {told.label} from {info['baseline'].iloc[0]}: "
        + "; ".join(parts)
        + "."
    )
