"""``ginlab best-reply``: fitted, told, written and played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis import cli_best_reply
from analysis.knocking import gain, reply
from sim._jit import COMPILED
from strategies.base import parse_strategy
from strategies.table_file import read_table
from tests.analysis.command_line import answer, refused, run, told, words

SMALL = ("--pairs", "200" if COMPILED else "3", "--iterations", "1", "--rules", "eaai", "--seed", "3")
GAMES = ("--games", "20" if COMPILED else "2", "--rules", "eaai")


def test_the_table_is_written_and_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    report = answer("best-reply", "--against", "simple", "--out", "table.parquet", *SMALL)
    assert report["plays_as"] == 'knock_table("table.parquet")'
    cells, _ = read_table("table.parquet")
    table = np.array(report["table"])
    steps = np.clip(np.arange(1, len(table) + 1) - cells.first, 0, cells.shares.shape[2] - 1)
    assert cells.axis in ("", "turn") and (cells.shares[0, 0, steps] == table).all()
    assert table.shape == (20, 11) and (table[:, 0] == 1).all()
    assert told(report["plays_as"], "simple", *GAMES)["hands"] > 0
    assert report["against"] == [{"strategy": "simple(pair_memory=true)", "weight": 1.0}]
    pairs = int(SMALL[1])
    # Three starts, validation, choosing, measuring, and the games.
    assert report["pairs_in_all"] == 6 * pairs + max(1, pairs // 4)
    for name in ("value", "gain_over_own", "gain_over_best_of_grid", "game_share"):
        assert report[name]["low"] <= report[name]["estimate"] <= report[name]["high"]
    assert len(report["rules_compared"]) == 1552
    names = {row["rule"]: row for row in report["rules_compared"]}
    assert report["gain_over_own"]["estimate"] == pytest.approx(names["own rule"]["gain"])
    assert names["own rule"]["value"] == pytest.approx(names["threshold(10)"]["value"])
    assert [row["iteration"] for row in report["trace"]] == [0, 0, 0, 1, 1, 1]
    assert sum(row["kept"] for row in report["trace"]) == 1


def test_the_same_seed_gives_the_same_table_whatever_the_threads() -> None:
    one = answer("best-reply", "--against", "simple", "--threads", "1", *SMALL)
    assert one == answer("best-reply", "--against", "simple", "--threads", "2", *SMALL)


def test_what_people_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = words("best-reply", "gin_only", "--against", "gold", "--out", "reply.csv", *SMALL)
    for text in (
        "A draws, discards as gin_only Against gold(threshold=10, hold_for_gin=false) Rules eaai",
        "turn 0 1 2 3 4 5 6 7 8 9 10 decisions",
        "A knock-only best-reply gain",
        "a lower bound of what can be won",
        "own rule",
        "How it was found",
        "kept",
        "Written to reply.csv",
        """It plays as 'knock_table("reply.csv")'""",
    ):
        assert text in shown
    parse_strategy('knock_table("reply.csv")')


@pytest.mark.requires_jit
def test_another_style_is_combined_and_a_mixture_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    report = answer(
        "best-reply", "heisenbot", "--against", "simple", "--against", "gold", "--weights", "0.3,0.7",
        "--out", "t.csv", "--score", "40:62", "--dealer", "b", *SMALL,
    )  # fmt: skip
    assert [member["weight"] for member in report["against"]] == [0.3, 0.7]
    assert report["score"] == [40, 62] and report["dealer"] == "b"
    plays = report["plays_as"]
    assert plays.startswith("combine(draw=heisenbot") and 'knock=knock_table("t.csv")' in plays
    assert told(plays, "simple", *GAMES)["files"] == {"t.csv": read_table("t.csv")[1]}
    shown = words(
        "best-reply", "heisenbot", "--against", "simple", "--against", "gold", "--weights", "0.3,0.7", *SMALL
    )
    assert "Against 30 % simple(pair_memory=true), 70 % gold(threshold=10, hold_for_gin=false)" in shown


@pytest.mark.requires_jit
def test_charts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    options = ("--chart", "map.svg", "--trace-chart", "trace")
    shown = words("best-reply", "--against", "simple", *options, *SMALL)
    assert shown.count("Drawn in") == 2
    for name in ("map", "trace"):
        for ending in (".svg", ".png", ".csv"):
            assert (tmp_path / f"{name}{ending}").stat().st_size > 200


def test_bad_input_is_refused(tmp_path: Path) -> None:
    against = ("best-reply", "--against", "simple")
    refused("best-reply", names="--against is missing")
    refused(*against, "--out", "table.txt", names="--out 'table.txt'")
    refused(*against, "--out", str(tmp_path / "no" / "t.csv"), names="there is no folder")
    refused(*against, "--chart", str(tmp_path / "no" / "t.svg"), names="--chart")
    refused(*against, "--weights", "0.5,0.5", names="2 for 1 opponents")
    refused(*against, "--weights", "half", names="--weights 'half'")
    refused(*against, "--against", "gold", "--weights", "0.5,0.6", names="sum to 1")
    refused(*against, "--pairs", "1", names="1 is not 2 or more")
    refused(*against, "--iterations", "0", names="0 is not 1-1000")
    refused(*against, "--rules", "bga_solo", names="bga_solo")
    refused(*against, "--score", "100:0", "--rules", "eaai", names="--score 100:0")
    refused("best-reply", "nobody", "--against", "simple", names="nobody")
    refused("best-reply", "monte_carlo(2)", "--against", "simple", names="plays on in thought")


@pytest.mark.parametrize("late", [False, True])
def test_an_interrupted_run_says_what_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(gain if late else reply, "measure_gain" if late else "record", stop)
    out = tmp_path / "t.csv"
    result = run("best-reply", "--against", "simple", "--out", str(out), *SMALL)
    assert result.exit_code == 130 and result.stdout == ""
    assert out.exists() == late
    if late:
        assert "interrupted at measuring; the table is in" in result.stderr
    else:
        assert "interrupted at iteration 1 from gin_only; nothing is kept" in result.stderr


def test_how_a_table_is_played_follows_the_style(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("deadwood,knock\n" + "".join(f"{points},1\n" for points in range(11)), encoding="utf-8")

    def plays(text: str) -> str:
        return str(cli_best_reply.playing(parse_strategy(text), path.as_posix()))

    table = f'knock_table("{path.as_posix()}")'
    assert plays("two_stage(10, 0, 6)") == plays("gold(4)") == table
    for text in (
        "marjj",
        "combine(draw=simple, knock=gold, discard=marjj)",
        "combine(gold, gin_only, simple)",
    ):
        told = plays(text)
        assert told.startswith("combine(draw=") and f"knock={table}" in told
        chosen, base = parse_strategy(told), parse_strategy(text)
        assert chosen.owner("draw") == base.owner("draw") and chosen.owner("discard") == base.owner("discard")
