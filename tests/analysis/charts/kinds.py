"""Every chart with the tables it must bear: usual ones and extremes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.charts.convergence import convergence_alt, convergence_height, draw_convergence
from analysis.charts.curves import curves_alt, curves_height, draw_curves
from analysis.charts.deadwood import deadwood_alt, deadwood_height, draw_deadwood
from analysis.charts.endings import draw_endings, endings_alt, endings_height
from analysis.charts.forest import draw_forest, forest_alt, forest_height
from analysis.charts.heatmap import draw_heatmap, heatmap_alt, heatmap_height
from analysis.charts.knock_maps import draw_knock_maps, knock_maps_alt, knock_maps_height
from analysis.charts.knock_wait import draw_knock_wait, knock_wait_alt, knock_wait_height
from analysis.charts.lengths import (
    draw_first_legal,
    draw_lengths,
    first_legal_alt,
    first_legal_height,
    lengths_alt,
    lengths_height,
)
from analysis.charts.matrix import draw_matrix, matrix_alt, matrix_height
from analysis.charts.points import draw_points, points_alt, points_height
from analysis.charts.scoreboards import draw_scoreboards, scoreboards_alt, scoreboards_height
from analysis.charts.tune_trace import draw_tune_trace, tune_trace_alt, tune_trace_height
from analysis.charts.whiskers import draw_whiskers, whiskers_alt, whiskers_height
from tests.analysis.charts import tables


class Kind(NamedTuple):
    """A chart: its functions, and its tables by name; the first is the usual one."""

    draw: Callable[[pd.DataFrame, Any], Any]
    height: Callable[[pd.DataFrame, float], float]
    alt: Callable[[pd.DataFrame], str]
    tables: dict[str, Callable[[], pd.DataFrame]]


def _holes() -> pd.DataFrame:
    info = tables.heatmap(11, 12)
    info.loc[[3, 17, 40], ["estimate", "low", "high"]] = np.nan
    return info


def _even() -> pd.DataFrame:
    info = tables.heatmap(1, 1)
    info[["estimate", "low", "high"]] = 0.5
    return info


def _unknown() -> pd.DataFrame:
    info = tables.forest(3)
    info.loc[1, ["estimate", "low", "high"]] = np.nan
    return info


def _void_only() -> pd.DataFrame:
    info = tables.endings(1)
    info["hands"] = np.where(info["ending"] == "void", 100, 0)
    info["share"] = info["hands"] / 100
    return info


def _nothing_knocked() -> pd.DataFrame:
    return tables.knock_maps(2).assign(taken=3)


def _words() -> pd.DataFrame:
    info = tables.curves(2, 1, 3)
    return info.assign(x_axis="base", x=info["x"].map({"0": "standard", "1": "oklahoma", "2": "eaai"}))


KINDS = {
    "heatmap": Kind(
        draw_heatmap,
        heatmap_height,
        heatmap_alt,
        {
            "usual": tables.heatmap,
            "one": _even,
            "two": lambda: tables.heatmap(2, 1),
            "holes": _holes,
            "points": lambda: tables.heatmap(11, 12, "points_per_hand"),
            "names": lambda: tables.heatmap(4, 4, names=True),
        },
    ),
    "curves": Kind(
        draw_curves,
        curves_height,
        curves_alt,
        {
            "usual": tables.curves,
            "one": lambda: tables.curves(1, 1, 1),
            "words": _words,
            "panels": lambda: tables.curves(3, 5),
            "many": lambda: tables.curves(11),
            "turns": lambda: tables.curves(1, 1, 32, counts=True),
        },
    ),
    "forest": Kind(
        draw_forest,
        forest_height,
        forest_alt,
        {
            "usual": tables.forest,
            "one": lambda: tables.forest(1),
            "unknown": _unknown,
            "many": lambda: tables.forest(24, points=True),
        },
    ),
    "matrix": Kind(
        draw_matrix,
        matrix_height,
        matrix_alt,
        {
            "usual": tables.matrix,
            "two": lambda: tables.matrix(2, points=True),
            "many": lambda: tables.matrix(20),
        },
    ),
    "endings": Kind(
        draw_endings,
        endings_height,
        endings_alt,
        {"usual": tables.endings, "one": lambda: tables.endings(1), "void": _void_only},
    ),
    "points": Kind(
        draw_points,
        points_height,
        points_alt,
        {"usual": tables.points, "many": lambda: tables.points(8)},
    ),
    "lengths": Kind(
        draw_lengths,
        lengths_height,
        lengths_alt,
        {"usual": tables.lengths, "many": lambda: tables.lengths(11)},
    ),
    "first_legal": Kind(
        draw_first_legal,
        first_legal_height,
        first_legal_alt,
        {"usual": tables.first_legal, "many": lambda: tables.first_legal(3)},
    ),
    "deadwood": Kind(
        draw_deadwood,
        deadwood_height,
        deadwood_alt,
        {"usual": tables.deadwood, "none": lambda: tables.deadwood().head(0)},
    ),
    "convergence": Kind(
        draw_convergence,
        convergence_height,
        convergence_alt,
        {"usual": tables.convergence, "one": lambda: tables.convergence(1).head(1)},
    ),
    "tune_trace": Kind(
        draw_tune_trace,
        tune_trace_height,
        tune_trace_alt,
        {
            "usual": tables.tune_trace,
            "many": lambda: tables.tune_trace(11, 60),
            "one": lambda: tables.tune_trace(1, 1),
            "complete": tables.tune_complete,
        },
    ),
    "knock_maps": Kind(
        draw_knock_maps,
        knock_maps_height,
        knock_maps_alt,
        {"usual": tables.knock_maps, "few": _nothing_knocked},
    ),
    "scoreboards": Kind(
        draw_scoreboards,
        scoreboards_height,
        scoreboards_alt,
        {"usual": tables.scoreboards, "one": lambda: tables.scoreboards(1)},
    ),
    "whiskers": Kind(
        draw_whiskers(100, "games won by who acts first, %", 50),
        whiskers_height,
        lambda info: whiskers_alt(info, "Games won by who acts first, %", 100),
        {"usual": tables.whiskers, "one": lambda: tables.whiskers(1, 1), "many": lambda: tables.whiskers(12)},
    ),
    "knock_wait": Kind(
        draw_knock_wait,
        knock_wait_height,
        knock_wait_alt,
        {
            "usual": tables.knock_wait,
            "opponents": lambda: tables.knock_wait(("v simple", "v two_stage(early=10, late=0, switch=6)")),
            "one": lambda: tables.knock_wait(turns=1).head(1),
            "unsure": lambda: tables.knock_wait(enough=False),
        },
    ),
}

CASES = [(kind, table) for kind, told in KINDS.items() for table in told.tables]
