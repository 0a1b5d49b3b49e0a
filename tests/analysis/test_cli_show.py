"""``ginlab strategies show``: what is told of each family is what the family is."""

from __future__ import annotations

import importlib
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from analysis.cli import app
from analysis.cli_reference import strategies_app
from analysis.families import combining_text, family_report, table_in
from strategies import base
from strategies.base import Decisions, Strategy, StrategyError, parse_strategy, registered
from tests.analysis.command_line import answer, refused, run, words

BUILT_IN = [name for name, kind in registered().items() if kind.__module__.startswith("strategies.")]

USER_FILE = '''
from dataclasses import dataclass
from strategies import base
from strategies.base import Decisions, Strategy, StrategyError, parameter, strategy

GOLD = "strategies.compiled.gold"


@strategy("picky_show")
@dataclass(frozen=True)
class Picky(Strategy):
    """Refuse the default.

    The second paragraph
    goes on with

    1. one
       item,
    2. another.

    ====== ==========
    seen   knocks with
    ====== ==========
    10-14  ten
    15-    anything that can be said in words that are many more than fit in a line of the narrow screen
    ====== ==========

    Notes
    -----
    Not told.

    References
    ----------
    Nobody's book,
    page 1.
    """

    k: float = parameter(0.5, 0, 1, "anything, in points")
    decisions = Decisions(GOLD, "strategies.compiled.gin_only", GOLD)
    remembers = ("knock",)

    def __post_init__(self):
        super().__post_init__()
        if self.k == 0.5:
            raise StrategyError("picky_show: give k")

    def table(self):
        return [1.0]
'''


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_family_is_told(name: str) -> None:
    family = registered()[name]
    told = answer("strategies", "show", name)
    assert told == family_report(name) | {"parameters": told["parameters"]}
    assert [one["name"] for one in told["parameters"]] == [one["name"] for one in family.parameters()]
    assert told["description"].startswith(family.summary().replace("``", ""))
    assert "References" not in told["description"] and told["source"]
    chosen = parse_strategy(told["example"])
    assert type(chosen) is family
    shown = words("strategies", "show", name)
    assert f'"{told["example"]}"' in shown and " ".join(told["source"].split()) in shown
    for one in told["parameters"]:
        assert one["name"] in shown and one["doc"] in shown


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_combination_takes_the_own_rules(name: str) -> None:
    told = family_report(name)
    if told["combined"] is None:
        assert registered()[name].decisions.draw == ""
        return
    combined = parse_strategy(told["combined"]["example"])
    mine = parse_strategy(told["example"])
    lent = {decision for decision in Decisions._fields if combined.owner(decision) == mine}
    assert lent and lent <= set(told["combined"]["own"])
    assert lent == set(told["combined"]["own"]) or "discard" in lent


def test_where_the_rules_come_from() -> None:
    gold = {"family": "gold", "module": "strategies.compiled.gold"}
    rules = family_report("threshold")["rules"]
    assert rules["draw"] == rules["discard"] == gold
    assert rules["knock"] == {"family": "threshold", "module": "strategies.compiled.threshold"}
    assert rules["spread"] == {"family": None, "module": "sim.view"}
    assert family_report("gold")["rules"]["knock"] == gold
    assert set(map(str, family_report("combine")["rules"].values())) == {"{'family': None, 'module': None}"}
    assert "gold's (strategies.compiled.gold)" in words("strategies", "show", "threshold")
    assert "the strategy given as knock=" in words("strategies", "show", "combine")


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_modules_told_hold_the_rules(name: str) -> None:
    for decision, origin in family_report(name)["rules"].items():
        if origin["module"] is not None:
            module = importlib.import_module(origin["module"])
            assert hasattr(module, decision) or origin["module"] == "sim.view"


def test_memory_is_told() -> None:
    told = family_report("simple")
    assert told["remembers"] == ["discard"] and not told["has_table"]
    assert "Its discard rule keeps a memory" in combining_text(told)
    assert "memory" not in combining_text(family_report("gold"))


def test_a_family_of_a_file(tmp_path: Path) -> None:
    """Whose defaults cannot be played: that is told, and everything else too."""
    file = tmp_path / "picky.py"
    file.write_text(USER_FILE, encoding="utf-8")
    told = answer("strategies", "show", "picky_show", "--strategy-file", str(file))
    try:
        summary, text, items, table = told["description"].split("\n\n")
        assert (summary, text) == ("Refuse the default.", "The second paragraph goes on with")
        assert items == "1. one item,\n2. another."
        assert table.startswith("====== =") and table.count("\n") == 5
        assert told["source"] == "Nobody's book, page 1."
        assert (told["example"], told["example_missing"]) == (None, "picky_show: give k")
        assert told["defined_in"] == "picky.py" and told["combined"] is None and told["has_table"]
        assert told["rules"]["draw"]["family"] == "gold" and told["rules"]["knock"]["family"] == "gin_only"
        shown = words("strategies", "show", "picky_show", "--strategy-file", str(file))
        assert "not at its defaults: picky_show: give k" in shown
        assert "1. one item, 2. another. seen knocks with 10-14 ten 15- anything that can" in shown
    finally:
        base._REGISTRY.pop("picky_show")
    assert isinstance(told["parameters"][0]["default"], float)


def test_tables_in_descriptions() -> None:
    table = "=== ====\na   bc d\n=== ====\n1   2\n3   4 5 6 7\n=== ===="
    assert table_in(table) == (["a", "bc d"], [["1", "2"], ["3", "4 5 6 7"]])
    for other in ("words", "=== ====\na b", "====\nabc\n====\n1\n===="):
        assert table_in(other) is None


def test_unknown_names() -> None:
    known = ", ".join(registered())
    refused("strategies", "show", "nobody", names=f"unknown strategy 'nobody'; known: {known}")
    refused("strategies", "show", "threshold(3)", names="unknown strategy 'threshold(3)'; known: ")
    refused("strategies", "nobody", names="nobody")
    refused("strategies", "show", names="NAME")
    with pytest.raises(StrategyError, match="nobody"):
        family_report("nobody")


@pytest.mark.parametrize("width", ["80", "120"])
@pytest.mark.parametrize("name", BUILT_IN)
def test_fits(name: str, width: str) -> None:
    result = CliRunner().invoke(app, ["strategies", "show", name], env={"COLUMNS": width})
    assert result.exit_code == 0
    assert max(len(line.rstrip()) for line in result.stdout.splitlines()) <= int(width)


def test_examples_of_the_help_work() -> None:
    callback = strategies_app.registered_callback
    assert callback is not None
    (show,) = (one for one in strategies_app.registered_commands if one.name == "show")
    told = [text for text in (callback.epilog, show.epilog) if isinstance(text, str)]
    lines = [line for text in told for line in re.findall(r"^  ginlab (strategies.*)$", text, re.M)]
    assert len(lines) >= 5
    for line in lines:
        if "export" not in line:  # which writes a file
            assert run(*shlex.split(line)).exit_code == 0, line


def test_json_stands_after_show() -> None:
    result = run("strategies", "--json", "show", "gold")
    assert (result.exit_code, result.stderr) == (2, "ginlab: --json: goes after show\n")


OTHER_DEFAULTS = '''
from dataclasses import dataclass
from strategies.base import parameter, strategy
from strategies.gold import Gold


@strategy("mine_show")
@dataclass(frozen=True)
class Mine(Gold):
    """Play as gold, knock with at most 4 points."""

    threshold: int = parameter(4, 0, 10, "most deadwood to knock with, in points")
'''


def test_a_family_that_is_another_with_other_defaults(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(OTHER_DEFAULTS, encoding="utf-8")
    try:
        told = answer("strategies", "show", "mine_show", "--strategy-file", str(file))
        assert {told["rules"][decision]["family"] for decision in ("draw", "knock", "discard")} == {"gold"}
        assert told["combined"]["own"] == []
        combined = parse_strategy(told["combined"]["example"])
        assert str(combined.owner("knock")) == told["example"] == "mine_show(threshold=4, hold_for_gin=false)"
        assert "all its rules are another's, with its own parameters" in combining_text(told)
    finally:
        base._REGISTRY.pop("mine_show")


def test_the_base_has_no_table() -> None:
    """What `has_table` compares with."""
    assert Strategy.table is not registered()["combine"].table
    assert not family_report("combine")["has_table"]
