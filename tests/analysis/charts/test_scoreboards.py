"""Three scoreboards: the table, and what is drawn on given Axes."""

from __future__ import annotations

from typing import Any

import pytest
from matplotlib.figure import Figure

from analysis.charts.scoreboards import BOARDS, draw_scoreboards, scoreboards_alt, scoreboards_info
from analysis.stats.estimates import Estimate
from tests.analysis.charts import tables

EVEN = {"hand_share": 50, "points_per_hand": 0, "game_share": 50}
SCALE = {"hand_share": 100, "points_per_hand": 1, "game_share": 100}


def panels(info: Any) -> list[Any]:
    figure = Figure(figsize=(7, 3), layout="constrained")
    draw_scoreboards(info, figure.add_subplot())
    return list(figure.axes)


def test_the_table_is_in_order_and_holds_the_estimates() -> None:
    told = [
        (k, {name: Estimate(0.1 * k, 0.1 * k - 0.01, 0.1 * k + 0.01) for name in BOARDS}) for k in (5, 0, 3)
    ]
    info = scoreboards_info("k", told)
    assert list(info["k"]) == [0, 3, 5]
    assert list(info["game_share_high"]) == pytest.approx([0.01, 0.31, 0.51])


def test_each_panel_holds_its_curve_its_even_line_and_its_best() -> None:
    info = tables.scoreboards()
    drawn = panels(info)
    assert len(drawn) == 3
    for panel, name in zip(drawn, BOARDS, strict=True):
        even, curve, best = panel.get_lines()
        values = SCALE[name] * info[f"{name}_estimate"]
        assert list(even.get_ydata()) == [EVEN[name]] * 2
        assert list(curve.get_ydata()) == pytest.approx(list(values))
        assert list(best.get_ydata()) == [pytest.approx(values.max())]
        assert curve.get_markerfacecolor() == "none" and best.get_markerfacecolor() != "none"
        assert len(panel.collections) == 1
    assert len({panel.get_ylim() for panel in drawn}) == 3, "each quantity has a scale of its own"
    assert all("deadwood" in panel.get_xlabel() for panel in drawn)
    assert "%" in drawn[0].get_title(loc="left") + drawn[0].get_title()


def test_the_words_name_each_best() -> None:
    text = scoreboards_alt(tables.scoreboards())
    assert "hands won by A, %: from 38.0 to 49.0, most at k = 10 with 49.0" in text
    assert "most at k = 0 with 66.0" in text
