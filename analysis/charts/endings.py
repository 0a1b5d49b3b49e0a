"""How hands end: bars of 100 %, what A won at the left, what B won at the right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from matplotlib.patches import Patch

from analysis.charts import style
from analysis.charts.layout import compact, figure_width, head, room, text_width
from analysis.charts.pick import labelled, ordered, pick
from analysis.charts.rows import rows
from analysis.charts.words import count, number
from sim.tally import SIDE_ENDINGS

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.store.results import Results

ORDER = (
    *(("a", kind) for kind in SIDE_ENDINGS),
    ("", "void"),
    ("", "capped"),
    *(("b", kind) for kind in reversed(SIDE_ENDINGS)),
)
"""Segments of a bar from the left: mirrored, so that the sides compare."""

HATCHES = {"a": "", "b": "/////", "": ""}


def endings_info(
    results: Results, *, cells: Iterable[int] | None = None, where: Mapping[str, Any] | None = None
) -> DataFrame:
    """Return how the hands of cells ended.

    Parameters
    ----------
    results : Results
    cells, where
        See `analysis.charts.pick.pick`.

    Returns
    -------
    pandas.DataFrame
        ``cell``, ``label``, ``side`` (``a``, ``b``: of an undercut its winner, else who ended the hand; empty
        for the others), ``ending``, ``hands``, ``share`` of the cell's hands. Cells that differ along one
        axis of numbers are in its order.

    Raises
    ------
    UsageError
        If endings were not recorded.
    """
    return labelled(results, "endings", ordered(results, pick(results, cells, where)), share_of="hands")[
        ["cell", "label", "side", "ending", "hands", "share"]
    ]


def _colour(chosen: style.Theme, kind: str) -> str:
    if kind in ("void", "capped"):
        return chosen.faint if kind == "void" else chosen.muted
    return chosen.colours[SIDE_ENDINGS.index(kind)]


def draw_endings(info: DataFrame, axes: Any) -> Any:
    """Draw each cell's hands by ending as a bar of 100 %.

    Parameters
    ----------
    info : pandas.DataFrame
        From `endings_info`.
    axes : matplotlib.axes.Axes
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        Segments of A are plain and begin at the left, those of B hatched and end at the right; an undercut
        is its winner's, all else who ended the hand's. The number of hands stands at the right.
    """
    chosen = style.theme_of(axes)
    size, small = style.type_size(), style.small_size()
    names = list(dict.fromkeys(info["label"].astype(str)))
    shares = {
        (str(row.label), str(row.side) if row.side in ("a", "b") else "", str(row.ending)): float(row.share)
        for row in rows(info)
    }
    width = figure_width(axes)
    shown = compact(names, 0.3 * width, size)
    left = max(text_width(name, size) for name in shown) + size
    used = [key for key in ORDER if any(shares.get((name, *key), 0) > 0 for name in names)]
    texts = []
    for at, name in enumerate(names):
        start = 0.0
        for side, kind in used:
            part = 100 * shares.get((name, side, kind), 0.0)
            if part == 0:
                continue
            colour = _colour(chosen, kind)
            axes.barh(
                at,
                part,
                left=start,
                height=0.78,
                color=colour,
                hatch=HATCHES[side],
                edgecolor=chosen.paper,
                linewidth=0.4,
            )
            texts.append((start + part / 2, at, part, colour, side))
            start += part
        hands = int(info.loc[info["label"].astype(str) == name, "hands"].sum())
        axes.annotate(
            count(hands),
            (1, at),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=small,
            annotation_clip=False,
        )
    axes.set_xlim(0, 100)
    axes.set_yticks(range(len(names)), shown)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set_xlabel("hands, % (how many: at the right)")
    kinds = [kind for kind in (*SIDE_ENDINGS, "void", "capped") if any(kind == one for _, one in used)]
    handles = [
        Patch(facecolor=_colour(chosen, kind), edgecolor=chosen.paper, label=kind.replace("_", " "))
        for kind in kinds
    ]
    for side, words in (("a", "of A"), ("b", "of B")):
        handles.append(
            Patch(
                facecolor=chosen.paper, edgecolor=chosen.ink, hatch=HATCHES[side], linewidth=0.4, label=words
            )
        )
    head(axes, "", handles, left)
    wide, high = room(axes)
    if high / len(names) >= 1.1 * small:
        for x, y, part, colour, side in texts:
            text = number(part, 0)
            if text_width(text, small) + 4 <= part / 100 * wide:
                plate = {"facecolor": colour, "edgecolor": "none", "pad": 0.8} if side == "b" else None
                axes.text(
                    x,
                    y,
                    text,
                    ha="center",
                    va="center",
                    fontsize=small,
                    color=style.text_on(colour),
                    bbox=plate,
                ).set_in_layout(False)
    return axes


def endings_height(info: DataFrame, width: float) -> float:
    """Return the height in inches of the bars."""
    return max(0.3, info["label"].nunique() * (0.21 if width > 5 else 0.17))


def endings_alt(info: DataFrame) -> str:
    """Return the bars in words."""
    parts = []
    for name, own in list(info.groupby("label", sort=False))[:12]:
        most = own[own["share"] >= 0.03].sort_values("share", ascending=False)
        told = ", ".join(
            f"{row.ending.replace('_', ' ')}{f' of {row.side.upper()}' if row.side in ('a', 'b') else ''} "
            f"{number(100 * row.share, 0)} %"
            for row in rows(most)
        )
        parts.append(f"{name}: {told}.")
    return "Bars of hands by ending. " + " ".join(parts)
