"""Charts fit to print; each is an info function, which makes a table, and a drawing function.

``charts.knock_heatmap(results)`` and its kin do both, on given Axes or in a figure of their own, which a
notebook shows. To write files: `analysis.charts.save.save_chart`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

# Names here differ from those of the modules, which Python puts in this package when they are imported.

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.store.results import Results

__all__ = [
    "convergence_plot",
    "deadwood_histogram",
    "ending_bars",
    "first_legal_knock",
    "forest_plot",
    "hand_lengths",
    "hand_points",
    "head_to_head",
    "knock_heatmap",
    "knock_tables",
    "knock_turns",
    "parameter_curves",
]


def knock_heatmap(results: Results, metric: str | None = None, ax: Any = None, **options: Any) -> Any:
    """Draw a metric over two axes; options as of `analysis.charts.heatmap.heatmap_info`."""
    from analysis.charts.heatmap import draw_heatmap, heatmap_height, heatmap_info

    return _show(draw_heatmap, heatmap_height, heatmap_info(results, metric, **options), ax)


def parameter_curves(results: Results, metric: str | None = None, ax: Any = None, **options: Any) -> Any:
    """Draw a metric along an axis; options as of `analysis.charts.curves.curves_info`."""
    from analysis.charts.curves import curves_height, curves_info, draw_curves

    return _show(draw_curves, curves_height, curves_info(results, metric, **options), ax)


def knock_turns(results: Results, metric: str = "knock_deadwood", ax: Any = None, **options: Any) -> Any:
    """Draw what knocks were like by own turn; options as of `analysis.charts.curves.turns_info`."""
    from analysis.charts.curves import curves_height, draw_curves, turns_info

    return _show(draw_curves, curves_height, turns_info(results, metric, **options), ax)


def forest_plot(results: Results, metric: str | None = None, ax: Any = None, **options: Any) -> Any:
    """Draw differences from a baseline; options as of `analysis.charts.forest.forest_info`."""
    from analysis.charts.forest import draw_forest, forest_height, forest_info

    return _show(draw_forest, forest_height, forest_info(results, metric, **options), ax)


def head_to_head(results: Results, metric: str | None = None, ax: Any = None, **options: Any) -> Any:
    """Draw who beats whom; options as of `analysis.charts.matrix.matrix_info`."""
    from analysis.charts.matrix import draw_matrix, matrix_height, matrix_info

    return _show(draw_matrix, matrix_height, matrix_info(results, metric, **options), ax)


def ending_bars(results: Results, ax: Any = None, **options: Any) -> Any:
    """Draw how hands ended; options as of `analysis.charts.endings.endings_info`."""
    from analysis.charts.endings import draw_endings, endings_height, endings_info

    return _show(draw_endings, endings_height, endings_info(results, **options), ax)


def hand_points(results: Results, ax: Any = None, **options: Any) -> Any:
    """Draw the distribution of hand points; options as of `analysis.charts.points.points_info`."""
    from analysis.charts.points import draw_points, points_height, points_info

    return _show(draw_points, points_height, points_info(results, **options), ax)


def hand_lengths(results: Results, ax: Any = None, **options: Any) -> Any:
    """Draw how long hands last; options as of `analysis.charts.lengths.lengths_info`."""
    from analysis.charts.lengths import draw_lengths, lengths_height, lengths_info

    return _show(draw_lengths, lengths_height, lengths_info(results, **options), ax)


def first_legal_knock(results: Results, ax: Any = None, **options: Any) -> Any:
    """Draw when a knock is first legal; options as of `analysis.charts.lengths.first_legal_info`."""
    from analysis.charts.lengths import draw_first_legal, first_legal_height, first_legal_info

    return _show(draw_first_legal, first_legal_height, first_legal_info(results, **options), ax)


def deadwood_histogram(results: Results, cell: int = 0, ax: Any = None, **options: Any) -> Any:
    """Draw deadwood of knocker by defender; options as of `analysis.charts.deadwood.deadwood_info`."""
    from analysis.charts.deadwood import deadwood_height, deadwood_info, draw_deadwood

    return _show(draw_deadwood, deadwood_height, deadwood_info(results, cell, **options), ax)


def convergence_plot(results: Results, metric: str | None = None, ax: Any = None, **options: Any) -> Any:
    """Draw estimates by pairs; options as of `analysis.charts.convergence.convergence_info`."""
    from analysis.charts.convergence import convergence_height, convergence_info, draw_convergence

    return _show(draw_convergence, convergence_height, convergence_info(results, metric, **options), ax)


def knock_tables(results: Results, cell: int = 0, ax: Any = None, **options: Any) -> Any:
    """Draw what knocks led to; options as of `analysis.charts.knock_maps.knock_maps_info`."""
    from analysis.charts.knock_maps import draw_knock_maps, knock_maps_height, knock_maps_info

    return _show(draw_knock_maps, knock_maps_height, knock_maps_info(results, cell, **options), ax)


def _show(
    draw: Callable[[DataFrame, Any], Any],
    height: Callable[[DataFrame, float], float],
    info: DataFrame,
    ax: Any,
) -> Any:
    """Draw on given Axes, or in a new figure of pyplot; return the (first) Axes drawn on."""
    if ax is not None:
        return draw(info, ax)
    import matplotlib.pyplot as plt

    from analysis.charts import style
    from analysis.charts.save import fill

    with style.theme(width=style.PAGE):
        figure = plt.figure(layout="constrained")
        return fill(figure, draw, info, width=style.PAGE, height=height(info, style.PAGE))
