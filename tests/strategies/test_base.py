"""Strategies as text, the registry, and files of a user's own."""

from __future__ import annotations

import dataclasses
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import sim._jit
from sim._jit import COMPILED
from sim.rules import Rules
from sim.run import play_match
from strategies import base
from strategies.base import (
    MAX_TEXT,
    Decisions,
    Strategy,
    StrategyError,
    load_decisions,
    load_strategy_file,
    parameter,
    parse_strategy,
    player,
    registered,
    strategy,
    switch,
)
from strategies.text import MAX_NESTING

ROOT = Path(__file__).resolve().parents[2]
GOLD = Decisions(*["strategies.compiled.gold"] * 3)


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Let a test register what it likes, and forget it afterwards; compiled code goes to its own folder."""
    copy = dict(registered())
    monkeypatch.setattr(base, "_REGISTRY", copy)
    monkeypatch.setattr(sim._jit._config, "CACHE_DIR", str(tmp_path / "cache"))
    yield copy
    for name in [name for name in sys.modules if name.startswith("ginlab_user_")]:
        del sys.modules[name]


def draw(view: Any) -> bool:
    """A decision that nobody has compiled."""
    return False


# --- text ----------------------------------------------------------------------------------------


def test_names() -> None:
    assert list(registered()) == sorted(registered())
    assert {"random", "simple", "gold", "threshold", "gin_only", "two_stage"} <= set(registered())


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("gin_only", "gin_only"),
        ("gin_only()", "gin_only"),
        ("simple", "simple(pair_memory=true)"),
        ("simple(false)", "simple(pair_memory=false)"),
        (" threshold( k = 4 ) ", "threshold(k=4)"),
        ("threshold(4,)", "threshold(k=4)"),
        ("two_stage(7, switch=3)", "two_stage(early=7, late=0, switch=3)"),
        ("two_stage(late=2,\n early=9)", "two_stage(early=9, late=2, switch=6)"),
        ("gold(hold_for_gin=true)", "gold(threshold=10, hold_for_gin=true)"),
        ("gold(0, True)", "gold(threshold=0, hold_for_gin=true)"),
    ],
)
def test_read_and_written(text: str, full: str) -> None:
    chosen = parse_strategy(text)
    assert str(chosen) == full
    assert parse_strategy(full) == chosen


UNREADABLE = "expected name or name"
TOO_DEEP = f"nested too deep, at most {MAX_NESTING} strategies in each other"
WRONG = {
    "empty": ("", UNREADABLE),
    "blank": ("  ", UNREADABLE),
    "open": ("threshold(4", UNREADABLE),
    "two": ("gold gold", UNREADABLE),
    "number": ("4", UNREADABLE),
    "list": ("[gold]", UNREADABLE),
    "attribute": ("strategies.gold", UNREADABLE),
    "called-twice": ("gold()()", UNREADABLE),
    "statement": ("import os", UNREADABLE),
    "null": ("gold\0", UNREADABLE),
    "surrogate": ("gold\ud800", UNREADABLE),
    "unknown": ("golden", r"unknown strategy 'golden'; known: .*combine, .*gold, .*two_stage"),
    "case": ("Gold", "unknown strategy 'Gold'"),
    "code": ("__import__('os')", "unknown strategy '__import__'"),
    "unknown-parameter": ("threshold(x=4)", r"threshold has no parameter 'x' \(has: k\)"),
    "no-parameters": ("gin_only(k=1)", r"gin_only has no parameter 'k' \(has: none\)"),
    "unpacked": ("threshold(**k)", "threshold has no parameter None"),
    "too-many": ("threshold(4, 5)", "threshold takes 1 parameters"),
    "too-many-of-none": ("random(1)", "random takes 0 parameters"),
    "twice": ("threshold(4, k=5)", "k is given twice"),
    "twice-named": ("threshold(k=4, k=5)", "given twice|expected name"),
    "low": ("threshold(k=-1)", r"threshold\(k=-1\): k must be a whole number 0-10"),
    "high": ("threshold(11)", r"threshold\(k=11\): k must be a whole number 0-10"),
    "huge": (f"threshold({10**40})", "k must be a whole number 0-10"),
    "fraction": ("threshold(4.5)", "k must be a whole number 0-10"),
    "whole-float": ("threshold(4.0)", "k must be a whole number 0-10"),
    "infinite": ("threshold(1e999)", "k must be a whole number 0-10"),
    "inf": ("threshold(inf)", "values are numbers, true or false"),
    "nan": ("threshold(nan)", "values are numbers, true or false"),
    "flag-as-number": ("threshold(true)", "k must be a whole number 0-10"),
    "number-as-flag": ("simple(1)", r"simple\(pair_memory=1\): pair_memory must be true or false"),
    "text": ("threshold('4')", "values are numbers, true or false"),
    "none": ("threshold(None)", "values are numbers, true or false"),
    "sum": ("threshold(2+2)", "values are numbers, true or false"),
    "double-minus": ("threshold(--4)", "values are numbers, true or false"),
    "complex": ("threshold(4j)", "values are numbers, true or false"),
    "nested": ("threshold(threshold(4))", "values are numbers, true or false"),
    "starred": ("threshold(*[4])", "values are numbers, true or false"),
    "switch": ("two_stage(switch=0)", r"two_stage\(switch=0\): switch must be a whole number 1-200"),
    "deep": ("(" * 400 + "gold" + ")" * 400, TOO_DEEP),
    "deep-value": ("threshold(" + "-" * 900 + "4)", f"values are numbers|{TOO_DEEP}"),
    "deep-calls": ("gold(" * 90 + ")" * 90, "values are numbers"),
    "deep-parts": ("combine(" * 60 + "gold" + ")" * 60, TOO_DEEP),
    "long-number": (f"threshold({'9' * 900})", "k=a number of 2990 bits"),
    "endless": ("threshold(1e400)", "k=inf"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_wrong_text(text: str, message: str) -> None:
    with pytest.raises(StrategyError, match=message):
        parse_strategy(text)


def test_long_text() -> None:
    assert parse_strategy("gold" + " " * (MAX_TEXT - 4)) == parse_strategy("gold")
    with pytest.raises(
        StrategyError, match=f"strategy of {MAX_TEXT + 1} characters, at most {MAX_TEXT}"
    ) as error:
        parse_strategy("g" * (MAX_TEXT + 1))
    assert len(str(error.value)) < 150


NUMBERS = [
    name
    for name, family in registered().items()
    if {spec["kind"] for spec in family.parameters()} <= {"number", "flag"}
]
"""Families that need no other strategy and no file."""


@pytest.mark.parametrize("name", NUMBERS)
def test_any_parameters_survive_as_text(name: str) -> None:
    source = random.Random(name)
    family = registered()[name]
    for _ in range(50):
        values: dict[str, Any] = {}
        for spec in family.parameters():
            if spec["range"] is None:
                values[spec["name"]] = source.random() < 0.5
            elif isinstance(spec["default"], int):
                values[spec["name"]] = source.randint(*spec["range"])
            else:
                values[spec["name"]] = source.choice([source.uniform(*spec["range"]), *spec["range"]])
        chosen = family(**values)
        again = parse_strategy(str(chosen))
        assert again == chosen and str(again) == str(chosen)
        assert again.params() == chosen.params()


def test_floats_survive_as_text(registry: dict[str, Any]) -> None:
    @strategy("weighed")
    @dataclass(frozen=True)
    class Weighed(Strategy):
        """Weigh."""

        weight: float = parameter(0.5, -1.0, 1e6, "a weight")
        on: bool = switch(True, "whether to")
        decisions = GOLD

    for value in (0.1, 1 / 3, -1.0, 1e6, 1e-300, 2, 5e-324):
        chosen = Weighed(weight=value)
        assert parse_strategy(str(chosen)) == chosen
    for text in ("weighed(1e999)", "weighed(-1e999)", "weighed(-1.01)", "weighed(true)"):
        with pytest.raises(StrategyError, match="weight must be a number -1.0-1000000.0"):
            parse_strategy(text)
    for value in (float("nan"), float("inf"), None, "1"):
        with pytest.raises(StrategyError, match="weight must be a number"):
            Weighed(weight=value)


# --- the registry --------------------------------------------------------------------------------


class TestRegistry:
    def test_a_name_is_taken_once(self, registry: dict[str, Any]) -> None:
        before = dict(registry)
        with pytest.raises(StrategyError, match="strategy 'gold' is registered twice"):

            @strategy("gold")
            @dataclass(frozen=True)
            class Other(Strategy):
                """Another."""

                decisions = GOLD

        assert registry == before

    @pytest.mark.parametrize("name", ["", "two words", "1st", "a-b", "gold()"])
    def test_names_are_identifiers(self, registry: dict[str, Any], name: str) -> None:
        with pytest.raises(StrategyError, match="is not an identifier"):
            strategy(name)(registered()["gold"])

    def test_decisions_are_needed(self, registry: dict[str, Any]) -> None:
        with pytest.raises(StrategyError, match="strategy 'idle' has no decisions"):

            @strategy("idle")
            @dataclass(frozen=True)
            class Idle(Strategy):
                """Do nothing."""

        assert "idle" not in registry

    def test_only_frozen_dataclasses(self, registry: dict[str, Any]) -> None:
        class Bare(Strategy):
            """No dataclass."""

            decisions = GOLD

        @dataclass(frozen=True)
        class Plain(Strategy):
            """A field without a range."""

            k: int = 3
            decisions = GOLD

        for name, family, message in (
            ("bare", Bare, "'bare' is not decorated with @dataclass"),
            ("plain", Plain, r"'plain': make its field 'k' with parameter\(\) or switch\(\)"),
            ("other", dict, "'other' is not a class derived from Strategy"),
        ):
            with pytest.raises(StrategyError, match=message):
                strategy(name)(family)
            assert name not in registry

    @pytest.mark.requires_jit  # without it every function is plain
    def test_decisions_are_compiled(self, registry: dict[str, Any]) -> None:
        @strategy("hasty")
        @dataclass(frozen=True)
        class Hasty(Strategy):
            """Name a plain function as a decision."""

            decisions = Decisions(__name__, "strategies.compiled.gold", "strategies.compiled.gold")

        with pytest.raises(StrategyError, match="hasty: draw is not decorated with @draw_rule"):
            load_decisions(Hasty())

    @pytest.mark.parametrize(
        "wanted",
        [
            Decisions("nowhere.at_all", "strategies.compiled.gold", "strategies.compiled.gold"),
            Decisions(*["strategies.compiled.gold"] * 3, "strategies.compiled.gold"),
        ],
        ids=["no-module", "no-function"],
    )
    def test_decisions_that_are_missing(self, registry: dict[str, Any], wanted: Decisions) -> None:
        @strategy("lost")
        @dataclass(frozen=True)
        class Lost(Strategy):
            """Look for its decisions."""

            decisions = wanted

        message = "lost: no compiled (draw in nowhere.at_all|spread in strategies.compiled.gold)"
        with pytest.raises(StrategyError, match=message):
            load_decisions(Lost())

    def test_strategies_are_frozen(self) -> None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            parse_strategy("gold").threshold = 3
        assert parse_strategy("gold(3)") != parse_strategy("gold(4)")
        assert len({parse_strategy("gold(3)"), parse_strategy("gold(threshold=3)")}) == 1


# --- files ---------------------------------------------------------------------------------------

HEAD = """
from dataclasses import dataclass

from sim.view import knock_rule
from strategies.base import Decisions, Strategy, parameter, strategy

GOLD = "strategies.compiled.gold"
"""
LOW = f"""{HEAD}
@strategy("low")
@dataclass(frozen=True)
class Low(Strategy):
    \"\"\"Knock below a count.\"\"\"

    below: int = parameter(5, 0, 11, "knock below this")
    decisions = Decisions(GOLD, __name__, GOLD)


@knock_rule
def knock(view):
    return view.best_deadwood < view.params[0]
"""
IDLE = f"""{HEAD}
@strategy("first")
@dataclass(frozen=True)
class First(Strategy):
    \"\"\"Play as gold.\"\"\"

    decisions = Decisions(GOLD, GOLD, GOLD)
"""


class TestFiles:
    def test_played(self, registry: dict[str, Any], tmp_path: Path) -> None:
        path = tmp_path / "low.py"
        path.write_text(LOW, encoding="utf-8")
        assert load_strategy_file(path) == ["low"]
        assert load_strategy_file(str(path)) == ["low"]  # once is enough
        assert "low" in registered() and parse_strategy("low(4)").params() == [4.0]
        rules, pairs = Rules.preset("eaai"), 30 if COMPILED else 1
        rival = player(parse_strategy("simple"))
        mine, same = (player(parse_strategy(text)) for text in ("low(below=7)", "threshold(6)"))
        runs = [play_match(one, rival, rules, pairs=pairs, seed=1) for one in (mine, same)]
        assert runs[0].tally.tobytes() == runs[1].tally.tobytes()

    def test_several_in_one_file(self, registry: dict[str, Any], tmp_path: Path) -> None:
        path = tmp_path / "several.py"
        path.write_text(IDLE + IDLE.replace(HEAD, "").replace("first", "second"), encoding="utf-8")
        assert load_strategy_file(path) == ["first", "second"]

    def test_the_example_of_the_docs(self, registry: dict[str, Any]) -> None:
        assert load_strategy_file(ROOT / "docs" / "examples" / "wary.py") == ["wary"]
        pairs = 100 if COMPILED else 1
        made = player(parse_strategy("wary(k=8)"))
        run = play_match(made, player(parse_strategy("gold")), Rules.preset("eaai"), pairs=pairs)
        assert run.pairs == pairs

    @pytest.mark.parametrize(
        ("name", "source", "message"),
        [
            ("syntax.py", "def (:\n", "SyntaxError"),
            ("raises.py", f"{IDLE}\nraise ValueError('no\\nway')\n", "ValueError: no"),
            ("exits.py", "import sys\nsys.exit(3)\n", "SystemExit: 3"),
            ("imports.py", "import nothing_of_that_name\n", "ModuleNotFoundError: No module named"),
            ("taken.py", IDLE.replace("first", "gold"), "strategy 'gold' is registered twice"),
            ("twice.py", IDLE + IDLE.replace(HEAD, ""), "strategy 'first' is registered twice"),
            ("nothing.py", "x = 1\n", "registers no strategy"),
            ("empty.py", "", "registers no strategy"),
            ("null.py", "x = 1\0\n", "null bytes|SyntaxError"),
            ("range.py", f"{IDLE}\nFirst(k=1)\n", "TypeError"),
            ("notes.txt", "x = 1\n", "not a Python file"),
        ],
    )
    def test_failures(
        self, registry: dict[str, Any], tmp_path: Path, name: str, source: str, message: str
    ) -> None:
        path = tmp_path / name
        path.write_text(source, encoding="utf-8")
        before, modules = dict(registry), set(sys.modules)
        with pytest.raises(StrategyError, match=message) as error:
            load_strategy_file(path)
        assert str(error.value).startswith(f"strategy file {path}: ") and "\n" not in str(error.value)
        assert registered() == dict(sorted(before.items()))  # nothing of it is left
        assert not [module for module in set(sys.modules) - modules if module.startswith("ginlab_user_")]

    def test_not_text(self, registry: dict[str, Any], tmp_path: Path) -> None:
        path = tmp_path / "bytes.py"
        path.write_bytes(bytes(range(128, 256)))
        with pytest.raises(StrategyError, match="strategy file .*bytes.py: "):
            load_strategy_file(path)

    def test_missing_and_folder(self, registry: dict[str, Any], tmp_path: Path) -> None:
        with pytest.raises(StrategyError, match="strategy file .*none.py: No such file"):
            load_strategy_file(tmp_path / "none.py")
        with pytest.raises(StrategyError, match="strategy file .*: "):
            load_strategy_file(tmp_path)

    def test_a_mended_file_is_read_again(self, registry: dict[str, Any], tmp_path: Path) -> None:
        path = tmp_path / "mended.py"
        path.write_text("1 / 0\n", encoding="utf-8")
        with pytest.raises(StrategyError, match="ZeroDivisionError"):
            load_strategy_file(path)
        path.write_text(IDLE, encoding="utf-8")
        assert load_strategy_file(path) == ["first"]
