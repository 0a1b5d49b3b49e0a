"""Room on the paper: how large text is, what fits where, labels that keep clear of each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath
from matplotlib.ticker import FixedLocator, MaxNLocator

from analysis.charts.style import readable, small_size, theme_of, type_size

SLACK = 1.06
"""Text on a screen's grid of dots is up to so much wider than its outline."""


@lru_cache(maxsize=4096)
def _advance(letter: str, weight: str) -> float:
    """Return the width of a letter in sizes of its type: by how far it moves a bar that follows it."""
    font = FontProperties(family="DejaVu Sans", weight=weight)
    bars = [TextPath((0, 0), text, size=100, prop=font).get_extents().x1 for text in (f"{letter}|", "|")]
    return float(bars[0] - bars[1]) / 100


def text_width(text: str, size: float, weight: str = "normal") -> float:
    """Return the width of the widest line of a text in points."""
    lines = text.split("\n")
    return SLACK * size * max(sum(_advance(letter, weight) for letter in line) for line in lines)


def shorten(text: str, width: float, size: float) -> str:
    """Return a text that is at most so wide in points: cut in the middle.

    The end keeps more than the start, for that is where parameters stand.
    """
    if text_width(text, size) <= width:
        return text
    for left in range(len(text) - 1, 1, -1):
        head = (left + 1) // 3
        short = text[:head] + "\N{HORIZONTAL ELLIPSIS}" + text[len(text) - (left - head) :]
        if text_width(short, size) <= width:
            return short
    return text[:1] + "\N{HORIZONTAL ELLIPSIS}"


def wrap(text: str, width: float, size: float, lines: int = 2) -> str:
    """Return a text in at most so many lines of a width in points, broken where it may be, else shortened."""
    told: list[str] = []
    rest = _tied(text)
    while rest and len(told) < lines - 1 and text_width(rest, size) > width:
        breaks = [part.end() for part in re.finditer(r"[ ,(/]+|(?<=[a-z])_", rest)]
        fitting = [at for at in breaks if at < len(rest) and text_width(rest[:at], size) <= width]
        if not fitting:
            break
        told.append(rest[: fitting[-1]].rstrip(" "))
        rest = rest[fitting[-1] :]
    return _untied("\n".join([*told, shorten(rest, width, size)]))


def compact(names: Sequence[str], width: float, size: float, lines: int = 1) -> list[str]:
    """Return names that fit a width in points and still differ.

    If one is too wide, parameters that all strategies of its family have in common become an ellipsis; what
    is still too wide is broken or shortened, and numbered where nothing else would tell it apart.
    """
    if max((text_width(name, size) for name in names), default=0) > width:
        names = _without_common(names)
    told = [wrap(name, width, size, lines) for name in names]
    for at, text in enumerate(told):
        if told.count(text) > 1 and list(names).count(names[at]) == 1:
            told = [
                wrap(f"{number}: {name}", width, size, lines) if told.count(short) > 1 else short
                for number, (name, short) in enumerate(zip(names, told, strict=True), start=1)
            ]
            break
    return told


_CALL = re.compile(r"^([\w.]+)\(([^()]*)\)(.*)$", re.DOTALL)
"""A strategy's text whose parameters hold no strategy, and what follows it."""


def _without_common(names: Sequence[str]) -> list[str]:
    calls = [_CALL.match(name) for name in names]
    common: dict[str, set[str]] = {}
    for call in calls:
        if call:
            own = set(call[2].split(", "))
            common[call[1]] = common.get(call[1], own) & own
    often = [call[1] for call in calls if call]
    told = []
    for name, call in zip(names, calls, strict=True):
        if not call or often.count(call[1]) < 2:
            told.append(name)
            continue
        kept = [part for part in call[2].split(", ") if part not in common[call[1]]]
        if not kept:  # one strategy in several places: what it is must stay
            told.append(name)
            continue
        if len(kept) < len(call[2].split(", ")):
            kept.append("\N{HORIZONTAL ELLIPSIS}")
        told.append(f"{call[1]}({', '.join(kept)}){call[3]}")
    return told


def paragraph(text: str, width: float, size: float) -> str:
    """Return a text broken between words into lines of a width in points."""
    lines = [""]
    for word in _tied(text).split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return _untied("\n".join(lines))


def _tied(text: str) -> str:
    """Keep both sides of an equals sign, and a number and its per cent, on one line."""
    return re.sub(r" (?=[=%])|(?<= =) ", "\N{NO-BREAK SPACE}", text)


def _untied(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def figure_width(axes: Any) -> float:
    """Return the width in points of the figure that Axes stand in."""
    return 72 * float(axes.get_figure(root=True).get_figwidth())


def is_narrow(axes: Any) -> bool:
    """Tell if Axes stand in a figure for a column of print."""
    return figure_width(axes) < 5 * 72


def settle(figure: Any) -> None:
    """Give all Axes of a figure their places.

    More than once where the ticks change with the room, and the room with the ticks.
    """
    engine = figure.get_layout_engine()
    before: list[Any] = []
    for _ in range(4 if engine is not None else 0):
        engine.execute(figure)
        places = [[round(part, 4) for part in axes.get_position().bounds] for axes in figure.axes]
        if places == before:
            break
        before = places


def freeze(figure: Any) -> None:
    """Fix the ticks where they are.

    Matplotlib chooses them by the type size of the settings at the time of drawing, so a figure that a
    notebook draws when the theme has gone would get others, for which it has no room.
    """
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if isinstance(axis.get_major_locator(), MaxNLocator):
                axis.set_major_locator(FixedLocator(axis.get_majorticklocs()))


def room(axes: Any) -> tuple[float, float]:
    """Return width and height of Axes in points, once all that stands around them has its place."""
    figure = axes.get_figure(root=True)
    settle(figure)
    box = axes.get_window_extent()
    return 72 * box.width / figure.dpi, 72 * box.height / figure.dpi


def panels(axes: Any, rows: int, columns: int, count: int, share_y: bool = True) -> list[Any]:
    """Put a grid of Axes in the place of one, in a subfigure of their own.

    They share the scales of the first; ticks are labelled at the left and below the lowest of each column.
    Without ``share_y`` each has a vertical scale, and labels, of its own.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Made by ``subplots`` or ``add_subplot``; it is removed.
    rows, columns : int
        Of the grid, filled row by row.
    count : int
        Axes wanted.

    Returns
    -------
    list of matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If the Axes have no place in a grid.
    """
    spec = axes.get_subplotspec()
    if spec is None:
        raise ValueError("axes: small multiples need Axes made by subplots or add_subplot")
    figure = axes.get_figure(root=False)
    axes.remove()
    part = figure.add_subfigure(spec, facecolor="none")
    grid = part.add_gridspec(rows, columns)
    made: list[Any] = []
    for at in range(count):
        first = made[0] if made else None
        made.append(
            part.add_subplot(grid[divmod(at, columns)], sharex=first, sharey=first if share_y else None)
        )
        made[at].set_facecolor(axes.get_facecolor())
        made[at].tick_params(labelleft=at % columns == 0 or not share_y, labelbottom=at + columns >= count)
    return made


def head(axes: Any, title: str, handles: Sequence[Any] = (), left: float = 30.0) -> None:
    """Put a title and a key above Axes, on the left, where neither meets the data.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Below the key.
    title : str
        May be empty.
    handles : sequence of matplotlib.artist.Artist
        With labels.
    left : float
        Points of the figure's width that stand beside the Axes, such as the labels of rows.
    """
    size = type_size()
    wide = max(figure_width(axes) - left - 14, 90.0)
    mark = 2.2 * size + 12
    labels = [wrap(str(one.get_label()), wide - mark, size, 3) for one in handles]
    widest = max((text_width(label, size) for label in labels), default=0) + mark + size
    if not handles:
        axes.set_title(paragraph(title, wide, size), fontsize=size)
        return
    axes.legend(
        handles=list(handles),
        labels=labels,
        title=paragraph(title, wide, size) if title else None,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=max(1, min(len(handles), int(wide // widest))),
        borderaxespad=0.2,
        borderpad=0.2,
        handlelength=2.2,
        columnspacing=1.2,
        labelspacing=0.3,
        alignment="left",
    ).set_zorder(10)


def end_labels(axes: Any, labels: Sequence[tuple[float, float, str, str]]) -> None:
    """Name lines at their right ends, moved apart where they would meet.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        With its lines drawn and its limits set.
    labels : sequence of (float, float, str, str)
        End of the line (x, y in data), its name, its colour.
    """
    if not labels:
        return
    chosen = theme_of(axes)
    size = small_size() if len(labels) > 4 else type_size()
    widest = 0.33 * figure_width(axes)
    texts = compact([text for *_, text, _ in labels], widest, size)
    # Named once before room is measured, so that the Axes have given way to the names.
    made = [
        axes.annotate(
            text,
            (1, 0.5),
            xycoords="axes fraction",
            xytext=(7, 0),
            textcoords="offset points",
            color=readable(colour, chosen),
            va="center",
            fontsize=size,
            annotation_clip=False,
        )
        for text, (*_, colour) in zip(texts, labels, strict=True)
    ]
    wide, high = room(axes)
    to_fraction = axes.transAxes.inverted()
    ends = [to_fraction.transform(axes.transData.transform((x, y)))[1] * high for x, y, *_ in labels]
    places = spread(ends, 1.25 * size)
    top, bottom = max(places), min(places)
    shift = min(0.0, high + size / 2 - top) if top - bottom <= high + size else 0.0
    shift += max(0.0, -size / 2 - (bottom + shift))
    for text, (x, y, _, colour), end, place in zip(made, labels, ends, places, strict=True):
        place += shift
        text.set_position((7, place - high / 2))
        moved = abs(place - end) > 1
        x_end = to_fraction.transform(axes.transData.transform((x, y)))[0]
        if moved or x_end < 0.995:
            axes.plot(
                [x_end, 1 + 5 / wide],
                [end / high, place / high],
                transform=axes.transAxes,
                color=colour,
                linewidth=0.5,
                clip_on=False,
                zorder=1,
                label="_leader",
            )


def spread(places: Sequence[float], gap: float) -> list[float]:
    """Move places apart until any two are a gap from each other, as little as can be, keeping their order.

    The isotonic regression of places less gaps, by pooling neighbours that would meet.
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    pools: list[list[float]] = []  # sum of (place - rank * gap), number
    for rank, i in enumerate(order):
        pools.append([places[i] - rank * gap, 1])
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] >= pools[-1][0] / pools[-1][1]:
            last = pools.pop()
            pools[-1] = [pools[-1][0] + last[0], pools[-1][1] + last[1]]
    level = [pool[0] / pool[1] for pool in pools for _ in range(int(pool[1]))]
    moved = [0.0] * len(places)
    for rank, i in enumerate(order):
        moved[i] = level[rank] + rank * gap
    return moved
