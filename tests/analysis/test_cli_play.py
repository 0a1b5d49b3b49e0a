"""The commands that play, as they are typed: numbers, words, errors, Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import pytest

from analysis.match import match_report, play
from analysis.request import Match
from sim._jit import COMPILED
from sim.rules import Rules, parse_overrides
from sim.run import play_match
from strategies.base import parse_strategy, player
from tests.analysis.command_line import environment, timeless, told, typed, untimed_lines

ROOT = Path(__file__).resolve().parent.parent.parent
PAIRS = 150 if COMPILED else 4


def spawned(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, its output going to files."""
    command = [sys.executable, "-m", "analysis.cli", *words]
    return subprocess.run(
        command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False, timeout=600
    )


# --- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["gold", "simple", "--rules", "eaai"], {"preset": "eaai"}),
        (["gin_only", "threshold(10)", "--seed", "0"], {"seed": 0}),
        (
            ["simple", "two_stage(9, late=1)", "--set", "gin_bonus=20", "--set", "tie_rule=push"],
            {"settings": ("gin_bonus=20", "tie_rule=push")},
        ),
        (["gold", "simple", "--score", "62:80", "--dealer", "a"], {"scores": (62, 80), "dealer": 0}),
    ],
    ids=["plain", "seed", "rules", "score"],
)
def test_json_is_the_library_s_report(words: list[str], expected: dict[str, Any]) -> None:
    fields = {"preset": "default", "settings": (), "seed": 7, **expected}
    rules = Rules.preset(fields["preset"]).replace(**parse_overrides(fields["settings"]))
    match = Match(parse_strategy(words[0]), parse_strategy(words[1]), rules, pairs=PAIRS, **fields)
    library = json.loads(json.dumps(match_report(match, play(match, 1))))
    assert told(*words, "--games", str(2 * PAIRS)) == timeless(library)
    assert told(*words, "--pairs", str(PAIRS)) == timeless(library)


@pytest.mark.parametrize("seed", ["1", "42"])
def test_threads_change_nothing(seed: str) -> None:
    """GR-164, GR-182: the same numbers from 1, 2 and 8 threads."""
    words = ["gold", "simple", "--rules", "standard", "--pairs", str(PAIRS), "--seed", seed, "--threads"]
    first, *others = (told(*words, threads) for threads in ("1", "2", "8"))
    assert all(other == first for other in others)


def test_a_process_of_its_own_gives_the_same_numbers() -> None:
    """GR-176: without a display; one JSON object and nothing else."""
    words = ["gold", "simple", "--pairs", str(PAIRS), "--seed", "3"]
    done = spawned("match", *words, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert timeless(report) == told(*words)
    assert report["seconds"] > 0 and report["games_per_second"] > 0


# --- words ---------------------------------------------------------------------------------------

ROWS = ("Hands won", "Points a hand", "Games won")
MATCH = ["gin_only", "threshold(10)", "--rules", "eaai", "--pairs", str(PAIRS), "--threads", "1"]


def test_three_aligned_rows() -> None:
    lines = typed("match", *MATCH).stdout.splitlines()
    first = next(index for index, line in enumerate(lines) if line.startswith(ROWS[0]))
    header, *rows = lines[first - 1 : first + 3]
    assert [row[: len(name)] for row, name in zip(rows, ROWS, strict=True)] == list(ROWS)
    places = [header.index(word) for word in ("A ", "B ", "Ahead")]
    for row in rows:
        cells = [row[start:end].strip() for start, end in zip(places, [*places[1:], None], strict=True)]
        assert all(cells)
        assert all(row[place] != " " and row[place - 2 : place] == "  " for place in places)
        assert all(re.fullmatch(r"[\d.]+( %)? \([\d.]+-[\d.]+\)", cell) for cell in cells[:2])
        assert re.fullmatch(r"[AB-]|[AB] by [\d.]+.*", cells[2])


def test_all_that_is_asked_of_the_output() -> None:
    report = told(*MATCH)
    text = typed("match", *MATCH).stdout
    assert "Rules eaai" in text and "knock at 10" in text and "seed 7" in text
    for side in "ab":
        for kind in ("knock", "gin", "undercut"):
            assert f"{report['endings'][side][kind]:,} (" in text
    assert re.search(r"^void ", text, re.MULTILINE) and re.search(r"^capped ", text, re.MULTILINE)
    verdicts = [line for line in text.splitlines() if re.match(r"(A|B) \(.*\) wins|Neither side", line)]
    assert len(verdicts) == 1 and verdicts[0].endswith(".")
    assert len([line for line in text.splitlines() if "ginlab replay" in line]) == 1


def test_lines_fit_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """At 80 columns; commands are left in one piece, to be copied."""
    monkeypatch.setenv("COLUMNS", "80")
    lines = [line.rstrip() for line in typed("match", *MATCH).stdout.splitlines()]
    tables = [line for line in lines if "%" in line and "First mover" not in line]
    assert tables and all(len(line) <= 80 for line in tables)


REPLAYED = {
    "plain": MATCH,
    "settings": ["simple", "gold", "--rules", "bga", "--set", "gin_bonus=20", "--pairs", "5", "--seed", "11"],
    "score": ["gold", "two_stage(8)", "--score", "62:80", "--dealer", "b", "--pairs", "5"],
}


@pytest.mark.parametrize("words", REPLAYED.values(), ids=REPLAYED)
def test_the_replay_command_tells_the_game(words: list[str]) -> None:
    """The last line can be run as it stands, and its two games are those of the pair's tally."""
    text = typed("match", *words).stdout
    command = shlex.split(text.splitlines()[-1])
    assert command[:2] == ["ginlab", "replay"]
    pair, game = (int(command[command.index(name) + 1]) for name in ("--pair", "--game"))
    report = told(*words)
    assert report["largest_swing"]["pair"] == pair and report["largest_swing"]["game"] == game
    rules = Rules.preset(report["rules"]["preset"]).replace(**parse_overrides(report["rules"]["settings"]))
    sides = [player(parse_strategy(report[side])) for side in "ab"]
    dealer = None if report["dealer"] is None else "ab".index(report["dealer"])
    alone = play_match(
        *sides, rules, pairs=1, first=pair, seed=report["seed"], scores=tuple(report["score"]), dealer=dealer
    )
    totals = [0, 0]
    for number in (0, 1):
        command[command.index("--game") + 1] = str(number)
        result = typed(*command[1:])
        assert (result.exit_code, result.stderr) == (0, "")
        last = result.stdout.splitlines()[-1]
        found = re.search(r"A (\d+), B (\d+) ", last)
        assert found is not None
        winners = alone.tally.total("games")[number].sum(axis=0)
        assert last[0] == "AB"[int(winners.argmax())]
        totals = [totals[0] + int(found[1]), totals[1] + int(found[2])]
    assert totals == [alone.tally.outcome("total_a"), alone.tally.outcome("total_b")]


def test_a_long_match_shows_its_first_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """On stderr, so that the output can be kept; a short match and JSON have none."""
    short = typed("match", *MATCH)
    assert short.stderr == ""
    monkeypatch.setattr("analysis.match.PREVIEW_PAIRS", max(1, PAIRS // 10))
    long = typed("match", *MATCH)
    assert long.exit_code == 0
    assert re.fullmatch(rf"After {2 * (PAIRS // 10 or 1):,} games .*\d %.*\.\n", long.stderr)
    assert untimed_lines(long.stdout) == untimed_lines(short.stdout)
    assert typed("match", *MATCH, "--json").stderr == ""


def is_plain(text: str) -> bool:
    """Tell whether a text has no control characters but line ends."""
    return not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)


@pytest.mark.parametrize(
    "words",
    [["replay", "gold", "simple", "--pair", "1"], ["rules"], ["match", "--help"]],
    ids=["replay", "rules", "help"],
)
def test_files_get_no_control_characters(words: list[str]) -> None:
    """GR-178: output that is kept is plain text, also under a colour terminal's name."""
    done = spawned(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert is_plain(done.stdout)


def test_a_long_match_s_files_are_plain_too() -> None:
    """GR-178 for both streams; ten thousand games are shown first, in one line."""
    done = spawned("match", *MATCH[:-4], "--games", "40_000" if COMPILED else "4")
    assert done.returncode == 0
    assert is_plain(done.stdout) and is_plain(done.stderr)
    if COMPILED:
        assert done.stderr.count("\n") == 1 and done.stderr.startswith("After 10,000 games")
        assert "40,000 games in mirrored pairs" in done.stdout


def test_a_terminal_gets_progress_and_files_the_result() -> None:
    """Progress goes to the terminal, also when the result goes to a file; the numbers are the same."""
    pty = pytest.importorskip("pty")
    words = [*MATCH[:-4], "--pairs", str(4 * PAIRS)]
    ours, theirs = pty.openpty()
    seen: list[bytes] = []

    def read() -> None:
        try:
            while piece := os.read(ours, 4096):
                seen.append(piece)
        except OSError:  # Linux says so when the last writer is gone
            pass

    reader = threading.Thread(target=read)
    reader.start()
    command = [sys.executable, "-m", "analysis.cli", "match", *words]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=theirs, text=True, check=False
    )
    os.close(theirs)
    reader.join()
    os.close(ours)
    assert done.returncode == 0
    assert untimed_lines(done.stdout) == untimed_lines(typed("match", *words).stdout)
    assert "games" in b"".join(seen).decode()


def test_replay_is_told_in_words_and_as_data() -> None:
    words = ["replay", "gin_only", "simple", "--rules", "standard", "--pair", "2", "--game", "1"]
    text, data = typed(*words), json.loads(typed(*words, "--json").stdout)
    lines = text.stdout.splitlines()
    assert lines[0] == "A = gin_only   B = simple(pair_memory=true)"
    (game,) = data["games"]
    assert len([line for line in lines if line.startswith("Hand ")]) == len(game["hands"])
    winner = game["winner"].upper()
    assert data["match_winner"] == game["winner"]
    assert lines[-1].startswith(f"{winner} wins the game: A {game['totals'][0]}, B {game['totals'][1]} ")


@pytest.mark.requires_jit
def test_games_are_counted_under_match_types() -> None:
    """As many whole mirrored matches as it takes to play so many games."""
    words = ["match", "gold", "simple", "--rules", "tournament"]
    told = json.loads(typed(*words, "--games", "1000", "--json").stdout)
    assert told["matches"] == 2 * told["pairs"]
    assert 3 * told["matches"] <= told["games"] <= 5 * told["matches"]
    assert 1000 <= told["games"] < 1010 and not told["interrupted"]
    assert 0 < told["match_share"]["low"] < told["match_share"]["estimate"] < told["match_share"]["high"] < 1
    few = json.loads(typed(*words, "--pairs", "3", "--json").stdout)
    assert (few["pairs"], few["matches"]) == (3, 6)
    shown = typed(*words, "--games", "100").stdout
    assert "Matches won" in shown and "best of 5" in shown and "matches, " in shown
    plain = json.loads(typed("match", "gold", "simple", "--games", "10", "--json").stdout)
    assert plain["games"] == 10 and not {"matches", "match_share", "payoff_per_hand"} & set(plain)
    openspiel = ["match", "random", "random", "--rules", "openspiel", "--games", "60", "--json"]
    single = json.loads(typed(*openspiel).stdout)
    assert single["drawn"] == 60 - single["decisive"] > 30 and single["unfinished"] == 0
    paid = json.loads(typed("match", "gold", "simple", "--rules", "rlcard", "--games", "10", "--json").stdout)
    assert set(paid["payoff_per_hand"]) == {"a", "b"} and "matches" not in paid


def test_help_has_examples_that_parse() -> None:
    """Every example of the help is a command this program has, with options it knows."""
    for command in ("match", "replay"):
        text = typed(command, "--help").stdout
        examples = [line.strip() for line in text.splitlines() if line.strip().startswith("ginlab ")]
        assert examples
        for example in examples:
            words = shlex.split(example)[1:]
            few = ["--games", "2"] if command == "match" else []
            words = [word for word in words if word not in ("--games", "1_000_000")]
            assert typed(*words, *few).exit_code == 0, example


# --- errors --------------------------------------------------------------------------------------

WRONG = {
    "no games": (["--games", "0"], "--games 0"),
    "odd": (["--games", "3"], "--games 3"),
    "not whole": (["--games", "1e6"], "--games"),
    "both": (["--games", "4", "--pairs", "2"], "--pairs 2"),
    "unknown rules": (["--rules", "nobodys"], "nobodys"),
    "one player": (["--rules", "bga_solo"], "one-player game"),
    "contradiction": (["--set", "spade_multiplier=2"], "needs a limit card"),
    "score on a sheet": (["--rules", "hollywood", "--score", "5:0"], "score 5:0"),
    "unknown rule": (["--set", "bonus=3"], "'bonus'"),
    "bad value": (["--set", "gin_bonus=many"], "gin_bonus=many"),
    "no value": (["--set", "gin_bonus"], "'gin_bonus'"),
    "two values": (["--set", "gin_bonus=3", "--set", "gin_bonus=4"], "'gin_bonus'"),
    "score": (["--score", "62"], "62"),
    "score too high": (["--score", "100:0"], "100:0"),
    "dealer": (["--dealer", "c"], "'c'"),
    "seed": (["--seed", "-1"], "--seed"),
    "seed of words": (["--seed", "x"], "--seed"),
    "threads": (["--threads", "0"], "--threads"),
    "many threads": (["--threads", "2000"], "--threads"),
    "missing file": (["--strategy-file", "nowhere.py"], "nowhere.py"),
    "folder": (["--strategy-file", str(ROOT)], str(ROOT)),
    "unknown option": (["--gmaes", "4"], "--gmaes"),
    "too many words": (["gold"], "gold"),
}

WRONG_SIDES = {
    "unknown": "nobody",
    "out of range": "threshold(k=-1)",
    "a fraction": "threshold(2.5)",
    "unknown parameter": "threshold(z=3)",
    "twice": "threshold(3, k=4)",
    "code": "__import__('os')",
    "open": "threshold(",
    "empty": "",
}


def is_one_line_about(result: Any, code: int, text: str) -> None:
    """Check an error: the exit code, one line on stderr that names the input, nothing on stdout."""
    status = result.exit_code if hasattr(result, "exit_code") else result.returncode
    assert status == code
    assert result.stdout == ""
    assert result.stderr.startswith("ginlab: ") and result.stderr.endswith("\n")
    assert result.stderr.count("\n") == 1
    assert text in result.stderr and "Traceback" not in result.stderr


@pytest.mark.parametrize(("words", "text"), WRONG.values(), ids=WRONG)
def test_wrong_input_is_named(words: list[str], text: str) -> None:
    is_one_line_about(typed("match", "gold", "simple", *words), 2, text)


@pytest.mark.parametrize("text", WRONG_SIDES.values(), ids=WRONG_SIDES)
@pytest.mark.parametrize("command", [["match"], ["replay", "--pair", "1"]], ids=["match", "replay"])
def test_wrong_strategies_are_named(text: str, command: list[str]) -> None:
    named = text.split("(")[0] or repr(text)
    is_one_line_about(typed(*command, text, "gold"), 2, named)
    is_one_line_about(typed(*command, "gold", text), 2, named)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--pair", "-1"], "--pair"),
        (["--pair", "x"], "--pair"),
        (["--pair", "1", "--game", "2"], "--game"),
        ([], "--pair"),
        (["--pair", "1", "--rules", "nobodys"], "nobodys"),
        (["--pair", "1", "--score", "100:0"], "100:0"),
    ],
)
def test_wrong_replays_are_named(words: list[str], text: str) -> None:
    is_one_line_about(typed("replay", "gold", "simple", *words), 2, text)


@pytest.mark.parametrize("name", ["odd", "one player", "seed of words", "missing file"])
def test_a_process_of_its_own_fails_the_same_way(name: str) -> None:
    words, text = WRONG[name]
    is_one_line_about(spawned("match", "gold", "simple", *words), 2, text)


FILES = {
    "syntax": ("def (", "SyntaxError"),
    "fails": ("raise RuntimeError('no luck\\ntoday')", "no luck"),
    "registers nothing": ("x = 1", "registers no strategy"),
    "name taken": (
        """
        from strategies.base import Strategy, strategy
        from strategies.gold import Gold
        strategy("gold")(type("Mine", (Strategy,), {"decisions": Gold.decisions}))
        """,
        "'gold'",
    ),
}


@pytest.mark.parametrize(("source", "text"), FILES.values(), ids=FILES)
def test_a_bad_strategy_file_is_named(tmp_path: Path, source: str, text: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(textwrap.dedent(source), encoding="utf-8")
    result = typed("match", "gold", "simple", "--strategy-file", str(file))
    is_one_line_about(result, 2, text)
    assert "mine.py" in result.stderr


CHEAT = '''
from dataclasses import dataclass

from sim.view import discard_rule
from strategies.base import Decisions, Strategy, strategy


@strategy("cheat")
@dataclass(frozen=True)
class Cheat(Strategy):
    """Throw a card of the other's from the third turn on."""

    decisions = Decisions("strategies.compiled.gold", "strategies.compiled.gin_only", __name__)


@discard_rule
def discard(view):
    if view.turn < 3:
        return view.best_discards & -view.best_discards
    {}
'''


@pytest.mark.parametrize(
    ("line", "text"),
    [("return view.unseen & -view.unseen", "discards a card"), ("raise ValueError('broken')", "broken")],
    ids=["not held", "raises"],
)
def test_a_strategy_at_fault_is_named(tmp_path: Path, line: str, text: str) -> None:
    """Exit code 1: the run failed; the line says which strategy, pair and hand, and a replay says it too."""
    file = tmp_path / "cheat.py"
    file.write_text(CHEAT.format(line), encoding="utf-8")
    words = ["gold", "cheat", "--strategy-file", str(file)]
    done = spawned("match", *words, "--games", "20")
    is_one_line_about(done, 1, text)
    found = re.search(r"cheat.* pair (\d+), game ([01]), hand (\d+)", done.stderr)
    assert found is not None
    told_again = spawned("replay", *words, "--pair", found[1], "--game", found[2])
    is_one_line_about(told_again, 1, text)
    assert "cheat" in told_again.stderr and f"hand {found[3]}" in told_again.stderr
