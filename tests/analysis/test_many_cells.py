"""Runs of many cells: made on demand, written and read in pieces, told by an overview or in parts."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.console import UsageError
from analysis.experiment import cells as cells_module
from analysis.experiment.experiment import Experiment
from analysis.experiment.plan import EACH, plan
from analysis.experiment.runs import start
from analysis.report.write import report
from analysis.store import batches, folder, identities, parquet
from analysis.store.folder import load
from analysis.store.results import Results
from sim.rules import Rules
from sim.run import RunError
from tests.analysis.command_line import answer, refused
from tests.analysis.experiments import small

pytestmark = pytest.mark.requires_jit
"""Many cells are many games, however few each plays."""

MANY = """
title = "Many"
seed = 3
pairs = {pairs}
record = {record}
[strategies]
a = "two_stage({{early}}, {{late}}, 6)"
b = "threshold({{k}})"
[rules]
base = "eaai"
[axes]
early = [6, 8, 10]
late = [0, 4]
k = [0, 5, 10]
undercut_bonus = [0, 25]
"""


def many(pairs: int = 4, record: str = "[]") -> Experiment:
    return Experiment.from_text(MANY.format(pairs=pairs, record=record))


# --- cells -----------------------------------------------------------------------------------------


AXES: dict[str, list[Any]] = {
    "k": [0, 4, 10],
    "early": [5, 9],
    "a": ["gold", "threshold({k})", "two_stage({early}, {k}, 3)"],
    "base": ["eaai", "bga"],
    "undercut_bonus": [0, 10],
    "game_target": [100, 150],
    "score": ["0:0", "99:20"],
    "dealer": ["a", "b"],
}


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from([name for name in AXES if name not in ("k", "early")]), unique=True),
    st.data(),
)
def test_parts_make_the_cells_that_a_plain_product_makes(names: list[str], data: st.DataObject) -> None:
    """Each cell alone, as an experiment without axes, is the cell of the product."""
    axes = {name: AXES[name] for name in names}
    if "a" in axes:
        axes |= {name: AXES[name] for name in ("k", "early")}
    axes = {name: axes[name] for name in data.draw(st.permutations(list(axes)))}
    spec: dict[str, Any] = {"title": "x", "seed": 1, "pairs": 3, "strategies": {"b": "simple"}, "axes": axes}
    if "a" not in axes:
        spec["strategies"]["a"] = "gold"
    else:  # gold plays alike for all k: drop what would be refused
        axes["a"] = ["two_stage({early}, {k}, 3)", "two_stage({early}, {k}, 4)"]
    cells = Experiment.from_dict(spec).cells
    every = list(itertools.product(*axes.values()))
    assert len(cells) == len(every)
    for number in {0, len(every) - 1, data.draw(st.integers(0, len(every) - 1))}:
        sets = dict(zip(axes, every[number], strict=True))
        sides = {"a": sets.get("a", "gold").format(**{"early": "", "k": "", **sets}), "b": "simple"}
        rules = {key: sets[key] for key in ("base", "undercut_bonus", "game_target") if key in sets}
        alone = {"title": "x", "seed": 1, "pairs": 3, "strategies": sides, "rules": rules}
        alone |= {key: sets[key] for key in ("score", "dealer") if key in sets}
        (one,) = Experiment.from_dict(alone).cells
        cell = cells[number]
        assert (cell.a, cell.b, cell.rules, cell.scores, cell.dealer, cell.preset) == (
            one.a, one.b, one.rules, one.scores, one.dealer, one.preset,
        )  # fmt: skip
        assert cell.number == number and cell.keys == sets and cells[number - len(cells)] is cell


def test_examples_meet_every_side_and_all_rules() -> None:
    cells = many().cells
    examples = cells.examples()
    assert len(examples) < len(cells)
    for part in ("a", "b", "rules"):
        assert {getattr(cell, part) for cell in examples} == {getattr(cell, part) for cell in cells}
    assert cells.rule_sets() == list(dict.fromkeys(cell.rules for cell in cells))


def test_cells_are_a_sequence(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = many().cells
    assert [cell.number for cell in cells[4:8]] == [4, 5, 6, 7] and cells[-1].number == len(cells) - 1
    with pytest.raises(IndexError, match="cell 36: there are 36"):
        cells[36]
    assert cells == many().cells and cells != small().cells and cells != list(cells)
    monkeypatch.setattr(cells_module, "REMEMBERED", 0)
    assert many().cells == cells and many().cells[3] is not many().cells[3]


def test_two_cells_that_play_alike_are_named() -> None:
    spec = {"title": "x", "seed": 1, "pairs": 1, "strategies": {"b": "gold"}}
    axes = {"a": ["gold", "threshold(4)", "threshold(k=4)"], "gin_bonus": [20, 25]}
    alike = r"the cells \(a = threshold\(4\), gin_bonus = 20\) and \(a = threshold\(k=4\), gin_bonus = 20\)"
    with pytest.raises(UsageError, match=alike):
        Experiment.from_dict({**spec, "axes": axes})


def test_a_plan_of_nearly_a_million_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.experiment.plan.SECONDS", 0.0)
    monkeypatch.setattr("analysis.experiment.plan.FIRST", 50)
    monkeypatch.setattr("analysis.experiment.plan.MOST_CELLS", 10)
    rules = {"undercut_bonus": list(range(15)), "gin_bonus": list(range(10))}
    stages = {"early": [5, 6, 7, 8, 9, 10], "late": [0, 1, 2, 3, 4], "switch": list(range(2, 22))}
    sides = {"a": "two_stage({early}, {late}, {switch})", "b": "threshold({k})"}
    spec = {"title": "x", "seed": 1, "half_width": 0.01, "strategies": sides}
    axes = {"k": list(range(11)), **stages, **rules}
    told = plan(Experiment.from_dict({**spec, "axes": axes}), 1)
    assert told["cells"] == 990_000 and told["bytes"] > 10**10
    assert len(told["each"]) <= 20 < EACH and all(row["tried"] for row in told["each"])
    with pytest.raises(UsageError, match="1,980,000 cells, at most 1,000,000"):
        Experiment.from_dict({**spec, "axes": {**axes, "box_bonus": [0, 20]}})


# --- in pieces --------------------------------------------------------------------------------------


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make all pieces small, so that a small run has many."""
    monkeypatch.setattr(batches, "AT_ONCE", 5)
    monkeypatch.setattr(identities, "AT_ONCE", 4)
    monkeypatch.setattr(parquet, "ROW_GROUP_BYTES", 1_500_000)


def test_a_run_in_pieces_is_the_run(tmp_path: Path, pieces: None, monkeypatch: pytest.MonkeyPatch) -> None:
    record = '["endings", "lengths"]'
    kept = start(many(record=record), tmp_path / "run")
    monkeypatch.undo()
    whole = many(record=record).run()
    assert kept.tables == whole.tables
    for name in kept.tables:
        pd.testing.assert_frame_equal(kept.table(name), whole.table(name))
    for number in (0, 7, 35, 1):
        assert kept.tally(number).tobytes() == whole.tally(number).tobytes()


def test_very_many_cells_are_finished_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables are those of cells that take turns, but for the looks on the way."""
    turns = many(2_000).only(k="5", late="4").run()
    played: list[str] = []
    monkeypatch.setattr("analysis.experiment.schedule.MANY_CELLS", 3)
    ended = many(2_000).only(k="5", late="4")
    results = ended.run(threads=1, on_progress=lambda told: played.append(told.cell))
    assert [cell for cell, _ in itertools.groupby(played)] == [cell.text for cell in ended.cells]
    pd.testing.assert_frame_equal(results.table("cells"), turns.table("cells"))
    last = turns.table("convergence").groupby("cell").tail(1).reset_index(drop=True)
    pd.testing.assert_frame_equal(results.table("convergence"), last)


def test_slices_of_tables(tmp_path: Path, pieces: None) -> None:
    kept = start(many(record='["endings"]'), tmp_path / "run")
    memory = many(record='["endings"]').run()
    for results in (kept, memory):
        cells = results.table("cells")
        some = results.table("cells", columns=["game_share", "k"], cells=[30, 2])
        assert list(some) == ["game_share", "k"]
        pd.testing.assert_frame_equal(some, cells.loc[[2, 30], ["game_share", "k"]].reset_index(drop=True))
        assert set(results.table("endings", cells=[4, 31])["cell"]) == {4, 31}
        with pytest.raises(UsageError, match="no column 'game'; there are cell, early, late"):
            results.table("cells", columns=["game"])
        with pytest.raises(UsageError, match="no cell 36: there are 36"):
            results.table("cells", cells=[36])


def test_cells_that_were_not_checked_are_when_they_are_asked_for(
    tmp_path: Path, pieces: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder whose table tells other counts than its counters give, its hash made to fit."""
    from tests.analysis.test_store import add, alter

    monkeypatch.setattr(folder, "CHECKED", 35)
    monkeypatch.setattr(folder, "SAMPLED", 3)
    start(many(), tmp_path / "run")
    alter("cells", add("games", 20))(tmp_path / "run")
    results = load(tmp_path / "run")
    assert results.tally(19).outcome("games") == 8
    with pytest.raises(RunError, match=r"cell 20: 9 games in cells\.parquet, 8 in groups\.parquet"):
        results.tally(20)
    monkeypatch.setattr(folder, "CHECKED", 36)
    with pytest.raises(RunError, match="cell 20: 9 games"):
        load(tmp_path / "run")


# --- parts and overview ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("many") / "run"
    start(many(60, '["endings"]'), path)
    return path


def test_a_part_is_the_experiment_of_its_axes(run: Path) -> None:
    whole = load(run)
    part = whole.only(k="5", early=["6", "10"])
    same = many(whole.pairs(0), '["endings"]').only(k="5", early=["6", "10"]).run()
    assert [cell.text for cell in part.cells] == [cell.text for cell in same.cells]
    for name in part.tables:
        pd.testing.assert_frame_equal(part.table(name), same.table(name))
    for number in range(len(part.cells)):
        assert part.tally(number).tobytes() == same.tally(number).tobytes()
        assert part.pairs(number) == same.pairs(number)
    assert part.only(late="4").cells == same.only(late="4").cells
    with pytest.raises(UsageError, match=r"axes\.k: no '7' \(has: 0, 5, 10\)"):
        whole.only(k="7")


def test_the_report_of_very_many_cells_is_an_overview(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analysis.report.write.MOST_CELLS", 35)
    monkeypatch.setattr(Results, "tally", None)  # it is made from the table of cells alone
    told = report(run, tmp_path / "out")
    page = told.markdown.read_text()
    cells = load(run).table("cells")
    assert told.figures == [] and told.facts == []
    assert "36 cells of" in page and "ginlab report run --only early=6 --out part" in page
    best = cells.loc[cells["game_share"].idxmax()]
    assert f"{100 * best['game_share']:.1f}" in page
    by_k = cells.groupby("k")["game_share"].agg(["mean", "min", "max"])
    for k, row in by_k.iterrows():
        shown = " | ".join(f"{100 * value:.1f}" for value in row)
        assert f"| {k} | {shown} |" in page
    ahead = int((cells["game_share_low"] > 0.5).sum())
    assert f"ahead in {ahead} cells" in page
    assert len(pd.read_csv(told.cells)) == 36


def test_the_report_of_a_part(run: Path, tmp_path: Path) -> None:
    told = answer("report", str(run), "--only", "k=5", "--only", "late=0", "--out", str(tmp_path / "part"))
    assert [row["keys"]["early"] for row in told["cells"]] == [6, 6, 8, 8, 10, 10] and told["figures"]
    page = (tmp_path / "part" / "report.md").read_text()
    assert "6 cells of" in page and "late = [0]" in page
    refused("report", str(run), "--only", "k=5", names="--only: a report of a part")
    refused("report", str(run), "--only", "k=5", "--out", str(run), names="holds a run; a report of a part")
    refused(
        "report", str(run), "--only", "k", "--out", str(tmp_path), names="--only 'k': expected AXIS=LABEL"
    )
    refused("report", str(run), "--only", "z=1", "--out", str(tmp_path), names="no axis 'z'")


def test_rules_of_a_part_are_those_played(run: Path) -> None:
    part = load(run).only(undercut_bonus="25")
    assert {cell.rules for cell in part.cells} == {Rules.preset("eaai").replace(undercut_bonus=25)}
    assert np.all(part.table("cells")["undercut_bonus"] == 25)
