"""Charts fit to print. Each is two functions: one makes the info table, one draws it on given Axes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

HANDS_COLOUR, GAMES_COLOUR = "#0072B2", "#D55E00"
"""Blue and vermilion of the Okabe-Ito palette, told apart by every kind of colour vision."""

SHARES = (("hand_share", "hands won", HANDS_COLOUR, "o"), ("game_share", "games won", GAMES_COLOUR, "s"))


def threshold_info(reports: Sequence[tuple[int, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the table of the threshold chart: a row for each threshold.

    Parameters
    ----------
    reports : sequence of (int, dict)
        Threshold of side A in points, and the report of its match (`analysis.match.match_report`).

    Returns
    -------
    list of dict
        ``k``, and estimate, low and high of ``hand_share`` and ``game_share``, as fractions.
    """
    rows = []
    for k, report in sorted(reports, key=lambda pair: pair[0]):
        row: dict[str, Any] = {"k": k, "pairs": report["pairs"]}
        for share, *_ in SHARES:
            for part in ("estimate", "low", "high"):
                row[f"{share}_{part}"] = report[share][part]
        rows.append(row)
    return rows


def draw_threshold(info: Sequence[dict[str, Any]], axes: Any) -> Any:
    """Draw shares of hands and of games by knock threshold, with their intervals.

    Parameters
    ----------
    info : sequence of dict
        From `threshold_info`.
    axes : matplotlib.axes.Axes
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    ks = [row["k"] for row in info]
    axes.axhline(50, color="0.6", linewidth=0.8, zorder=0)
    for share, label, colour, marker in SHARES:
        value, low, high = (
            [100 * row[f"{share}_{part}"] for row in info] for part in ("estimate", "low", "high")
        )
        axes.fill_between(ks, low, high, color=colour, alpha=0.25, linewidth=0)
        axes.plot(ks, value, color=colour, marker=marker, markersize=4, linewidth=1.4)
        axes.annotate(
            label, (ks[-1], value[-1]), xytext=(8, 0), textcoords="offset points", color=colour, va="center"
        )
    axes.set_xticks(ks)
    axes.set_xlabel("knocks with at most k points of deadwood (0: gin only)")
    axes.set_ylabel("share, %")
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.02)
    return axes


def save_figure(figure: Any, path: Path) -> None:
    """Write a figure as SVG, the same bytes each time, and as PNG at 200 dots an inch beside it."""
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "ginlab"}):
        figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    figure.savefig(path.with_suffix(".png"), dpi=200, metadata={"Software": None})
