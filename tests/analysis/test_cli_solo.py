"""The solo commands as they are typed: ``ginlab solo`` and ``ginlab score`` of a solo ending."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from analysis.cli import app
from analysis.solo import Solo, play, solo_report
from analysis.stats.estimates import clopper_pearson
from sim._jit import COMPILED
from sim.rules import Rules, parse_overrides
from sim.solo import play_solo
from sim.solo_tally import SOLO_OUTCOMES
from strategies import base
from strategies.base import parse_strategy, player
from tests.analysis.test_cli_play import environment

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES: list[dict[str, Any]] = json.loads((ROOT / "tests" / "data" / "examples.json").read_text())
BGA_SOLO = Rules.preset("bga_solo")
GAMES = 300 if COMPILED else 4
TIMES = ("seconds", "games_per_second")


def typed(*words: str) -> Any:
    """Run a command in this process."""
    return CliRunner().invoke(app, list(words))


def told(*words: str) -> dict[str, Any]:
    """Return the JSON of a command without times."""
    result = typed(*words, "--json")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    report = json.loads(result.stdout)
    assert isinstance(report, dict)
    return {name: value for name, value in report.items() if name not in TIMES}


def is_one_line_about(result: Any, code: int, text: str) -> None:
    """Check an error: the exit code, one line on stderr that names the input, nothing on stdout."""
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr.startswith("ginlab: ") and result.stderr.count("\n") == 1
    assert result.stderr.endswith("\n") and "Traceback" not in result.stderr
    assert text in result.stderr


# --- solo: numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        (["gold"], {}),
        (["simple", "--rules", "bga_solo", "--seed", "0"], {"seed": 0}),
        (
            ["threshold(5)", "--set", "knock_limit=8", "--set", 'solo={"jokers": 2, "start": "eleven"}'],
            {"settings": ("knock_limit=8", 'solo={"jokers": 2, "start": "eleven"}')},
        ),
        (["two_stage(9, late=1)", "--score", "62:80"], {"scores": (62, 80)}),
    ],
    ids=["plain", "seed", "rules", "score"],
)
def test_json_is_the_library_s_report(words: list[str], fields: dict[str, Any]) -> None:
    asked = {"preset": "bga_solo", "settings": (), "seed": 7, "games": GAMES, **fields}
    rules = BGA_SOLO.replace(**parse_overrides(asked["settings"]))
    solo = Solo(parse_strategy(words[0]), rules, **asked)
    library = json.loads(json.dumps(solo_report(solo, play(solo, 1))))
    for threads in ("1", "2", "5"):
        report = told("solo", *words, "--games", str(GAMES), "--threads", threads)
        assert report == {name: value for name, value in library.items() if name not in TIMES}


def test_estimates_from_the_games_themselves() -> None:
    """Each estimate and interval again, from games played one at a time."""
    games = 60 if COMPILED else 3
    who = player(parse_strategy("threshold(6)"))
    rows = []
    for game in range(games):
        tally = play_solo(who, BGA_SOLO, games=1, first=game, seed=4).tally
        rows.append([tally.outcome(name) for name in SOLO_OUTCOMES])
    one = dict(zip(SOLO_OUTCOMES, np.array(rows, float).T, strict=True))
    report = told("solo", "threshold(6)", "--games", str(games), "--seed", "4")

    def mean(above: Any, below: Any) -> list[float]:
        estimate = above.sum() / below.sum()
        rest = above - estimate * below
        variance = games / (games - 1) * (rest**2).sum() / below.sum() ** 2
        half = stats.t.ppf(0.975, games - 1) * np.sqrt(variance)
        return [estimate, estimate - half, estimate + half]

    def numbers(estimate: dict[str, float]) -> list[float]:
        return [estimate["estimate"], estimate["low"], estimate["high"]]

    hands = report["points_per_hand"]
    for shown, above, below in (
        (hands["player"], one["points_player"], one["hands"]),
        (hands["joker"], one["points_joker"], one["hands"]),
        (hands["difference"], one["points_player"] - one["points_joker"], one["hands"]),
        (report["game_points"]["player"], one["score_player"], one["one"]),
        (report["game_points"]["joker"], one["score_joker"], one["one"]),
        (report["hands_per_game"], one["hands"], one["one"]),
        (report["turns_per_hand"], one["turns"], one["hands"]),
        (report["jokers_per_hand"], one["jokers"], one["hands"]),
        (report["turned"], one["turned"], one["ended"]),
    ):
        np.testing.assert_allclose(numbers(shown), mean(above, below), rtol=1e-9)
    share = report["game_share"]
    assert share["estimate"] == one["games"].sum() / (2 * games) == report["games_won"]["player"] / games
    assert 0 <= share["low"] <= share["estimate"] <= share["high"] <= 1
    assert report["games_won"]["player"] + report["games_won"]["joker"] == games == report["games"]
    assert report["unfinished"] == 0 and report["interrupted"] is False
    assert sum(report["endings"].values()) == report["hands"] == one["hands"].sum()


def test_games_that_all_go_one_way_have_the_exact_interval() -> None:
    report = told("solo", "random", "--games", str(GAMES))
    assert report["game_share"]["estimate"] == 0
    low, high = clopper_pearson(0, GAMES)
    assert (report["game_share"]["low"], report["game_share"]["high"]) == (low, high)
    assert "The joker beats random." in typed("solo", "random", "--games", str(GAMES)).stdout or not COMPILED


# --- solo: words ---------------------------------------------------------------------------------


def test_words() -> None:
    words = ["gold", "--games", str(GAMES), "--threads", "1"]
    report = told("solo", *words)
    result = typed("solo", *words)
    text = result.stdout
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Player = gold(" in text and "Rules bga_solo: knock at 10 or less, 3 jokers" in text
    assert f"{GAMES:,} solo games, {report['hands']:,} hands, seed 7" in text
    for name, kind in (("knock", "solo_knock"), ("gin", "solo_gin"), ("joker ended it", "solo_second_joker")):
        row = next(line for line in text.splitlines() if line.startswith(f"{name}  "))
        assert f" {report['endings'][kind]:,} (" in row
    rows = [line for line in text.splitlines() if re.match("(Games won|Points a hand|Points a game)  ", line)]
    assert len(rows) == 3
    assert all(len(re.findall(r"[\d.]+( %)? \([\d.]+-[\d.]+\)", row)) == 2 for row in rows)
    share = f"{100 * report['game_share']['estimate']:.1f} %"
    assert share in rows[0] or not COMPILED
    assert "games a second" in text
    assert all(len(line.rstrip()) <= 100 for line in text.splitlines())


def test_help_has_examples_that_work() -> None:
    text = typed("solo", "--help").stdout
    examples = [line.strip() for line in text.splitlines() if line.strip().startswith("ginlab ")]
    assert len(examples) == 3
    for example in examples:
        words = [word for word in shlex.split(example)[1:] if word not in ("--games", "1_000_000")]
        assert typed(*words, "--games", "2").exit_code == 0, example


# --- solo: errors --------------------------------------------------------------------------------

WRONG = {
    "no games": (["--games", "0"], "--games"),
    "not whole": (["--games", "1e6"], "--games"),
    "unknown rules": (["--rules", "nobodys"], "nobodys"),
    "two players": (["--rules", "eaai"], "solo=null"),
    "without meaning": (["--set", "columns=3", "--set", "column_multipliers=[1, 1, 1]"], "columns=3"),
    "match": (["--set", "match_type=best_of", "--set", "match_length=3"], "match_type=best_of"),
    "opening": (["--set", "opening=eleven_ten"], "opening=eleven_ten"),
    "bonus": (["--set", "gin_bonus=25"], "gin_bonus=25"),
    "jokers": (["--set", 'solo={"jokers": 9}'], "solo.jokers=9"),
    "unknown field": (["--set", 'solo={"joker": 1}'], "solo.joker"),
    "score": (["--score", "62"], "62"),
    "score too high": (["--score", "0:100"], "0:100"),
    "seed": (["--seed", "-1"], "--seed"),
    "threads": (["--threads", "0"], "--threads"),
    "missing file": (["--strategy-file", "nowhere.py"], "nowhere.py"),
    "unknown option": (["--pairs", "4"], "--pairs"),
    "too many words": (["simple"], "simple"),
}


@pytest.mark.parametrize(("words", "text"), WRONG.values(), ids=WRONG)
def test_wrong_input_is_named(words: list[str], text: str) -> None:
    is_one_line_about(typed("solo", "gold", *words), 2, text)


@pytest.mark.parametrize("text", ["nobody", "threshold(k=-1)", "threshold(", ""])
def test_wrong_strategies_are_named(text: str) -> None:
    is_one_line_about(typed("solo", text), 2, text.split("(")[0] or "''")


def test_no_strategy() -> None:
    is_one_line_about(typed("solo"), 2, "missing argument 'STRATEGY'")


BROKEN = """if view.turn > 0:
        raise ValueError('broken')
    return view.hand"""

FAULTY = """
from dataclasses import dataclass
from sim.view import discard_rule
from strategies.base import Decisions, Strategy, strategy
GOLD = "strategies.compiled.gold"

@discard_rule
def discard(view):
    {body}

@strategy("faulty")
@dataclass(frozen=True)
class Faulty(Strategy):
    "Throw what it should not."

    decisions = Decisions(GOLD, GOLD, __name__)
"""


@pytest.mark.parametrize(
    ("body", "message"),
    [("return 0", "discards a card it may not discard (no card)"), (BROKEN, "ValueError: broken")],
)
def test_a_faulty_strategy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, message: str) -> None:
    base.registered()
    monkeypatch.setattr(base, "_REGISTRY", dict(base._REGISTRY))
    file = tmp_path / "faulty.py"
    file.write_text(FAULTY.format(body=body), encoding="utf-8")
    result = typed("solo", "faulty", "--strategy-file", str(file), "--games", "3", "--threads", "1")
    is_one_line_about(result, 1, message)
    assert "faulty" in result.stderr and "seed 7, game 0, hand 0" in result.stderr


# The command line, pressing Ctrl-C itself when some games have been played.
DRIVER = """
import signal
from analysis import solo
from analysis.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)
play, pressed = solo.play, []


def watched(told, threads, on_progress=None):
    def progress(state):
        if state.games and not pressed:
            pressed.append(state.games)
            signal.raise_signal(signal.SIGINT)
    return play(told, threads, progress)


solo.play = watched
main()
"""


@pytest.mark.parametrize("as_json", [True, False], ids=["json", "words"])
def test_ctrl_c_shows_what_was_played(as_json: bool) -> None:
    words = ["solo", "gold", "--seed", "3", "--games", "1_000_000_000"]
    command = [sys.executable, "-c", DRIVER, *words, *(["--json"] if as_json else [])]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False, timeout=300
    )
    assert (done.returncode, done.stderr) == (130, "")
    if not as_json:
        first, *rest = done.stdout.splitlines()
        found = re.fullmatch(r"Interrupted: .* first ([\d,]+) of 1,000,000,000 games\.", first)
        assert found is not None and any(line.startswith(f"{found[1]} solo games") for line in rest)
        return
    report = json.loads(done.stdout)
    assert report.pop("interrupted") is True and 0 < report["games"] < 1_000_000_000
    fresh = told("solo", "gold", "--seed", "3", "--games", str(report["games"]))
    assert {**{name: report[name] for name in report if name not in TIMES}, "interrupted": False} == fresh


# --- score ---------------------------------------------------------------------------------------

KNOCK = "3H 4H 5H 9S 9D 9C JD QD KD 6C"
GIN_HAND = "AS 2S 3S 4S 7H 7D 7C JD QD KD"
LOOSE = "AS 2S 3S 9H 9D KC QH 7C 5D 4C"
STOCK = "7S 2C KH 4S JK 8D 3C JK"


def score(*words: str, knocker: str = KNOCK) -> tuple[str, ...]:
    return ("score", "--rules", "bga_solo", "--knocker", knocker, *words)


def test_example_e40() -> None:
    (one,) = (example for example in EXAMPLES if example["kind"] == "solo")
    words = score("--stock-cards", " ".join(one["stock_top_first"]), "--jokers-out", "1")
    report = told(*words)
    assert report == {
        "end": "solo_knock",
        "points_knocker": 5,
        "points_defender": 6,
        "knocker_deadwood": 6,
        "defender_deadwood": None,
        "turned": 5,
        "discard": None,
        "spread": ["9S 9D 9C", "3H 4H 5H", "JD QD KD"],
        "knocker_leftover": "6C",
    }
    assert report["end"] == one["expected_end"]
    for key in ("points_knocker", "points_defender", "knocker_deadwood"):
        assert report[key] == one[key]
    assert one["knocker_hand"] == KNOCK.split() and one["preset"] == "bga_solo"


WORKED = {
    "knock": (score("--stock-cards", "7S 2C KH 4S JK ..."), ("solo_knock", 5, 6, 6, 5)),
    "gin": (score("--stock-cards", "9C 4H JK", knocker=GIN_HAND), ("solo_gin", 3, 0, 0, 3)),
    "second joker": (score("--jokers-out", "2", knocker=LOOSE), ("solo_second_joker", 0, 54, 54, 0)),
    "second joker, stock told": (
        score("--jokers-out", "2", "--stock-cards", "7S JK", knocker=LOOSE),
        ("solo_second_joker", 0, 54, 54, 0),
    ),
    "on top": (
        score("--stock-cards", "jk", "--discard", "KS", knocker=KNOCK.replace("6C", "2C")),
        ("solo_knock", 1, 2, 2, 1),
    ),
    "illegal": (score("--stock-cards", "7S JK", knocker=LOOSE), ("illegal_knock", 0, 0, 54, 0)),
    "not counted": (
        score("--stock-cards", STOCK, "--set", 'solo={"count_joker_card": false}'),
        ("solo_knock", 4, 6, 6, 5),
    ),
    "no joker left": (
        score("--stock-cards", "7S 2C", "--jokers-out", "3", "--set", 'solo={"jokers_enter": "before_deal"}'),
        ("solo_knock", 2, 6, 6, 2),
    ),
    "third joker": (
        score("--jokers-out", "2", "--stock-cards", "7S JK", "--set", 'solo={"end_on_joker": 3}'),
        ("solo_knock", 2, 6, 6, 2),
    ),
}


@pytest.mark.parametrize(("words", "expected"), WORKED.values(), ids=WORKED)
def test_scores(words: tuple[str, ...], expected: tuple[Any, ...]) -> None:
    report = told(*words)
    keys = ("end", "points_knocker", "points_defender", "knocker_deadwood", "turned")
    assert tuple(report[key] for key in keys) == expected
    shown = typed(*words).stdout
    names = {
        "solo_knock": "knock",
        "solo_gin": "gin",
        "solo_second_joker": "joker ended",
        "illegal_knock": "54",
    }
    assert names.get(expected[0], "illegal knock: deadwood 54") in shown
    if expected[0] != "illegal_knock":
        assert re.search(rf"Player +{expected[1]} points?, .* {expected[4]}\n", shown)
        assert re.search(rf"Joker +{expected[2]} points?\n", shown)


WRONG_SCORES = {
    "no stock": (score(), "--stock-cards: missing"),
    "no joker": (score("--stock-cards", "7S 2C"), "no joker (JK) among them"),
    "too many jokers": (score("--stock-cards", STOCK, "--jokers-out", "2"), "2 JK in --stock-cards"),
    "too many out": (score("--jokers-out", "4"), "--jokers-out 4: these rules have 3"),
    "not whole": (score("--jokers-out", "-1"), "--jokers-out"),
    "nine cards": (score("--stock-cards", "JK", knocker=KNOCK[3:]), "9 cards, expected 10"),
    "no card": (score("--stock-cards", "7S XX JK"), "'XX'"),
    "twice in the stock": (score("--stock-cards", "7S 7S JK"), "duplicate card 7S in --stock-cards"),
    "held": (score("--stock-cards", "6C JK"), "duplicate card 6C: in the hand and in the stock"),
    "thrown and held": (
        score("--stock-cards", "JK", "--discard", "6C"),
        "duplicate card 6C: in the hand and as the discard",
    ),
    "thrown and in stock": (
        score("--stock-cards", "7S JK", "--discard", "7S"),
        "duplicate card 7S: in the stock and as the discard",
    ),
    "not in the deck": (
        score("--stock-cards", "KH JK", "--set", "ranks=12", knocker="3H 4H 5H 9S 9D 9C TD JD QD 6C"),
        "KH not in the deck",
    ),
    "hand not in the deck": (score("--stock-cards", "JK", "--set", "ranks=12"), "KD not in the deck"),
    "defender": (score("--stock-cards", "JK", "--defender", LOOSE), "--defender: does not go with a solo"),
    "big gin": (score("--stock-cards", "JK", "--big-gin"), "--big-gin: does not go with a solo game"),
    "spread": (score("--stock-cards", "JK", "--spread", "9S 9D 9C"), "--spread: does not go"),
    "stock": (score("--stock-cards", "JK", "--stock", "0"), "--stock: does not go"),
    "rules": (score("--stock-cards", "JK", "--set", "gin_bonus=25"), "gin_bonus=25"),
    "two players": (
        ("score", "--knocker", KNOCK, "--defender", LOOSE, "--stock-cards", "JK"),
        "--stock-cards: goes with a solo game",
    ),
    "two players, out": (
        ("score", "--knocker", KNOCK, "--defender", LOOSE, "--jokers-out", "0"),
        "--jokers-out: goes with a solo game",
    ),
    "no defender": (("score", "--knocker", KNOCK, "--discard", "KS"), "missing option '--defender'"),
}


@pytest.mark.parametrize(("words", "text"), WRONG_SCORES.values(), ids=WRONG_SCORES)
def test_wrong_endings_are_named(words: tuple[str, ...], text: str) -> None:
    is_one_line_about(typed(*words), 2, text)
