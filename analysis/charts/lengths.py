"""How long hands last, with medians; on which own turn a knock is first legal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D

from analysis.charts import style
from analysis.charts.curves import line_look
from analysis.charts.layout import compact, figure_width, head
from analysis.charts.pick import labelled, names_of, ordered, pick, recorded
from analysis.charts.rows import most
from analysis.charts.words import number
from analysis.knocks import first_legal, last_turn_label
from sim.tally import LENGTHS

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.store.results import Results


def lengths_info(
    results: Results, *, cells: Iterable[int] | None = None, where: Mapping[str, Any] | None = None
) -> DataFrame:
    """Return hands by their length.

    Parameters
    ----------
    results : Results
    cells, where
        See `analysis.charts.pick.pick`.

    Returns
    -------
    pandas.DataFrame
        ``cell``, ``label``, ``turns`` of both players (63: so many and more), ``hands``, ``ended`` (share of
        the cell's hands that were over by then).

    Raises
    ------
    UsageError
        If lengths were not recorded.
    """
    table = labelled(results, "lengths", ordered(results, pick(results, cells, where)))
    hands = table.groupby("cell")["hands"]
    table["ended"] = hands.cumsum() / hands.transform("sum")
    return table[["cell", "label", "turns", "hands", "ended"]]


def draw_lengths(info: DataFrame, axes: Any) -> Any:
    """Draw the share of hands that have ended by each turn, a line a cell, with a mark at its median.

    Parameters
    ----------
    info : pandas.DataFrame
        From `lengths_info`.
    axes : matplotlib.axes.Axes
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
    """
    chosen = style.theme_of(axes)
    names = list(dict.fromkeys(info["label"].astype(str)))
    axes.axhline(50, color=chosen.faint, linewidth=0.8, zorder=0)
    handles = []
    reach = 1
    for at, name in enumerate(names):
        own = info[info["label"].astype(str) == name].sort_values("turns")
        look = line_look(chosen, at, len(names))
        marker = look.pop("marker")
        ended = 100 * own["ended"].to_numpy(float)
        turns = own["turns"].to_numpy(int)
        axes.step([0, *turns], [0.0, *ended], where="post", **look)
        median = median_turns(own)
        axes.plot(
            [median], [50], marker=marker, color=look["color"], markersize=6, linestyle="", label="_median"
        )
        handles.append(Line2D([], [], marker=marker, label=f"{name}: {median}", **look))
        reach = max(reach, int(turns[ended < 99.8].max(initial=1)) + 1)
    axes.set_xlim(0, min(reach, LENGTHS - 1))
    axes.set_ylim(0, 100)
    axes.set_xlabel("turns of both players")
    axes.set_ylabel("hands ended by then, %")
    _keyed(axes, "median turns", handles)
    return axes


def median_turns(own: DataFrame) -> int:
    """Return the first turn by which at least half of a cell's hands have ended."""
    reached = own[own["ended"] >= 0.5 - 1e-12]
    return int(reached["turns"].min())


def _keyed(axes: Any, title: str, handles: Sequence[Any]) -> None:
    """Put the key above, names made to fit."""
    size = style.type_size()
    names = compact([str(one.get_label()) for one in handles], figure_width(axes) - 90, size)
    for one, name in zip(handles, names, strict=True):
        one.set_label(name)
    head(axes, title, handles)


def lengths_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the area of data."""
    return 3.0 if width > 5 else 2.0


def lengths_alt(info: DataFrame) -> str:
    """Return the curves in words."""
    parts = [
        f"{name}: median {median_turns(own)} turns."
        for name, own in list(info.groupby("label", sort=False))[:12]
    ]
    return "Share of hands that have ended by each turn. " + " ".join(parts)


# --- first legal knock -----------------------------------------------------------------------------


def first_legal_info(
    results: Results, *, cells: Iterable[int] | None = None, where: Mapping[str, Any] | None = None
) -> DataFrame:
    """Return hands by the own turn of each side's first legal knock.

    Parameters
    ----------
    results : Results
    cells, where
        See `analysis.charts.pick.pick`.

    Returns
    -------
    pandas.DataFrame
        ``cell``, ``label``, and the columns of `analysis.knocks.first_legal`.

    Raises
    ------
    UsageError
        If knocks were not recorded.
    """
    import pandas as pd

    recorded(results, "knocks")
    chosen = ordered(results, pick(results, cells, where))
    frames = []
    for cell, name in zip(chosen, names_of(results, chosen), strict=True):
        own = first_legal(results.tally(cell.number))
        own.insert(0, "cell", cell.number)
        own.insert(1, "label", name)
        frames.append(own)
    return pd.concat(frames, ignore_index=True)


def draw_first_legal(info: DataFrame, axes: Any) -> Any:
    """Draw the share of hands by the own turn of a side's first legal knock, and those without one.

    Parameters
    ----------
    info : pandas.DataFrame
        From `first_legal_info`.
    axes : matplotlib.axes.Axes
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        What never came stands apart at the right.
    """
    chosen = style.theme_of(axes)
    keys = list(dict.fromkeys(zip(info["label"].astype(str), info["side"].astype(str), strict=True)))
    several = len({label for label, _ in keys}) > 1
    seen = info[(info["own_turn"] > 0) & (info["share"] >= 0.0005)]
    last = int(seen["own_turn"].max()) if len(seen) else 1
    never = last + 2
    handles = []
    for at, (label, side) in enumerate(keys):
        own = info[(info["label"].astype(str) == label) & (info["side"].astype(str) == side)]
        turns = own[(own["own_turn"] > 0) & (own["own_turn"] <= last)].sort_values("own_turn")
        look = line_look(chosen, at, len(keys))
        axes.plot(turns["own_turn"], 100 * turns["share"], markersize=3.5, **look)
        rest = own[own["own_turn"] == 0]
        offset = 0.5 * (at - (len(keys) - 1) / 2) / len(keys)
        axes.plot(
            [never + offset] * len(rest),
            100 * rest["share"],
            marker=look["marker"],
            color=look["color"],
            linestyle="",
            label="_never",
        )
        words = f"{label}, {side.upper()}" if several else f"side {side.upper()}"
        handles.append(Line2D([], [], label=words, **look))
    step = 5 if last > 12 else 2 if last > 6 else 1
    places = [1, *range(step, last + 1, step)] if step > 1 else list(range(1, last + 1))
    places = [place for place in places if place <= last - step / 2 or place == last]
    axes.set_xticks(
        [*places, never],
        [*(last_turn_label(place) for place in places), "never"],
    )
    axes.axvline(last + 1, color=chosen.faint, linewidth=0.6, linestyle=":")
    axes.set_xlim(0.5, never + 0.7)
    axes.set_ylim(0, None)
    axes.set_xlabel("own turn of the first legal knock")
    axes.set_ylabel("hands, %")
    _keyed(axes, "", handles)
    return axes


def first_legal_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the area of data."""
    return 2.6 if width > 5 else 1.9


def first_legal_alt(info: DataFrame) -> str:
    """Return the curves in words."""
    parts = []
    for (label, side), own in list(info.groupby(["label", "side"], sort=False))[:12]:
        came = own[own["own_turn"] > 0]
        top = most(came, "share")
        never = float(own.loc[own["own_turn"] == 0, "share"].sum())
        parts.append(
            f"{label}, side {str(side).upper()}: most often on own turn {int(top['own_turn'])} "
            f"({number(100 * top['share'], 1)} % of hands), never in {number(100 * never, 1)} %."
        )
    return "Hands by own turn of the first legal knock. " + " ".join(parts)
