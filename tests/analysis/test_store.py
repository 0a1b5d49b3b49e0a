"""A run's folder: every table against the counters, and every damage refused with its reason."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import analysis
from analysis.console import UsageError
from analysis.experiment.experiment import Experiment
from analysis.experiment.runs import start
from analysis.match import match_report
from analysis.metrics import METRICS, estimate, group_sums
from analysis.store.fields import kept_fields
from analysis.store.folder import load
from analysis.store.manifest import file_hash
from analysis.store.parquet import GroupsWriter, TableWriter, read_table
from analysis.store.results import Results
from analysis.store.tables import RECORDED, column_name, key_column, key_type
from sim._jit import COMPILED
from sim.rules import Rules
from sim.run import Run, RunError, Swing, play_match
from sim.tally import KNOCK_FIELDS, SIDE_ENDINGS, TALLY_DTYPE, Tally
from strategies.base import player
from tests.analysis.experiments import small

PAIRS = 150 if COMPILED else 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "run"
    start(small(PAIRS), path)
    return path


@pytest.fixture(scope="module")
def results(folder: Path) -> Results:
    return load(folder)


@pytest.fixture(scope="module")
def tallies() -> list[Tally]:
    """Every cell, played by itself."""
    told = []
    for cell in small(PAIRS).cells:
        match = cell.match
        run = play_match(player(match.a), player(match.b), match.rules, pairs=PAIRS, seed=match.seed)
        told.append(run.tally)
    return told


class TestTables:
    def test_the_counters_are_those_of_the_match(self, results: Results, tallies: list[Tally]) -> None:
        for number, tally in enumerate(tallies):
            assert results.tally(number).tobytes() == tally.tobytes()
            assert results.pairs(number) == PAIRS

    def test_cells(self, results: Results, tallies: list[Tally]) -> None:
        cells = results.table("cells")
        assert list(cells["k"]) == [0, 0, 7, 7] and list(cells["undercut_bonus"]) == [0, 25, 0, 25]
        assert list(cells["a"]) == [f"threshold(k={k})" for k in cells["k"]]
        assert set(cells["b"]) == {"simple(pair_memory=true)"} and set(cells["rules"]) == {"eaai"}
        for cell, tally in zip(results.cells, tallies, strict=True):
            row = cells.iloc[cell.number]
            report = match_report(cell.match, Run(tally, 0, PAIRS, 1.0, False, Swing(-1, 0, 0)))
            assert row["rules_hash"] == report["rules"]["hash"] == cell.rules.hash
            for name in ("pairs", "games", "hands", "decisive"):
                assert row[name] == report[name]
            told = {
                "game_share": report["game_share"],
                "hand_share": report["hand_share"],
                "points_per_hand": report["points_per_hand"]["difference"],
                "turns_per_hand": report["turns_per_hand"],
                "first_mover_game_share": report["first_mover"]["game_share"],
                "match_share": report["game_share"],
            }
            sums = group_sums(tally)
            told |= {name: estimate(metric, tally, sums).to_dict() for name, metric in METRICS.items()}
            for name, expected in told.items():
                for key, column in (("estimate", name), ("low", f"{name}_low"), ("high", f"{name}_high")):
                    number = float("nan") if expected[key] is None else expected[key]
                    assert row[column] == number or np.isnan([row[column], number]).all(), column
            gain = report["pairing_gain"]["game_share"]
            assert row["pairing_gain"] == gain or (gain is None and np.isnan(row["pairing_gain"]))
            assert row["stopped"] == "pairs" and np.isnan(row["game_share_anytime_low"])

    def test_endings(self, results: Results, tallies: list[Tally]) -> None:
        table = results.table("endings").set_index(["cell", "side", "ending"])
        assert len(table) == len(tallies) * (2 * len(SIDE_ENDINGS) + 2)
        for number, tally in enumerate(tallies):
            hands, points = tally.endings(), tally.points_by_ending()
            for side in "ab":
                for kind in SIDE_ENDINGS:
                    row = table.loc[(number, side, kind)]
                    assert (row["hands"], row["points"]) == (hands[side][kind], points[side][kind])
            assert table.loc[(number, "", "void")]["hands"] == hands["void"]
        assert table["hands"].sum() == results.table("cells")["hands"].sum()

    def test_knocks(self, results: Results, tallies: list[Tally]) -> None:
        table = results.table("knocks")
        for number, tally in enumerate(tallies):
            counts = np.zeros_like(tally.total("knocks"))
            for row in table[table["cell"] == number].to_dict(orient="records"):
                place = ("ab".index(row["side"]), row["own_turn"] - 1, row["deadwood"])
                counts[place] = [row[name] for name in KNOCK_FIELDS]
                assert row["legal"] == row["taken"] + row["declined"] > 0
            assert np.array_equal(counts, tally.total("knocks"))

    def test_lengths_and_points(self, results: Results, tallies: list[Tally]) -> None:
        lengths, points = results.table("lengths"), results.table("points")
        for number, tally in enumerate(tallies):
            mine = lengths[lengths["cell"] == number]
            assert dict(zip(mine["turns"], mine["hands"], strict=True)) == held(tally.total("lengths"))
            for side in range(2):
                mine = points[(points["cell"] == number) & (points["side"] == "ab"[side])]
                expected = held(tally.total("scores")[side])
                assert dict(zip(mine["points"], mine["hands"], strict=True)) == expected

    def test_convergence_ends_with_the_cells(self, results: Results) -> None:
        course, cells = results.table("convergence"), results.table("cells")
        last = course.groupby("cell").tail(1).reset_index(drop=True)
        columns = [name for name in course if name != "cell"]
        pd.testing.assert_frame_equal(last[columns], cells[columns])
        first = small(int(course["pairs"].iloc[0])).run().table("cells")
        names = [f"points_per_hand{end}" for end in ("", "_low", "_high")]
        pd.testing.assert_frame_equal(
            course.groupby("cell").head(1)[names].reset_index(drop=True), first[names]
        )

    def test_a_table_is_a_copy(self, results: Results) -> None:
        table = results.table("cells")
        table.loc[:, "pairs"] = 0
        assert results.pairs(0) == PAIRS

    def test_what_there_is_not(self, results: Results) -> None:
        with pytest.raises(UsageError, match="no table 'cell'; there are cells, endings, knocks"):
            results.table("cell")
        for number in (-1, 4):
            with pytest.raises(UsageError, match=f"no cell {number}: there are 4"):
                results.tally(number)


def held(counts: Any) -> dict[int, int]:
    return {place: int(count) for place, count in enumerate(counts) if count}


def test_one_table_alone_is_recorded(tmp_path: Path) -> None:
    experiment = small(2).changed(record=["lengths"])
    kept = start(experiment, tmp_path / "run")
    assert kept.tables == ("cells", "lengths", "convergence")
    with pytest.raises(UsageError, match=r"'knocks' was not recorded \(record = \['lengths'\]\)"):
        kept.table("knocks")
    whole = small(2).run()
    assert kept.table("cells").equals(whole.table("cells"))
    for number in range(4):
        mine, other = kept.tally(number), whole.tally(number)
        for name in TALLY_DTYPE.names or ():
            if name in kept_fields(["lengths"]):
                assert np.array_equal(mine.groups(name), other.groups(name))
            else:
                assert not mine.groups(name).any() and other.groups(name).any()


def test_keys_that_a_column_has_already() -> None:
    text = """
        title = "x"
        seed = 1
        pairs = 1
        [strategies]
        a = "threshold({games})"
        [axes]
        games = [1, 2]
        b = ["simple", "gold"]
        gin_bonus = [20]
        t = [{layoff_on_gin = true, columns = 2, column_multipliers = [1, 2]}, {big_gin_bonus = 31}]
    """
    cells = Experiment.from_text(text).run().table("cells")
    assert list(cells["axis_games"]) == [1, 1, 1, 1, 2, 2, 2, 2]
    assert list(cells["axis_b"].unique()) == ["simple", "gold"]
    assert cells["b"].iloc[0] == "simple(pair_memory=true)" and cells["games"].dtype == "int64"
    assert list(cells["column_multipliers"])[:2] == ["[1, 2]", ""]
    assert list(cells["big_gin_bonus"])[:2] == ["", "31"]
    assert list(cells["t"])[1] == "big_gin_bonus=31"


def test_columns_of_keys_have_one_type() -> None:
    for values, kind in (
        ([1, 2], "int64"),
        ([1, 2.5], "float64"),
        ([True, False], "bool"),
        ([True, 1], "str"),
    ):
        assert key_type(values) == kind and key_column(values, kind).dtype == kind
    assert list(key_column([True, 1, None], "str")) == ["true", "1", ""]


def write_table(path: Path, frame: pd.DataFrame) -> None:
    writer = TableWriter(path)
    writer.add(frame)
    writer.close()


def write_groups(path: Path, tallies: list[Tally], fields: tuple[str, ...]) -> None:
    writer = GroupsWriter(path, fields)
    for tally in tallies:
        writer.add(tally)
    writer.close()


def test_tables_come_back_as_they_were(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"n": [1, 2], "x": [0.1, float("nan")], "flag": [True, False], "text": ["", "ä, b"]}
    ).astype({"text": "str"})
    write_table(tmp_path / "t.parquet", frame)
    pd.testing.assert_frame_equal(read_table(tmp_path / "t.parquet"), frame)
    empty = frame.head(0)
    write_table(tmp_path / "t.parquet", empty)
    pd.testing.assert_frame_equal(read_table(tmp_path / "t.parquet"), empty)


# --- manifest ------------------------------------------------------------------------------------


def test_the_manifest_says_what_was_played(folder: Path, results: Results) -> None:
    told = json.loads((folder / "manifest.json").read_text())
    assert told == results.manifest
    assert Experiment.from_dict(told["experiment"]).cells == results.cells == small(PAIRS).cells
    assert told["seed"] == 5 and told["strategies"]["threshold(7)"] == "threshold(k=7)"
    assert {Rules(**fields).hash for fields in told["rules"].values()} == set(told["rules"])
    assert set(told["rules"]) == set(results.table("cells")["rules_hash"])
    for name, table in told["tables"].items():
        assert file_hash(folder / f"{name}.parquet") == table["sha256"]
    assert (told["interrupted"], told["extended"]) == (False, False)


def test_analysis_loads_without_the_journal(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "run")
    (tmp_path / "run" / "journal.sqlite").unlink()
    loaded = analysis.load(tmp_path / "run")
    assert loaded.table("cells").equals(load(folder).table("cells"))
    assert analysis.Experiment is Experiment


def test_a_run_of_other_presets_keeps_its_rules(folder: Path, tmp_path: Path) -> None:
    """A preset may have changed since: the rules are those that were played."""
    run = shutil.copytree(folder, tmp_path / "run")
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["experiment"]["rules"]["base"] = "default"
    (run / "manifest.json").write_text(json.dumps(manifest))
    assert [cell.rules for cell in load(run).cells] == [cell.rules for cell in load(folder).cells]


# --- damage --------------------------------------------------------------------------------------


def edit(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    """Return what changes the manifest."""

    def damage(run: Path) -> None:
        manifest = json.loads((run / "manifest.json").read_text())
        change(manifest)
        (run / "manifest.json").write_text(json.dumps(manifest))

    return damage


def alter(name: str, change: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable[[Path], object]:
    """Return what changes a table, and its hash with it."""

    def damage(run: Path) -> None:
        write_table(run / f"{name}.parquet", change(read_table(run / f"{name}.parquet")))
        hash_anew(run, name)

    return damage


def hash_anew(run: Path, name: str) -> None:
    digest = file_hash(run / f"{name}.parquet")
    edit(lambda manifest: manifest["tables"].update({name: {"sha256": digest}}))(run)


def add(column: str, row: int) -> Callable[[pd.DataFrame], pd.DataFrame]:
    def change(frame: pd.DataFrame) -> pd.DataFrame:
        frame.loc[row, column] += 1
        return frame

    return change


def one_hand_more(run: Path) -> None:
    """Count a hand more in the lengths of cell 1, in the counters and in their table alike."""
    results = load(run)
    tallies = list(results.tallies())
    tallies[1].rows["lengths"][0, 5] += 1
    write_groups(run / "groups.parquet", tallies, kept_fields(results.experiment.spec.record))
    tables = [RECORDED["lengths"](number, tally) for number, tally in enumerate(tallies)]
    write_table(run / "lengths.parquet", pd.concat(tables, ignore_index=True))
    for name in ("groups", "lengths"):
        hash_anew(run, name)


def flip(run: Path) -> None:
    path = run / "knocks.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


DAMAGE: list[tuple[str, Callable[[Path], object], str]] = [
    ("no manifest", lambda run: (run / "manifest.json").unlink(), "unfinished run; 'ginlab resume"),
    ("no JSON", lambda run: (run / "manifest.json").write_text("{"), "manifest.json is not JSON"),
    ("a bit", flip, "knocks.parquet is not what the manifest says"),
    ("a file gone", lambda run: (run / "lengths.parquet").unlink(), "lengths.parquet: No such file"),
    ("newer", edit(lambda told: told.update(schema=99)), "newer ginlab .schema 99"),
    ("older", edit(lambda told: told.update(schema=1)), "older ginlab .schema 1, this one reads 2"),
    ("no number", edit(lambda told: told.update(schema="1")), "damaged: schema '1'"),
    ("no tables", edit(lambda told: told.pop("tables")), "lists no tables"),
    ("one table less", edit(lambda told: told["tables"].pop("knocks")), "recorded: knocks"),
    ("one table more", edit(lambda told: told["tables"].update(x={"sha256": ""})), "recorded: x"),
    ("no rules", edit(lambda told: told["rules"].clear()), "damaged: manifest.json: "),
    ("bad rules", edit(lambda told: next(iter(told["rules"].values())).update(suits=9)), "suits=9"),
    ("no experiment key", edit(lambda told: told["experiment"].pop("title")), "title: missing"),
    ("no strategy", edit(lambda told: told["strategies"].clear()), "not among those that were played"),
    ("cells", edit(lambda told: told["experiment"]["axes"]["k"].pop()), "4 cells, the experiment has 2"),
    ("games", alter("cells", add("games", 2)), "cell 2: .* games in cells.parquet"),
    ("pairs", alter("cells", add("pairs", 0)), "cell 0: .* pairs in cells.parquet"),
    (
        "endings",
        alter("endings", add("hands", 0)),
        "cell 0: endings.parquet is not what groups.parquet gives",
    ),
    ("lengths", alter("lengths", add("hands", 0)), "cell 0: lengths.parquet is not what"),
    ("no lengths", alter("lengths", lambda frame: frame[frame["cell"] > 0]), "cell 0: lengths.parquet is"),
    ("a hand too many", one_hand_more, "cell 1: .* hands, but .* in lengths.parquet"),
    ("points", alter("points", add("hands", 0)), "cell 0: points.parquet is not what"),
    ("knocks", alter("knocks", add("taken", 0)), "cell 0: knocks.parquet is not what"),
    ("stages", alter("convergence", add("pairs", 0)), "convergence.parquet has other stages"),
]


@pytest.mark.parametrize(("damage", "told"), [one[1:] for one in DAMAGE], ids=[one[0] for one in DAMAGE])
def test_damage_is_refused(folder: Path, tmp_path: Path, damage: Callable[[Path], object], told: str) -> None:
    run = shutil.copytree(folder, tmp_path / "run")
    damage(run)
    with pytest.raises(RunError, match=told) as caught:
        load(run)
    assert str(caught.value).startswith(str(run)) and "\n" not in str(caught.value)


FOREIGN: list[tuple[str, str]] = [
    ('{"schema": 1, "pairs": 3}', "written by another program"),
    ("[1, 2]", "written by another program"),
]


@pytest.mark.parametrize(("text", "told"), FOREIGN)
def test_a_foreign_folder_is_refused(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(UsageError, match=told):
        load(tmp_path)


def test_no_folder_of_a_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        load(tmp_path / "none")
    with pytest.raises(UsageError, match="not a run's folder, it has no manifest.json"):
        load(tmp_path)


@pytest.mark.parametrize("key", ["seed", "axes", "rules", "strategies"])
def test_a_manifest_that_tells_other_cells_is_refused(folder: Path, tmp_path: Path, key: str) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "run"))
    path = copy / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    if key == "seed":
        manifest["experiment"]["seed"] += 1
    elif key == "axes":
        axis = next(iter(manifest["experiment"]["axes"].values()))
        axis.reverse()
    elif key == "rules":
        for fields in manifest["rules"].values():
            fields["gin_bonus"] += 1
    else:
        manifest["strategies"] = {name: f"{told} " for name, told in manifest["strategies"].items()}
    path.write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(RunError, match="tells other cells than were played"):
        load(copy)


def test_a_table_without_a_column_is_refused(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "run"))
    write_table(copy / "cells.parquet", read_table(copy / "cells.parquet").drop(columns="pairs"))
    path = copy / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["tables"]["cells"]["sha256"] = file_hash(copy / "cells.parquet")
    path.write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(RunError, match="has no column 'pairs'"):
        load(copy)


def test_no_two_keys_have_the_same_column() -> None:
    names = ["b", "axis_b", "axis_axis_b", "cell", "axis_cell", "k"]
    assert len({column_name(name) for name in names}) == len(names)
