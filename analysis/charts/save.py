"""Charts as files: SVG whose bytes do not change, PNG, and the data as CSV beside them."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from analysis.charts import style
from analysis.charts.layout import freeze, paragraph, settle

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

DOTS = 200
"""Dots an inch of the PNG."""

TEXT_COLUMNS = (
    "row",
    "column",
    "label",
    "x",
    "line",
    "panel",
    "baseline",
    "a",
    "b",
    "ending",
    "side",
    "metric",
    "start",
)
"""Columns of info tables that hold text, even where it looks like a number."""


@dataclass(frozen=True)
class Saved:
    """Files of a chart, and its words.

    Attributes
    ----------
    svg, png, csv : Path
        What was written.
    caption : str
        Printed under the chart.
    alt : str
        The chart in words, for those who cannot see it; also in the SVG.
    """

    svg: Path
    png: Path
    csv: Path
    caption: str
    alt: str


Draw = Callable[["DataFrame", Any], Any]
"""A drawing function: info table and Axes."""


def make_figure(
    draw: Draw, info: DataFrame, *, width: float, height: float, title: str = "", caption: str = ""
) -> Figure:
    """Return a figure with a chart, its title above and its caption below; inside `style.theme` only.

    Parameters
    ----------
    width : float
        Of the figure, in inches.
    height : float
        Of the area of data, in inches. The figure is higher by what stands above and below: drawn once, it
        tells how much that is.
    """
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    fill(figure, draw, info, width=width, height=height, title=title, caption=caption)
    return figure


def fill(
    figure: Figure,
    draw: Draw,
    info: DataFrame,
    *,
    width: float,
    height: float,
    title: str = "",
    caption: str = "",
) -> Any:
    """Draw a chart into an empty figure and give it the size it needs; return its first Axes."""
    tried = height + 1.5
    for _ in range(2):
        figure.clear()
        figure.set_size_inches(width, tried)
        axes = _draw(figure, draw, info, width, title, caption)
        settle(figure)
        boxes = [axes.get_position() for axes in figure.axes]
        inside = tried * (max(box.y1 for box in boxes) - min(box.y0 for box in boxes))
        if abs(inside - height) < 0.02:
            break
        tried += height - inside
    freeze(figure)
    return axes


def _draw(figure: Figure, draw: Draw, info: DataFrame, width: float, title: str, caption: str) -> Any:
    """Draw a chart with its title and caption into an empty figure."""
    engine: Any = figure.get_layout_engine()
    engine.set(w_pad=0.04, h_pad=0.04)
    inside = 72 * width - 12
    if title:
        size = style.type_size() + 1.5
        figure.suptitle(paragraph(title, inside, size), x=0.01, ha="left", fontsize=size)
    if caption:
        size = style.small_size()
        colour = style.theme_of(figure).muted
        figure.supxlabel(
            paragraph(caption, inside, size), x=0.01, ha="left", fontsize=size, color=colour, linespacing=1.25
        )
    return draw(info, figure.add_subplot())


def svg_text(figure: Figure, title: str, alt: str) -> str:
    """Return a figure as SVG with a title and a description, the same text each time."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    words = "".join(
        f" <{tag}>{escape(content)}</{tag}>\n"
        for tag, content in (("title", title), ("desc", alt))
        if content
    )
    return re.sub(r"(<svg [^>]*)>\n", lambda tag: f'{tag[1]} role="img">\n{words}', text, count=1)


def save_chart(
    draw: Draw,
    info: DataFrame,
    path: str | Path,
    *,
    width: float = style.PAGE,
    height: float | None = None,
    dark: bool = False,
    title: str = "",
    caption: str = "",
    alt: str = "",
) -> Saved:
    """Write a chart as SVG, as PNG of 200 dots an inch, and its data as CSV.

    Parameters
    ----------
    draw : callable
        Drawing function: info table and Axes.
    info : pandas.DataFrame
        What is drawn.
    path : str or Path
        Without ending, or with one that is replaced.
    width : float
        Of the figure, in inches.
    height : float
        Of the area of data, in inches; left out, half the width.
    dark : bool
        Light on dark.
    title, caption : str
        Printed above and below the chart; empty for none.
    alt : str
        The chart in words: the description in the SVG.

    Returns
    -------
    Saved
    """
    path = Path(path)
    with style.theme(dark, width):
        figure = make_figure(
            draw, info, width=width, height=height or width / 2, title=title, caption=caption
        )
        svg = svg_text(figure, title, alt)
        png = io.BytesIO()
        figure.savefig(png, format="png", dpi=DOTS, metadata={"Software": None})
    saved = Saved(path.with_suffix(".svg"), path.with_suffix(".png"), path.with_suffix(".csv"), caption, alt)
    _write(saved.svg, svg.encode())
    _write(saved.png, png.getvalue())
    _write(saved.csv, info.to_csv(index=False, lineterminator="\n").encode())
    return saved


def read_info(path: str | Path) -> DataFrame:
    """Return an info table from the CSV beside a chart, as it was written."""
    import pandas as pd

    with Path(path).open(newline="", encoding="utf-8") as file:
        names, *lines = csv.reader(file)
    columns = dict(zip(names, zip(*lines, strict=True) if lines else [()] * len(names), strict=True))
    return pd.DataFrame(
        {
            name: list(texts) if name in TEXT_COLUMNS or name.endswith("_axis") else _numbers(texts)
            for name, texts in columns.items()
        }
    )


def _numbers(texts: Sequence[str]) -> list[Any]:
    """Read numbers or flags, exactly as they were written."""
    if set(texts) <= {"True", "False"}:
        return [text == "True" for text in texts]
    try:
        return [int(text) for text in texts]
    except ValueError:
        return [float(text or "nan") for text in texts]


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_bytes(content)
    os.replace(part, path)
