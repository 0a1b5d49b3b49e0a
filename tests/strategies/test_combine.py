"""Rules of different strategies in one player."""

from __future__ import annotations

from itertools import product

import pytest

from sim._jit import COMPILED
from sim.rules import Rules
from sim.run import PARAMS, Table, play_match
from strategies.base import StrategyError, parse_strategy, player
from strategies.combine import Combine
from strategies.text import MAX_NESTING

PAIRS = 200 if COMPILED else 1
EAAI = Rules.preset("eaai")


def played(text: str, other: str = "gold") -> bytes:
    sides = player(parse_strategy(text)), player(parse_strategy(other))
    return play_match(*sides, EAAI, pairs=PAIRS, seed=4).tally.tobytes()


@pytest.mark.parametrize(
    ("combined", "whole"),
    [
        ("combine(draw=gold, knock=two_stage(8, 1, 4), discard=gold)", "two_stage(8, 1, 4)"),
        ("combine(draw=gold(3), knock=threshold(5), discard=gold(9, true))", "threshold(5)"),
        ("combine(simple, simple(false), simple)", "simple"),
        ("combine(simple, gin_only, simple(false))", "combine(simple(false), gold(7, true), simple(false))"),
        (
            "combine(combine(gold, gold, simple), combine(gold, two_stage(9, 3, 5), gold), gold)",
            "two_stage(9, 3, 5)",
        ),
    ],
)
def test_the_parts_make_the_whole(combined: str, whole: str) -> None:
    assert played(combined) == played(whole)
    assert parse_strategy(str(parse_strategy(combined))) == parse_strategy(combined)


@pytest.mark.requires_jit
def test_every_part_decides_its_own() -> None:
    """Eight players of two draws, knocks and discards play eight different matches."""
    parts = [
        f"combine(draw={draw}, knock={knock}, discard={discard})"
        for draw, knock, discard in product(
            ("gold", "simple"), ("gin_only", "threshold(7)"), ("gold", "simple")
        )
    ]
    assert len({played(text, "two_stage") for text in parts}) == 8


def test_parameters_stand_one_after_another() -> None:
    chosen = parse_strategy("combine(draw=gold(3), knock=two_stage(10, 2, 6), discard=gold(3))")
    assert chosen.params() == [3.0, 0.0, 10.0, 2.0, 6.0]
    assert chosen.starts() == (0, 2, 0, 0)
    made = player(chosen)
    view = Table(made, player(parse_strategy("gold")), EAAI).views[0]
    assert view.params[:6].tolist() == [3.0, 0.0, 10.0, 2.0, 6.0, 0.0]
    starts = (view.draw_params, view.knock_params, view.discard_params, view.spread_params)
    assert tuple(map(int, starts)) == chosen.starts()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("combine", "give draw=STRATEGY"),
        ("combine(gold)", "give knock=STRATEGY"),
        ("combine(gold, gold)", "give discard=STRATEGY"),
        ("combine(gold, gold, gold, gold)", "gold.* has no spread rule of its own"),
        ("combine(gold, gold, nobody)", "unknown strategy 'nobody'"),
        ("combine(gold, gold, gold(11))", "threshold=11"),
        ("combine(gold, gold, 3)", "expected name or name"),
        ("combine(gold, gold, discard=gold, draw=gold)", "draw is given twice"),
        ("combine(gold, gold, gold, play=gold)", "no parameter 'play'"),
    ],
)
def test_what_cannot_be_combined(text: str, message: str) -> None:
    with pytest.raises(StrategyError, match=message):
        parse_strategy(text)


def test_too_deep_or_too_much() -> None:
    deep = "gin_only"
    for _ in range(MAX_NESTING - 1):
        deep = f"combine({deep}, gin_only, gin_only)"
    assert isinstance(parse_strategy(deep), Combine)
    with pytest.raises(StrategyError, match="characters, at most 1000"):
        parse_strategy(f"combine({deep}, {'x' * 1000}, gold)")
    with pytest.raises(StrategyError, match=f"nested too deep, at most {MAX_NESTING} strategies"):
        parse_strategy(f"combine({deep}, gold, gold)")
    full = "combine(" + ", ".join(["combine(marjj, marjj, marjj)"] * 3) + ")"  # 1,500 in full
    with pytest.raises(StrategyError, match="characters with all its parameters, at most 1000"):
        parse_strategy(full)
    assert PARAMS >= 4 * 8
