"""Measure the strategies: hands a second of each family against ``simple``, on one thread.

Every family is played at its defaults, in games under ``eaai``. A round, in a fresh process, plays all of
them in turn, several slices each, and takes the fastest slice of each; figures are medians of rounds, ratios
medians of the rounds' ratios. A slice has as many pairs of games as a short first run says, so that a slow
family does not hold up the others.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from analysis.bench import fresh_process
from analysis.families import example
from sim.rules import Rules
from sim.run import Player, Run, RunError, play_match
from strategies.base import StrategyError, parse_strategy, player, registered

BASE = "simple"
"""Whom everybody plays; ratios are to its figure against itself."""
RULES = "eaai"
SLICES = 4
SLICE_SECONDS = 0.1
"""CPU time that a slice is to take, if that is a pair of games or more; to begin one takes some 3 ms."""
MOST_SECONDS = 1.0
"""CPU time of a family's slices in a round; one that needs more for a pair of games plays fewer slices."""
GROWTH = 4
"""Factor by which the first run grows until it takes half a slice, long enough to be timed."""

FIGURES = ("hands_per_cpu_second", "ns_per_turn", "turns_per_hand")


@dataclass(frozen=True)
class Entry:
    """A family as it is measured.

    Attributes
    ----------
    name, text : str
        Its name and what is played.
    """

    name: str
    text: str


def entries() -> tuple[list[Entry], dict[str, str]]:
    """Return the families that can be played at their defaults, `BASE` first, and why others cannot."""
    found, skipped = [], {}
    for name, family in registered().items():
        try:
            found.append(Entry(name, example(family)))
        except StrategyError as error:
            skipped[name] = str(error)
    return sorted(found, key=lambda entry: entry.name != BASE), skipped


def _timed(side: Player, other: Player, pairs: int) -> tuple[Run, float]:
    """Play so many pairs in one piece and return the run and its CPU seconds."""
    cpu = time.process_time()
    run = play_match(side, other, Rules.preset(RULES), pairs=pairs, seed=7, chunk=pairs)
    return run, max(time.process_time() - cpu, 1e-9)


def _plan(side: Player, other: Player) -> tuple[int, int]:
    """Return how many pairs a slice has and how many slices there are, by a short first run."""
    play_match(side, other, Rules.preset(RULES), pairs=1, seed=7)  # compiles
    pairs = 1
    while True:
        _, seconds = _timed(side, other, pairs)
        if seconds >= SLICE_SECONDS / 2:
            break
        pairs *= GROWTH
    count = max(1, round(pairs * SLICE_SECONDS / seconds))
    return count, max(1, min(SLICES, int(MOST_SECONDS * pairs / (seconds * count))))


def measure_strategies(told: list[Entry]) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """Take the figures of all families once, in this process.

    Parameters
    ----------
    told : list of Entry
        The first is whom all play.

    Returns
    -------
    figures : dict
        By name, `FIGURES` of the fastest slice.
    failed : dict
        By name, why a family could not be played.
    """
    base = player(parse_strategy(told[0].text))
    sides: dict[str, Player] = {}
    plans: dict[str, tuple[int, int]] = {}
    failed: dict[str, str] = {}
    for entry in told:
        try:
            side = player(parse_strategy(entry.text))
            plans[entry.name] = _plan(side, base)
        except (RunError, StrategyError, ValueError) as error:
            failed[entry.name] = str(error)
        else:
            sides[entry.name] = side
    figures: dict[str, dict[str, float]] = {}
    for number in range(SLICES):
        for name, side in sides.items():
            pairs, slices = plans[name]
            if number < slices:
                run, seconds = _timed(side, base, pairs)
                hands, turns = run.tally.outcome("hands"), run.tally.outcome("turns")
                played = hands / seconds, seconds * 1e9 / turns, turns / hands
                if name not in figures or played[0] > figures[name]["hands_per_cpu_second"]:
                    figures[name] = dict(zip(FIGURES, played, strict=True))
    return figures, failed


def benchmark_strategies(rounds: int = 5) -> Iterator[tuple[str, dict[str, Any]]]:
    """Measure round by round how fast each family plays.

    Parameters
    ----------
    rounds : int
        Rounds; figures are their medians.

    Yields
    ------
    stage : str
        What has just been measured, for progress.
    report : dict
        ``strategies``, by name the ``strategy`` played, medians of `FIGURES` so far and ``ratio`` to
        `BASE` against itself, round by round; ``skipped``, by name why a family is not measured.
    """
    told, skipped = entries()
    samples: list[dict[str, dict[str, float]]] = []
    for index in range(rounds):
        with fresh_process() as pool:
            figures, failed = pool.submit(measure_strategies, told).result()
        skipped |= failed
        samples.append(figures)
        yield f"round {index + 1} of {rounds}", strategies_report(told, samples, skipped)


def strategies_report(
    told: list[Entry], samples: list[dict[str, dict[str, float]]], skipped: dict[str, str]
) -> dict[str, Any]:
    """Return medians of rounds, and of the rounds' ratios."""
    report = {}
    for name, text in ((entry.name, entry.text) for entry in told if entry.name not in skipped):
        report[name] = {
            "strategy": text,
            **{figure: statistics.median(sample[name][figure] for sample in samples) for figure in FIGURES},
            "ratio": statistics.median(
                sample[name]["hands_per_cpu_second"] / sample[BASE]["hands_per_cpu_second"]
                for sample in samples
            ),
        }
    return {"against": told[0].text, "rules": RULES, "strategies": report, "skipped": dict(skipped)}


def strategies_rows(report: dict[str, Any]) -> list[tuple[str, str, str, str, str]]:
    """Return rows, fastest first: hands a second, ratio, time and number of turns, what was played."""
    found = sorted(report["strategies"].values(), key=lambda one: -one["hands_per_cpu_second"])
    return [
        (
            f"{one['hands_per_cpu_second']:,.0f}",
            f"{one['ratio']:.2f}" if one["ratio"] >= 0.1 else f"{one['ratio']:.2g}",
            f"{one['ns_per_turn']:,.0f} ns",
            f"{one['turns_per_hand']:.1f}",
            one["strategy"],
        )
        for one in found
    ]
