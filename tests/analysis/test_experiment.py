"""Experiment files: the product of axes, what each cell plays, and errors by the key's path."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.console import UsageError
from analysis.experiment.experiment import Experiment, builtin_names, builtin_text
from analysis.experiment.schedule import stages, stop
from analysis.experiment.sweep import check_playable
from sim._jit import COMPILED
from sim.rules import Rules, preset_names
from sim.tally import OUTCOMES, Tally
from tests.analysis.experiments import small

ROOT = Path(__file__).resolve().parent.parent.parent

TOP = 'title = "x"\nseed = 1\npairs = 10\n'


def text(top: str = TOP, sides: str = "", rules: str = 'base = "eaai"', axes: str = "k = [1, 2]") -> str:
    sides = sides or 'a = "threshold({k})"\nb = "simple"'
    return f"{top}\n[strategies]\n{sides}\n[rules]\n{rules}\n[axes]\n{axes}\n"


def read(**parts: str) -> Experiment:
    return Experiment.from_text(text(**parts), "f.toml")


class TestCells:
    def test_the_product_the_first_axis_slowest(self) -> None:
        cells = read(axes='k = [0, 3]\nb = ["simple", "gold"]\nundercut_bonus = [0, 10, 25]').cells
        expected = list(itertools.product([0, 3], ["simple", "gold"], [0, 10, 25]))
        assert [tuple(cell.keys.values()) for cell in cells] == expected
        assert [cell.number for cell in cells] == list(range(12))
        assert [cell.labels for cell in cells] == [(str(k), b, str(bonus)) for k, b, bonus in expected]
        for cell, (k, b, bonus) in zip(cells, expected, strict=True):
            assert cell.a == f"threshold(k={k})"
            assert cell.b.startswith(f"{b}(")
            assert cell.rules == Rules.preset("eaai").replace(undercut_bonus=bonus)
            assert (cell.match.pairs, cell.match.seed) == (10, 1)

    @settings(max_examples=20)
    @given(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    def test_every_combination_once(self, sizes: list[int]) -> None:
        names = ["gin_bonus", "undercut_bonus", "box_bonus", "game_bonus"]
        axes = "\n".join(f"{name} = {list(range(size))}" for name, size in zip(names, sizes, strict=False))
        experiment = read(sides='a = "gold"\nb = "simple"', axes=axes)
        assert len(experiment.cells) == math.prod(sizes)
        assert len({cell.labels for cell in experiment.cells}) == math.prod(sizes)
        assert [len(axis.labels) for axis in experiment.axes] == sizes

    def test_no_axes_are_one_cell(self) -> None:
        (cell,) = read(sides='a = "gold"\nb = "simple"', axes="").cells
        assert (cell.number, cell.keys, cell.labels, cell.text) == (0, {}, (), "")

    def test_an_axis_of_tables_sets_several_keys(self) -> None:
        cells = read(
            sides='a = "two_stage({early}, {late}, {switch})"\nb = "simple"',
            axes='stages = [{label = "10>4", early = 10, late = 4}, {early = 10, late = 2}]\nswitch = [3]',
        ).cells
        assert [cell.a for cell in cells] == [
            "two_stage(early=10, late=4, switch=3)",
            "two_stage(early=10, late=2, switch=3)",
        ]
        assert cells[0].keys == {"stages": "10>4", "early": 10, "late": 4, "switch": 3}
        assert cells[1].labels == ("early=10, late=2", "3")

    def test_sides_base_score_and_dealer_are_axes_too(self) -> None:
        cells = read(
            sides="",
            axes='a = ["gold", "simple"]\nbase = ["eaai", "bga"]\nscore = ["0:0", "62:80"]\n'
            'dealer = ["a", "b"]',
        ).cells
        assert len(cells) == 16
        last = cells[-1]
        assert (last.a, last.preset, last.scores, last.dealer) == (
            "simple(pair_memory=true)",
            "bga",
            (62, 80),
            1,
        )
        assert last.rules == Rules.preset("bga")

    def test_a_rule_can_be_null_and_a_list(self) -> None:
        top = 'base = "standard"\nbig_gin_bonus = "null"\ncolumns = 2\ncolumn_multipliers = [1, 2]'
        cell = read(rules=top).cells[0]
        assert cell.rules == Rules.preset("standard").replace(
            big_gin_bonus=None, columns=2, column_multipliers=(1, 2)
        )
        again = Rules.preset(cell.preset).replace(
            **{name: json.loads(value) for name, _, value in (one.partition("=") for one in cell.settings)}
        )
        assert again == cell.rules

    def test_hands_are_a_unit(self) -> None:
        cell = read(top=TOP + 'unit = "hand"\nscore = "62:80"\n', rules='base = "tournament"').cells[0]
        assert (cell.rules.match_type, cell.rules.match_length, cell.scores) == ("single_hand", 1, (62, 80))

    def test_flags_and_numbers_are_written_as_strategies_take_them(self) -> None:
        cells = read(sides='a = "simple({memory})"\nb = "gold"', axes="memory = [true, false]").cells
        assert [cell.a for cell in cells] == ["simple(pair_memory=true)", "simple(pair_memory=false)"]
        assert [cell.labels for cell in cells] == [("true",), ("false",)]

    def test_plain_data_and_back(self) -> None:
        experiment = small()
        told = json.loads(json.dumps(experiment.to_dict()))
        again = Experiment.from_dict(told)
        assert again.cells == experiment.cells and again.to_dict() == experiment.to_dict()


class TestOnly:
    def test_some_labels(self) -> None:
        part = small().only(undercut_bonus="25", k=["0", "7"])
        assert [cell.keys for cell in part.cells] == [
            {"k": 0, "undercut_bonus": 25},
            {"k": 7, "undercut_bonus": 25},
        ]
        assert part.to_dict()["axes"] == {"k": [0, 7], "undercut_bonus": [25]}
        assert small().only(k=7).cells == small().only({"k": ["7"]}).cells

    def test_what_there_is_not(self) -> None:
        with pytest.raises(UsageError, match=r"no axis 'z' \(axes: k, undercut_bonus\)"):
            small().only(z="1")
        with pytest.raises(UsageError, match=r"axes\.k: no '3' \(has: 0, 7\)"):
            small().only(k="3")


REFUSED: list[tuple[dict[str, str], str]] = [
    ({"top": "title = \n"}, r"^f\.toml: line 1, column 9: "),
    ({"top": TOP + "pairs = 3\n"}, r"^f\.toml: line 4, column \d+: "),
    ({"top": TOP + "wrong = 3\n"}, r"^f\.toml: wrong: unknown key$"),
    ({"top": TOP.replace("pairs = 10", "sprt = 3")}, r"^f\.toml: sprt: should be a table, not 3$"),
    ({"top": 'title = "x"\npairs = 1\n'}, r"^f\.toml: seed: missing$"),
    ({"top": 'title = "x"\nseed = -1\npairs = 1\n'}, r"^f\.toml: seed: .*, not -1$"),
    ({"top": 'title = "x"\nseed = 1\n'}, r"exactly one of pairs, half_width, sprt; there is none$"),
    ({"top": TOP + "half_width = 0.1\n"}, r"there is pairs and half_width$"),
    (
        {"top": 'title = "x"\nseed = 1\nhalf_width = 1\n'},
        r"half_width = 1: a share .* a percentage point is 0\.01$",
    ),
    ({"top": TOP + "max_pairs = 2000\n"}, r"max_pairs goes with half_width or sprt"),
    ({"top": 'title = "x"\nseed = 1\nsprt = {s0 = 0.5, s1 = 0.4}\n'}, r"^f\.toml: sprt: s1 = 0\.4"),
    ({"top": 'title = "x"\nseed = 1\nsprt = {s0 = 0.5}\n'}, r"^f\.toml: sprt\.s1: missing$"),
    ({"top": TOP + 'record = ["knocks", "cells"]\n'}, r"^f\.toml: record\[1\]: "),
    ({"top": TOP + 'record = ["knocks", "knocks"]\n'}, r"^f\.toml: record: 'knocks' stands twice$"),
    ({"top": TOP + 'metric = "luck"\n'}, r"^f\.toml: metric: .*, not 'luck'$"),
    ({"top": TOP + 'unit = "match"\n'}, r"^f\.toml: unit: "),
    ({"top": TOP + 'score = "3"\n'}, r"^f\.toml: score: '3': expected points"),
    ({"top": TOP + 'dealer = "c"\n'}, r"^f\.toml: dealer: "),
    ({"top": TOP + 'strategy_files = ["none.py"]\n'}, r"^f\.toml: strategy_files\[0\]: .*none\.py"),
    ({"sides": 'a = "threshold({k})"'}, r"^f\.toml: strategies\.b: missing, and no axis sets it$"),
    ({"sides": 'a = "threshold({k})"\nb = 3'}, r"^f\.toml: strategies\.b: "),
    ({"sides": 'a = "threshold({j})"\nb = "gold"'}, r"strategies\.a: \{j\} in .* has no axis$"),
    ({"rules": 'base = "nope"'}, r"^f\.toml: rules\.base: unknown rules 'nope'"),
    ({"rules": 'base = "bga_solo"'}, r"^f\.toml: rules\.base: solo"),
    ({"rules": "gin_bonus = -3"}, r"^f\.toml: rules\.gin_bonus: gin_bonus=-3"),
    ({"rules": "gin_bonus = [3]"}, r"^f\.toml: rules\.gin_bonus: "),
    ({"rules": "gin = 3"}, r"^f\.toml: rules\.gin: no such rule"),
    ({"rules": 'shutout = "some"'}, r"^f\.toml: rules\.shutout: .* expected one of double_hands"),
    ({"rules": "gin_bonus = {a = 1}"}, r"^f\.toml: rules\.gin_bonus: expected a number"),
    ({"axes": "k = 3"}, r"^f\.toml: axes\.k: expected a list of values, not 3$"),
    ({"axes": "k = []"}, r"^f\.toml: axes\.k: no values$"),
    ({"axes": "k = [1, [2]]"}, r"^f\.toml: axes\.k\[1\]: expected a number"),
    ({"axes": "k = [1, nan]"}, r"^f\.toml: axes\.k\[1\]: "),
    ({"axes": "k = [1, 1]"}, r"^f\.toml: axes\.k\[0\]: 1 stands twice$"),
    ({"axes": "k = [1, 11]"}, r"^f\.toml: axes\.k\[1\]: threshold\(k=11\)"),
    ({"axes": "k = [1, {k = 2}]"}, r"^f\.toml: axes\.k: expected either scalars or tables"),
    ({"axes": "z = [1]"}, r"^f\.toml: strategies\.a: \{k\} in"),
    ({"axes": "k = [1]\nz = [1]"}, r"^f\.toml: axes\.z: sets nothing; z is no rule"),
    ({"axes": "k = [1]\nt = [{k = 2}]"}, r"^f\.toml: axes\.t\[0\]: k is set by axes\.k too$"),
    (
        {"axes": 'k = [1]\nt = [{label = "x"}]'},
        r"^f\.toml: axes\.t\[0\]: sets nothing; repeat a value that holds anyway$",
    ),
    ({"axes": "k = [{k = 1}]"}, r"^f\.toml: axes\.k\[0\]\.k: an axis of tables has a name of its own"),
    ({"axes": "k = [1]\nt = [{z = 1}]"}, r"^f\.toml: axes\.t\[0\]\.z: sets nothing"),
    ({"axes": 'k = [1]\nb = ["gold", "nope"]'}, r"^f\.toml: axes\.b\[1\]: unknown strategy 'nope'"),
    ({"axes": 'k = [1]\nbase = ["eaai", "nope"]'}, r"^f\.toml: axes\.base\[1\]: unknown rules"),
    ({"axes": 'k = [1]\nscore = ["0:0", "100:0"]'}, r"^f\.toml: axes\.score\[1\]: 100:0: the game ends"),
    ({"axes": "k = [1]\ngin_bonus = [1, -2]"}, r"^f\.toml: axes\.gin_bonus\[1\]: gin_bonus=-2"),
    ({"axes": "k = [1]\nt = [{gin_bonus = 1}, {gin_bonus = -2}]"}, r"axes\.t\[1\]\.gin_bonus: gin_bonus=-2"),
    (
        {"rules": "match_length = 2", "axes": 'k = [1]\nmatch_type = ["best_of"]'},
        r"^f\.toml: rules\.match_length: match_length=2: best of an odd number$",
    ),
    (
        {"axes": 'k = [1, 2]\na = ["gold"]'},
        r"^f\.toml: axes\.k: sets nothing",
    ),
    (
        {"axes": 'k = [1, 2]\na = ["threshold({k})", "gold"]'},
        r"^f\.toml: axes: the cells \(k = 1, a = gold\) and \(k = 2, a = gold\) are alike$",
    ),
]


@pytest.mark.parametrize(("parts", "told"), REFUSED, ids=[told for _, told in REFUSED])
def test_what_is_wrong_is_told_with_its_place(parts: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told) as caught:
        read(**parts)
    assert "\n" not in str(caught.value)


def test_two_wrong_strategies_are_told_apart() -> None:
    with pytest.raises(UsageError, match=r"axes\.early\[0\] and axes\.late\[1\]: two_stage"):
        read(sides='a = "two_stage({early}, {late})"\nb = "gold"', axes="early = [9]\nlate = [3, 12]")


def test_a_score_that_a_cell_cannot_begin_at_is_found_before_play() -> None:
    experiment = read(top=TOP + 'score = "10:20"\n', axes='k = [1]\nbase = ["eaai", "hollywood"]')
    with pytest.raises(UsageError, match=r"cell 1 \(k = 1, base = hollywood\): score 10:20"):
        check_playable(experiment)


# --- files ---------------------------------------------------------------------------------------


def test_a_file_with_a_strategy_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "gold.py").write_bytes((ROOT / "docs" / "examples" / "my_gold.py").read_bytes())
    file = tmp_path / "mine.toml"
    file.write_text(TOP + 'strategy_files = ["gold.py"]\n[strategies]\na = "my_gold"\nb = "gold"\n')
    experiment = Experiment.from_toml(file)
    assert experiment.cells[0].a.startswith("my_gold(")
    assert experiment.to_dict()["strategy_files"] == ["gold.py"]
    assert experiment.changed(seed=2).cells[0].seed == 2


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nope: No such file.*; built in: bonuses, "):
        Experiment.from_toml("nope")
    binary = tmp_path / "x.toml"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not a text file"):
        Experiment.from_toml(binary)


# --- built in ------------------------------------------------------------------------------------


def test_what_comes_with_the_package() -> None:
    sizes = {name: len(Experiment.from_toml(name).cells) for name in builtin_names()}
    assert sizes == {
        "bonuses": 3 * 3 * 6,
        "first_mover": 5 * 3 * 2,
        "knock_threshold_by_undercut": 11 * 12 * 5,
        "oklahoma": 5 * 6,
        "two_stage_grid": 55 * 15,
        "variants": len(preset_names()) - 1,
    }
    assert len(Experiment.from_toml("knock_threshold_by_undercut.toml").only(b="simple").cells) == 11 * 5


def test_variants_are_all_presets_for_two() -> None:
    (axis,) = Experiment.from_toml("variants").axes
    assert list(axis.labels) == [name for name in preset_names() if Rules.preset(name).solo is None]


def test_the_grid_is_every_pair_of_thresholds() -> None:
    cells = Experiment.from_toml("two_stage_grid").cells
    pairs = {(cell.keys["early"], cell.keys["late"]) for cell in cells}
    assert pairs == {(early, late) for early in range(11) for late in range(early)}
    assert {cell.labels[0] for cell in cells} == {f"{early}>{late}" for early, late in pairs}


@pytest.mark.parametrize("name", builtin_names())
def test_what_comes_with_the_package_plays(name: str) -> None:
    """The corners of each, two pairs a cell."""
    experiment = Experiment.from_toml(name)
    assert builtin_text(name).startswith("# ")
    assert experiment.spec.question.endswith("?")
    corners = {axis.name: {axis.labels[0], axis.labels[-1]} for axis in experiment.axes}
    part = experiment.only(corners).changed(pairs=2 if COMPILED else 1)
    results = part.run(threads=1)
    assert set(results.table("cells")["stopped"]) == {"pairs"}


def test_stages_double_to_the_end() -> None:
    assert stages(small(1000).spec) == [8, 16, 32, 63, 125, 250, 500, 1000]
    assert stages(small(1).spec) == [1]
    wide = small().changed(pairs=None, half_width=0.01, max_pairs=5000)
    assert stages(wide.spec) == [1000, 2000, 4000, 5000]


@pytest.mark.parametrize(
    "line",
    ["half_width = true", 'half_width = "0.01"', 'sprt = { s0 = "0.5", s1 = 0.6 }', f"pairs = {'9' * 9999}"],
)
def test_what_is_no_number_is_refused(line: str) -> None:
    with pytest.raises(UsageError, match="f.toml: "):
        read(top=f'title = "x"\nseed = 1\n{line}\n')


def test_a_whole_number_is_a_width() -> None:
    points = 'title = "x"\nseed = 1\nhalf_width = 1\nmetric = "points_per_hand"\n'
    assert read(top=points).spec.half_width == 1.0


def test_a_width_is_reached_on_both_sides() -> None:
    """A share of 1 whose interval is cut at 1 goes further down than half of it."""
    spec = read(top='title = "x"\nseed = 1\nhalf_width = 0.002\n').spec
    tally = Tally()
    moments = tally.rows["moments"]
    for i, x in (("one", 1), ("games", 2), ("games_a", 4)):
        for j, y in (("one", 1), ("games", 2), ("games_a", 4)):
            moments[0, OUTCOMES.index(i), OUTCOMES.index(j)] = 1000 * x * y
    assert stop(spec, 1000, tally) is None  # 0.9963 to 1
    assert stop(spec.model_copy(update={"half_width": 0.004}), 1000, tally) == "width"
