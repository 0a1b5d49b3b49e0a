"""Measure the engine: nanoseconds a deadwood, a discard and a turn; games a second by threads.

What is played is ``simple(pair_memory=false)`` against itself under ``eaai``, which is what the C program
``docs/bench/gin_limit.c`` plays; given that program, both are timed in turn in the same run and compared.
Figures are medians; on a shared machine trust the ratios.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from analysis.console import UsageError
from analysis.request import available_threads
from sim.cards import card_mask
from sim.deadwood import fill_best_discard, fill_deadwood
from sim.rules import Rules
from sim.run import play_match
from sim.tables import tables_for
from strategies.base import parse_strategy, player

HANDS = 1 << 16
REPEATS = 20
PAIRS = 50_000
"""Pairs a timed run plays on each thread: about a second."""
REFERENCE_GAMES = 100_000
PLAYED = "simple(pair_memory=false)"

REFERENCE_FIGURES = ("deadwood_ns", "hands_per_cpu_second", "games_per_cpu_second", "ns_per_turn")


def _random_hands(cards: int) -> Any:
    """Return random hands of so many cards, int64, the same each time."""
    deck = np.array([card_mask(rank, suit) for suit in range(4) for rank in range(13)], np.int64)
    chosen = np.random.default_rng(7).random((HANDS, 52)).argpartition(cards, axis=1)[:, :cards]
    return deck[chosen].sum(axis=1)


def _ns_each(kernel: Any, hands: Any, *outputs: Any) -> float:
    """Time a kernel that fills ``outputs`` from hands: compiled code, without the library's checks."""
    melds = tables_for(None)
    started = time.process_time()
    for _ in range(REPEATS):
        kernel(hands, *outputs, melds)
    return (time.process_time() - started) * 1e9 / (REPEATS * len(hands))


def _play(threads: int) -> tuple[float, float, int, int]:
    """Return wall seconds, CPU seconds, hands and turns of one timed run."""
    side = player(parse_strategy(PLAYED))
    cpu = time.process_time()
    run = play_match(side, side, Rules.preset("eaai"), pairs=PAIRS * threads, seed=7, threads=threads)
    cpu = time.process_time() - cpu
    return run.seconds, cpu, run.tally.outcome("hands"), run.tally.outcome("turns")


def run_reference(program: str) -> dict[str, float]:
    """Run the C program and read its figures.

    Raises
    ------
    UsageError
        If it cannot be run or prints something else.
    """
    try:
        done = subprocess.run(
            [program, str(REFERENCE_GAMES)], capture_output=True, text=True, check=True, timeout=600
        )
    except (OSError, subprocess.SubprocessError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"--reference {program}: {reason}") from None
    figures = {
        name: float(found[1])
        for name in REFERENCE_FIGURES
        if (found := re.search(rf"\b{name} ([0-9.]+)", done.stdout))
    }
    if len(figures) < len(REFERENCE_FIGURES):
        raise UsageError(f"--reference {program}: printed no {', '.join(REFERENCE_FIGURES)}")
    return figures


def thread_counts(most: int) -> list[int]:
    """Return 1, 2, 4 ... up to the given number, and the number itself."""
    counts = {most} | {1 << power for power in range(most.bit_length()) if 1 << power <= most}
    return sorted(counts)


def benchmark(
    rounds: int = 5, threads: int | None = None, reference: str | None = None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Measure round by round.

    Parameters
    ----------
    rounds : int
        Rounds; figures are their medians.
    threads : int, optional
        The most threads to time; the machine's when left out.
    reference : str, optional
        The compiled C program to time beside the engine.

    Yields
    ------
    stage : str
        What has just been measured, for progress.
    report : dict
        Medians so far: ``deadwood_ns``, ``best_discard_ns``, ``ns_per_turn``,
        ``hands_per_cpu_second``, ``games_per_second`` by threads, and with a reference its own figures
        and the ratios.
    """
    counts = thread_counts(threads or available_threads())
    ten, eleven = _random_hands(10), _random_hands(11)
    points, cards = np.empty(HANDS, np.int16), np.empty(HANDS, np.int64)
    side = player(parse_strategy(PLAYED))
    play_match(side, side, Rules.preset("eaai"), pairs=1)
    samples: dict[str, list[float]] = {}

    def keep(name: str, value: float) -> None:
        samples.setdefault(name, []).append(value)

    for index in range(rounds):
        if reference is not None:
            for name, value in run_reference(reference).items():
                keep(f"reference {name}", value)
        keep("deadwood_ns", _ns_each(fill_deadwood, ten, points))
        keep("best_discard_ns", _ns_each(fill_best_discard, eleven, points, cards))
        for count in counts:
            wall, cpu, hands, turns = _play(count)
            keep(f"games {count}", 2 * PAIRS * count / wall)
            if count == 1:
                keep("ns_per_turn", cpu * 1e9 / turns)
                keep("hands_per_cpu_second", hands / cpu)
        yield f"round {index + 1} of {rounds}", _report(samples, counts)


def _report(samples: dict[str, list[float]], counts: list[int]) -> dict[str, Any]:
    median = {name: statistics.median(values) for name, values in samples.items()}
    report: dict[str, Any] = {
        name: median[name]
        for name in ("deadwood_ns", "best_discard_ns", "ns_per_turn", "hands_per_cpu_second")
    }
    report["games_per_second"] = {str(count): median[f"games {count}"] for count in counts}
    reference = {name: median[key] for name in REFERENCE_FIGURES if (key := f"reference {name}") in median}
    if reference:
        report["reference"] = reference
        report["ratios"] = {
            "hands_per_cpu_second": statistics.median(
                ours / theirs
                for ours, theirs in zip(
                    samples["hands_per_cpu_second"], samples["reference hands_per_cpu_second"], strict=True
                )
            ),
            "deadwood_ns": statistics.median(
                ours / theirs
                for ours, theirs in zip(samples["deadwood_ns"], samples["reference deadwood_ns"], strict=True)
            ),
        }
    return report


def bench_fields(report: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the report as labels and texts."""
    speeds = report["games_per_second"]
    single = speeds["1"]
    fields = [
        ("Deadwood of ten cards", f"{report['deadwood_ns']:.1f} ns"),
        ("Best discard of eleven", f"{report['best_discard_ns']:.1f} ns"),
        ("A turn", f"{report['ns_per_turn']:.1f} ns"),
        ("Hands a CPU second", f"{report['hands_per_cpu_second']:,.0f}"),
        *(
            (f"Games a second, {count} thread{'s' if count != '1' else ''}", f"{speed:,.0f}"
             + ("" if count == "1" else f" ({speed / single:.2f} x one thread)"))
            for count, speed in speeds.items()
        ),
    ]  # fmt: skip
    if "reference" in report:
        theirs, ratios = report["reference"], report["ratios"]
        fields += [
            (
                "Reference program",
                f"{theirs['hands_per_cpu_second']:,.0f} hands a CPU second, "
                f"deadwood {theirs['deadwood_ns']:.1f} ns",
            ),
            (
                "Engine / reference",
                f"{ratios['hands_per_cpu_second']:.2f} x its hands a CPU second, "
                f"{ratios['deadwood_ns']:.2f} x its time for a deadwood",
            ),
        ]
    return fields
