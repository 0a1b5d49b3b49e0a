"""Charts of best replies, from a reply that is made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from analysis.charts import reply_map, style
from analysis.charts.save import read_info, save_chart
from analysis.knocking.policy import TURNS, two_stage
from analysis.knocking.recorded import Decks
from analysis.knocking.reply import Reply


def made_up() -> Reply:
    """Knock early with up to 6; turn 2 with 6 points is undetermined, turn 4 comes up hardly ever."""
    policy = two_stage(6, 0, 3)
    reach = np.zeros((TURNS, 11))
    reach[0, 5:] = 0.01
    reach[1, :] = 0.02
    reach[2, 2] = 0.04
    reach[3, 2] = 0.0001
    undetermined = np.zeros((TURNS, 11), np.bool_)
    undetermined[1, 6] = True
    trace = pd.DataFrame(
        {
            "start": ["gin_only", "threshold(4)"] * 3,
            "iteration": [0, 0, 1, 1, 2, 2],
            "changed": [0, 0, 5, 7, 1, 2],
            "estimate": [0.0, -1.0, 1.0, 1.5, 2.0, 1.75],
            "low": [np.nan, -1.5, 0.5, 1.0, 1.5, 1.25],
            "high": [np.nan, -0.5, 1.5, 2.0, 2.5, 2.25],
            "kept": [False] * 4 + [True, False],
        }
    )
    return Reply(policy, trace, {"gin_only": policy}, undetermined, reach, Decks(1))


def drawn(draw: Any, info: Any) -> Any:
    with style.theme():
        return draw(info, Figure(layout="constrained", figsize=(7, 4)).add_subplot())


def test_the_map_holds_the_decisions_and_hatches_what_is_undetermined() -> None:
    info = reply_map.reply_map_info(made_up())
    assert list(info.columns) == ["own_turn", "deadwood", "knock", "undetermined", "reach"]
    assert len(info) == 6 + 11 + 1 + 1
    axes = drawn(reply_map.draw_reply_map, info)
    assert axes.get_xlim() == (0.5, 3.5)  # the fourth turn comes up too seldom
    values = np.ma.filled(axes.collections[0].get_array().reshape(11, 3).astype(float), np.nan)
    for turn, deadwood, knock in ((1, 5, 1), (1, 7, 0), (2, 0, 1), (2, 6, 1), (2, 7, 0), (3, 2, 0)):
        assert values[deadwood, turn - 1] == knock
    assert np.isnan(values[0, 0]) and np.isnan(values[3, 2])
    hatched = [patch for patch in axes.patches if isinstance(patch, Rectangle) and patch.get_hatch()]
    assert [patch.get_xy() for patch in hatched] == [(1.5, 5.5)]
    sizes = axes.collections[1].get_sizes()
    assert len(sizes) == 18 and sizes.max() == pytest.approx(4 * sizes.min())
    alt = reply_map.reply_map_alt(info)
    assert "turn 1: 5, 6; turn 2: 1, 2, 3, 4, 5, 6; turn 3: gin alone" in alt
    assert "6.2 % of decisions are in undetermined cells" in alt


def test_the_trace_has_a_line_for_each_start_and_a_ring() -> None:
    info = reply_map.reply_trace_info(made_up())
    axes = drawn(reply_map.draw_reply_trace, info)
    lines = {tuple(line.get_ydata()) for line in axes.lines if len(line.get_ydata()) == 3}
    assert lines == {(0.0, 1.0, 2.0), (-1.0, 1.5, 1.75)}
    (ring,) = [line for line in axes.lines if line.get_label() == "_kept"]
    assert (list(ring.get_xdata()), list(ring.get_ydata())) == ([2], [2.0])
    assert "Kept: iteration 2 from gin_only, 2.00" in reply_map.reply_trace_alt(info)


@pytest.mark.parametrize("width", [style.COLUMN, style.PAGE])
def test_saved_and_drawn_again_the_same(width: float, tmp_path: Path) -> None:
    made = made_up()
    for name, info, draw, height in (
        ("map", reply_map.reply_map_info(made), reply_map.draw_reply_map, reply_map.reply_map_height),
        ("trace", reply_map.reply_trace_info(made), reply_map.draw_reply_trace, reply_map.reply_trace_height),
    ):
        saved = save_chart(draw, info, tmp_path / name, width=width, height=height(info, width), alt="x")
        again = save_chart(
            draw,
            read_info(saved.csv),
            tmp_path / f"{name}2",
            width=width,
            height=height(info, width),
            alt="x",
        )
        assert saved.svg.read_bytes() == again.svg.read_bytes()
