"""The trace of a search: its table from a report, and what stands on the Axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from analysis.charts import style
from analysis.charts.tune_trace import (
    ROWS,
    draw_tune_trace,
    tune_trace_alt,
    tune_trace_caption,
    tune_trace_info,
)
from analysis.tuning.journal import Journal
from analysis.tuning.search import tune
from tests.analysis.charts import tables
from tests.analysis.tuning.planted import asked, hill, planted


def drawn(info: Any) -> Any:
    with style.theme():
        figure = Figure(figsize=(7, 4), layout="constrained")
        draw_tune_trace(info, figure.add_subplot())
        return figure.axes


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    return tune(asked(generations=6), planted(hill), Journal(None, {}))


def test_the_table_is_the_report(report: dict[str, Any]) -> None:
    info = tune_trace_info(report)
    assert list(dict.fromkeys(info["panel"])) == ["gain", "weight", "decay", "knock_turns"]
    for name, own in info.groupby("panel", sort=False):
        assert list(own["x"]) == [str(row["generation"]) for row in report["trace"]]
        assert list(own["pairs"]) == [row["pairs"] for row in report["trace"]]
        wanted = [
            row["gain"]["estimate"] if name == "gain" else row["values"][name] for row in report["trace"]
        ]
        assert list(own["estimate"]) == wanted
        assert (own["low"].isna() | (own["low"] <= own["estimate"])).all()
        assert (own["high"].isna() | (own["high"] >= own["estimate"])).all()
    decay = info[info["panel"] == "decay"]
    assert decay["low"].min() >= 0 and decay["high"].max() <= 1


def test_panels_hold_the_courses(report: dict[str, Any]) -> None:
    info = tune_trace_info(report)
    axes = drawn(info)
    titles = [panel.get_title(loc="left").replace("\n", " ") for panel in axes]
    assert titles == ["points a hand, A less B, above the start values", "weight", "decay", "knock_turns"]
    for panel, (_, own) in zip(axes, info.groupby("panel", sort=False), strict=True):
        assert np.array_equal(panel.lines[0].get_ydata(), own["estimate"])
    assert np.array_equal(axes[0].lines[-1].get_ydata(), info["best"].dropna())
    assert axes[0].get_ylim() != axes[1].get_ylim()


def test_caption_and_alt_say_what_it_is(report: dict[str, Any]) -> None:
    caption = tune_trace_caption(report)
    for part in ("against simple", "rules eaai (", "seed 7", "mirrored pairs", "95 % interval", "too high"):
        assert part in caption
    alt = tune_trace_alt(tune_trace_info(report))
    assert "by generation" in alt and "decay: from 0.9 to" in alt


def test_a_complete_search_shows_the_best() -> None:
    info = tables.tune_complete(60)
    (axes,) = drawn(info)
    assert len(axes.get_yticks()) == ROWS
    filled, hollow = axes.lines[1:]
    assert len(filled.get_xdata()) == 3 and len(hollow.get_xdata()) == ROWS - 3
    assert filled.get_xdata()[0] == pytest.approx(58.0)  # percentage points
    assert filled.get_ydata()[0] == 0 and axes.get_ylim()[0] > axes.get_ylim()[1]
    assert "most +58.0 (games won by A, %) with early=0, late=0" in tune_trace_alt(info)
