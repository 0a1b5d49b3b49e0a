"""Shares of hands and of games by knock threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from analysis.charts import style
from analysis.charts.curves import draw_band
from analysis.charts.layout import end_labels, figure_width, wrap
from analysis.charts.rows import rows
from analysis.charts.words import number

if TYPE_CHECKING:
    from pandas import DataFrame

SHARES = (("hand_share", "hands won"), ("game_share", "games won"))


def threshold_info(reports: Sequence[tuple[int, dict[str, Any]]]) -> DataFrame:
    """Return the table of the threshold chart: a row for each threshold.

    Parameters
    ----------
    reports : sequence of (int, dict)
        Threshold of side A in points, and the report of its match (`analysis.match.match_report`).

    Returns
    -------
    pandas.DataFrame
        ``k``, ``pairs``, and estimate, low and high of ``hand_share`` and ``game_share``, as fractions.
    """
    import pandas as pd

    told = []
    for k, report in sorted(reports, key=lambda pair: pair[0]):
        row: dict[str, Any] = {"k": k, "pairs": report["pairs"]}
        for share, _ in SHARES:
            for part in ("estimate", "low", "high"):
                row[f"{share}_{part}"] = report[share][part]
        told.append(row)
    return pd.DataFrame(told)


def draw_threshold(info: DataFrame, axes: Any) -> Any:
    """Draw shares of hands and of games by knock threshold, with their intervals.

    Parameters
    ----------
    info : pandas.DataFrame
        From `threshold_info`.
    axes : matplotlib.axes.Axes
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    chosen = style.theme_of(axes)
    ks = info["k"].to_numpy(int)
    axes.axhline(50, color=chosen.faint, linewidth=0.8, zorder=0)
    ends = []
    for (share, label), colour, marker, dash in zip(
        SHARES, chosen.colours, style.MARKERS, style.DASHES, strict=False
    ):
        value, low, high = (
            100 * info[f"{share}_{part}"].to_numpy(float) for part in ("estimate", "low", "high")
        )
        draw_band(axes, ks, low, high, colour)
        axes.plot(ks, value, color=colour, marker=marker, linestyle=dash)
        ends.append((float(ks[-1]), float(value[-1]), label, colour))
    axes.set_xticks(ks)
    axes.set_xlabel(
        wrap(
            "knocks with at most k points of deadwood (0: gin only)",
            figure_width(axes) - 60,
            style.type_size(),
        )
    )
    axes.set_ylabel("share, %")
    axes.margins(x=0.02)
    end_labels(axes, ends)
    return axes


def threshold_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the area of data."""
    return 2.8 if width > 5 else 1.9


def threshold_alt(info: DataFrame) -> str:
    """Return the curves in words."""
    parts = [
        f"k = {row.k}: {number(100 * row.hand_share_estimate, 1)} % of hands, "
        f"{number(100 * row.game_share_estimate, 1)} % of games"
        for row in rows(info)
    ]
    return f"Curves of what is won by knock threshold k. {'; '.join(parts)}."
