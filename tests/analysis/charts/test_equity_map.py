"""The equity map: what stands on its panels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.charts import style
from analysis.charts.equity_map import draw_equity_map, equity_map_alt, equity_map_height, equity_map_info
from analysis.charts.save import read_info, save_chart
from analysis.knocking.equity import Equity
from sim.rules import Rules
from tests.analysis.charts.test_draw import drawn


def made_up(target: int = 12) -> Equity:
    a, b = np.indices((target, target))
    win = 0.5 + (a - b) / (2 * target)
    groups = np.linspace(-0.01, 0.01, 8)
    values = np.zeros((9, 4, 2, target, target))
    values[0, 0] = win - 0.02, win + 0.01 * a / target
    values[1:, 0] = values[0, 0] + groups[:, None, None, None]
    return Equity(Rules.preset("eaai").replace(game_target=target), values)


def test_info_holds_both_dealers_mean_and_difference() -> None:
    equity = made_up()
    info = equity_map_info(equity)
    row = info[(info["score_a"] == 6) & (info["score_b"] == 2)].iloc[0]
    assert row["win"] == pytest.approx(equity.values[0, 0, :, 6, 2].mean())
    assert row["change"] == pytest.approx(0.025)
    assert row["win_low"] < row["win"] < row["win_high"]
    assert row["change_low"] == pytest.approx(row["change_high"])  # both dealers vary alike


@pytest.mark.parametrize("width", [style.COLUMN, style.PAGE])
def test_the_panels_show_the_table(width: float) -> None:
    info = equity_map_info(made_up())
    axes = drawn(draw_equity_map, info, width)
    panels = [one for one in axes.get_figure(root=True).axes if one.images]
    assert len(panels) == 2
    for panel, name in zip(panels, ("win", "change"), strict=True):
        shown = np.asarray(panel.images[0].get_array())
        assert shown[6, 2] == pytest.approx(
            100 * info[(info["score_a"] == 6) & (info["score_b"] == 2)][name].iloc[0]
        )
        assert panel.images[0].origin == "lower"
    norm = panels[1].images[0].norm
    assert norm.vmin == -norm.vmax == pytest.approx(-100 * info["change"].abs().max())
    lines = [one for one in panels[0].collections if hasattr(one, "levels")]
    assert [list(one.levels) for one in lines] == [[10, 20, 30, 40, 50, 60, 70, 80, 90]]


def test_undecided_changes_are_left_blank() -> None:
    info = equity_map_info(made_up())
    info.loc[info["score_a"] < 6, "change_low"] = -0.01
    axes = drawn(draw_equity_map, info)
    panel = [one for one in axes.get_figure(root=True).axes if one.images][1]
    mask = np.ma.getmaskarray(panel.images[0].get_array())
    assert mask[:6].all() and not mask[6:].any()


def test_words() -> None:
    alt = equity_map_alt(equity_map_info(made_up()))
    assert "A wins the game: 49.0 % at 0:0" in alt and "to +2.9 at 11:0" in alt


@pytest.mark.parametrize("width", [style.COLUMN, style.PAGE])
@pytest.mark.parametrize("target", [1, 12])
def test_saved_and_drawn_again_the_same(width: float, target: int, tmp_path: Path) -> None:
    info = equity_map_info(made_up(target))
    height = equity_map_height(info, width)
    saved = save_chart(draw_equity_map, info, tmp_path / "a", width=width, height=height, alt="x")
    table: pd.DataFrame = read_info(saved.csv)
    again = save_chart(draw_equity_map, table, tmp_path / "b", width=width, height=height, alt="x")
    assert saved.svg.read_bytes() == again.svg.read_bytes()
