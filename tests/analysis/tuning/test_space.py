"""Where a strategy is sought: names, ranges, rounding, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.console import UsageError
from analysis.tuning.question import parse_ranges
from analysis.tuning.space import space
from strategies.base import parse_strategy, registered
from strategies.combine import Combine
from tests.analysis.tuning.planted import asked


def test_all_numbers_are_free_and_flags_are_not() -> None:
    told = space(parse_strategy("gold(7, true)"))
    assert [(one.name, one.low, one.high, one.start, one.whole) for one in told.parameters] == [
        ("threshold", 0, 10, 7, True)
    ]
    assert str(told.strategy([3.4])) == "gold(threshold=3, hold_for_gin=true)"
    assert told.values(told.strategy([3.4])) == [3]


def test_numbers_are_rounded_and_kept_in_range() -> None:
    told = space(parse_strategy("marjj"), ["weight", "decay", "ahead"])
    chosen = told.strategy([123.4567, 1.7, 0.2])
    assert told.values(chosen) == [123.5, 1, 1]
    assert parse_strategy(str(chosen)) == chosen


def test_parts_have_numbers_too() -> None:
    told = space(parse_strategy("combine(gold, two_stage, simple)"), ["knock.late"])
    assert told.count == 11
    made = map(told.strategy, told.every())
    assert [one.knock.late for one in made if isinstance(one, Combine)] == list(range(11))


def test_ranges_free_and_bound() -> None:
    told = space(parse_strategy("marjj"), ["decay"], {"weight": (5.0, 45.0)})
    weight = told.parameters[0]
    assert [one.name for one in told.parameters] == ["weight", "decay"]
    assert (weight.low, weight.high, weight.step) == (5, 45, 10)


def test_every_family_has_a_space_or_says_why() -> None:
    """Each number of each family that can be played at its defaults."""
    seen = 0
    for name, family in registered().items():
        numbers = [one["name"] for one in family.parameters() if one["kind"] == "number"]
        if not numbers or name in ("combine", "knock_table"):
            continue
        told = space(parse_strategy(name))
        assert set(numbers) <= {one.name for one in told.parameters}
        for one in told.parameters:
            assert one.low <= one.start <= one.high and 0 < one.step <= one.high - one.low
        seen += 1
    assert seen >= 5


@pytest.mark.parametrize(
    ("text", "free", "ranges", "names"),
    [
        ("threshold", ["x"], {}, "'x' is not one of its numbers (has: k)"),
        ("gold", ["hold_for_gin"], {}, "hold_for_gin"),
        ("gin_only", [], {}, "gin_only: it has no numbers to tune"),
        ("threshold", [], {"k": (3.0, 3.0)}, "k=3:3"),
        ("threshold", [], {"k": (-1.0, 3.0)}, "k=-1:3"),
        ("threshold", [], {"k": (0.5, 10.0)}, "k is a whole number"),
        ("threshold", [], {"k": (0.0, 4.0)}, "the start value 10 lies outside"),
        ("marjj", [], {"weight": (float("nan"), 4.0)}, "weight=nan"),
    ],
)
def test_what_is_refused(
    text: str, free: list[str], ranges: dict[str, tuple[float, float]], names: str
) -> None:
    with pytest.raises(UsageError) as refused:
        space(parse_strategy(text), free, ranges)
    assert names in str(refused.value)


def test_ranges_are_read() -> None:
    assert parse_ranges(["weight=5:40", " k = 0:3"]) == {"weight": (5, 40), "k": (0, 3)}
    for text in ("weight", "weight=5", "weight=a:b", "weight:5=6"):
        with pytest.raises(UsageError, match="NAME=LOW:HIGH"):
            parse_ranges([text])
    with pytest.raises(UsageError, match="twice"):
        parse_ranges(["k=1:2", "k=1:3"])


@pytest.mark.parametrize(
    ("changed", "names"),
    [
        ({"pairs": 100}, "--pairs 100"),
        ({"final_pairs": 127}, "--final-pairs 127"),
        ({"most_pairs": 127}, "--most-pairs 127"),
        ({"generations": 0}, "--generations 0"),
        ({"final_pairs": 2**40}, "too many pairs"),
        ({"objective": "wins"}, "objective 'wins'"),
        ({"opponents": 0}, "an opponent"),
    ],
)
def test_questions_that_cannot_be(changed: dict[str, Any], names: str) -> None:
    with pytest.raises(UsageError) as refused:
        asked(**changed)
    assert names in str(refused.value)
