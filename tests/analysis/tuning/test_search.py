"""The search on made-up values: what was planted is found, fairly measured, however often it was stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.tuning.journal import NAME, Journal, Sums, opened
from analysis.tuning.question import Question
from analysis.tuning.search import FLAT, RELIABLE, tune
from strategies.base import Strategy, parse_strategy
from tests.analysis.tuning.planted import asked, hill, k_of, planted


def report_of(question: Question, play: Any) -> dict[str, Any]:
    return tune(question, play, Journal(None, {}))


def test_a_planted_optimum_is_found() -> None:
    told = report_of(asked(generations=40, most_pairs=4096), planted(hill, 0.5))
    found = told["found"]["values"]
    assert found["weight"] == pytest.approx(60, rel=0.3)
    assert found["decay"] == pytest.approx(0.7, abs=0.15)
    assert abs(found["knock_turns"] - 8) <= 1
    start = hill(parse_strategy("marjj"))
    gained = hill(parse_strategy(told["found"]["strategy"])) - start
    assert gained > 0.95 * -start
    difference = told["final"]["difference"]
    assert difference["low"] < gained < difference["high"] and difference["low"] > 0
    assert told["method"] == "cma" and len(told["trace"]) <= 40


def test_it_is_found_by_its_optimum_without_noise_too() -> None:
    told = report_of(asked(generations=40), planted(hill, 0.0))
    assert hill(parse_strategy(told["found"]["strategy"])) > -0.01


def test_decks_are_never_used_twice() -> None:
    """Not by a generation, nor by the race, nor by the final figure."""
    calls: dict[tuple[int, int], list[str]] = {}
    play = planted(hill)

    def watched(chosen: Strategy, first: int, pairs: int) -> Sums:
        calls.setdefault((first, pairs), []).append(str(chosen))
        return play(chosen, first, pairs)

    told = report_of(asked(generations=4, final_pairs=12_000), watched)
    spans = sorted(calls)
    assert spans[0][0] == 0
    assert all(first + pairs == after for (first, pairs), (after, _) in zip(spans, spans[1:], strict=False))
    assert all(len(set(texts)) == len(texts) for texts in calls.values())
    final = [texts for (first, _), texts in calls.items() if first >= told["final"]["first"]]
    assert len(final) == 3 and all(
        set(texts) == {told["start"]["strategy"], told["found"]["strategy"]} for texts in final
    )
    assert told["final"]["first"] == told["pairs"]["search"]


def test_an_unsure_generation_plays_more_decks() -> None:
    trace = report_of(asked(generations=12, pairs=128, most_pairs=2048), planted(hill, 4.0))["trace"]
    assert {row["pairs"] for row in trace} - {128}
    for row in trace:
        assert row["pairs"] <= 2048
        assert row["reliability"] >= RELIABLE or 2 * row["pairs"] > 2048


def test_it_ends_where_all_are_the_same() -> None:
    told = report_of(asked(generations=30, most_pairs=128), planted(lambda chosen: 0.0))
    assert len(told["trace"]) < 30
    assert told["stopped"].startswith(f"{FLAT} generations in a row")


def test_the_trace_measures_the_centre_before_it_was_chosen() -> None:
    """Its gains are unbiased: they lie about the true ones as their intervals say."""
    told = report_of(asked(generations=25), planted(hill, 2.0))
    start = hill(parse_strategy("marjj"))
    rows = [row for row in told["trace"] if row["gain"]["low"] is not None]
    assert len(rows) >= 15
    outside = [
        row
        for row in rows
        if not row["gain"]["low"] <= hill(parse_strategy(row["strategy"])) - start <= row["gain"]["high"]
    ]
    # More than 8 of 25 would have a probability below 1e-6 at 5 % each.
    assert len(outside) <= 8


def test_few_strategies_are_all_played() -> None:
    best = asked("threshold", "", final_pairs=128)
    told = report_of(best, planted(lambda chosen: -0.2 * abs(k_of(chosen) - 4)))
    assert told["method"] == "complete"
    assert [row["values"]["k"] for row in told["trace"]] == [10, *range(10)]
    assert told["found"]["values"] == {"k": 4}
    assert any(row["left"] for row in told["trace"])
    worst = {row["values"]["k"]: row for row in told["trace"]}[10]
    assert not worst["left"] and worst["gain"] == {"estimate": 0.0, "low": None, "high": None}


def test_the_start_values_may_be_the_best() -> None:
    value = planted(lambda chosen: -0.5 * (10 - k_of(chosen)))
    told = report_of(asked("threshold", ""), value)
    assert told["found"] == told["start"] and told["final"]["difference"] is None


def test_opponents_count_alike() -> None:
    """The mean over opponents whose values are 0, 1 and 2 above: 1 above."""
    told = report_of(asked("threshold", "", opponents=3), planted(lambda chosen: 0.0, 0.0, 3))
    final = told["final"]
    assert final["start"]["estimate"] == pytest.approx(1.0)
    assert [one["start"]["estimate"] for one in final["opponents"].values()] == [0, 1, 2]


def test_the_generator_of_numpy_is_left_alone() -> None:
    np.random.seed(3)
    before = np.random.get_state()[1]
    report_of(asked(generations=2), planted(hill))
    assert np.array_equal(before, np.random.get_state()[1])


@pytest.mark.parametrize("text", ["marjj", "threshold"])
def test_stopped_and_resumed_is_the_same(tmp_path: Path, text: str) -> None:
    """Stopped at every seventh evaluation, the last line of the journal cut short each time."""
    free = "weight,decay,knock_turns" if text == "marjj" else ""
    value = hill if text == "marjj" else lambda chosen: -0.01 * k_of(chosen)
    question = asked(text, free, generations=6)
    whole = report_of(question, planted(value))
    play = planted(value)
    left = 0

    def stopping(chosen: Strategy, first: int, pairs: int) -> Sums:
        nonlocal left
        if left == 0:
            raise KeyboardInterrupt
        left -= 1
        return play(chosen, first, pairs)

    told = None
    stops = 0
    while told is None:
        left = 7
        try:
            with opened(tmp_path, question.to_dict()) as journal:
                told = tune(question, stopping, journal)
        except KeyboardInterrupt:
            stops += 1
            with (tmp_path / NAME).open("ab") as file:
                file.write(b'{"strategy":"marjj(weight=1')
    assert stops > 2
    assert json.dumps(told) == json.dumps(whole)
    with opened(tmp_path / "other", question.to_dict()) as journal:
        assert tune(question, play, journal) == whole
    assert (tmp_path / NAME).read_bytes() == (tmp_path / "other" / NAME).read_bytes()
