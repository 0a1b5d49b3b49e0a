"""How a search for parameters went: gain over the start values by generation, and each parameter's course."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import MaxNLocator

from analysis.charts import style
from analysis.charts.curves import draw_band
from analysis.charts.layout import compact, figure_width, is_narrow, panels, wrap
from analysis.charts.rows import most
from analysis.charts.words import Quantity, quantity

if TYPE_CHECKING:
    from pandas import DataFrame

ROWS = 24
"""Strategies of a complete search that are shown, the best ones."""
GAIN = "gain"
"""The panel that is no parameter's."""


def tune_trace_info(report: dict[str, Any]) -> DataFrame:
    """Return the course of a search.

    Parameters
    ----------
    report : dict
        From `analysis.tuning.search.tune`.

    Returns
    -------
    pandas.DataFrame
        Of CMA-ES: ``panel`` (``gain``, then a panel a parameter), ``metric``, ``x`` (the generation),
        ``pairs``, ``estimate``, ``low``, ``high``, ``best``. The gain is that of the search's centre over the
        start values on the same decks, with its 95 % interval; ``best`` is the gain of the generation's best
        strategy as measured. A parameter's ``estimate`` is its value at the centre, ``low`` and ``high`` are
        one standard deviation of the search apart from it, ``best`` is not a number.

        Of a complete search: a row a strategy, ``panel`` empty, ``x`` its changed numbers; ``best`` is the
        gain of those that stayed to the end.
    """
    import pandas as pd

    metric = report["question"]["objective"]
    rows: list[dict[str, Any]] = []
    if report["method"] == "complete":
        for row in report["trace"]:
            x = ", ".join(f"{name}={value:g}" for name, value in row["values"].items())
            gain = row["gain"]
            best = gain["estimate"] if row["left"] else math.nan
            rows.append(
                {"panel": "", "metric": metric, "x": x, "pairs": row["pairs"], **_ends(gain), "best": best}
            )
        return pd.DataFrame(rows)
    for row in report["trace"]:
        rows.append(
            {
                "panel": GAIN,
                "metric": metric,
                "x": str(row["generation"]),
                "pairs": row["pairs"],
                **_ends(row["gain"]),
                "best": row["best_gain"],
            }
        )
    for name, span in report["question"]["parameters"].items():
        for row in report["trace"]:
            value, spread = row["values"][name], row["spread"][name]
            rows.append(
                {
                    "panel": name,
                    "metric": metric,
                    "x": str(row["generation"]),
                    "pairs": row["pairs"],
                    "estimate": float(value),
                    "low": max(value - spread, span["low"]),
                    "high": min(value + spread, span["high"]),
                    "best": math.nan,
                }
            )
    return pd.DataFrame(rows)


def _ends(gain: dict[str, Any]) -> dict[str, float]:
    """Return an estimate whose missing ends are not numbers: those of the start values themselves."""
    return {name: math.nan if value is None else value for name, value in gain.items()}


def draw_tune_trace(info: DataFrame, axes: Any) -> Any:
    """Draw a search.

    Parameters
    ----------
    info : pandas.DataFrame
        From `tune_trace_info`.
    axes : matplotlib.axes.Axes
        Where to draw; of CMA-ES, panels take its place: the gain first, then the parameters.

    Returns
    -------
    matplotlib.axes.Axes
        The first panel.
    """
    if (info["panel"] == "").all():
        return _draw_complete(info, axes)
    names = list(dict.fromkeys(info["panel"].astype(str)))
    rows, columns = _shape(len(names), is_narrow(axes))
    width = figure_width(axes) / columns
    grid = panels(axes, rows, columns, len(names), same_y=False)
    for at, (panel, name) in enumerate(zip(grid, names, strict=True)):
        _draw_course(info[info["panel"] == name], panel, name, width)
        if at + columns >= len(names):
            panel.set_xlabel("generation")
    return grid[0]


def _draw_course(own: DataFrame, axes: Any, name: str, width: float) -> None:
    """Draw one panel: the gain with its interval, or a parameter with the spread of the search."""
    chosen = style.theme_of(axes)
    what = quantity(str(own["metric"].iloc[0]))
    scale = what.scale if name == GAIN else 1.0
    x = own["x"].astype(int).to_numpy()
    value, low, high, best = (
        scale * own[part].to_numpy(float) for part in ("estimate", "low", "high", "best")
    )
    colour = chosen.colours[0]
    draw_band(axes, x, low, high, colour)
    axes.plot(x, value, color=colour, marker="o", markersize=3 if len(x) < 40 else 0)
    if name == GAIN:
        axes.axhline(0, color=chosen.muted, linewidth=0.8, zorder=0)
        axes.plot(
            x,
            best,
            linestyle="",
            marker="D",
            markersize=3,
            markerfacecolor="none",
            markeredgecolor=chosen.colours[1],
            markeredgewidth=0.8,
        )
        axes.set_title(wrap(_gain_label(what), width - 30, style.type_size(), 3))
    else:
        axes.set_title(wrap(name, width - 30, style.type_size(), 2))
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1))
    whole = name != GAIN and bool((value == np.round(value)).all())
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=whole))


def _draw_complete(info: DataFrame, axes: Any) -> Any:
    """Draw the strategies of a complete search below each other, the best at the top."""
    chosen = style.theme_of(axes)
    what = quantity(str(info["metric"].iloc[0]))
    best = info.sort_values("estimate", ascending=False, kind="stable").head(ROWS).reset_index(drop=True)
    y = np.arange(len(best))
    value, low, high = (what.scale * best[part].to_numpy(float) for part in ("estimate", "low", "high"))
    ended = best["best"].notna().to_numpy()
    axes.axvline(0, color=chosen.muted, linewidth=0.8, zorder=0)
    axes.hlines(y, low, high, color=chosen.colours[0], linewidth=1.2)
    for marked, face in ((ended, chosen.colours[0]), (~ended, chosen.paper)):
        axes.plot(
            value[marked],
            y[marked],
            linestyle="",
            marker="o",
            markerfacecolor=face,
            markeredgecolor=chosen.colours[0],
        )
    names = compact(list(best["x"].astype(str)), 0.4 * figure_width(axes), style.type_size())
    axes.set_yticks(y, names)
    axes.set_ylim(len(best) - 0.5, -0.5)
    axes.set_xlabel(wrap(_gain_label(what), 0.55 * figure_width(axes), style.type_size(), 3))
    return axes


def _gain_label(what: Quantity) -> str:
    unit = ", percentage points" if what.unit == "%" else ""
    return f"{what.words}, above the start values{unit}"


def _shape(count: int, narrow: bool) -> tuple[int, int]:
    """Return rows and columns for so many panels, as even as can be."""
    rows = math.ceil(count / (2 if narrow else 3))
    return rows, math.ceil(count / rows)


def tune_trace_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the area of data."""
    if (info["panel"] == "").all():
        return 0.4 + 0.18 * min(len(info), ROWS)
    rows, _ = _shape(info["panel"].nunique(), width < 5)
    return rows * (1.6 if width > 5 else 1.3)


def tune_trace_caption(report: dict[str, Any]) -> str:
    """Return what a caption must say of a search: estimand, decks, rules, seed, opponents, the marks."""
    asked = report["question"]
    rules = asked["rules"]
    settings = "".join(f", {one}" for one in rules["settings"])
    played = (
        f"{asked['start']} against {', '.join(asked['against'])}; rules {rules['preset']}{settings} "
        f"({rules['hash']}), seed {asked['seed']}, whole games in mirrored pairs"
    )
    if report["method"] == "complete":
        shown = f"; the best {ROWS} of {len(report['trace'])}" if len(report["trace"]) > ROWS else ""
        return (
            f"{played}; all strategies on the same decks{shown}. Bars: 95 % intervals of single strategies. "
            "Filled: not shown to be worse than the best."
        )
    pairs = [row["pairs"] for row in report["trace"]]
    return (
        f"{played}, {min(pairs):,} to {max(pairs):,} pairs a strategy and generation. Line: the centre of "
        "the search, with the 95 % interval of its gain on the same decks, and one standard deviation of the "
        "search about its numbers. Diamonds: best of the generation as measured, which is too high for "
        "having been chosen by it."
    )


def tune_trace_alt(info: DataFrame) -> str:
    """Return the course in words."""
    what = quantity(str(info["metric"].iloc[0]))
    scale = what.scale
    if (info["panel"] == "").all():
        best = most(info, "estimate")
        return (
            f"Gain over the start values of {len(info)} strategies; most "
            f"{what.gap_text(scale * best['estimate'])} ({what.label}) with {best['x']}."
        )
    words = []
    for name, own in info.groupby("panel", sort=False):
        first, last = own.iloc[0], own.iloc[-1]
        if name == GAIN:
            words.append(
                f"Gain over the start values ({what.label}) by generation: "
                f"{what.gap_text(scale * last['estimate'])} at the last, {last['x']}."
            )
        else:
            words.append(f"{name}: from {first['estimate']:g} to {last['estimate']:g}.")
    return " ".join(words)
