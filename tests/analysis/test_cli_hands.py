"""The command line as a user meets it: answers, help, bad input, exit codes."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from analysis import console
from analysis.cli import app
from sim.cards import CardError
from sim.layoff import LayoffError
from sim.rules import Rules, RulesError, preset_names
from strategies.base import StrategyError, registered
from tests.analysis.command_line import DEFENDER, ELEVEN, KNOCKER, OTHER, answer, refused, run, score, words

ROOT = Path(__file__).parent.parent.parent


# --- solve ---------------------------------------------------------------------------------------


def test_solve_keys() -> None:
    told = answer("solve", "6H QH QC 5H KD KH 7H KC 4H QD")
    assert told == {
        "deadwood": 0,
        "melds": ["QH QD QC", "KH KD KC", "4H 5H 6H 7H"],
        "leftover": "",
        "arrangements": [{"melds": ["QH QD QC", "KH KD KC", "4H 5H 6H 7H"], "leftover": "", "deadwood": 0}],
    }


def test_solve_eleven() -> None:
    told = answer("solve", "AC 2C 3C 4C 5C 5D 6D 7D 9H TH JH")
    assert told["gin_discards"] == [{"card": "AC", "deadwood": 0}, {"card": "5C", "deadwood": 0}]
    assert told["best_discards"] == told["gin_discards"]
    assert told["legal_knocks"] == [
        {"card": "AC", "deadwood": 0},
        {"card": "5C", "deadwood": 0},
        {"card": "2C", "deadwood": 1},
        {"card": "4C", "deadwood": 5},
    ]
    assert told["big_gin"] is True


def test_solve_bans_the_card_taken_unless_the_rules_allow_it() -> None:
    hand = "AC 2C 3C 4D 5D 6D 7H 8H 9H TS JS"

    def best(*args: str) -> list[dict[str, Any]]:
        found = answer("solve", hand, *args)["best_discards"]
        assert isinstance(found, list)
        return found

    either = [{"card": "TS", "deadwood": 10}, {"card": "JS", "deadwood": 10}]
    assert best() == either
    assert best("--taken", "js") == either[:1]
    assert best("--taken", "4D") == either
    assert best("--taken", "JS", "--set", "may_discard_taken=true") == either


def test_solve_no_card_and_small_hands() -> None:
    assert answer("solve", "") == {
        "deadwood": 0,
        "melds": [],
        "leftover": "",
        "arrangements": [{"melds": [], "leftover": "", "deadwood": 0}],
    }
    assert "big_gin" in answer("solve", "AS 2S 3S 4H 4D 4C 9S 9D", "--rules", "seven_card")


# --- defend --------------------------------------------------------------------------------------


def test_defend_names_melds_as_given() -> None:
    told = answer("defend", "3S 4S 8S 4C 8C 4D 8D 5H 6H 7H", "--spread", "5S 6S 7S|5c 6c 7c | 7D 5D 6D")
    assert told == {
        "deadwood": 0,
        "melds": ["8S 8D 8C", "5H 6H 7H"],
        "layoffs": [
            {"card": "4S", "meld": "5S 6S 7S"},
            {"card": "3S", "meld": "5S 6S 7S"},
            {"card": "4C", "meld": "5C 6C 7C"},
            {"card": "4D", "meld": "7D 5D 6D"},
        ],
        "leftover": "",
    }


# --- reference -----------------------------------------------------------------------------------


def test_rules_list() -> None:
    told = {one["name"]: one for one in answer("rules")["presets"]}
    assert list(told) == preset_names()
    for name, one in told.items():
        rules = Rules.preset(name)
        assert one["players"] == (1 if name == "bga_solo" else 2)
        assert one["hash"] == rules.hash
    shown = words("rules")
    for name in preset_names():
        assert f"{name} {told[name]['description'].split()[0]}" in shown


@pytest.mark.parametrize("name", preset_names())
def test_rules_show(name: str) -> None:
    rules = Rules.preset(name)
    told = answer("rules", name)
    assert Rules(**told["rules"]) == rules
    assert told["changes"] == rules.changes()
    assert told["docs"] == {field: Rules.doc(field) for field in told["rules"]}
    shown = words("rules", name)
    assert rules.hash in shown
    for field in Rules.__dataclass_fields__:
        marked = f"* {field} " in shown
        assert marked is (getattr(rules, field) != getattr(Rules(), field)), field


def test_rules_with_settings() -> None:
    told = answer("rules", "eaai", "--set", "gin_bonus=20", "--set", "big_gin_bonus=31")
    assert told["rules"]["gin_bonus"] == 20
    assert told["hash"] == Rules.preset("eaai").replace(gin_bonus=20, big_gin_bonus=31).hash


def test_strategies() -> None:
    told = answer("strategies")["strategies"]
    assert [one["name"] for one in told] == list(registered())
    shown = words("strategies")
    for one in told:
        assert one["description"] == registered()[one["name"]].summary()
        for parameter in one["parameters"]:
            assert parameter["doc"] in shown
    assert "threshold(k=10)" in shown


# --- words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "texts"),
    [
        (("solve", "5C 6C 7C 5D 6D 7H 7S 7D 2S 3H"), ("16 points", "left over 2S 3H 5C 6C")),
        (
            ("solve", "AC 2C 3C 4C 5C 5D 6D 7D 9H TH JH"),
            ("Gin by AC, 5C", "Knock by 2C (1), 4C (5)", "AC or 5C, leaving 0", "counts as gin"),
        ),
        (("solve", "KH KD QH 8S 8D 7S 4H 4C 3D 2H AS"), ("QH, KH or KD, leaving 57", "Big gin no")),
        (("solve", "AS"), ("1 point Melds none Left over AS",)),
        (
            ("defend", "3S 4S 4C", "--spread", "5S 6S 7S | 5C 6C 7C"),
            ("Laid off 4S 3S on 5S 6S 7S, 4C on 5C 6C 7C",),
        ),
        (score("--discard", "QD"), ("knock: 42 points to the knocker", "laid off KC on KS KH KD")),
        (score("--discard", "QD", "--no-knock"), ("the hand goes on",)),
        (score("--discard", "QD", "--taken", "QD"), ("illegal discard",)),
        (score("--discard", "QD", "--no-knock", "--stock", "2"), ("void",)),
        (score("--discard", "QD", "--set", "knock_limit=0"), ("illegal knock: deadwood 1, at most 0",)),
        (
            score("--big-gin", "--rules", "standard", knocker=ELEVEN, defender=OTHER),
            ("big gin: 97 points to the knocker", "thrown nothing"),
        ),
        (
            score("--big-gin", knocker=ELEVEN.replace("KC", "6C"), defender=OTHER),
            ("illegal knock: deadwood 6, not every card is melded",),
        ),
    ],
)
def test_words(args: tuple[str, ...], texts: tuple[str, ...]) -> None:
    shown = words(*args)
    for text in texts:
        assert text in shown


@pytest.mark.parametrize("command", ["", "solve", "defend", "score", "rules", "strategies"])
def test_help(command: str) -> None:
    shown = words(*command.split(), "--help")
    assert shown == words(*command.split(), "-h")
    assert "<bool>" not in shown, "flags take no value"
    if command:
        assert f"ginlab {command}" in shown
        assert "--json" in shown
    else:
        for name in ("solve", "defend", "score", "rules", "strategies", "Hands", "Reference"):
            assert name in shown


def test_examples_of_the_help_work() -> None:
    """Every command line in an epilog runs."""
    count = 0
    for command in app.registered_commands:
        text = (command.epilog or "").replace("\\\n", " ")
        for line in re.findall(r"^  ginlab (.*)$", text, re.M):
            args = [part.strip('"') for part in re.findall(r'"[^"]*"|\S+', line)]
            if args[0] in ("solve", "defend", "score", "rules", "strategies"):
                assert run(*args).exit_code == 0, line
                count += 1
    assert count >= 11


# --- bad input -----------------------------------------------------------------------------------


NINE = "AS 2S 3S 5H 5D 5C 9C TC JC"

REFUSED: list[tuple[tuple[str, ...], str]] = [
    (("solve",), "CARDS"),
    (("solve", "6C", "7C"), "7C"),
    (("solve", "6C 7C 6C"), "duplicate card 6C"),
    (("solve", "6C 7X"), "'7X'"),
    (("solve", "6C\n7X\n"), "'7X'"),
    (("solve", "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS"), "12 cards"),
    (("solve", "AS 2S", "--taken", "AS"), "--taken AS"),
    (("solve", "AC 2C 3C 4D 5D 6D 7H 8H 9H TS JS", "--taken", "QS"), "--taken QS"),
    (("solve", "AS", "--rules", "nope"), "'nope'"),
    (("solve", "AS", "--set", "nope=1"), "'nope'"),
    (("solve", "AS", "--set", "gin_bonus"), "'gin_bonus'"),
    (("solve", "AS", "--set", "gin_bonus=-5"), "gin_bonus=-5"),
    (("solve", "AS", "--set", "gin_bonus=1", "--set", "gin_bonus=2"), "'gin_bonus'"),
    (("solve", "AS", "--limit-card", "5S"), "--limit-card 5S"),
    (("solve", "KS", "--set", "ranks=9", "--set", "hand_size=7"), "KS not in the deck"),
    (("solve", "AS", "--nope"), "--nope"),
    (("defend", DEFENDER), "--spread"),
    (("defend", DEFENDER, "--spread", "5S 6S 8S"), "5S 6S 8S is not a meld"),
    (("defend", DEFENDER, "--spread", "QS KS AS"), "AS QS KS is not a meld"),
    (("defend", DEFENDER, "--spread", "5S 7S 8S 8D"), "5S 7S 8S 8D is not a meld"),
    (("defend", DEFENDER, "--spread", "3S 4S 5S | 5S 5H 5C"), "5S stands in two melds"),
    (("defend", DEFENDER, "--spread", "3S 4S 5S 3S"), "duplicate card 3S"),
    (("defend", DEFENDER, "--spread", "3S 4S 5S |"), "'3S 4S 5S |'"),
    (("defend", DEFENDER, "--spread", ""), "''"),
    (("defend", DEFENDER, "--spread", "2S 3S 4S"), "2S"),
    (("defend", f"{DEFENDER} AD", "--spread", "3S 4S 5S"), "11 cards"),
    (("defend", "AH", "--spread", "AS 2S 3S 4S 5S 6S 7S | 9D TD JD QD KD"), "12 cards"),
    (score(), "--discard"),
    (score("--discard", "QD", "--big-gin"), "--big-gin"),
    (score("--big-gin"), "10 cards"),
    (score("--big-gin", "--no-knock", knocker=ELEVEN), "--big-gin"),
    (score("--no-knock"), "--discard"),
    (score("--discard", "QD", "--no-knock", "--spread", "KS KH KD"), "--spread"),
    (score("--discard", "4D", knocker=NINE), "9 cards"),
    (score("--discard", "4D", defender=NINE), "9 cards"),
    (score("--discard", "QD QS"), "'QD QS'"),
    (score("--discard", "KS"), "duplicate card KS"),
    (score("--discard", "KC"), "duplicate card KC"),
    (score("--discard", "QD", defender=DEFENDER.replace("KC", "KS")), "duplicate card KS"),
    (score("--discard", "QD", knocker=KNOCKER.replace("AS", "KS")), "duplicate card KS"),
    (score("--discard", "QD", "--taken", "7H"), "--taken 7H"),
    (score("--discard", "QD", "--upcard", "1H"), "'1H'"),
    (score("--discard", "QD", "--knock-card", "7H"), "--knock-card 7H"),
    (score("--discard", "QD", "--stock", "32"), "--stock 32"),
    (score("--discard", "QD", "--stock", "-1"), "-1 is not 0 or more"),
    (score("--discard", "QD", "--stock", "two"), "--stock"),
    (score("--discard", "QD", "--spread", "KS KH KC"), "KC"),
    (score("--discard", "QD", "--spread", "KS KH AS"), "AS KS KH is not a meld"),
    (score("--discard", "QD", "--spread", "KS KH KD"), "43 points"),
    (score("--discard", "QD", "--rules", "nobodys"), "nobodys"),
    (("rules", "nope"), "'nope'"),
    (("rules", "--set", "gin_bonus=20"), "gin_bonus=20"),
    (("rules", "eaai", "--set", "gin_bonus=x"), "gin_bonus=x"),
    (("strategies", "extra"), "extra"),
    (("nope",), "nope"),
]


@pytest.mark.parametrize(("args", "names"), REFUSED, ids=[" ".join(args) for args, _ in REFUSED])
def test_refused(args: tuple[str, ...], names: str) -> None:
    refused(*args, names=names)


def test_no_command_prints_the_help() -> None:
    result = run()
    assert result.exit_code == 2
    assert "solve" in result.output
    assert "ginlab:" not in result.stderr


# --- the process ---------------------------------------------------------------------------------


def process(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *args], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )


def test_process_exit_codes() -> None:
    good = process("-m", "analysis.cli", "solve", "AS 2S 3S", "--json")
    assert (good.returncode, good.stderr) == (0, "")
    assert json.loads(good.stdout)["melds"] == ["AS 2S 3S"]
    bad = process("-m", "analysis.cli", "solve", "AS AS")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr == "ginlab: duplicate card AS in hand\n"


def test_help_and_listings_do_not_wait_for_the_engine() -> None:
    code = """
import sys
from analysis.cli import app
def heavy():
    return {"numba", "scipy", "sim.melds", "pyarrow", "strategies.table_file"} & set(sys.modules)
def leave(args):
    try:
        app(args, prog_name="ginlab")
    except SystemExit as end:
        assert end.code == 0, args
leave(["--help"])
assert not heavy() and "numpy" not in sys.modules and "sim" not in sys.modules
for args in (["solve", "--help"], ["rules"], ["rules", "bga", "--json"], ["strategies"],
             ["strategies", "export", "--help"], ["strategies", "--json"], ["strategies", "show", "simple"]):
    leave(args)
    assert not heavy(), (args, heavy())
"""
    done = process("-c", code)
    assert (done.returncode, done.stderr) == (0, "")


# --- errors --------------------------------------------------------------------------------------


def failing(error: BaseException) -> Result:
    """Run a command that raises."""
    broken = typer.Typer(cls=console.Ginlab, pretty_exceptions_enable=False)

    @broken.callback()
    def group() -> None:
        """Group."""

    @broken.command()
    def fail() -> None:
        raise error

    return CliRunner().invoke(broken, ["fail"])


@pytest.mark.parametrize("kind", [console.UsageError, CardError, RulesError, LayoffError, StrategyError])
def test_usage_errors(kind: type[Exception]) -> None:
    result = failing(kind("nine\n  lives"))
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", "ginlab: nine lives\n")


def test_failed_run() -> None:
    from sim.run import RunError

    result = failing(RunError("gold, pair 3, hand 1: KS is not held"))
    assert result.exit_code == 1
    assert result.stderr == "ginlab: gold, pair 3, hand 1: KS is not held\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), typer.Abort()])
def test_interrupted(error: BaseException) -> None:
    assert failing(error).exit_code == 130


def test_chosen_exit_code() -> None:
    assert failing(typer.Exit(1)).exit_code == 1


def test_faults_of_our_own_are_not_hidden() -> None:
    for error in (ValueError("bug"), RuntimeError("bug")):
        assert failing(error).exception is error


# --- printing ------------------------------------------------------------------------------------


def test_json_is_plain(capsys: pytest.CaptureFixture[str]) -> None:
    value: dict[Any, Any] = {
        "share": 1 / 3,
        "none": math.nan,
        "huge": [math.inf],
        "count": np.int64(2**62),
        "sums": np.array([1.5, np.nan]),
        3: (True, None, "TD"),
    }
    console.print_json(value)
    assert json.loads(capsys.readouterr().out) == {
        "share": 1 / 3,
        "none": None,
        "huge": [None],
        "count": 2**62,
        "sums": [1.5, None],
        "3": [True, None, "TD"],
    }


@given(st.lists(st.tuples(st.text("ab", max_size=12), st.text("xy ", max_size=200)), min_size=1))
def test_fields_are_aligned(fields: list[tuple[str, str]]) -> None:
    @(shown := typer.Typer()).command()
    def show() -> None:
        console.print_fields(fields)

    result = CliRunner().invoke(shown, [], env={"COLUMNS": "60"})
    assert result.exit_code == 0
    gap = max(len(label) for label, _ in fields) + 2
    lines = result.stdout.splitlines()
    assert [word for line in lines for word in line[gap:].split()] == [
        word for _, text in fields for word in text.split()
    ]
    assert {line[gap - 2 : gap].strip() for line in lines} == {""}
