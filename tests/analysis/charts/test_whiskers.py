"""Points and whiskers: the table, and what is drawn on given Axes."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from analysis.charts.whiskers import draw_whiskers, whiskers_alt, whiskers_info
from analysis.stats.estimates import Estimate
from tests.analysis.charts import tables


def test_points_and_whiskers_stand_where_the_table_says() -> None:
    info = tables.whiskers(4, 3)
    axes = Figure(figsize=(7, 4)).add_subplot()
    draw_whiskers(100, "share, %", 50)(info, axes)
    even, *points = axes.get_lines()
    assert list(even.get_xdata()) == [50, 50]
    assert [line.get_label() for line in points] == list(dict.fromkeys(info["label"]))
    for line, bars, name in zip(points, axes.collections, dict.fromkeys(info["label"]), strict=True):
        part = info[info["label"] == name]
        assert list(line.get_xdata()) == pytest.approx(list(100 * part["estimate"]))
        for bar, low, high in zip(bars.get_paths(), part["low"], part["high"], strict=True):
            if low == low:
                assert sorted(bar.vertices[:, 0]) == pytest.approx([100 * low, 100 * high])
    heights = sorted(float(y) for line in points for y in line.get_ydata())
    assert len(set(heights)) == 12, "no two on one line"
    assert [text.get_text() for text in axes.get_yticklabels()] == list(dict.fromkeys(info["row"]))
    assert axes.get_xlabel() == "share, %"


def test_the_table_and_its_words() -> None:
    info = whiskers_info(
        [("a v b", "x", Estimate(0.51, 0.5, 0.52)), ("a v b", "y", Estimate(0.4, None, None))]
    )
    assert list(info.columns) == ["row", "label", "estimate", "low", "high"]
    told = whiskers_alt(info.astype({"low": float, "high": float}), "Games, %", 100, 1)
    assert told == "Games, %. a v b, x: 51.0 (50.0 to 52.0); a v b, y: 40.0."
