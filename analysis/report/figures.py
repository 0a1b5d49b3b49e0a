"""Which charts a run gets, and their files: light and dark, for a wide page and a narrow one."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.charts.words import quantity
from analysis.report.answer import Group, choice_axes, groups, label
from analysis.report.blocks import Figure, code
from analysis.report.facts import CellFacts
from analysis.report.html import VARIANTS
from analysis.report.tables import chosen
from analysis.store.results import Results

if TYPE_CHECKING:
    from pandas import DataFrame

MAPS = 6
"""Heat maps or matrices of a kind at most, one for each value of the axes beyond two."""
LINES = 8
"""Lines in a chart of curves at most, panels too."""
BARS = 24
"""Rows of bars or of differences at most."""
FEW = 5
"""Cells in a chart that tells distributions."""
WITH_INTERVALS = ("map", "matrix", "curves", "forest", "convergence")
"""Charts that show intervals or what follows from them; the others show counts."""
LEAST_KNOCKS = 5_000
"""Knocks of a side below which most fields of a map of them would hold too few."""


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
        From info table and width in inches to the height of the data.
    """

    name: str
    heading: str
    caption: str
    alt: str
    info: DataFrame
    draw: Callable[[DataFrame, Any], Any]
    height: Callable[[DataFrame, float], float]


def plan(results: Results, facts: Sequence[CellFacts]) -> list[Chart]:
    """Return the charts that suit the axes of a run, those of the headline first."""
    planner = _Planner(results, facts)
    return [*planner.headline(), *planner.hands(), *planner.knocks(), *planner.course()]


class _Planner:
    """Decides what to draw of a run."""

    def __init__(self, results: Results, facts: Sequence[CellFacts]) -> None:
        self.results = results
        self.facts = facts
        self.metric = results.experiment.spec.metric
        self.what = quantity(self.metric)
        self.record = results.experiment.spec.record
        self.axes = [axis.name for axis in results.axes if len(axis.labels) > 1]
        self.names = [axis.name for axis in results.axes]
        self.best = facts[0]  # what single cells' charts are of; the first where there is nothing to choose
        if choice_axes(results):
            self.best = max(facts, key=lambda one: one.value(self.metric))
        self.few = self._few()
        self.stop = ""  # said where intervals are of any stop
        if not all(one.fixed for one in facts):
            self.stop = " Intervals hold whenever a run is stopped."

    def _own_group(self) -> Group:
        """Return the circumstance of the best cell."""
        return next(group for group in groups(self.results, self.facts) if self.best in group.facts)

    def _few(self) -> list[int]:
        """Return a few cells that show the range: along what there is to choose, with the best among them."""
        own = self._own_group().facts if choice_axes(self.results) else list(self.facts)
        if len(own) > FEW:
            places = {round(at * (len(own) - 1) / (FEW - 1)) for at in range(FEW)}
            own = [one for at, one in enumerate(own) if at in places or one is self.best]
        return [one.cell.number for one in own]

    def _of_few(self) -> str:
        """Name the circumstance that the few cells share, if there are others."""
        named = self._own_group().label if choice_axes(self.results) else ""
        return f": {named}" if named else ""

    def _left_out(self) -> str:
        """Say how many of the cells that could be shown are."""
        own = len(self._own_group().facts) if choice_axes(self.results) else len(self.facts)
        return f" Shown: {len(self.few)} of {own} cells." if len(self.few) < own else ""

    def _chart(
        self,
        name: str,
        heading: str,
        words: str,
        info: DataFrame,
        draw: Callable[[DataFrame, Any], Any],
        height: Callable[[DataFrame, float], float],
        alt: Callable[[DataFrame], str],
        cells: Sequence[int] | None = None,
    ) -> Chart:
        from analysis.charts.pick import caption

        shown = None if cells is None else [self.results.cells[number] for number in cells]
        told = caption(self.results, shown, intervals=name.partition("-")[0] in WITH_INTERVALS)
        return Chart(name, heading, f"{words} {told}", alt(info), info, draw, height)

    def _named(self, number: int) -> str:
        """Name a cell in a heading."""
        cell = self.results.cells[number]
        return label(cell, self.results, self.names) or f"{code(cell.a)} v {code(cell.b)}"

    # --- the headline ------------------------------------------------------------------------------

    def headline(self) -> Iterator[Chart]:
        """Yield the charts of the metric over the axes."""
        if {"a", "b"} <= set(self.axes):
            yield from self._matrices()
        elif len(self.axes) > 1:
            yield from self._maps()
        if 1 <= len(self.axes) <= 3 and self._numeric(self.axes):
            yield from self._curves()
        if len(self.facts) > 1 and not choice_axes(self.results) and len(self.facts) <= BARS + 1:
            yield self._forest()

    def _numeric(self, axes: Sequence[str]) -> list[str]:
        told = []
        for name in axes:
            values = {cell.keys.get(name) for cell in self.results.cells}
            if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
                told.append(name)
        return told

    def _rest(self, taken: Sequence[str]) -> list[dict[str, str]]:
        """Return the combinations of the other axes' labels, the best cell's first, a few at most."""
        others = [axis for axis in self.results.axes if axis.name not in taken]
        every = [
            dict(zip((axis.name for axis in others), labels, strict=True))
            for labels in itertools.product(*(axis.labels for axis in others))
        ]
        if len(every) <= MAPS:
            return every
        named = dict(zip(self.names, self.best.cell.labels, strict=True))
        mine = {axis.name: named[axis.name] for axis in others}
        return [mine, *(one for one in every if one != mine)][:MAPS]

    def _cells_where(self, where: Mapping[str, str]) -> list[int]:
        return [
            cell.number
            for cell in self.results.cells
            if all(cell.labels[self.names.index(name)] == text for name, text in where.items())
        ]

    def _of_where(self, where: Mapping[str, str]) -> str:
        named = [f"{name.replace('_', ' ')} {text}" for name, text in where.items() if name in self.axes]
        return f", {', '.join(named)}" if named else ""

    def _maps(self) -> Iterator[Chart]:
        from analysis.charts.heatmap import draw_heatmap, heatmap_alt, heatmap_height, heatmap_info

        choices = [name for name in choice_axes(self.results) if name in self.axes]
        rows = choices[0] if choices else self.axes[0]
        columns = next(name for name in self.axes if name != rows)
        for at, where in enumerate(self._rest((rows, columns))):
            info = heatmap_info(self.results, self.metric, rows=rows, columns=columns, where=where)
            marked = info["kept"].any() and len(info) > 1
            yield self._chart(
                f"map-{at + 1}",
                f"{_first_upper(self.what.words)} by {_plain(rows)} and "
                f"{_plain(columns)}{self._of_where(where)}",
                f"Each field is a cell; the number is {self.what.label}."
                + (
                    " Outlined: among which the best is with a confidence of 95 %, of all and within each "
                    "column."
                    if marked
                    else ""
                )
                + self.stop,
                info,
                draw_heatmap,
                heatmap_height,
                heatmap_alt,
                self._cells_where(where),
            )

    def _matrices(self) -> Iterator[Chart]:
        from analysis.charts.heatmap import draw_heatmap, heatmap_alt, heatmap_height, heatmap_info
        from analysis.charts.matrix import draw_matrix, matrix_alt, matrix_height, matrix_info

        for at, where in enumerate(self._rest(("a", "b"))):
            cells = self._cells_where(where)
            players = {self.facts[number].cell.a for number in cells} | {
                self.facts[number].cell.b for number in cells
            }
            square = len(players) < len({self.facts[number].cell.a for number in cells}) + len(
                {self.facts[number].cell.b for number in cells}
            )
            told = self.what.words
            if square:
                yield self._chart(
                    f"matrix-{at + 1}",
                    f"Who beats whom{self._of_where(where)}",
                    f"Each field is what the row's strategy makes against the column's: {told}, A being the "
                    f"row. The order is by the mean over opponents.{self.stop}",
                    matrix_info(self.results, self.metric, where=where),
                    draw_matrix,
                    matrix_height,
                    matrix_alt,
                    cells,
                )
            else:
                yield self._chart(
                    f"map-{at + 1}",
                    f"{_first_upper(told)} by side A and side B{self._of_where(where)}",
                    f"Each field is a cell; the number is {self.what.label}.{self.stop}",
                    heatmap_info(self.results, self.metric, rows="a", columns="b", where=where),
                    draw_heatmap,
                    heatmap_height,
                    heatmap_alt,
                    cells,
                )

    def _curves(self) -> Iterator[Chart]:
        from analysis.charts.curves import curves_alt, curves_height, curves_info, draw_curves

        numeric = self._numeric(self.axes)
        choices = [name for name in numeric if name in choice_axes(self.results)]
        x = (choices or numeric)[0]
        info = curves_info(self.results, self.metric, x=x)
        if info["line"].nunique() > LINES or info["panel"].nunique() > LINES:
            return
        yield self._chart(
            "curves",
            f"{_first_upper(self.what.words)} along {_plain(x)}",
            f"The bands are the intervals of each point for itself.{self.stop}",
            info,
            draw_curves,
            curves_height,
            curves_alt,
        )

    def _forest(self) -> Chart:
        from analysis.charts.forest import draw_forest, forest_alt, forest_height, forest_info

        less = f"{_first_upper(self.what.words)}, less what it is with {self._named(0)}"
        words = (
            f"{less}. Filled marks differ significantly; the lines are intervals that hold for all of them "
            "at once, whenever a run is stopped."
            if self.stop
            else f"{less}, deck by deck. Filled marks differ significantly, all differences judged together; "
            "the lines are intervals of each for itself."
        )
        return self._chart(
            "forest",
            f"Differences from {self._named(0)}",
            words,
            forest_info(self.results, self.metric),
            draw_forest,
            forest_height,
            forest_alt,
        )

    # --- hands -------------------------------------------------------------------------------------

    def hands(self) -> Iterator[Chart]:
        """Yield the charts of how hands end, how long they last, and what they bring."""
        if "endings" in self.record:
            from analysis.charts.endings import draw_endings, endings_alt, endings_height, endings_info

            shown, how = chosen(self.results, self.facts)
            of = ""
            if how and len(self._own_group().facts) <= BARS:
                shown, how = self._own_group().facts, ""
                of = f": {self._own_group().label}"
            cells = [one.cell.number for one in shown]
            yield self._chart(
                "endings",
                f"How hands end{of}",
                "Plain parts are of side A, hatched ones of side B; an undercut is its winner's. At the "
                f"right: hands played.{f' Shown: {how}.' if how else ''}",
                endings_info(self.results, cells=cells),
                draw_endings,
                endings_height,
                endings_alt,
                cells,
            )
        if "lengths" in self.record:
            from analysis.charts.lengths import draw_lengths, lengths_alt, lengths_height, lengths_info

            yield self._chart(
                "lengths",
                f"How long hands last{self._of_few()}",
                "Share of hands that are over by each turn, turns of both players counted."
                f"{self._left_out()}",
                lengths_info(self.results, cells=self.few),
                draw_lengths,
                lengths_height,
                lengths_alt,
                self.few,
            )
        if "points" in self.record:
            from analysis.charts.points import draw_points, points_alt, points_height, points_info

            yield self._chart(
                "points",
                f"What hands bring{self._of_few()}",
                f"Points of a hand, those that side B wins to the left of zero.{self._left_out()}",
                points_info(self.results, cells=self.few),
                draw_points,
                points_height,
                points_alt,
                self.few,
            )

    # --- knocks ------------------------------------------------------------------------------------

    def knocks(self) -> Iterator[Chart]:
        """Yield the charts of knocking, of a few cells or of the best."""
        if "knocks" not in self.record:
            return
        from analysis.charts.deadwood import deadwood_alt, deadwood_height, deadwood_info, draw_deadwood
        from analysis.charts.knock_maps import (
            draw_knock_maps,
            knock_maps_alt,
            knock_maps_height,
            knock_maps_info,
        )
        from analysis.charts.lengths import (
            draw_first_legal,
            first_legal_alt,
            first_legal_height,
            first_legal_info,
        )

        number = self.best.cell.number
        of = f": {self._named(number)}" if len(self.facts) > 1 else ""
        yield self._chart(
            "first-legal",
            f"When a knock first becomes legal{of}",
            "Hands by the own turn of each side's first legal knock.",
            first_legal_info(self.results, cells=[number]),
            draw_first_legal,
            first_legal_height,
            first_legal_alt,
            [number],
        )
        for side, text in enumerate("ab"):
            if self._knocks_short_of_gin(side) >= LEAST_KNOCKS:
                yield self._chart(
                    f"knocks-{text}",
                    f"What knocks of side {text.upper()} lead to{of}",
                    f"Of the knocks that side {text.upper()} ({code(getattr(self.best.cell, text))}) took: "
                    "the probability of an undercut, of winning the hand, and the mean points, by deadwood "
                    "and own turn. Fields of few knocks are hatched; the line is where a knock brings "
                    "nothing on average.",
                    knock_maps_info(self.results, number, text),
                    draw_knock_maps,
                    knock_maps_height,
                    knock_maps_alt,
                    [number],
                )
        info = deadwood_info(self.results, number)
        if len(info):
            yield self._chart(
                "deadwood",
                f"Deadwood of who ends the hand and of the other{of}",
                "Hands that either side ended; on and below the line the defender has no more deadwood "
                "than the knocker after lay-offs, which is an undercut under most rules.",
                info,
                draw_deadwood,
                deadwood_height,
                deadwood_alt,
                [number],
            )

    def _knocks_short_of_gin(self, side: int) -> int:
        gins = sum(int(self.best.endings["ab"[side]][kind]) for kind in ("gin", "big_gin", "gin_cancelled"))
        return int(self.best.knocks["taken"][side]) - gins

    # --- course ------------------------------------------------------------------------------------

    def course(self) -> Iterator[Chart]:
        """Yield how the estimates settled as pairs were added."""
        from analysis.charts.convergence import (
            convergence_alt,
            convergence_height,
            convergence_info,
            draw_convergence,
        )

        info = convergence_info(self.results, self.metric, cells=self.few)
        if info["pairs"].nunique() > 1:
            yield self._chart(
                "convergence",
                f"How the estimate settled{self._of_few()}",
                f"{_first_upper(self.what.words)} after so many pairs.{self._left_out()}"
                + (" Intervals are those of a number of pairs settled beforehand." if self.stop else ""),
                info,
                draw_convergence,
                convergence_height,
                convergence_alt,
                self.few,
            )


def _plain(axis: str) -> str:
    return axis.replace("_", " ")


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def save_forms(chart: Chart, folder: Path) -> Figure:
    """Write a chart in all its forms: SVG in two widths and two themes, a PNG, and the data as CSV."""
    from analysis.charts import style
    from analysis.charts.save import make_figure, save_chart, svg_text

    for form, ending in VARIANTS.items():
        width = style.COLUMN if "narrow" in form else style.PAGE
        height = chart.height(chart.info, width)
        path = folder / f"{chart.name}{ending}.svg"
        if not form:
            save_chart(chart.draw, chart.info, path, width=width, height=height, alt=chart.alt)
            continue
        with style.theme("dark" in form, width):
            drawn = make_figure(chart.draw, chart.info, width=width, height=height)
            text = svg_text(drawn, "", chart.alt)
        draft = path.with_name(f".{path.name}.part")
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, path)
    return Figure(chart.name, chart.heading, chart.caption, chart.alt)
