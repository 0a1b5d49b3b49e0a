"""What stands on the Axes: the numbers of the table, read back from what was drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import same_color, to_hex
from matplotlib.figure import Figure

from analysis.charts import style
from analysis.charts.convergence import draw_convergence
from analysis.charts.curves import draw_curves
from analysis.charts.deadwood import draw_deadwood, undercut_share
from analysis.charts.endings import draw_endings
from analysis.charts.forest import draw_forest
from analysis.charts.heatmap import draw_heatmap
from analysis.charts.knock_maps import draw_knock_maps
from analysis.charts.lengths import draw_first_legal, draw_lengths
from analysis.charts.matrix import draw_matrix, order
from analysis.charts.points import BIN, binned, draw_points
from analysis.charts.words import count, number, quantity
from analysis.knocks import LEAST
from tests.analysis.charts import tables


def drawn(
    draw: Any, info: pd.DataFrame, width: float = style.PAGE, height: float = 4, dark: bool = False
) -> Any:
    with style.theme(dark, width):
        axes = Figure(figsize=(width, height), layout="constrained").add_subplot()
        return draw(info, axes)


def written(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.texts if text.get_text()]


def key(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]


# --- heat map --------------------------------------------------------------------------------------


def test_heatmap_holds_the_values_numbers_growing_upwards() -> None:
    info = tables.heatmap()
    axes = drawn(draw_heatmap, info)
    (mesh,) = axes.collections
    shown = mesh.get_array()
    assert [text.get_text() for text in axes.get_yticklabels()] == [str(k) for k in range(10, -1, -1)]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["0", "5", "10", "15", "20"]
    assert axes.get_ylim() == (10.5, -0.5)  # the first row at the top
    for row in info.itertuples():
        assert shown[10 - int(str(row.row)), int(str(row.column)) // 5] == pytest.approx(100 * row.estimate)
    assert written(axes) == [f"{value:.1f}" for value in shown.ravel()]


@pytest.mark.parametrize("metric", ["game_share", "points_per_hand"])
def test_the_diverging_map_is_centred_on_even(metric: str) -> None:
    axes = drawn(draw_heatmap, tables.heatmap(11, 12, metric))
    (mesh,) = axes.collections
    even = 50 if metric == "game_share" else 0
    assert (mesh.norm.vmin + mesh.norm.vmax) / 2 == pytest.approx(even)
    assert same_color(mesh.cmap(mesh.norm(even)), style.diverging(style.LIGHT)(127))
    assert np.abs(mesh.get_array() - even).max() == pytest.approx(mesh.norm.vmax - even)


def test_exactly_even_has_the_colour_of_the_centre() -> None:
    info = tables.heatmap(1, 1)
    info["estimate"] = 0.5
    (mesh,) = drawn(draw_heatmap, info).collections
    assert np.abs(np.array(mesh.cmap(mesh.norm(50.0))) - style.diverging(style.LIGHT)(127)).max() < 0.01


def test_the_best_is_bold_and_its_region_is_bounded() -> None:
    info = tables.heatmap(2, 2)
    info["estimate"] = [0.4, 0.6, 0.55, 0.45]
    info["kept"] = [0, 1, 0, 0]
    info["kept_in_column"] = [0, 1, 1, 0]
    axes = drawn(draw_heatmap, info)
    bold = [text.get_text() for text in axes.texts if text.get_fontweight() == "bold"]
    assert bold == ["60.0"]
    inner, outer = (np.array(line.get_xydata())[~np.isnan(line.get_xdata())] for line in axes.get_lines())
    # Row 0 is the lower of two rows: number 1 from the top; column 5 is number 1.
    assert (outer.min(axis=0), outer.max(axis=0)) == (pytest.approx([0.5, 0.5]), pytest.approx([1.5, 1.5]))
    assert inner.min(axis=0) == pytest.approx([-0.46, -0.46]) and inner.max(axis=0) == pytest.approx(
        [1.46, 1.46]
    )
    assert len(key(axes)) == 2


def test_cells_without_a_value_are_hatched_and_nothing_is_written_there() -> None:
    info = tables.heatmap(3, 3)
    info.loc[4, ["estimate", "low", "high"]] = np.nan
    axes = drawn(draw_heatmap, info)
    assert len(written(axes)) == 8
    (patch,) = axes.patches
    assert patch.get_hatch() and patch.get_xy() == (0.5, 0.5) and key(axes)[-1] == "no value"


def test_values_that_do_not_fit_give_way_to_a_colour_bar() -> None:
    axes = drawn(draw_heatmap, tables.heatmap(4, 40, "points_per_hand"), style.COLUMN)
    assert written(axes) == [] and len(axes.figure.axes) == 2
    narrow = drawn(draw_heatmap, tables.heatmap(4, 12), style.COLUMN)
    assert written(narrow)[0] == "55"  # whole per cent where decimals do not fit
    assert len(narrow.figure.axes) == 1


# --- lines -----------------------------------------------------------------------------------------


def test_curves_and_bands() -> None:
    info = tables.curves(3)
    axes = drawn(draw_curves, info)
    even, *lines = [line for line in axes.get_lines() if not line.get_label() == "_leader"]
    assert list(even.get_ydata()) == [50, 50]
    for line, band, (_, own) in zip(lines, axes.collections, info.groupby("line"), strict=True):
        assert list(line.get_xdata()) == list(range(11))
        assert list(line.get_ydata()) == pytest.approx(list(100 * own["estimate"]))
        corners = band.get_paths()[0].vertices
        assert corners[:, 1].min() == pytest.approx(100 * own["low"].min())
        assert corners[:, 1].max() == pytest.approx(100 * own["high"].max())
    assert len({(line.get_marker(), str(line.get_linestyle())) for line in lines}) == 3
    assert sorted(written(axes)) == sorted(info["line"].unique())


def test_panels_share_their_scale_and_are_named() -> None:
    first = drawn(draw_curves, tables.curves(2, 5))
    grid = first.figure.axes
    assert [axes.get_title(loc="left") for axes in grid] == [f"undercut bonus = {5 * at}" for at in range(5)]
    assert len({axes.get_ylim() for axes in grid}) == len({axes.get_xlim() for axes in grid}) == 1
    own = tables.curves(2, 5).query(
        "panel == 'undercut bonus = 20' and line == 'threshold(k=1, draw=greedy)'"
    )
    assert list(grid[4].get_lines()[2].get_ydata()) == pytest.approx(list(100 * own["estimate"]))
    (legend,) = first.get_figure(root=False).legends
    assert len(legend.get_texts()) == 2


def test_what_a_curve_rests_on_stands_below_it() -> None:
    info = tables.curves(1, 1, 12, counts=True)
    axes = drawn(draw_curves, info)
    (bars,) = axes.child_axes
    heights = [bar.get_height() for bar in bars.patches]
    assert heights == pytest.approx(list(info["n"] / info["n"].max()))
    assert written(axes) == ["n up to 90 k"]
    top = axes.transAxes.inverted().transform(axes.transData.transform((0, 100 * info["low"].min())))[1]
    assert top > 0.13  # bars reach no line


def test_names_that_are_no_numbers_stand_side_by_side() -> None:
    info = tables.curves(1, 1, 3).assign(x=["oklahoma", "eaai", "standard"], x_axis="base")
    axes = drawn(draw_curves, info)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["oklahoma", "eaai", "standard"]


def test_convergence_has_a_line_at_the_last_value() -> None:
    info = tables.convergence(2)
    axes = drawn(draw_convergence, info)
    assert axes.get_xscale() == "log"
    last = [line for line in axes.get_lines() if line.get_label() == "_last"]
    for line, (_, own) in zip(last, info.groupby("label"), strict=True):
        assert list(line.get_ydata()) == pytest.approx([100 * own["estimate"].iloc[-1]] * 2)
    low, high = axes.get_ylim()
    settled = info[info["pairs"] >= 1_000]
    assert low < 100 * settled["low"].min() and high > 100 * settled["high"].max()
    assert any(text.startswith("k = 1: ") for text in written(axes))


def test_lengths_have_a_mark_at_the_median() -> None:
    info = tables.lengths(2)
    axes = drawn(draw_lengths, info)
    marks = [line for line in axes.get_lines() if line.get_label() == "_median"]
    steps = [line for line in axes.get_lines() if len(line.get_xdata()) > 2]
    for mark, step, (_, own) in zip(marks, steps, info.groupby("cell"), strict=True):
        median = own.loc[own["ended"] >= 0.5, "turns"].min()
        assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (median, 50)
        assert list(step.get_ydata()[1:]) == pytest.approx(list(100 * own["ended"]))
    assert [text.rpartition(": ")[2] for text in key(axes)] == [
        str(int(mark.get_xdata()[0])) for mark in marks
    ]


def test_first_legal_knocks_that_never_came_stand_apart() -> None:
    info = tables.first_legal()
    axes = drawn(draw_first_legal, info)
    never = [line for line in axes.get_lines() if line.get_label() == "_never"]
    assert [line.get_ydata()[0] for line in never] == pytest.approx([35, 35])
    lines = [line for line in axes.get_lines() if len(line.get_xdata()) > 2]
    last = int(lines[0].get_xdata()[-1])
    assert all(line.get_xdata()[0] > last for line in never)
    own = info.query("side == 'b' and 0 < own_turn")["share"].head(last)
    assert list(lines[1].get_ydata()) == pytest.approx(list(100 * own))
    assert key(axes) == ["side A", "side B"]


# --- marks and bars --------------------------------------------------------------------------------


def test_forest_marks_what_is_significant() -> None:
    info = tables.forest(24)
    axes = drawn(draw_forest, info)
    marks = [line for line in axes.get_lines() if line.get_label() == "_estimate"]
    spans = [line for line in axes.get_lines() if line.get_label() == "_interval"]
    for at, (mark, span, row) in enumerate(zip(marks, spans, info.itertuples(), strict=True)):
        assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (pytest.approx(100 * row.estimate), at)
        assert list(span.get_xdata()) == pytest.approx([100 * row.low, 100 * row.high])
        filled = not same_color(mark.get_markerfacecolor(), style.LIGHT.paper)
        assert filled == row.significant
        assert mark.get_marker() == ("o" if row.estimate >= 0 else "s")
        assert written(axes)[at].startswith(number(100 * row.estimate, 1, sign=True))
    assert list(axes.get_lines()[0].get_xdata()) == [0, 0]


def test_matrix_is_ordered_by_the_mean() -> None:
    info = tables.matrix(5)
    axes = drawn(draw_matrix, info)
    names = [name for name, _ in order(info)]
    means = info.groupby("a")["estimate"].mean()
    assert names == list(means.sort_values(ascending=False).index)
    assert [text.get_text().split()[-1] for text in axes.get_yticklabels()] == list("ABCDE")
    (mesh,) = axes.collections
    shown = mesh.get_array()
    by_pair = info.set_index(["a", "b"])["estimate"]
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            if i == j:
                assert shown.mask[i, j]
            else:
                assert shown[i, j] == pytest.approx(100 * by_pair[a, b])
    texts = written(axes)
    assert texts.count("\N{PLUS-MINUS SIGN}0.40") == 20  # half-widths
    assert texts[:5] == [f"{100 * means[name]:.1f}" for name in names]


def test_endings_fill_their_bars() -> None:
    info = tables.endings(3)
    axes = drawn(draw_endings, info)
    for at, name in enumerate(["k = 0", "k = 1", "k = 2"]):
        bars = [bar for bar in axes.patches if round(bar.get_y() + bar.get_height() / 2) == at]
        bars.sort(key=lambda bar: bar.get_x())
        assert sum(bar.get_width() for bar in bars) == pytest.approx(100)
        ends = [bar.get_x() + bar.get_width() for bar in bars]
        assert [bar.get_x() for bar in bars[1:]] == pytest.approx(ends[:-1])
        own = info[info["label"] == name].set_index(["side", "ending"])["share"]
        assert bars[-1].get_width() == pytest.approx(100 * own["b", "knock"])  # B's at the right, hatched
        assert bars[-1].get_hatch() and not bars[0].get_hatch()
        assert count(info.loc[info["label"] == name, "hands"].sum()) in written(axes)
    assert [text.get_text() for text in axes.get_yticklabels()] == ["k = 0", "k = 1", "k = 2"]
    assert "gin cancelled" in key(axes)
    assert "gin cancelled" not in key(drawn(draw_endings, tables.endings(2, rare=False)))


def test_points_are_binned_around_zero() -> None:
    info = pd.DataFrame(
        {"cell": 0, "label": "x", "points": [-6, -5, -1, 0, 1, 5, 6, 30], "hands": 1, "share": 1 / 8}
    )
    bins, shares = binned(info)
    assert BIN == 5 and list(bins) == list(range(-6, 7))
    told = dict(zip(bins.tolist(), (8 * shares["x"]).round(6).tolist(), strict=True))
    assert {at: part for at, part in told.items() if part} == {-2: 1, -1: 2, 0: 1, 1: 2, 2: 1, 6: 1}


def test_points_have_a_tick_at_the_mean() -> None:
    info = tables.points(3)
    axes = drawn(draw_points, info)
    means = [line for line in axes.get_lines() if line.get_label() == "_mean"]
    told = [(own["points"] * own["share"]).sum() for _, own in info.groupby("cell")]
    assert [line.get_xdata()[0] for line in means] == pytest.approx(told)
    assert written(axes) == [number(mean, 1, sign=True) for mean in told]
    one = drawn(draw_points, tables.points())
    assert sum(bar.get_height() for bar in one.patches) == pytest.approx(100)
    wins = [bar for bar in one.patches if bar.get_x() + bar.get_width() / 2 > 0.01]
    assert sum(bar.get_height() for bar in wins) == pytest.approx(
        100 * tables.points().query("points > 0")["share"].sum()
    )


# --- maps of knocks ----------------------------------------------------------------------------------


def test_deadwood_has_its_margins_and_its_line() -> None:
    info = tables.deadwood()
    axes = drawn(draw_deadwood, info)
    total = info["hands"].sum()
    mesh = axes.collections[0].get_array()
    for row in info.head(40).itertuples():
        assert mesh[row.defender, row.knocker] == pytest.approx(100 * row.hands / total)
    across, down = axes.child_axes
    by_knocker = info.groupby("knocker")["hands"].sum()
    assert [bar.get_height() for bar in across.patches] == list(by_knocker)
    by_defender = info.groupby("defender")["hands"].sum()
    assert [bar.get_width() for bar in down.patches] == list(by_defender.head(len(down.patches)))
    assert list(axes.get_lines()[1].get_xdata()) == list(axes.get_lines()[1].get_ydata())
    assert f"{100 * undercut_share(info):.1f} %" in across.get_title(loc="left")


def test_undercuts_by_hand() -> None:
    info = pd.DataFrame(
        {"knocker": [0, 5, 5, 5, 9], "defender": [0, 4, 5, 6, 20], "hands": [100, 1, 2, 3, 4], "side": "a"}
    )
    assert undercut_share(info) == pytest.approx(3 / 10)  # gin cannot be undercut
    assert undercut_share(info.head(1)) == 0


def test_knock_maps_hatch_what_few_knocks_tell() -> None:
    info = tables.knock_maps()
    first = drawn(draw_knock_maps, info)
    grid = [axes for axes in first.figure.axes if axes.get_title(loc="left")]
    assert [axes.get_title(loc="left") for axes in grid] == [
        quantity(name).label for name in ("p_undercut", "p_win", "points")
    ]
    last = info.loc[info["taken"] >= LEAST, "own_turn"].max()
    few = info[(info["taken"] < LEAST) & (info["own_turn"] <= last)]
    assert len(few) > 0
    for axes, name, scale in zip(grid, ("p_undercut", "p_win", "points"), (100, 100, 1), strict=True):
        hatched = {(round(one.get_x() + 0.5), round(one.get_y() + 0.5)) for one in axes.patches}
        assert hatched == set(zip(few["own_turn"], few["deadwood"], strict=True))
        shown = axes.collections[0].get_array()
        for row in info[info["own_turn"] <= last].itertuples():
            assert shown[row.deadwood, row.own_turn - 1] == pytest.approx(scale * getattr(row, name))


@pytest.mark.parametrize("dark", [False, True])
def test_colours_are_those_of_the_theme(dark: bool) -> None:
    chosen = style.DARK if dark else style.LIGHT
    axes = drawn(draw_curves, tables.curves(3), dark=dark)
    lines = [line for line in axes.get_lines() if line.get_marker() in style.MARKERS]
    assert [to_hex(line.get_color()) for line in lines] == [colour.lower() for colour in chosen.colours[:3]]


# --- words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "digits", "sign", "text"),
    [
        (1234.5, 1, False, "1,234.5"),
        (-0.001, 2, True, "0.00"),
        (-3.25, 1, False, "\N{MINUS SIGN}3.2"),
        (0.5, 1, True, "+0.5"),
    ],
)
def test_numbers(value: float, digits: int, sign: bool, text: str) -> None:
    assert number(value, digits, sign) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (950, "950"),
        (9_500, "9,500"),
        (12_340, "12.3 k"),
        (999_499, "999 k"),
        (999_500, "1 M"),
        (1.2e9, "1.2 G"),
    ],
)
def test_counts(value: float, text: str) -> None:
    assert count(value) == text
