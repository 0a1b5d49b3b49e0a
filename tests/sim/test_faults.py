"""A decision that fails is named with its strategy, its turn and the cards held."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from sim._jit import COMPILED, Record
from sim.cards import format_cards
from sim.rules import Rules
from sim.run import Player, RunError, Table, play_match
from sim.solo import play_solo
from sim.view import discard_rule, draw_rule, knock_rule, spread_rule
from strategies.base import parse_strategy, player
from tests.strategies.user_file import at_discard, deal, go_on

EAAI = Rules.preset("eaai")
GOLD = player(parse_strategy("gold"))
PAIRS = 40 if COMPILED else 2


@draw_rule
def draw(view: Record) -> bool:
    if view.turn >= view.params[0]:
        raise ValueError("no luck")
    return False


@draw_rule
def draw_once(view: Record) -> bool:
    """Fail at the first draw asked for, not when asked again."""
    view.memory[0] += 1
    if view.memory[0] == 1:
        raise ValueError("no luck")
    return False


@knock_rule
def knock(view: Record) -> bool:
    if view.turn >= view.params[0]:
        raise KeyError("no luck")
    return False


@discard_rule
def discard(view: Record) -> int:
    if view.turn >= view.params[0]:
        raise IndexError
    return view.best_discards & -view.best_discards


@spread_rule
def spread(view: Record, k: int) -> int:
    if k > 1:
        raise RuntimeError("no way to show")
    return 0


def culprit(turn: int = 1, **rules: Any) -> Player:
    """Return gold with a rule of its own that fails from an own turn on."""
    names = ("draw", "knock", "discard", "spread")
    own = tuple(rules.get(name, rule) for name, rule in zip(names, GOLD.decisions, strict=True))
    return Player("culprit", own, [float(turn)])


def failing(play: Callable[[], Any]) -> str:
    with pytest.raises(RunError) as error:
        play()
    assert "\n" not in str(error.value)
    return str(error.value)


RULES = {
    "draw": (draw, "ValueError: no luck", 10),
    "knock": (knock, "KeyError: 'no luck'", 11),
    "discard": (discard, "IndexError", 11),
}


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("turn", [1, 3])
@pytest.mark.parametrize("second", [False, True])
def test_which_decision_of_whom(name: str, turn: int, second: bool) -> None:
    rule, told, cards = RULES[name]
    bad = culprit(turn, **{name: rule})
    sides = (GOLD, bad) if second else (bad, GOLD)
    text = failing(lambda: play_match(*sides, EAAI, pairs=PAIRS, seed=6))
    found = re.match(
        rf"culprit: {name} raised {re.escape(told)}, seed 6, pair \d+, game [01], hand \d+, turn (\d+), "
        rf"holding( \w\w){{{cards}}}$",
        text,
    )
    assert found is not None, text
    if name != "knock":  # which is not asked in every turn
        assert int(found[1]) in (2 * turn - 1, 2 * turn)


def test_both_were_asked_in_the_opening() -> None:
    """The first upcard is offered to both in one turn: whichever side fails, and whoever deals."""
    passing = Player("passing", (leave, *GOLD.decisions[1:]))
    for sides in ((culprit(1, draw=draw), passing), (passing, culprit(1, draw=draw))):
        for dealer in (0, 1):
            text = failing(partial(play_match, *sides, EAAI, pairs=1, dealer=dealer))
            place = "seed 0, pair 0, game 0, hand 0, turn 1, "
            assert text.startswith(f"culprit: draw raised ValueError: no luck, {place}")


@draw_rule
def leave(view: Record) -> bool:
    """Never take the upcard."""
    return False


def test_the_cards_are_those_of_the_hand() -> None:
    table = Table(GOLD, culprit(1, draw=draw), EAAI, 5, dealer=0)
    deal(table)
    cards = format_cards(int(table.views[1].hand))
    with pytest.raises(ValueError, match="no luck") as error:
        go_on(table)
    text = str(table.failure(error.value))
    assert text.endswith(f"seed 5, pair 0, game 0, hand 0, turn 1, holding {cards}")


def test_a_spread() -> None:
    kept, other = "4H 5H 6H 7H 7S 7D 7C AS AD 3C", "8H 9H KD KC KH QC JD 4C 2D 6S"
    table = at_discard(kept, "KS", other, Rules(), culprit(10, spread=spread))
    table.hand.turns = 6
    with pytest.raises(RuntimeError) as error:
        go_on(table)
    assert str(table.failure(error.value)) == (
        "culprit: spread raised RuntimeError: no way to show, seed 1, pair 0, game 0, hand 0, turn 7, "
        "holding AS 7S 4H 5H 6H 7H AD 7D 3C 7C"
    )


def test_a_failure_that_does_not_come_again() -> None:
    """A decision that keeps something may fail once only; the last that was asked is named."""
    bad = culprit(draw=draw_once)
    text = failing(lambda: play_match(bad, GOLD, EAAI, pairs=1, dealer=1))
    assert text.startswith("culprit: draw raised ValueError: no luck, seed 0, pair 0, game 0, hand 0, turn 1")


def test_before_anybody_is_asked() -> None:
    table = Table(GOLD, GOLD, EAAI)
    text = str(table.failure(MemoryError("too\nmuch")))
    assert text == f"{GOLD.name} v {GOLD.name}: MemoryError: too much, seed 0, pair 0, game 0, hand 0"


@pytest.mark.parametrize("name", ["knock", "discard"])
def test_solo(name: str) -> None:
    rule, told, _ = RULES[name]
    text = failing(
        lambda: play_solo(culprit(4, **{name: rule}), Rules.preset("bga_solo"), games=PAIRS, seed=6)
    )
    place = r"seed 6, game \d+, hand \d+, turn \d+, holding( \w\w){11}"
    assert re.match(rf"culprit: {name} raised {re.escape(told)}, {place}$", text)
