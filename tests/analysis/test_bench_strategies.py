"""How fast strategies play: what is measured, how it is put together. Nothing here is about real speed."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from typer.testing import CliRunner

from analysis import bench_strategies
from analysis.bench_strategies import (
    BASE,
    FIGURES,
    GROWTH,
    MOST_SECONDS,
    SLICE_SECONDS,
    SLICES,
    Entry,
    entries,
    measure_strategies,
    strategies_report,
    strategies_rows,
)
from analysis.cli import app
from sim.rules import Rules
from sim.run import RunError, play_match
from strategies.base import StrategyError, parse_strategy, player, registered

BUILT_IN = {name for name, kind in registered().items() if kind.__module__.startswith("strategies.")}


def test_every_family_is_an_entry() -> None:
    """From the registry, the one all play first; each at its defaults."""
    told, skipped = entries()
    assert told[0].name == BASE and len({entry.name for entry in told}) == len(told)
    assert {entry.name for entry in told} | set(skipped) >= BUILT_IN and not skipped.keys() & {BASE, "gold"}
    for entry in told:
        assert type(parse_strategy(entry.text)).name == entry.name
    assert Entry("gold", str(parse_strategy("gold"))) in told


def test_a_family_that_cannot_be_played_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(family: Any) -> str:
        if family.name == "gold":
            raise StrategyError("gold: give file=")
        return family.name

    monkeypatch.setattr(bench_strategies, "example", refusing)
    told, skipped = entries()
    assert skipped == {"gold": "gold: give file="} and "gold" not in {entry.name for entry in told}


# --- how much is played --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "seconds", [1e-5, 1e-4, 3e-3, 0.02, 0.1, 0.4, 3.0], ids=lambda seconds: f"{seconds} s a pair"
)
def test_a_slice_is_sized_by_a_short_run(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    spent: list[float] = []

    def timed(side: Any, other: Any, pairs: int) -> tuple[None, float]:
        spent.append(seconds * pairs)
        return None, seconds * pairs

    monkeypatch.setattr(bench_strategies, "_timed", timed)
    monkeypatch.setattr(bench_strategies, "play_match", lambda *_, **__: None)
    nobody: Any = None  # who plays does not matter, the time is made up
    pairs, slices = bench_strategies._plan(nobody, nobody)
    assert pairs == max(1, round(SLICE_SECONDS / seconds)) and 1 <= slices <= SLICES
    assert sum(spent) <= max(seconds, GROWTH * SLICE_SECONDS)  # the runs that find out
    assert slices == SLICES or pairs * seconds * (slices + 1) > MOST_SECONDS
    assert pairs * seconds * slices <= max(seconds, MOST_SECONDS)
    assert all(one < SLICE_SECONDS / 2 for one in spent[:-1])


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure next to nothing."""
    monkeypatch.setattr(bench_strategies, "_plan", lambda side, other: (1, 2))
    monkeypatch.setattr(bench_strategies, "SLICES", 2)


@pytest.mark.usefixtures("quick")
def test_figures_are_those_of_the_fastest_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([4.0, 3.0, 2.0, 5.0])  # simple, gold, and again
    run = play_match(player(parse_strategy("gold")), player(parse_strategy("gold")), Rules(), pairs=1, seed=1)
    monkeypatch.setattr(bench_strategies, "_timed", lambda side, other, pairs: (run, next(times)))
    figures, failed = measure_strategies([Entry("simple", "simple"), Entry("gold", "gold")])
    hands, turns = run.tally.outcome("hands"), run.tally.outcome("turns")
    assert failed == {} and list(figures) == ["simple", "gold"]
    for name, best in (("simple", 2.0), ("gold", 3.0)):
        assert tuple(figures[name]) == FIGURES
        assert figures[name]["hands_per_cpu_second"] == pytest.approx(hands / best)
        assert figures[name]["ns_per_turn"] == pytest.approx(best * 1e9 / turns)
        assert figures[name]["turns_per_hand"] == pytest.approx(turns / hands)


def test_who_fails_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def plan(side: Any, other: Any) -> tuple[int, int]:
        if side.name.startswith("gold"):
            raise RunError("gold throws no card")
        return 1, 1

    monkeypatch.setattr(bench_strategies, "_plan", plan)
    told = [Entry(name, name) for name in ("simple", "gold", "lost", "gin_only")]
    figures, failed = measure_strategies(told)
    assert set(figures) == {"simple", "gin_only"} and failed["gold"] == "gold throws no card"
    assert "unknown strategy 'lost'" in failed["lost"]


# --- the report ----------------------------------------------------------------------------------


def sample(**speeds: float) -> dict[str, dict[str, float]]:
    return {
        name: {"hands_per_cpu_second": speed, "ns_per_turn": 1e9 / speed, "turns_per_hand": 12.0}
        for name, speed in speeds.items()
    }


def test_medians_of_rounds_and_of_their_ratios() -> None:
    told = [Entry("simple", "simple(pair_memory=true)"), Entry("slow", "slow"), Entry("gone", "gone")]
    samples = [sample(simple=100, slow=1), sample(simple=200, slow=10), sample(simple=400, slow=8)]
    report = strategies_report(told, samples, {"gone": "no file"})
    assert report["against"] == "simple(pair_memory=true)" and report["skipped"] == {"gone": "no file"}
    assert list(report["strategies"]) == ["simple", "slow"]
    slow = report["strategies"]["slow"]
    assert (slow["hands_per_cpu_second"], slow["ratio"]) == (8, 0.02)  # ratios 0.01, 0.05, 0.02
    assert report["strategies"]["simple"]["ratio"] == 1
    assert strategies_rows(report) == [
        ("200", "1.00", "5,000,000 ns", "12.0", "simple(pair_memory=true)"),
        ("8", "0.02", "125,000,000 ns", "12.0", "slow"),
    ]


@pytest.mark.requires_jit  # a fresh process measures, which takes its time without compiled code
def test_the_command() -> None:
    result = CliRunner().invoke(app, ["bench", "--strategies", "--rounds", "1", "--json"])
    assert (result.exit_code, result.stderr) == (0, "round 1 of 1\n")
    report = json.loads(result.stdout)
    assert set(report["strategies"]) | set(report["skipped"]) >= BUILT_IN
    assert report["rules"] == "eaai" and report["strategies"][BASE]["ratio"] == 1
    for one in report["strategies"].values():
        assert all(one[figure] > 0 for figure in (*FIGURES, "ratio"))


@pytest.mark.parametrize("columns", [80, 120])
def test_the_table_fits(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "combine(draw=gold, knock=gin_only, discard=simple)"
    told = [Entry("simple", "simple(pair_memory=true)"), Entry("combine", text)]
    report = strategies_report(told, [sample(simple=812_345.0, combine=97.2)], {"lost": "give a file " * 9})
    monkeypatch.setattr(bench_strategies, "benchmark_strategies", lambda rounds: [("round 1 of 1", report)])
    result = CliRunner().invoke(app, ["bench", "--strategies"], env={"COLUMNS": str(columns)})
    assert result.exit_code == 0
    assert max(len(line.rstrip()) for line in result.stdout.splitlines()) <= columns
    shown = " ".join(result.stdout.split())
    assert "812,345 1.00" in shown and "97 0.00012" in shown and "Not measured: lost (give a file" in shown


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--presets"], "--presets and --strategies"),
        (["--threads", "1"], "--strategies: goes with neither --threads nor --reference"),
        (["--reference", "x"], "--strategies: goes with neither"),
    ],
)
def test_wrong_options_are_named(words: list[str], text: str) -> None:
    result = CliRunner().invoke(app, ["bench", "--strategies", *words])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"ginlab: {text}") and result.stderr.count("\n") == 1


def test_an_entry_is_plain_data() -> None:
    """It goes to another process."""
    assert dataclasses.asdict(Entry("gold", "gold(3)")) == {"name": "gold", "text": "gold(3)"}
