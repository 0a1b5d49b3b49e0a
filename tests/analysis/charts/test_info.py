"""Info tables against the counters they come from, by other ways of reckoning."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from analysis import charts
from analysis.charts.convergence import convergence_info
from analysis.charts.curves import curves_info, turns_info
from analysis.charts.deadwood import deadwood_info, undercut_share
from analysis.charts.endings import endings_info
from analysis.charts.forest import forest_info
from analysis.charts.heatmap import heatmap_info
from analysis.charts.knock_maps import knock_maps_info
from analysis.charts.lengths import first_legal_info, lengths_info, median_turns
from analysis.charts.matrix import matrix_info
from analysis.charts.pick import best_among, caption, metric_columns, names_of, pick, short
from analysis.charts.points import points_info
from analysis.console import UsageError
from analysis.experiment.experiment import Experiment
from analysis.knocks import LEAST
from analysis.metrics import METRICS, difference, group_sums
from analysis.stats.joint import not_worse_than_best
from sim._jit import COMPILED
from sim.tally import KNOCK_FIELDS, OUTCOMES
from tests.analysis.report.made_up_runs import made_up

ROOT = Path(__file__).resolve().parent.parent.parent.parent
PAIRS = 300 if COMPILED else 4
K, B, BONUS = ("10", "0", "4"), ("simple", "threshold(4)"), ("0", "25")
TEXT = f"""
title = "Charts"
seed = 3
pairs = {PAIRS}
[strategies]
a = "threshold({{k}})"
[rules]
base = "eaai"
[axes]
k = [10, 0, 4]
b = ["simple", "threshold(4)"]
undercut_bonus = [0, 25]
"""


@pytest.fixture(scope="module")
def results() -> Any:
    return Experiment.from_text(TEXT).run(threads=1)


def number(k: str, b: str, bonus: str) -> int:
    """Return a cell's number: the first axis is the slowest."""
    return (K.index(k) * len(B) + B.index(b)) * len(BONUS) + BONUS.index(bonus)


def share_of_games(results: Any, cell: int) -> float:
    tally = results.tally(cell)
    return tally.outcome("games_a") / (2 * tally.outcome("games"))


def test_heatmap(results: Any) -> None:
    info = heatmap_info(results, where={"b": "simple"})
    assert list(info["row_axis"].unique()) == ["k"]
    assert list(info["column_axis"].unique()) == ["undercut_bonus"]
    assert list(zip(info["row"], info["column"], strict=True)) == [(k, u) for k in K for u in BONUS]
    for row in info.itertuples():
        assert row.cell == number(str(row.row), "simple", str(row.column))
        assert row.estimate == pytest.approx(share_of_games(results, int(row.cell)))
        assert row.low <= row.estimate <= row.high


def test_what_is_not_worse_than_the_best(results: Any) -> None:
    """By the same comparison on shares reckoned here from the counters, over all cells and by column."""
    info = heatmap_info(results, "hand_share", where={"b": "simple"})
    values, without = [], []
    for cell in info["cell"]:
        sums = results.tally(cell).groups("moments")[:, 0]
        won, of = (sums[:, OUTCOMES.index(name)] for name in ("hands_a", "decisive"))
        played = sums[:, OUTCOMES.index("one")] > 0
        values.append(won.sum() / of.sum())
        without.append((won.sum() - won[played]) / (of.sum() - of[played]))
    level = np.array(values), np.array(without).T
    assert info["estimate"].to_numpy() == pytest.approx(level[0])
    assert list(info["kept"]) == list(not_worse_than_best(*level))
    for column in BONUS:
        own = (info["column"] == column).to_numpy()
        assert list(info.loc[own, "kept_in_column"]) == list(
            not_worse_than_best(level[0][own], level[1][:, own])
        )
        best = info.loc[own].sort_values("estimate").iloc[-1]
        assert best["kept_in_column"]
    if COMPILED:
        assert 0 < info["kept"].sum() < len(info)


def test_no_best_where_more_is_not_better(results: Any) -> None:
    info = heatmap_info(results, "turns_per_hand", rows="undercut_bonus", columns="k", where={"b": "simple"})
    assert list(info["row"])[:2] == ["0", "25"] and set(info["column_axis"]) == {"k"}
    assert not info["kept"].any() and not info["kept_in_column"].any()


def test_curves(results: Any) -> None:
    info = curves_info(results, "points_per_hand")
    axes = info[["x_axis", "line_axis", "panel_axis"]].drop_duplicates().to_numpy().tolist()
    assert axes == [["k", "undercut_bonus", "b"]]  # numbers first, the longest along x
    assert len(info) == 12 and set(info["panel"]) == set(B)
    assert set(info["line"]) == {"undercut bonus = 0", "undercut bonus = 25"}
    told = results.table("cells").set_index("cell")
    for row in info.itertuples():
        assert row.cell == number(str(row.x), str(row.panel), str(row.line).split()[-1])
        assert row.estimate == told["points_per_hand"][row.cell]
        np.testing.assert_equal(row.high, told["points_per_hand_high"][row.cell])
    one = curves_info(results, x="undercut_bonus", where={"k": 4, "b": "simple"})
    assert list(one["x"]) == ["0", "25"] and set(one["line"]) == {""}


def test_knocks_by_own_turn(results: Any) -> None:
    cell = number("10", "simple", "25")
    counts = results.tally(cell).total("knocks")[0]
    at = KNOCK_FIELDS.index
    for metric, field in (("knock_deadwood", None), ("p_undercut", "undercut"), ("points", "points")):
        info = turns_info(results, metric, cells=[cell])
        for row in info.itertuples():
            own = counts[int(str(row.x)) - 1]
            taken = sum(int(own[deadwood, at("taken")]) for deadwood in range(1, 11))
            assert row.n == taken
            if taken < LEAST:
                assert np.isnan(row.estimate)
                continue
            above = sum(
                int(own[d, at("taken")]) * d if field is None else int(own[d, at(field)])
                for d in range(1, 11)
            )
            assert row.estimate == pytest.approx(above / taken)
    if COMPILED:
        assert info["estimate"].notna().sum() > 2


def test_forest(results: Any) -> None:
    base = number("4", "simple", "25")
    info = forest_info(results, baseline=base, where={"undercut_bonus": 25})
    assert len(info) == 5 and base not in set(info["cell"])
    assert set(info["baseline"]) == {"k = 4, simple"}
    for row in info.itertuples():
        gap = share_of_games(results, int(row.cell)) - share_of_games(results, base)
        assert row.estimate == pytest.approx(gap)
        assert (row.low + row.high) / 2 == pytest.approx(row.estimate)
    assert info["estimate"].is_monotonic_decreasing
    # Holm by hand, from p of Student's t recovered from the interval's half-width.
    freedom = min(PAIRS, 128) - 1
    half = (info["high"] - info["low"]) / 2
    p = 2 * stats.t.sf(np.abs(info["estimate"]) * stats.t.ppf(0.975, freedom) / half, freedom)
    assert info["log10_p"].to_numpy() == pytest.approx(np.log10(p))
    rejected = np.zeros(len(p), bool)
    for rank, at in enumerate(np.argsort(p)):
        if p[at] > 0.05 / (len(p) - rank):
            break
        rejected[at] = True
    assert list(info["significant"]) == list(rejected)


def test_matrix(results: Any) -> None:
    info = matrix_info(results, where={"undercut_bonus": 0}).set_index(["a", "b"])
    cell = number("10", "simple", "0")
    assert info["estimate"]["threshold(k=10)", "simple"] == pytest.approx(share_of_games(results, cell))
    for (a, b), row in info.iterrows():
        other = info.loc[(b, a)]
        assert row["estimate"] + other["estimate"] == pytest.approx(1)
        assert row["low"] + other["high"] == pytest.approx(1)
    assert all(a != b for a, b in info.index)
    points = matrix_info(results, "points_per_hand", where={"undercut_bonus": 0}).set_index(["a", "b"])[
        "estimate"
    ]
    assert points["simple", "threshold(k=0)"] == pytest.approx(-points["threshold(k=0)", "simple"])


def test_endings(results: Any) -> None:
    info = endings_info(results, where={"b": "simple", "undercut_bonus": 0})
    assert list(info["label"].unique()) == ["k = 0", "k = 4", "k = 10"]  # by threshold, not as asked for
    for cell, own in info.groupby("cell"):
        told = results.tally(cell).endings()
        for row in own.itertuples():
            part = told[row.side] if row.side in ("a", "b") else told
            assert row.hands == part[row.ending]
        assert own["share"].sum() == pytest.approx(1)
        assert own["hands"].sum() == results.tally(cell).outcome("hands")


def test_points(results: Any) -> None:
    info = points_info(results)
    told = results.table("cells").set_index("cell")
    for cell, own in info.groupby("cell"):
        assert own["hands"].sum() == told["hands"][cell]
        assert own["share"].sum() == pytest.approx(1)
        assert (own["points"] * own["share"]).sum() == pytest.approx(told["points_per_hand"][cell])
        assert own["points"].is_monotonic_increasing
        scores = results.tally(cell).total("scores")
        won = own.loc[own["points"] > 0].set_index("points")["hands"]
        lost = own.loc[own["points"] < 0].set_index("points")["hands"]
        assert won.sum() == scores[0, 1:].sum() and lost.sum() == scores[1, 1:].sum()


def test_lengths(results: Any) -> None:
    info = lengths_info(results, cells=[0, 5])
    for cell, own in info.groupby("cell"):
        hands = results.tally(cell).total("lengths")
        turns = np.repeat(np.arange(len(hands)), hands)
        assert own["ended"].iloc[-1] == pytest.approx(1)
        for row in own.itertuples():
            assert row.ended == pytest.approx((turns <= row.turns).mean())
        assert median_turns(own) == np.sort(turns)[(len(turns) - 1) // 2]


def test_first_legal(results: Any) -> None:
    info = first_legal_info(results, cells=[1])
    counts = results.tally(1).total("first_legal")
    for row in info.itertuples():
        side = "ab".index(str(row.side))
        assert row.hands == counts[side, row.own_turn]
        assert row.share == pytest.approx(counts[side, row.own_turn] / counts[side].sum())


def test_deadwood(results: Any) -> None:
    cell = number("10", "simple", "0")
    told = results.tally(cell).endings()
    ended = {"a": ("b", "a"), "b": ("a", "b")}
    for side, (other, own) in ended.items():
        info = deadwood_info(results, cell, side)
        assert set(info["side"]) <= {side}
        knocks = told[own]["knock"] + told[own]["tie"] + told[other]["undercut"]
        ties = told[own]["tie"] + told[other]["undercut"]
        assert (
            info.loc[info["knocker"] > 0, "hands"].sum() + info.loc[info["knocker"] == 0, "hands"].sum()
            == knocks + told[own]["gin"] + told[own]["big_gin"] + told[own]["gin_cancelled"]
        )
        assert undercut_share(info) == pytest.approx(ties / knocks)
    both = deadwood_info(results, cell)
    assert both["hands"].sum() == sum(deadwood_info(results, cell, side)["hands"].sum() for side in "ab")


def test_knock_maps(results: Any) -> None:
    cell = number("10", "simple", "25")
    info = knock_maps_info(results, cell, "b")
    counts = results.tally(cell).total("knocks")[1]
    at = KNOCK_FIELDS.index
    for row in info.itertuples():
        own = counts[row.own_turn - 1, row.deadwood]
        assert row.taken == own[at("taken")]
        if row.taken:
            assert row.p_win == pytest.approx(own[at("won")] / row.taken)
            assert row.points == pytest.approx(own[at("points")] / row.taken)
    assert info["taken"].sum() == counts[..., at("taken")].sum()


def test_convergence(results: Any) -> None:
    info = convergence_info(results, cells=[2, 3])
    assert set(info["cell"]) == {2, 3}
    for cell, own in info.groupby("cell"):
        assert own["pairs"].is_monotonic_increasing and own["pairs"].iloc[-1] == PAIRS
        assert own["estimate"].iloc[-1] == pytest.approx(share_of_games(results, cell))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: heatmap_info(r), "where: a heat map of k by b needs one value of undercut_bonus"),
        (lambda r: heatmap_info(r, where={"c": 1}), "axis 'c': there are k, b, undercut_bonus"),
        (lambda r: heatmap_info(r, where={"k": 3}), "axis k has no '3'; it has 10, 0, 4"),
        (lambda r: heatmap_info(r, "luck", where={"b": "simple"}), "metric 'luck'"),
        (lambda r: curves_info(r, cells=[99]), "no cell 99: there are 12"),
        (lambda r: curves_info(r, cells=[]), "no cells to draw"),
        (lambda r: curves_info(r, cells=[1]), "needs an axis along which the cells differ"),
        (lambda r: curves_info(r, x="stage"), "axis 'stage'"),
        (lambda r: turns_info(r, "luck"), "metric 'luck': expected knock_deadwood"),
        (lambda r: turns_info(r, side="c"), "side 'c': expected a or b"),
        (lambda r: forest_info(r, cells=[1]), "needs a cell beside its baseline"),
        (lambda r: matrix_info(r), "where: several cells play threshold(k=10) against simple"),
        (
            lambda r: matrix_info(r, "turns_per_hand", where={"k": 4}),
            "metric 'turns_per_hand': a matrix takes",
        ),
        (lambda r: convergence_info(r, "turns_per_hand"), "its course is kept for game_share"),
        (lambda r: knock_maps_info(r, 0, "x"), "side 'x'"),
        (lambda r: deadwood_info(r, 50), "no cell 50"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_name(results: Any, call: Any, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        call(results)
    assert message in str(refused.value) and "\n" not in str(refused.value)


def test_a_table_that_was_not_recorded_is_refused() -> None:
    lean = Experiment.from_text(TEXT.replace("[strategies]", 'record = ["endings"]\n[strategies]'))
    bare = lean.only(k=4, b="simple").changed(pairs=2).run(threads=1)
    for call in (knock_maps_info, deadwood_info, first_legal_info, lengths_info, points_info, turns_info):
        with pytest.raises(UsageError, match="was not recorded"):
            call(bare)


def test_names(results: Any) -> None:
    assert names_of(results, pick(results, where={"b": "simple", "k": 4})) == [
        "undercut bonus = 0",
        "undercut bonus = 25",
    ]
    assert names_of(results, pick(results, [number("4", "simple", "0")])) == ["threshold(k=4) v simple"]
    assert names_of(results, pick(results, [0, 2])) == ["simple", "threshold(4)"]
    assert short("gold(threshold=10, hold_for_gin=false)") == "gold(threshold=10)"
    assert short("gold(threshold=10, hold_for_gin=true)") == "gold(threshold=10, hold_for_gin=true)"
    assert short("unheard(of=true)") == "unheard(of=true)"


def test_caption(results: Any) -> None:
    cell = results.cells[0]
    assert caption(results, [cell]) == (
        f"{PAIRS:,} mirrored pairs, seed 3, rules eaai ({cell.rules.hash}); 95 % intervals."
    )
    assert caption(results, [cell], intervals=False).endswith(f"({cell.rules.hash}).")
    assert "a cell" in caption(results) and "and 1 more" in caption(results)


CALLS = {
    "knock_heatmap": {"where": {"b": "simple"}},
    "parameter_curves": {"where": {"b": "simple"}},
    "knock_turns": {"cells": [1]},
    "forest_plot": {"where": {"undercut_bonus": 0}},
    "head_to_head": {"where": {"undercut_bonus": 0}},
    "ending_bars": {"where": {"b": "simple"}},
    "hand_points": {"cells": [0]},
    "hand_lengths": {"cells": [0, 1]},
    "first_legal_knock": {"cells": [0]},
    "deadwood_histogram": {"cell": 1},
    "convergence_plot": {"cells": [0]},
    "knock_tables": {"cell": 1},
}


@pytest.mark.parametrize("name", charts.__all__)
def test_every_chart_on_given_axes(results: Any, name: str) -> None:
    """A notebook's own Axes, with matplotlib's own settings."""
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    draw = getattr(charts, name)
    assert callable(draw), "a module of the same name has taken its place"
    axes = draw(results, ax=figure.add_subplot(), **CALLS[name])
    assert axes in figure.axes and axes.has_data()


def test_a_figure_of_its_own_is_one_of_pyplot(results: Any) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    axes = charts.ending_bars(results, cells=[0])
    (new,) = set(plt.get_fignums()) - set(before)
    assert axes.get_figure(root=True) is plt.figure(new)
    assert plt.figure(new).get_figwidth() == 7
    plt.close(new)


def test_the_page_of_charts(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It lists every function, and its example runs."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    page = (ROOT / "docs" / "charts.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| [^|]+ \| `(\w+)` \|", page, re.MULTILINE)
    assert sorted(listed) == sorted(charts.__all__)
    (example,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(example.replace("pairs = 500", f"pairs = {PAIRS // 4}"), {})
    assert {path.name for path in tmp_path.iterdir()} == {"heatmap.svg", "heatmap.png", "heatmap.csv"}
    plt.close("all")


def test_an_interrupted_cell_is_compared_with_one_of_more_pairs() -> None:
    """Groups that only one of them has played are left out of the other as nothing."""
    few, many = made_up([0.0, 0.4], pairs=7), made_up([0.0, 0.4], pairs=13)
    first, second = (group_sums(run.tally(at)) for at, run in enumerate((few, many)))
    told = difference(METRICS["hand_share"], second, first)
    assert told.estimate is not None and told.low is not None and told.low < told.estimate


def test_charts_of_a_stopped_run_hold_at_any_stop() -> None:
    """Intervals are the wider ones, and more cells may be the best."""
    leads = [0.0, 0.03, 0.06, 0.1, 0.2]
    fixed, stopped = (made_up(leads, axis="undercut_bonus", stopped=why) for why in ("pairs", "extended"))
    infos = [forest_info(run, "game_share") for run in (fixed, stopped)]
    narrow, wide = (dict(zip(info["cell"], info["high"] - info["low"], strict=True)) for info in infos)
    assert all(wide[cell] > 1.5 * narrow[cell] for cell in narrow)
    told = [metric_columns(run, run.cells, "game_share") for run in (fixed, stopped)]
    assert np.all(told[1]["high"] - told[1]["low"] > 1.4 * (told[0]["high"] - told[0]["low"]))
    kept = [best_among(run, run.cells, "game_share") for run in (fixed, stopped)]
    assert np.all(kept[1] >= kept[0]) and kept[1].sum() > kept[0].sum()
