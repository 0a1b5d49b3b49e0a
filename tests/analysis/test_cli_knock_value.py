"""The command ``knock-value``: what it tells, refuses, writes, and says when it is stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.charts.save import read_info
from analysis.knocking import value
from analysis.knocking.styles import RULES, SETTINGS
from analysis.knocking.value import knock_value
from sim._jit import COMPILED
from sim.rules import Rules
from strategies.base import parse_strategy, player
from tests.analysis.command_line import answer, refused, run, words

FEW = "400" if COMPILED else "20"
TWO = ("knock-value", "threshold(4)", "simple", "--rules", "eaai", "--games", FEW)


def test_json_is_the_table_of_the_library() -> None:
    told = answer(*TWO, "--population", "every", "--by", "deadwood", "--seed", "3", "--score", "40:62")
    assert (told["a"], told["population"], told["by"]) == ("threshold(k=4)", "every", ["deadwood"])
    assert (told["hands"], told["pairs"], told["interrupted"]) == (int(FEW), int(FEW) // 2, False)
    assert told["rules"]["preset"] == "eaai" and told["seed"] == 3 and told["score"] == [40, 62]
    assert "never knocks short of gin" in told["estimand"]
    known = knock_value(
        player(parse_strategy("threshold(4)")), player(parse_strategy("simple")), Rules.preset("eaai"),
        pairs=int(FEW) // 2, seed=3, population="every", by=("deadwood",), scores=(40, 62),
    )  # fmt: skip
    assert list(told["cells"][0]) == list(known.columns)
    found = pd.DataFrame(told["cells"]).astype(known.dtypes.to_dict())
    pd.testing.assert_frame_equal(found, known, check_exact=True)


def test_first_counts_hands_with_a_legal_knock() -> None:
    told = answer(*TWO)
    once = [row for row in told["cells"] if row["continuation"] == "once"]
    assert "knocks" not in once[0] and list(once[0])[:5] == [
        "own_turn", "deadwood", "continuation", "population", "hands",
    ]  # fmt: skip
    assert told["hands_with_a_legal_knock"] == sum(row["hands"] for row in once) <= int(FEW)
    assert "first legal knock" in told["estimand"]


@pytest.mark.requires_jit
def test_words() -> None:
    text = words(*TWO[:-1], "20_000", "--all")
    assert "A = threshold(k=4) B = simple(pair_memory=true)" in text
    assert "20,000 hands in mirrored pairs" in text and "seed 7" in text
    assert "knock now against decline now, then A's own knock rule" in text
    assert "knock now against decline now, then never short of gin" in text
    assert "deadwood \\ own_turn" in text and "K: knock, w: wait, ?: undecided" in text
    assert "Blank: fewer than 100 hands." in text and "undercut %" in text
    table = knock_value(
        player(parse_strategy("threshold(4)")), player(parse_strategy("simple")), Rules.preset("eaai"),
        pairs=10_000, seed=7,
    )  # fmt: skip
    shown = table[(table["hands"] >= 100) & (table["continuation"] == "gin")]
    signs = shown["verdict"].value_counts()
    assert f"gin: knock in {signs.get('knock', 0)} of {len(shown)} cells, wait in {signs['wait']}" in text
    worst = shown.loc[shown["delta"].idxmin()]
    assert f"{worst['delta']:.1f}w" in text


def test_cells_of_other_axes_are_told_row_by_row() -> None:
    text = words(*TWO, "--by", "deadwood")
    assert "deadwood h" in text and "verdict" in text and "\\" not in text


@pytest.mark.requires_jit
def test_files(tmp_path: Path) -> None:
    chart, csv, undercut = tmp_path / "map", tmp_path / "cells.csv", tmp_path / "undercut"
    large = (*TWO[:-1], "20_000")
    told = answer(*large, "--chart", str(chart), "--csv", str(csv), "--undercut-chart", str(undercut))
    written = pd.read_csv(csv)
    assert len(written) == len(told["cells"])
    assert np.allclose(written["delta"], [row["delta"] for row in told["cells"]])
    info = read_info(chart.with_suffix(".csv"))
    enough = [row for row in told["cells"] if row["hands"] >= 100]
    assert info["delta"].tolist() == [row["delta"] for row in enough]
    assert info["verdict"].tolist() == [row["verdict"] for row in enough]
    svg = chart.with_suffix(".svg").read_text()
    assert "Knock or wait?" in svg and chart.with_suffix(".png").stat().st_size > 10_000
    lines = read_info(undercut.with_suffix(".csv"))
    known = {
        (str(row["own_turn"]), row["deadwood"]): row["p_undercut"]
        for row in enough
        if row["continuation"] == "once" and row["deadwood"] > 0
    }
    assert len(lines) == len(known)
    for x, line, value_of in zip(lines["x"], lines["line"], lines["estimate"], strict=True):
        assert known[str(x), int(line.split()[0])] == value_of
    loose = tmp_path / "loose"
    assert "Drawn in" in words(*large, "--by", "loose,deadwood", "--chart", str(loose))
    assert "Nearer gin, knock less?" in loose.with_suffix(".svg").read_text()


def test_charts_need_hands(tmp_path: Path) -> None:
    result = run(*TWO[:-1], "20", "--chart", str(tmp_path / "map"))
    assert result.exit_code == 2 and "no cell holds 100 hands" in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.requires_jit
def test_styles(tmp_path: Path) -> None:
    asked = (
        "knock-value",
        "threshold(10)",
        "--styles",
        "--rules",
        "eaai",
        "--games",
        "4",
        "--by",
        "deadwood",
    )
    told = answer(*asked, "--csv", str(tmp_path / "signs.csv"))
    assert told["styles"] == ["gold", "marjj", "heisenbot"] and len(told["opponents"]) == 4
    assert told["knock"] == "threshold(k=10)" and told["pairs"] == 2
    assert all(
        sum(row[name] for name in ("knock", "wait", "undecided", "too_few")) == len(SETTINGS)
        for row in told["cells"]
    )
    least = told["least_worst_case_loss"]
    assert len(least["rules"]) == len(RULES) and least["rules"][0]["rule"] == least["rule"]
    assert set(least["loss"]) == {"estimate", "low", "high"} and len(least["settings"]) == len(SETTINGS)
    assert least["loss"]["estimate"] == max(row["loss"] for row in least["settings"])
    assert len(pd.read_csv(tmp_path / "signs.csv")) == len(told["cells"])
    text = words(*asked)
    assert f"The knock rule with the least worst-case loss is {least['rule']}" in text
    assert "Styles gold, marjj, heisenbot" in text


@pytest.mark.parametrize(
    ("extra", "names"),
    [
        (("--population", "all"), "population 'all'"),
        (("--by", "deadwood,hand"), "unknown axis 'hand'"),
        (("--by", "deadwood,deadwood"), "named twice"),
        (("--by", "deadwood,"), "unknown axis ''"),
        (("--games", "0"), "--games 0"),
        (("--games", "3"), "--games 3"),
        (("--pairs", "0"), "--pairs 0"),
        (("--score", "100:0"), "--score 100:0"),
        (("--dealer", "c"), "--dealer 'c'"),
        (("--rules", "bga_solo"), "bga_solo"),
        (("--styles",), "leave B out"),
        (("--by", "stock", "--chart", "map"), "--chart"),
        (("--by", "loose,deadwood", "--undercut-chart", "map"), "--undercut-chart"),
        (("--csv", "no_such_folder/cells.csv"), "no_such_folder"),
    ],
)
def test_bad_input_is_refused_in_a_line(extra: tuple[str, ...], names: str) -> None:
    refused("knock-value", "gold", "simple", *extra, names=names)


def test_sides_are_checked() -> None:
    refused("knock-value", "gold", names="B is missing")
    refused("knock-value", "gold", "nobody", names="nobody")
    refused("knock-value", "gold", "--styles", "--chart", "map", names="no chart of --styles")


def test_ctrl_c_tells_the_hands_that_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    real = value.fork_chunks

    def cut(*sides: Any, **options: Any) -> Any:
        yield from real(*sides, **{**options, "pairs": 5})
        raise KeyboardInterrupt

    monkeypatch.setattr(value, "fork_chunks", cut)
    result = run(*TWO[:-1], "100", "--by", "deadwood", "--json")
    assert result.exit_code == 130
    told = json.loads(result.stdout)
    assert told["interrupted"] and told["pairs"] == 5
    shown = run(*TWO[:-1], "100", "--by", "deadwood")
    assert shown.exit_code == 130
    assert shown.stdout.startswith("Interrupted: what follows are the first 5 of 50 pairs.")
    assert "fixed beforehand, and this run was stopped" in " ".join(shown.stdout.split())
    monkeypatch.undo()
    assert told["cells"] == answer(*TWO[:-1], "10", "--by", "deadwood")["cells"]

    def nothing(*sides: Any, **options: Any) -> Any:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(value, "fork_chunks", nothing)
    early = run(*TWO)
    assert early.exit_code == 130 and early.stdout == "" and "before any hands" in early.stderr
