"""Knock rules as tables: the same play card for card, or a refusal that says why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sim._jit import COMPILED, kernel, plain_python
from sim.rules import Rules
from sim.run import play_match
from strategies import base, helpers
from strategies.base import Strategy, StrategyError, load_strategy_file, parse_strategy, player, registered
from strategies.compiled.random import knock as random_knock
from strategies.export import knock_cells
from strategies.knock_table import KnockTable
from strategies.table_file import write_table

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"

HEAD = """
from dataclasses import dataclass
from sim._jit import kernel
from sim.view import knock_rule
from strategies import helpers
from strategies.base import Decisions, Strategy, parameter, strategy, switch
from strategies.helpers import knock_param
GOLD = "strategies.compiled.gold"

@strategy("u")
@dataclass(frozen=True)
class U(Strategy):
    k: int = parameter(6, 0, 10, "points")
    on: bool = switch(True, "whether")
    decisions = Decisions(GOLD, __name__, GOLD)

@kernel
def most(view):
    return helpers.knock_param(view, 0)

@knock_rule
def knock(view):
"""


@pytest.fixture
def user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return a function that loads a strategy `u` with the given knock rule."""
    monkeypatch.setattr(base, "_REGISTRY", dict(registered()))

    def load(*lines: str) -> Strategy:
        file = tmp_path / "mine.py"
        file.write_text(HEAD + "".join(f"    {line}\n" for line in lines), encoding="utf-8")
        load_strategy_file(file)
        return parse_strategy("u")

    return load


def played(chosen: Strategy, rules: str, draws_as: str) -> bytes:
    """Return all counters of a match in which a strategy knocks and ``draws_as`` draws and discards."""
    made = player(parse_strategy(f"combine(draw={draws_as}, knock={chosen}, discard={draws_as})"))
    pairs = 300 if COMPILED else 1
    return play_match(
        made, player(parse_strategy("simple")), Rules.preset(rules), pairs=pairs, seed=3
    ).tally.tobytes()


def written(chosen: Strategy, path: Path) -> KnockTable:
    write_table(str(path), knock_cells(chosen))
    return KnockTable(str(path))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("text", "axis", "rows"),
    [
        ("threshold(5)", "", 11),
        ("two_stage(10, 0, 6)", "turn", 22),
        ("two_stage(early=0, late=10, switch=2)", "turn", 22),
        ("two_stage(4, 7, 1)", "", 11),
        ("gin_only", "", 11),
        ("gold(3)", "", 11),
        ("gold(3, true)", "", 11),
        ("simple", "", 11),
        ("combine(draw=simple, knock=threshold(2), discard=gold)", "", 11),
    ],
)
def test_the_same_play(tmp_path: Path, text: str, axis: str, rows: int, kind: str) -> None:
    chosen = parse_strategy(text)
    cells = knock_cells(chosen)
    assert cells.axis == axis
    assert len(list(cells.rows())) == rows
    table = written(chosen, tmp_path / f"t.{kind}")
    for rules, draws_as in (("eaai", "gold"), ("standard", "simple")):
        assert played(table, rules, draws_as) == played(chosen, rules, draws_as)


def test_as_a_whole_strategy(tmp_path: Path) -> None:
    """Not as a part: the table's own draw and discard are gold's."""
    chosen = parse_strategy("two_stage(10, 0, 6)")
    table = written(chosen, tmp_path / "t.csv")
    rules, rival = Rules.preset("eaai"), player(parse_strategy("gold"))
    one, two = (
        play_match(player(each), rival, rules, pairs=300 if COMPILED else 1, seed=1).tally.tobytes()
        for each in (chosen, table)
    )
    assert one == two


def test_another_table_keeps_its_probabilities(tmp_path: Path) -> None:
    table = KnockTable(str(EXAMPLES / "knock_table.csv"))
    again = written(table, tmp_path / "t.parquet")
    assert list(again.cells().rows()) == list(table.cells().rows())
    assert played(again, "standard", "gold") == played(table, "standard", "gold")
    part = parse_strategy(f"combine(draw=simple, knock={table}, discard=simple)")
    assert list(knock_cells(part).rows()) == list(table.cells().rows())


@pytest.mark.parametrize("rules", ["eaai", "standard", "openspiel_oklahoma"])
def test_the_published_table(tmp_path: Path, rules: str) -> None:
    """Its own rule counts stock cards drawn; the file says those that were left before the own draw."""
    chosen = parse_strategy("goldstein")
    table = written(chosen, tmp_path / "t.csv")
    assert (table.cells().axis, table.cells().shares.shape[1]) == ("stock_before", 2)
    for draws_as in ("gold", "simple"):
        assert played(table, rules, draws_as) == played(chosen, rules, draws_as)
    assert played(table, rules, "gold") != played(parse_strategy("gin_only"), rules, "gold") or not COMPILED


def test_by_stock(user: Any, tmp_path: Path) -> None:
    """Through helpers, a module's name and a nested kernel."""
    late = "return view.stock > 20 or view.best_deadwood <= 2"
    chosen = user("if view.best_deadwood == 0:", "    return True", late)
    cells = knock_cells(chosen)
    assert cells.axis == "stock"
    assert [str(row.step) for row in cells.rows()][::11] == ["... to 20", "21 to ..."]
    assert played(written(chosen, tmp_path / "t.csv"), "eaai", "gold") == played(chosen, "eaai", "gold")


def test_turn_read_beside_the_stock_where_only_one_matters(user: Any) -> None:
    cells = knock_cells(user("return view.best_deadwood <= most(view) and view.turn > 0 and view.stock > 4"))
    assert cells.axis == "stock"
    assert [row.knock for row in cells.rows()] == [0.0] * 11 + [1.0] * 7 + [0.0] * 4


REFUSED = {
    "lots": (["return view.random & 1 == 0"], r"draws lots \(view\.random\)"),
    "cards": (["return helpers.deadwood(view, view.hand) < 3"], "goes by view.hand, for which a table has"),
    "late": (
        ["return view.score > 99 if view.turn == 399 and view.best_deadwood == 9 else True"],
        "goes by view.score",
    ),
    "both": (["return view.stock + view.turn > 20"], "goes by stock and own turn at once"),
    "memory": (["view.memory[0] += 1", "return True"], "goes by view.memory"),
    "rules": (["return view.limit > 3"], "goes by view.limit"),
    "fails": (["return 1 // (view.best_deadwood - 3) > 0"], r"cannot be followed .*\(ZeroDivisionError"),
    "wraps": (["return 2**62 * (view.best_deadwood + 1) > 0"], "answers otherwise when compiled"),
}


@pytest.mark.parametrize(("lines", "message"), REFUSED.values(), ids=REFUSED)
def test_what_a_table_cannot_say(user: Any, lines: list[str], message: str) -> None:
    if not COMPILED and "compiled" in message:
        pytest.skip("there is nothing compiled to compare with")
    with pytest.raises(StrategyError, match=message) as error:
        knock_cells(user(*lines))
    assert str(error.value).startswith("u(k=6, on=true): cannot be written as a knock table: its knock rule ")


def test_built_in_rules_that_a_table_cannot_say() -> None:
    with pytest.raises(StrategyError, match="random: cannot be written as a knock table: .* view.big_gin"):
        knock_cells(parse_strategy("random"))


@kernel
def countdown(count: int) -> int:
    """Call itself."""
    return 0 if count == 0 else countdown(count - 1)


@pytest.mark.requires_jit
def test_plain_python_takes_any_object() -> None:
    class Asked(Exception):
        pass

    class View:
        def __getattr__(self, name: str) -> Any:
            raise Asked(name)

    with pytest.raises(Asked, match="big_gin"):
        plain_python(random_knock)(View())
    view: Any = type("V", (), {"params": [4.0, 9.0], "knock_params": 1})()
    assert plain_python(helpers.knock_param)(view, 0) == 9.0
    assert plain_python(len) is len
    assert plain_python(countdown)(3) == 0
