"""``ginlab equity``: measured, solved, told, written and drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from analysis import cli_equity
from analysis.knocking import outcomes
from analysis.knocking.equity import solve
from sim._jit import COMPILED
from sim.rules import Rules
from tests.analysis.command_line import answer, refused, run, words
from tests.analysis.knocking.players import of

TARGET = 30 if COMPILED else 4
SMALL = ("--rules", "eaai", "--set", f"game_target={TARGET}", "--pairs", "64", "--seed", "3")


def test_every_score_is_told(tmp_path: Path) -> None:
    file = tmp_path / "equity.csv"
    report = answer("equity", "gold", "simple", "--csv", str(file), *SMALL)
    assert report["hands"] == 256 and report["score_cells"] == 1 and report["asked_score"] is None
    rows = pd.DataFrame(report["rows"])
    assert len(rows) == 2 * TARGET**2
    assert (rows["win_low"] <= rows["win"]).all() and (rows["win"] <= rows["win_high"]).all()
    assert (rows["win"] != rows["win"].round(9)).any()
    assert not any(name.startswith("shutout") for name in rows)
    pd.testing.assert_frame_equal(rows, pd.read_csv(file))
    rules = Rules.preset("eaai").replace(game_target=TARGET)
    known = solve(outcomes.measure(of("gold"), of("simple"), rules, pairs=64, seed=3), rules)
    row = rows[(rows["dealer"] == "b") & (rows["score_a"] == 1) & (rows["score_b"] == 2)].iloc[0]
    found = known.at(1, 2, 1)
    for name in ("win", "margin"):
        told = [row[name], row[f"{name}_low"], row[f"{name}_high"]]
        assert told == pytest.approx([found[name].estimate, found[name].low, found[name].high], rel=1e-12)


def test_one_score_with_shutouts_and_dealer() -> None:
    start = ("--score", "1:0", "--dealer", "a")
    report = answer("equity", "gold", "simple", *SMALL, *start, "--set", "shutout=flat")
    (row,) = report["rows"]
    assert (row["dealer"], row["score_a"], row["score_b"]) == ("a", 1, 0)
    assert row["shutout_b"] == 0 < row["shutout_a"] <= 1  # who has a point is not shut out
    assert report["asked_score"] == [1, 0] and report["dealer"] == "a"


def test_words() -> None:
    shown = words("equity", "gold", "simple", *SMALL)
    for text in (
        "A = gold",
        "256 hands, 64 mirrored pairs with each dealer, seed 3; play is the same at all scores",
        "A wins the game, %, when A deals the next hand; A's points down, B's across",
        "percentage points or better (95 %)",
        "From 0:0",
        "as the rules say",
        "Final margin, points",
    ):
        assert text in shown
    assert "shuts" not in shown
    one = words("equity", "gold", "simple", *SMALL, "--score", "2:1", "--set", "shutout=flat")
    assert "From 2:1 (A:B)" in one and "A shuts B out" in one and "A's points down" not in one


@pytest.mark.requires_jit
def test_players_who_look_at_the_score_are_measured_apart() -> None:
    few = ("equity", "clinch", "gold", "--rules", "eaai", "--set", "game_target=12", "--seed", "3")
    report = answer(*few, "--pairs", "2000", "--score", "0:1")
    assert report["score_cells"] == 10 and report["hands"] == 8000  # up to 2 points alike, then each its own
    assert "in 4 cells of scores with play of their own" in words(*few, "--pairs", "600", "--step", "6")
    refused(*few, "--pairs", "1000", names="1000 pairs: expected 1280 or more, for 10 cells")
    refused(*few[:-4], "--set", "game_target=100", "--step", "1", names="step 1: 10000 cells")


@pytest.mark.requires_jit
def test_the_chart_is_written(tmp_path: Path) -> None:
    shown = words("equity", "gold", "simple", *SMALL, "--chart", str(tmp_path / "map"))
    assert "Drawn in" in shown
    assert all((tmp_path / f"map.{ending}").stat().st_size > 1000 for ending in ("svg", "png", "csv"))


def test_bad_input_is_refused(tmp_path: Path) -> None:
    pair = ("equity", "gold", "simple")
    refused(*pair, "--rules", "hollywood", names="columns=3")
    refused(*pair, "--rules", "tournament", names="match_type=best_of")
    refused(*pair, "--rules", "openspiel", names="match_type=single_hand")
    refused(*pair, "--score", "100:0", names="--score 100:0")
    refused(*pair, "--dealer", "c", names="--dealer 'c'")
    refused(*pair, "--pairs", "63", names="63 pairs")
    refused(*pair, "--csv", str(tmp_path / "no" / "x.csv"), names="there is no folder")
    refused("equity", "nobody", "simple", names="nobody")


def test_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli_equity, "_measure", stop)
    result = run("equity", "gold", "simple", *SMALL)
    assert result.exit_code == 130 and "nothing is kept" in result.stderr
