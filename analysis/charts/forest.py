"""Forest plot: by how much each variant differs from a baseline on the same decks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D

from analysis.charts import style
from analysis.charts.heatmap import NAMES, row_lines
from analysis.charts.layout import compact, figure_width, head, is_narrow, text_width, wrap
from analysis.charts.pick import at_any_stop, metric_of, names_of, pick, settled
from analysis.charts.rows import rows
from analysis.charts.words import quantity
from analysis.console import UsageError
from analysis.metrics import MATCH_SHARE, METRICS, difference, group_sums
from analysis.stats.estimates import Estimate
from analysis.stats.significance import PValue, holm, p_value

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.store.results import Results


def forest_info(
    results: Results,
    metric: str | None = None,
    *,
    baseline: int | None = None,
    alpha: float = 0.05,
    cells: Iterable[int] | None = None,
    where: Mapping[str, Any] | None = None,
) -> DataFrame:
    """Return by how much cells differ from one of them, which played the same decks.

    Parameters
    ----------
    results : Results
    metric : str, optional
        A metric of the table ``cells``; the experiment's own when left out.
    baseline : int, optional
        Number of the cell compared with; the first of those shown when left out.
    alpha : float
        Probability that any true zero is called significant.
    cells, where
        See `analysis.charts.pick.pick`.

    Returns
    -------
    pandas.DataFrame
        A row for each other cell, the largest difference first: ``cell``, ``label``, ``baseline``,
        ``metric``, ``estimate`` (the difference), ``low``, ``high`` (95 %, jackknife over groups of pairs,
        each for itself), ``log10_p`` (of no difference; not a number where it never varied),
        ``significant`` (Holm, all rows together). Where pairs were not settled beforehand the intervals
        hold for all rows at once whenever cells stop, without p-values, and what leaves out 0 is significant.

    Raises
    ------
    UsageError
        If there is no such cell, or nothing to compare.
    """
    import pandas as pd

    chosen = pick(results, cells, where)
    base = chosen[0] if baseline is None else pick(results, [baseline])[0]
    others = [cell for cell in chosen if cell.number != base.number]
    if not others:
        raise UsageError("a forest plot needs a cell beside its baseline")
    name = metric_of(results, metric)
    labels = names_of(results, [base, *others])
    definition = MATCH_SHARE if name == "match_share" else METRICS[name]
    if settled(results, [base, *others]):
        first = group_sums(results.tally(base.number))
        gaps = [difference(definition, group_sums(results.tally(cell.number)), first) for cell in others]
        tested: list[PValue | None] = [p_value(gap) for gap in gaps]
        judged = iter(holm([p for p in tested if p is not None], alpha).rejected)
        significant = [p is not None and next(judged) for p in tested]
    else:
        least, *rest = at_any_stop(results, [base, *others], name, alpha)
        gaps = [_apart(one, least) for one in rest]
        tested = [None for _ in gaps]
        significant = [gap.low is not None and (gap.low > 0 or (gap.high or 0) < 0) for gap in gaps]
    rows = [
        {
            "cell": cell.number,
            "label": label,
            "baseline": labels[0],
            "metric": name,
            **{key: np.nan if part is None else part for key, part in gap.to_dict().items()},
            "log10_p": np.nan if p is None else p.log10,
            "significant": shown,
        }
        for cell, label, gap, p, shown in zip(others, labels[1:], gaps, tested, significant, strict=True)
    ]
    table = pd.DataFrame(rows)
    return table.sort_values("estimate", ascending=False, kind="stable", ignore_index=True)


def _apart(one: Estimate, base: Estimate) -> Estimate:
    """Return a difference within the ends of two intervals."""
    if one.estimate is None or base.estimate is None:
        return Estimate(None, None, None)
    gap = one.estimate - base.estimate
    if one.low is None or one.high is None or base.low is None or base.high is None:
        return Estimate(gap, None, None)
    return Estimate(gap, one.low - base.high, one.high - base.low)


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
    shown = compact(names, NAMES * width, size, row_lines(names, width / 72))
    left = max(text_width(name, size) for name in shown) + size
    axes.axvline(0, color=chosen.muted, linewidth=0.8, zorder=0)
    for at, row in enumerate(rows(info)):
        if row.estimate != row.estimate:
            continue
        value, low, high = (told.scale * part for part in (row.estimate, row.low, row.high))
        better = chosen.colours[0] if value >= 0 else chosen.colours[1]
        axes.plot(
            [low, high], [at, at], color=better, linewidth=1.4, solid_capstyle="butt", label="_interval"
        )
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
    axes.set_xlabel(
        wrap(f"difference in {told.words}" + (f", {unit}" if unit else ""), width - left - 30, size, 3)
    )
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
    lines = row_lines(list(info["label"].astype(str)), width)
    return max(0.6, len(info) * ((0.2 if width > 5 else 0.16) + 0.1 * (lines - 1)))


def forest_alt(info: DataFrame) -> str:
    """Return the forest plot in words."""
    told = quantity(str(info["metric"].iloc[0]))
    parts = []
    for row in rows(info):
        if row.estimate == row.estimate:
            mark = "significant" if row.significant else "not significant"
            parts.append(f"{row.label} {told.gap_text(told.scale * row.estimate)} ({mark})")
    return (
        f"Forest plot of the difference in {told.label} from {info['baseline'].iloc[0]}: "
        + "; ".join(parts)
        + "."
    )
