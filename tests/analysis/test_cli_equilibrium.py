"""``ginlab equilibrium`` and ``ginlab moves``: found, told, written and played."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from analysis.charts.save import read_info
from analysis.knocking import equilibrium, moves
from strategies.table_file import read_table
from tests.analysis.command_line import answer, refused, run, told, words

FEW = "200"
SOLVE = (
    "equilibrium", "--rules", "eaai", "--seed", "3", "--pairs", FEW, "--iterations", "4",
    "--measure-pairs", "128", "--grid-pairs", "128",
)  # fmt: skip
MOVE = (
    "moves", "gold", "simple", "--rules", "eaai", "--pairs", "128", "--fit-pairs", FEW, "--learn-pairs", FEW,
    "--iterations", "2", "--games", "256",
)  # fmt: skip


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the weights anew a few times only: each draw solves a linear programme."""
    monkeypatch.setattr(equilibrium, "DRAWS", 5)


@pytest.mark.requires_jit
def test_the_table_is_written_and_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    charts = ("--chart", "map", "--gain-chart", "gain.svg")
    report = answer(*SOLVE, "--out", "table.parquet", *charts)
    cells, _ = read_table("table.parquet")
    table = np.array(report["table"])
    steps = np.clip(np.arange(1, len(table) + 1) - cells.first, 0, cells.shares.shape[2] - 1)
    assert (cells.shares[0, 0, steps] == table).all() and (table[:, 0] == 1).all()
    found = told('knock_table("table.parquet")', "simple", "--games", "20")
    assert found["hands"] > 0
    assert [row["iteration"] for row in report["gains"]] == [1, 3, 4]
    assert all(row["low"] < row["gain"] < row["high"] for row in report["gains"])
    assert len(report["replies"]) == 57  # the grid and a fitted table
    assert {(row["own_turn"], row["deadwood"]) for row in report["cells"]} <= {
        (turn, deadwood) for turn in range(1, 21) for deadwood in range(11)
    }
    assert sum(row["estimate"] for row in report["grid"]["weights"]) == pytest.approx(1)
    assert report["grid"]["value"] == pytest.approx(0, abs=1e-9)
    assert report["grid"]["gain"]["low"] < report["grid"]["gain"]["high"]
    for name in ("map", "gain"):
        assert (tmp_path / f"{name}.png").stat().st_size > 1000
        assert "<desc>" in (tmp_path / f"{name}.svg").read_text(encoding="utf-8")
    drawn = read_info("map.csv").to_dict(orient="records")
    assert drawn == report["cells"]
    assert read_info("gain.csv")["gain"].tolist() == [row["gain"] for row in report["gains"]]


@pytest.mark.requires_jit
def test_the_same_seed_gives_the_same_answer_whatever_the_threads() -> None:
    assert answer(*SOLVE, "--threads", "1") == answer(*SOLVE, "--threads", "2")


@pytest.mark.requires_jit
def test_what_people_are_told() -> None:
    shown = words(*SOLVE)
    for text in (
        "Both draw, discard as gold(threshold=10, hold_for_gin=false) Rules eaai (",
        "by own turn (down) and deadwood (across)",
        "What the best reply wins from it, points a hand",
        "a lower bound of what can be won",
        "The grid of 56 rules: equilibrium weights in a hundred",
    ):
        assert text in shown


@pytest.mark.requires_jit
def test_rule_sets_are_told_side_by_side() -> None:
    report = answer(*MOVE, "--vary", "big-gin")
    assert [one["name"] for one in report["sets"]] == ["no big gin", "big gin 37"]
    assert [one["hands"] for one in report["sets"]] == [256, 256]
    assert {one["answer"] for one in report["levels"]} == {"fixed", "reply", "equilibrium"}
    for one in report["changes"]:
        parts = [one[name]["estimate"] for name in ("mechanical", "opponent", "adaptation")]
        assert sum(parts) == pytest.approx(one["total"]["estimate"], abs=1e-12)
    shown = words(*MOVE, "--vary", "big-gin")
    for text in (
        "A gold(threshold=10, hold_for_gin=false) B simple(pair_memory=true) Rules eaai varied: big-gin",
        "Edge of a hand, in hundredths of a standard deviation of its points",
        "rules fixed reply equilibrium",
        "rules answer old tables B adapts A adapts",
    ):
        assert text in shown


def test_bad_input_is_refused(tmp_path: Path) -> None:
    refused("equilibrium", "--out", "table.txt", names="--out 'table.txt'")
    refused("equilibrium", "--chart", str(tmp_path / "no" / "map"), names="--chart")
    refused("equilibrium", "--grid-pairs", "5", names="--grid-pairs 5")
    refused("equilibrium", "--measure-pairs", "5", names="5 is not 128 or more")
    refused("equilibrium", "--iterations", "0", names="0 is not 1-100000")
    refused("equilibrium", "monte_carlo(2)", names="plays on in thought")
    refused("equilibrium", "--rules", "bga_solo", names="bga_solo")
    refused("moves", "gold", "simple", "--vary", "weather", names="--vary 'weather'")
    refused("moves", "gold", "simple", "--games", "7", names="--games 7")
    refused("moves", "gold", "nobody", names="nobody")
    refused(
        "moves", "gold", "simple", "--vary", "target", "--set", "match_type=single_hand", names="single_hand"
    )


@pytest.mark.requires_jit
def test_an_interrupted_run_says_what_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(equilibrium, "judge", stop)
    result = run(*SOLVE, "--out", "table.csv")
    assert result.exit_code == 130 and result.stdout == ""
    assert result.stderr.startswith("ginlab: interrupted at measuring; the table is in table.csv, ")
    read_table("table.csv")
    monkeypatch.setattr(equilibrium, "learn", stop)
    assert run(*SOLVE).stderr == "ginlab: interrupted at self-play; nothing is kept\n"
    monkeypatch.setattr(moves, "measure", stop)
    result = run(*MOVE, "--vary", "target")
    assert result.exit_code == 130 and "interrupted at game to 100, nothing is kept" in result.stderr
