"""Which charts a run gets, and their files: light and dark, for a wide page and a narrow one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.report.blocks import Figure
from analysis.report.facts import CellFacts
from analysis.store.results import Results

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Chart:
    """A chart to be drawn.

    Attributes
    ----------
    name, heading, caption, alt : str
    info : DataFrame
    draw : callable
        From info table and Axes.
    height : callable
        From info table and width in inches to the height.
    """

    name: str
    heading: str
    caption: str
    alt: str
    info: DataFrame
    draw: Callable[[DataFrame, Any], Any]
    height: Callable[[DataFrame, float], float]


def plan(results: Results, facts: Sequence[CellFacts]) -> list[Chart]:
    """Return the charts that suit the axes of a run."""
    return []


def save_forms(chart: Chart, folder: Path) -> Figure:
    """Write a chart in all its forms: SVG in two widths and two themes, a PNG, and the data as CSV."""
    return Figure(chart.name, chart.heading, chart.caption, chart.alt)
