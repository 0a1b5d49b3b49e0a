"""Knock or wait: what stands in the tables of the maps and lines, and on the Axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from analysis.charts import style
from analysis.charts.curves import draw_curves
from analysis.charts.knock_wait import (
    CONTINUATIONS,
    HATCH,
    draw_knock_wait,
    knock_wait_alt,
    knock_wait_info,
    loose_info,
    undercut_info,
)
from analysis.console import UsageError
from analysis.knocking.cells import DEFAULT
from analysis.knocking.value import COUNTERS, Counts, value_table
from sim.tally import GROUPS
from tests.analysis.charts import tables


def made_up(by: tuple[str, ...] = DEFAULT, hands: int = 20) -> pd.DataFrame:
    """Return a table of twenty cells, some of fewer than 100 hands, without playing."""
    rng = np.random.default_rng(2)
    sums = rng.integers(0, 5, (GROUPS, 30, len(COUNTERS)))
    sums[..., :2] = 1
    sums[1:, ::5, :2] = 0  # few hands in every fifth cell
    sums[..., COUNTERS.index("once")] += np.arange(30)
    sums[..., 5:] = rng.integers(0, 2, (GROUPS, 30, 2)) * sums[..., :1]
    counts = Counts(np.arange(30), sums, np.full(GROUPS, hands))
    return value_table(counts, by, "first")


def drawn(draw: Any, info: pd.DataFrame, width: float = style.PAGE) -> Any:
    with style.theme(False, width):
        return draw(info, Figure(figsize=(width, 4), layout="constrained").add_subplot())


def test_info_holds_the_cells_of_enough_hands() -> None:
    table = made_up()
    info = knock_wait_info({"v simple": table, "v gold": table})
    enough = table[table["hands"] >= 100]
    assert (
        len(info) == 2 * len(enough) == 2 * 48
        and info["panel"].tolist() == ["v simple"] * 48 + ["v gold"] * 48
    )
    for name in (
        "own_turn",
        "deadwood",
        "continuation",
        "delta",
        "low",
        "high",
        "band_low",
        "verdict",
        "hands",
    ):
        assert info[name].head(48).tolist() == enough[name].tolist()
    with pytest.raises(UsageError, match="own_turn and deadwood, not by deadwood, stock"):
        knock_wait_info({"": made_up(("stock", "deadwood"))})
    with pytest.raises(UsageError, match="no cell holds 100 hands"):
        knock_wait_info({"": table[table["hands"] < 100]})


@pytest.mark.parametrize("width", [style.PAGE, style.COLUMN])
def test_maps_hold_the_values_and_hatch_what_is_undecided(width: float) -> None:
    info = tables.knock_wait(("v simple", "v gold"))
    first = drawn(draw_knock_wait, info, width)
    grid = [axes for axes in first.figure.axes if axes.get_title(loc="left")]
    told = [(name, one) for name in ("v simple", "v gold") for one in CONTINUATIONS]
    titles = [axes.get_title(loc="left").replace("\n", " ") for axes in grid]
    assert titles == [f"{name}: {CONTINUATIONS[one]}" for name, one in told]
    for axes, (name, continuation) in zip(grid, told, strict=True):
        own = info[(info["panel"] == name) & (info["continuation"] == continuation)]
        mesh = axes.collections[0]
        shown = mesh.get_array()
        for row in own.itertuples():
            assert shown[row.deadwood, row.own_turn - 1] == row.delta
        assert mesh.norm.vmax == -mesh.norm.vmin == info["delta"].abs().max()
        unsure = own[own["verdict"] == "undecided"]
        hatched = [one for one in axes.patches if isinstance(one, Rectangle) and one.get_hatch() == HATCH]
        places = {(round(one.get_x() + 0.5), round(one.get_y() + 0.5)) for one in hatched}
        assert places == set(zip(unsure["own_turn"], unsure["deadwood"], strict=True)) and places


def test_alt_text_counts_verdicts() -> None:
    info = tables.knock_wait()
    alt = knock_wait_alt(info)
    signs = info[info["continuation"] == "gin"]["verdict"].value_counts()
    assert f"Wait for gin: knock in {signs['knock']} cells, wait in {signs['wait']}, undecided in" in alt
    assert "Wait now, then his own rule" in alt and "with 0 points" not in alt.split("least")[1].split(",")[0]


def test_lines_of_undercuts() -> None:
    table = made_up()
    info = undercut_info(table)
    own = table[(table["continuation"] == "once") & (table["deadwood"] > 0) & (table["hands"] >= 100)]
    assert len(info) == len(own)
    for row in info.itertuples():
        points = int(str(row.line).split()[0])
        (cell,) = own[(own["own_turn"] == int(str(row.x))) & (own["deadwood"] == points)].itertuples()
        assert (row.estimate, row.low, row.high) == (
            cell.p_undercut,
            cell.p_undercut_low,
            cell.p_undercut_high,
        )
        assert row.n == cell.hands
    assert set(info["line"]) >= {"1 point", "10 points"} and set(info["metric"]) == {"p_undercut"}
    assert drawn(draw_curves, info).get_ylabel() == "knocks undercut, %"
    with pytest.raises(UsageError, match="own_turn and deadwood"):
        undercut_info(made_up(("loose", "deadwood")))


def test_lines_of_loose_cards() -> None:
    table = made_up(("loose", "deadwood"))
    info = loose_info(table)
    own = table[(table["deadwood"] > 0) & (table["hands"] >= 100)]
    assert len(info) == len(own) and set(info["line"]) == set(CONTINUATIONS.values())
    for row in info.itertuples():
        kind = next(one for one, text in CONTINUATIONS.items() if text == row.line)
        points = int(str(row.panel).split()[0])
        (cell,) = own[
            (own["loose"] == int(str(row.x))) & (own["deadwood"] == points) & (own["continuation"] == kind)
        ].itertuples()
        assert (row.estimate, row.low, row.high) == (cell.delta, cell.low, cell.high)
    drawn(draw_curves, info)
    with pytest.raises(UsageError, match="loose and deadwood"):
        loose_info(made_up())
