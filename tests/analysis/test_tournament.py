"""Tournaments: every number against the matches they are made of, circles of three, and the command line."""

from __future__ import annotations

import dataclasses
import json
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from analysis import match as match_module
from analysis.cli import app
from analysis.console import UsageError
from analysis.match import match_report
from analysis.metrics import group_sums
from analysis.ratings import elo
from analysis.request import Tournament
from analysis.tournament import intransitive, label, tournament_report, wins_by_group
from analysis.tournament_text import (
    circle_lines,
    departure_lines,
    gap_lines,
    rating_text,
    remarks,
    share_cell,
)
from sim._jit import COMPILED
from sim.rules import Rules
from sim.run import Run, play_match
from strategies.base import parse_strategy, player
from tests.analysis.command_line import environment

ROOT = Path(__file__).resolve().parent.parent.parent
TEXTS = ("simple", "gold", "gin_only", "random")
PAIRS = 150 if COMPILED else 3
FEW = "40" if COMPILED else "2"


def request(*texts: str, preset: str = "eaai", pairs: int = PAIRS, seed: int = 5) -> Tournament:
    sides = tuple(parse_strategy(text) for text in texts or TEXTS)
    return Tournament(sides, Rules.preset(preset), preset, (), pairs, seed)


def play(told: Tournament, first: int = 0, pairs: int | None = None) -> list[Run]:
    return [
        play_match(
            player(one.a), player(one.b), one.rules, pairs=pairs or told.pairs, seed=told.seed, first=first
        )
        for one in told.matches()
    ]


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    return play(request())


@pytest.fixture(scope="module")
def report(runs: list[Run]) -> dict[str, Any]:
    return tournament_report(request(), runs)


# --- numbers -------------------------------------------------------------------------------------


def test_pairings_tell_what_their_matches_tell(report: dict[str, Any], runs: list[Run]) -> None:
    names = ["A", "B", "C", "D"]
    assert [(row["a"], row["b"]) for row in report["pairings"]] == [
        (one, other) for at, one in enumerate(names) for other in names[at + 1 :]
    ]
    for row, match, run in zip(report["pairings"], request().matches(), runs, strict=True):
        told = match_report(match, run)
        for key in ("games", "hands", "decisive", "game_share", "hand_share"):
            assert row[key] == told[key]
        assert row["points_per_hand"] == told["points_per_hand"]["difference"]
        assert row["first_mover_game_share"] == told["first_mover"]["game_share"]
        assert row["nondealer_hand_share"] == told["first_mover"]["hand_share"]
        undecided = {name: row["undecided"][name]["estimate"] * told["hands"] for name in row["undecided"]}
        assert undecided["void"] == pytest.approx(told["endings"]["void"])
        assert undecided["capped"] == pytest.approx(told["endings"]["capped"])
        assert undecided["void_or_capped"] == pytest.approx(undecided["void"] + undecided["capped"])
    assert report["pairs"] == PAIRS and report["games"] == 12 * PAIRS
    assert report["rules"]["hash"] == Rules.preset("eaai").hash


def test_the_matrix_is_the_pairings_and_their_reverse(report: dict[str, Any]) -> None:
    matrix = report["game_share"]
    for row in report["pairings"]:
        i, j = "ABCD".index(row["a"]), "ABCD".index(row["b"])
        assert matrix[i][j] == row["game_share"]
        there, back = matrix[i][j], matrix[j][i]
        assert back["estimate"] == pytest.approx(1 - there["estimate"])
        assert (back["low"], back["high"]) == pytest.approx((1 - there["high"], 1 - there["low"]))
    assert [matrix[i][i] for i in range(4)] == [None] * 4


def test_seats_and_void_hands_of_all_pairings(report: dict[str, Any]) -> None:
    rows = report["pairings"]
    for key, weight in (("first_mover_game_share", "games"), ("nondealer_hand_share", "decisive")):
        told = sum(row[key]["estimate"] * row[weight] for row in rows) / sum(row[weight] for row in rows)
        assert report[key]["estimate"] == pytest.approx(told)
        assert report[key]["low"] <= told <= report[key]["high"]
    void = sum(row["undecided"]["void_or_capped"]["estimate"] * row["hands"] for row in rows)
    assert report["undecided"]["void_or_capped"]["estimate"] == pytest.approx(void / report["hands"])


def test_wins_by_group_are_those_of_single_pairs() -> None:
    told = request("simple", "gold", "gin_only")
    runs = play(told, 126, 4)
    wins = wins_by_group(3, told.pairings(), [group_sums(run.tally) for run in runs])
    assert wins.shape == (4, 3, 3)
    total = np.zeros((4, 3, 3))
    for at, pair in enumerate((128, 129, 126, 127)):  # groups 0, 1, 126, 127
        for (i, j), run in zip(told.pairings(), play(told, pair, 1), strict=True):
            total[at, i, j] = run.tally.outcome("games_a") / 2
            total[at, j, i] = run.tally.outcome("games") - total[at, i, j]
    assert (wins == total).all()


@pytest.mark.requires_jit  # needs more than a few games
def test_who_loses_all_stands_last_without_a_rating(report: dict[str, Any]) -> None:
    last = report["strategies"][3]
    assert report["order"][-1] == "D" and last["class"] == 2 and last["rating"]["estimate"] is None
    rated = [one["rating"] for one in report["strategies"][:3]]
    assert sum(one["estimate"] for one in rated) == pytest.approx(0, abs=1e-9)
    assert all(one["low"] < one["estimate"] < one["high"] for one in rated)
    best = {one["label"]: one["rating"]["estimate"] for one in report["strategies"]}
    assert report["order"][:3] == sorted("ABC", key=lambda name: -best[name])
    (gap,) = report["gaps"]
    assert (gap["above"], gap["below"]) == (["A", "B", "C"], ["D"])
    assert gap["least"] == pytest.approx(elo(0.025 ** (1 / PAIRS)))  # of so many pairs all won
    text = " ".join(gap_lines(report))
    assert f"D lost every game to A B C; by the intervals each is {gap['least']:.0f} Elo or more" in text


@pytest.mark.requires_jit
def test_more_decks_narrow_the_intervals() -> None:
    few, many = (
        tournament_report(told, play(told))
        for told in (request("simple", "gold", "gin_only", pairs=pairs) for pairs in (256, 4096))
    )
    for one, other in zip(few["strategies"], many["strategies"], strict=True):
        widths = [told["rating"]["high"] - told["rating"]["low"] for told in (one, other)]
        assert 0.15 < widths[1] / widths[0] < 0.4  # a quarter, but for chance


def test_runs_of_other_pairs_are_refused(runs: list[Run]) -> None:
    with pytest.raises(ValueError, match="one run a pairing"):
        tournament_report(request(), runs[:-1])
    with pytest.raises(ValueError, match="same pairs"):
        tournament_report(request(), [*runs[:-1], play(request(), 0, 1)[-1]])


def test_matches_of_several_games() -> None:
    told = request("gold", "gin_only", preset="tournament", pairs=2)
    report = tournament_report(told, play(told))
    (row,) = report["pairings"]
    assert report["pairs"] == 2 and report["games"] > 4 and row["matches"] == 4
    assert row["match_share"] == match_report(told.matches()[0], play(told)[0])["match_share"]
    assert "shares and ratings are of their games" in remarks(report)[-1]


def test_a_fixed_dealer_is_told() -> None:
    told = request("gold", "gin_only", preset="openspiel", pairs=2)
    text = " ".join(remarks(tournament_report(told, play(told))))
    assert "named second in a pairing always deals" in text


# --- circles -------------------------------------------------------------------------------------


def shares(*wins: tuple[int, int, float, float, float]) -> list[list[Any]]:
    """Return a matrix from rows i, j, low, share, high."""
    size = 1 + max(max(i, j) for i, j, *_ in wins)
    matrix: list[list[Any]] = [[None] * size for _ in range(size)]
    for i, j, low, value, high in wins:
        matrix[i][j] = {"estimate": value, "low": low, "high": high}
        matrix[j][i] = {"estimate": 1 - value, "low": 1 - high, "high": 1 - low}
    return matrix


def test_stone_scissors_paper() -> None:
    sure = (0.51, 0.55, 0.59)
    (told,) = intransitive(shares((0, 1, *sure), (1, 2, *sure), (2, 0, *sure)), "ABC")
    assert told["circle"] == ["A", "B", "C"] and told["significant"]
    assert [one["estimate"] for one in told["shares"]] == [0.55] * 3
    (told,) = intransitive(shares((1, 0, *sure), (2, 1, *sure), (0, 2, 0.49, 0.53, 0.57)), "ABC")
    assert told["circle"] == ["A", "C", "B"] and not told["significant"]
    assert [one["estimate"] for one in told["shares"]] == pytest.approx([0.53, 0.55, 0.55])
    assert intransitive(shares((0, 1, *sure), (1, 2, *sure), (0, 2, *sure)), "ABC") == []
    assert intransitive(shares((0, 1, *sure), (1, 2, *sure), (2, 0, 0.45, 0.5, 0.55)), "ABC") == []


def test_circles_among_four_significant_first() -> None:
    sure, weak = (0.51, 0.55, 0.59), (0.49, 0.55, 0.61)
    matrix = shares((0, 1, *sure), (1, 2, *weak), (2, 0, *sure), (1, 3, *sure), (3, 0, *sure), (2, 3, *sure))
    told = intransitive(matrix, "ABCD")
    assert [(one["circle"], one["significant"]) for one in told] == [
        (["A", "B", "D"], True),
        (["A", "B", "C"], False),
    ]
    lines = circle_lines({"intransitive": told, "strategies": [None] * 4})
    first = "A beats B (55.0 %), B beats D (55.0 %), D beats A (55.0 %)"
    assert lines[0] == f"Intransitive, all three intervals beyond 50 %: {first}."
    assert lines[-1].endswith("not shown by the intervals: A > B > C > A.")


def test_circles_told_are_counted() -> None:
    one = {"circle": ["A", "B", "C"], "shares": [], "significant": False}
    (line,) = circle_lines({"intransitive": [one] * 9, "strategies": [None] * 5})
    assert line.count("A > B > C > A") == 6 and line.endswith("and 3 more.")
    assert circle_lines({"intransitive": [], "strategies": [None] * 3}) == ["Intransitive triples: none."]
    assert circle_lines({"intransitive": [], "strategies": [None] * 2}) == []


# --- words ---------------------------------------------------------------------------------------


def test_labels() -> None:
    assert [label(at) for at in (0, 1, 25, 26, 27, 51, 52, 701, 702)] == [
        "A", "B", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA",
    ]  # fmt: skip


def test_texts() -> None:
    assert rating_text({"estimate": 91.6, "low": 87.6, "high": 95.6}) == "+92 ±4"
    assert rating_text({"estimate": -1.26, "low": -2.46, "high": -0.06}) == "-1.3 ±1.2"
    assert rating_text({"estimate": -636.2, "low": None, "high": None}) == "-636 (no interval)"
    assert rating_text({"estimate": None, "low": None, "high": None}) == "none"
    assert share_cell(None) == "-"
    assert share_cell({"estimate": 0.57, "low": 0.56, "high": 0.58}) == "57.0 ±1.0*"
    assert share_cell({"estimate": 0.43, "low": 0.42, "high": 0.44}) == "43.0 ±1.0*"
    assert share_cell({"estimate": 0.51, "low": 0.49, "high": 0.53}) == "51.0 ±2.0"


def test_departures_are_told_largest_first() -> None:
    gaps = {"B": (0.02, 0.01, 0.03), "C": (-0.04, -0.05, -0.03), "D": (0.01, -0.01, 0.03)}
    rows = [
        {"a": "A", "b": name, "departure": dict(zip(("estimate", "low", "high"), gap, strict=True))}
        for name, gap in gaps.items()
    ]
    assert departure_lines({"pairings": rows}) == [
        "2 of 3 pairings depart from their ratings, most in % points: A v C -4.00 (-5.00 to -3.00), "
        "A v B +2.00 (1.00-3.00)."
    ]
    assert departure_lines({"pairings": rows[2:]}) == ["No pairing is shown to depart from its ratings."]
    none = {"departure": {"estimate": None, "low": None, "high": None}}
    assert departure_lines({"pairings": [none]}) == []


# --- the command ---------------------------------------------------------------------------------


def typed(*words: str, columns: int = 100) -> Any:
    return CliRunner().invoke(app, ["tournament", *words], env={"COLUMNS": str(columns)})


def test_json_is_the_library_s_report() -> None:
    words = (*TEXTS, "--rules", "eaai", "--games", FEW, "--seed", "5", "--threads", "2", "--json")
    result = typed(*words)
    assert result.exit_code == 0 and result.stderr == ""
    told = json.loads(result.stdout)
    asked = request(pairs=int(FEW) // 2)
    expected = json.loads(json.dumps(tournament_report(asked, play(asked)) | {"seconds": 0}))
    assert {**told, "seconds": 0} == expected


def test_settings_change_the_rules() -> None:
    words = ("gold", "gin_only", "--rules", "eaai", "--set", "gin_bonus=40", "--games", "2")
    told = json.loads(typed(*words, "--json").stdout)
    assert told["rules"]["fields"]["gin_bonus"] == 40 and told["rules"]["settings"] == ["gin_bonus=40"]
    assert "Rules eaai with gin_bonus=40: " in typed(*words).stdout


@pytest.mark.parametrize("columns", [80, 120])
def test_tables_fit(columns: int) -> None:
    texts = (*TEXTS, "threshold(4)", "two_stage", "combine(draw=gold, knock=gin_only, discard=simple)")
    result = typed(*texts, "--rules", "eaai", "--games", FEW, columns=columns)
    assert result.exit_code == 0, result.stderr
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    assert max(map(len, lines)) <= columns
    headers = [line.split() for line in lines if line.startswith("Games, %")]
    order = [word for header in headers for word in header[2:] if word != "v"]
    assert sorted(order) == list("ABCDEFG")
    assert [line.split()[0] for line in lines if " v " in line and line[1:4] == " v "] == [
        one for at, one in enumerate("ABCDEFG") for _ in "ABCDEFG"[at + 1 :]
    ]
    assert sum(line.startswith("all ") for line in lines) == 1
    told = " ".join(" ".join(lines).split())
    assert "7 strategies in 21 pairings" in told and "two_stage(early=10, late=0, switch=6)" in told


WRONG = {
    "one": (["gold"], "tournament of 1: gold("),
    "none": ([], "STRATEGY"),
    "twice": (["gold", "simple", "gold(10)"], "gold(threshold=10, hold_for_gin=false) is named twice"),
    "unknown": (["gold", "nobody"], "unknown strategy 'nobody'; known: "),
    "odd games": (["gold", "simple", "--games", "3"], "--games 3: "),
    "solo": (["gold", "simple", "--rules", "bga_solo"], "rules bga_solo: "),
    "bad value": (["gold", "simple", "--set", "gin_bonus=many"], "gin_bonus=many"),
    "no file": (["gold", "simple", "--strategy-file", "nowhere.py"], "strategy file nowhere.py"),
}


@pytest.mark.parametrize(("words", "text"), WRONG.values(), ids=WRONG)
def test_wrong_input_is_one_line(words: list[str], text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def unplayed(*_: Any, **__: Any) -> None:
        raise AssertionError("played")

    monkeypatch.setattr(match_module, "play", unplayed)
    result = typed(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    lines = [line for line in result.stderr.splitlines() if not line.startswith("Compiling")]
    assert len(lines) == 1 and lines[0].startswith("ginlab: ") and text in lines[0]


def test_the_library_refuses_the_same() -> None:
    with pytest.raises(UsageError, match="named twice"):
        request("gold", "gold(threshold=10)")
    with pytest.raises(UsageError, match="tournament of 0; expected"):
        Tournament((), Rules(), "default", (), 1, 7)


@pytest.mark.parametrize(("stop", "pairs"), [(1, None), (3, None), (4, 20), (9, 100), (10, 420)])
def test_a_stopped_tournament_keeps_whole_rounds(
    stop: int, pairs: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in the n-th run: only rounds that every pairing has played count."""
    made: list[int] = []
    told = request("gold", "simple", "gin_only", pairs=20 if COMPILED else 1)
    empty = play(told)[0]

    def quick(told: Any, threads: int, first: int, pairs: int, on_progress: Any) -> Run:
        made.append(first)
        return dataclasses.replace(empty, first=first, pairs=pairs, interrupted=len(made) == stop)

    monkeypatch.setattr(match_module, "play", quick)
    result = typed("gold", "simple", "gin_only", "--rules", "eaai", "--games", "9_600")
    assert result.exit_code == 130 and len(made) == stop
    if pairs is None:
        assert result.stdout == "" and "before every pairing had played a round" in result.stderr
    else:
        assert result.stdout.startswith(f"Interrupted: what follows are the first {pairs:,} of 4,800 pairs.")


# The command line, saying on stderr when every pairing has played a round.
DRIVER = """
import signal, sys
from analysis import match
from analysis.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)
play = match.play


def watched(told, threads, first, pairs, on_progress):
    if first:
        print("PLAYING", file=sys.stderr, flush=True)
    return play(told, threads, first, pairs, on_progress)


match.play = watched
main()
"""


@pytest.mark.requires_jit
@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send SIGINT to another process")
def test_interrupt_tells_what_was_played() -> None:
    """Ctrl-C itself: the JSON is that of a tournament of as many pairs; a minute to stop."""
    words = ["gold", "simple", "gin_only", "--rules", "eaai", "--threads", "2", "--json"]
    child = subprocess.Popen(
        [sys.executable, "-c", DRIVER, "tournament", *words, "--games", "1_000_000_000"],
        cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert child.stderr is not None
        while "PLAYING" not in (line := child.stderr.readline()):
            assert line, "the tournament ended before it began"
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
    finally:
        child.kill()
        child.wait()
    assert child.returncode == 130
    told = json.loads(out)
    assert told["interrupted"] is True and told["pairs"] >= 20
    fresh = json.loads(typed(*words, "--games", str(2 * told["pairs"])).stdout)
    for row in told["pairings"]:
        wide, narrow = row.pop("anytime")["game_share"], row["game_share"]
        assert wide["estimate"] == narrow["estimate"]
        assert wide["low"] < narrow["low"] and wide["high"] > narrow["high"]
    assert {**told, "interrupted": False, "seconds": 0} == {**fresh, "seconds": 0}


def test_examples_of_the_help_work() -> None:
    text = CliRunner().invoke(app, ["tournament", "--help"], env={"COLUMNS": "200"}).stdout
    examples = [line.strip() for line in text.splitlines() if line.strip().startswith("ginlab ")]
    assert len(examples) == 3
    for example in examples:
        words = shlex.split(example)[2:]
        if "--games" in words:
            at = words.index("--games")
            del words[at : at + 2]
        assert typed(*words, "--games", "2").exit_code == 0, example
