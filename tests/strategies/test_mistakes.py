"""Mistakes in a strategy's file or code: one line that names it; nothing wrong is played."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from analysis.cli import app
from sim._jit import COMPILED
from sim.rules import Rules
from sim.run import RunError, play_match
from sim.view import draw_rule, knock_rule
from strategies import base
from strategies.base import StrategyError, load_strategy_file, parse_strategy, player
from tests.strategies import user_file

HEAD = """
from dataclasses import dataclass
from sim.view import discard_rule, draw_rule, knock_rule, spread_rule
from strategies.base import Decisions, Strategy, parameter, strategy
GOLD = "strategies.compiled.gold"
"""

FILES = {
    "no-parameter": ("@strategy('u')\n@dataclass(frozen=True)\nclass U(Strategy):\n    n: int = 3\n"
                     "    decisions = Decisions(GOLD, GOLD, GOLD)\n", "make its field 'n'"),
    "no-dataclass": ("@strategy('u')\nclass U(Strategy):\n    decisions = Decisions(GOLD, GOLD, GOLD)\n",
                     "not decorated with @dataclass"),
    "no-strategy": ("@strategy('u')\n@dataclass(frozen=True)\nclass U:\n"
                    "    decisions = Decisions(GOLD, GOLD, GOLD)\n", "not a class derived from Strategy"),
    "exit": ("raise SystemExit(0)\n", "SystemExit"),
    "no-module": ("@strategy('u')\n@dataclass(frozen=True)\nclass U(Strategy):\n"
                  "    decisions = Decisions(GOLD, print, GOLD)\n", "names of modules, knock is <built-in"),
    "decisions": ("Decisions(GOLD)\n", r"missing 2 required .*'knock' and 'discard', line 6"),
    "line": ("x = 1\n\nx.y()\n", "AttributeError: 'int' object has no attribute 'y', line 8"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    base.registered()
    monkeypatch.setattr(base, "_REGISTRY", dict(base._REGISTRY))


@pytest.mark.parametrize(("text", "message"), FILES.values(), ids=FILES)
def test_files(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(HEAD + text, encoding="utf-8")
    with pytest.raises(StrategyError, match=message) as error:
        load_strategy_file(file)
    assert "mine.py" in str(error.value) and "\n" not in str(error.value)


DECISIONS = {
    "nothing": ("@draw_rule\ndef draw(view):\n    pass\n", "draw, line 8: answers nothing, expected true or"),
    "sometimes": (
        "@discard_rule\ndef discard(view):\n    if view.turn > 3:\n        return view.hand\n",
        "discard, line 8: answers nothing, expected a whole number",
    ),
    "text": (
        "@knock_rule\ndef knock(view):\n    return 'yes'\n",
        "knock, line 8: answers str yes, expected true or false",
    ),
    "two": ("@draw_rule\ndef draw(view, k):\n    return True\n", "draw, line 6: takes 2 arguments, exp"),
    "none": ("@draw_rule\ndef draw():\n    return True\n", "draw, line 6: takes 0 arguments, expected 1"),
    "one": ("@spread_rule\ndef spread(view):\n    return 0\n", "spread, line 6: takes 1 arguments"),
    "field": (
        "@draw_rule\ndef draw(view):\n    return view.his_hand > 0\n",
        "draw, line 6: a view has no field 'his_hand'",
    ),
    "name": (
        "@draw_rule\ndef draw(view):\n    return nobody(view)\n",
        "draw, line 6: NameError: name 'nobody' is not defined",
    ),
    "helper": (
        "from strategies.helpers import count\n@draw_rule\ndef draw(view):\n    return count(view, 1) > 0\n",
        "draw, line 9: .*too many positional arguments",
    ),
    "python": ("@draw_rule\ndef draw(view):\n    return open('x') == 3\n", "draw, line 8: .* name 'open'"),
}
"""What cannot be compiled: the decision and where it stands."""


@pytest.mark.requires_jit
@pytest.mark.parametrize(("text", "message"), DECISIONS.values(), ids=DECISIONS)
def test_decisions_that_cannot_be_compiled(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(HEAD + text, encoding="utf-8")
    result = CliRunner().invoke(app, ["match", "u", "gold", "--strategy-file", str(file)])
    assert result.exit_code == 2 and result.stderr.count("\n") == 1 and len(result.stderr) < 500
    assert re.search(rf"mine\.py: {message}", result.stderr), result.stderr


UNFIT = {
    "other-decorator": ("draw", "@discard_rule\ndef draw(view):\n    return 1\n", "than @draw_rule"),
    "spread": ("discard", "@spread_rule\ndef discard(view, k):\n    return 1\n", "than @discard_rule"),
    "always-raises": ("spread", "@spread_rule\ndef spread(view, k):\n    raise ValueError\n", "never answ"),
    "lazy": (
        "knock",
        "import numba\n@numba.njit\ndef knock(view):\n    return view.nothing > 3\n",
        "u: knock, line 7: a view has no field 'nothing'",
    ),
    "absent": ("knock", "", r"u: no compiled knock in .*mine\.py"),
}
"""What is compiled, but not as the engine calls it."""


@pytest.mark.requires_jit
@pytest.mark.parametrize(("decision", "text", "message"), UNFIT.values(), ids=UNFIT)
def test_decisions_that_do_not_fit(tmp_path: Path, decision: str, text: str, message: str) -> None:
    names = {**dict.fromkeys(("draw", "knock", "discard"), "GOLD"), decision: "__name__"}
    told = ", ".join(f"{name}={home}" for name, home in names.items())
    family = "@strategy('u')\n@dataclass(frozen=True)\nclass U(Strategy):\n    decisions = Decisions"
    file = tmp_path / "mine.py"
    file.write_text(f"{HEAD}{text}{family}({told})\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["match", "u", "gold", "--strategy-file", str(file)])
    assert result.exit_code == 2 and result.stderr.count("\n") == 1 and len(result.stderr) < 300
    assert re.search(message, result.stderr), result.stderr


@pytest.mark.requires_jit
def test_a_decision_that_users_compile_themselves(tmp_path: Path) -> None:
    """Without a signature it is given the engine's; what it answers is made true or false."""
    text = (
        "import numba\n@numba.njit\ndef knock(view):\n    return view.best_deadwood < 5 and view.hand\n"
        "@strategy('u')\n@dataclass(frozen=True)\nclass U(Strategy):\n"
        "    decisions = Decisions(GOLD, __name__, GOLD)\n"
    )
    file = tmp_path / "mine.py"
    file.write_text(HEAD + text, encoding="utf-8")
    load_strategy_file(file)
    rival, rules = player(parse_strategy("simple")), Rules.preset("eaai")
    runs = [
        play_match(player(parse_strategy(name)), rival, rules, pairs=100, seed=3)
        for name in ("u", "threshold(4)")
    ]
    assert runs[0].tally.tobytes() == runs[1].tally.tobytes()


SHAPES = {
    "parameters": ("".join(f"    p{i}: int = parameter(0, 0, 1, 'p')\n" for i in range(49)), "49 parameters"),
    "table": ("    def table(self):\n        return [0.0] * 9000\n", "9000 values"),
    "words": ("    def table(self):\n        return ['a']\n", "table: ValueError"),
    "raises": ("    def table(self):\n        raise KeyError('t')\n", "table: KeyError"),
    "texts": ("    def params(self):\n        return ['a']\n", "u: params: ValueError"),
    "no-params": ("    def params(self):\n        raise KeyError('t')\n", "u: params: KeyError"),
    "checks": ("    def __post_init__(self):\n        raise KeyError('t')\n", "u: KeyError: 't'"),
}


@pytest.mark.parametrize(("body", "message"), SHAPES.values(), ids=SHAPES)
def test_shapes_through_the_command_line(tmp_path: Path, body: str, message: str) -> None:
    file = tmp_path / "mine.py"
    head = "@strategy('u')\n@dataclass(frozen=True)\nclass U(Strategy):\n    'Play.'\n"
    file.write_text(HEAD + head + body + "    decisions = Decisions(GOLD, GOLD, GOLD)\n", encoding="utf-8")
    words = ["match", "u", "gold", "--pairs", "1", "--strategy-file", str(file)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2 and result.stderr.count("\n") == 1
    assert message in result.stderr


@pytest.mark.requires_jit
def test_a_decision_without_its_decorator(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    text = (
        "def draw(view):\n    return True\n"
        "@strategy('u')\n@dataclass(frozen=True)\nclass U(Strategy):\n"
        "    decisions = Decisions(__name__, GOLD, GOLD)\n"
    )
    file.write_text(HEAD + text, encoding="utf-8")
    load_strategy_file(file)
    with pytest.raises(StrategyError, match="draw is not decorated with @draw_rule"):
        player(parse_strategy("u"))


@knock_rule
def forget_parameters(view: Any) -> bool:
    view.params[0] += 1.0
    return False


@draw_rule
def swap_cards(view: Any) -> bool:
    view.hand = view.unseen
    view.turn = -1000
    view.known = 0
    return False


def test_writing_to_parameters_ends_the_run() -> None:
    gold = player(parse_strategy("gold"))
    draw, _, discard, spread = gold.decisions
    culprit = gold._replace(name="culprit", decisions=(draw, forget_parameters, discard, spread))
    with pytest.raises(RunError, match=r"culprit writes to view\.params"):
        play_match(culprit, gold, Rules.preset("eaai"), pairs=20 if COMPILED else 1)


def test_writing_to_the_own_cards_changes_nothing() -> None:
    """The engine keeps its own account: the same games as of a player who leaves his view alone."""
    honest = user_file.puppet(user_file.STOCK, user_file.NEVER)
    _, knock, discard, spread = honest.decisions
    cheat = honest._replace(decisions=(swap_cards, knock, discard, spread))
    rules = Rules.preset("eaai")
    pairs = 20 if COMPILED else 1
    gold = player(parse_strategy("gold"))
    runs = [play_match(side, gold, rules, pairs=pairs, seed=3) for side in (honest, cheat)]
    assert runs[0].tally.tobytes() == runs[1].tally.tobytes()
