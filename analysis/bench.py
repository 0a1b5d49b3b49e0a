"""Measure the engine: nanoseconds a deadwood, a discard and a turn; games a second by threads.

What is played is ``simple(pair_memory=false)`` against itself under ``eaai``, which is what the C program
``docs/bench/gin_limit.c`` plays; given that program, the two play in turn, in short slices. A round, in a
fresh process, takes the fastest slice of each; figures are medians of rounds.
"""

from __future__ import annotations

import multiprocessing
import re
import signal
import statistics
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np

from analysis.console import UsageError
from analysis.request import available_threads
from sim.cards import card_mask
from sim.deadwood import fill_best_discard, fill_deadwood
from sim.rules import Rules, preset_names
from sim.run import play_match
from sim.solo import play_solo
from sim.tables import tables_for
from strategies.base import parse_strategy, player

HANDS = 1 << 16
REPEATS = 20
PAIRS = 250_000
"""Pairs a timed run plays on each thread: a million games on two, the main job. A run has a twentieth of a
second that does not grow with it: counters laid out and merged, first small chunks."""
REFERENCE_GAMES = 120_000
SLICES = 3
"""Timed runs of a round, the engine's and the reference's in turn. The fastest counts: within seconds a
core can slow down by a third and recover, when another machine's work shares its silicon."""
TURNS = 2_000_000
"""Turns played under each preset: less than a fifth of a second."""
PLAYED = "simple(pair_memory=false)"

REFERENCE_FIGURES = ("deadwood_ns", "hands_per_cpu_second", "games_per_cpu_second", "ns_per_turn")


def _random_hands(cards: int, count: int) -> Any:
    """Return random hands of so many cards, int64, the same each time."""
    deck = np.array([card_mask(rank, suit) for suit in range(4) for rank in range(13)], np.int64)
    chosen = np.random.default_rng(7).random((count, 52)).argpartition(cards, axis=1)[:, :cards]
    return deck[chosen].sum(axis=1)


def _ns_each(kernel: Any, hands: Any, repeats: int, *outputs: Any) -> float:
    """Time a kernel that fills ``outputs`` from hands: compiled code, without the library's checks."""
    melds = tables_for(None)
    started = time.process_time()
    for _ in range(repeats):
        kernel(hands, *outputs, melds)
    return (time.process_time() - started) * 1e9 / (repeats * len(hands))


def measure_kernels(hands: int, repeats: int) -> dict[str, float]:
    """Take nanoseconds a deadwood and a best discard, in this process.

    Parameters
    ----------
    hands, repeats : int
        Random hands of ten and eleven cards, and how often each kernel goes through them.
    """
    points, cards = np.empty(hands, np.int16), np.empty(hands, np.int64)
    return {
        "deadwood_ns": _ns_each(fill_deadwood, _random_hands(10, hands), repeats, points),
        "best_discard_ns": _ns_each(fill_best_discard, _random_hands(11, hands), repeats, points, cards),
    }


def measure_games(count: int, pairs: int) -> dict[str, float]:
    """Play once in so many threads, in this process, so many pairs on each."""
    side = player(parse_strategy(PLAYED))
    rules = Rules.preset("eaai")
    play_match(side, side, rules, pairs=1)
    cpu = time.process_time()
    run = play_match(side, side, rules, pairs=pairs * count, seed=7, threads=count)
    cpu = time.process_time() - cpu
    figures = {f"games {count}": 2 * run.pairs / run.seconds}
    if count == 1:
        figures["ns_per_turn"] = cpu * 1e9 / run.tally.outcome("turns")
        figures["hands_per_cpu_second"] = run.tally.outcome("hands") / cpu
    return figures


def measure_presets(turns: int) -> dict[str, float]:
    """Take nanoseconds a turn under every preset and under eaai just before it, in this process.

    Parameters
    ----------
    turns : int
        About so many turns are played under each.

    Returns
    -------
    dict
        By preset its time, and under ``NAME eaai`` that of the run of eaai beside it.
    """
    _ns_a_turn("eaai", turns)
    figures = {}
    for name in preset_names():
        figures[f"{name} eaai"] = _ns_a_turn("eaai", turns)
        figures[name] = _ns_a_turn(name, turns)
    return figures


def _ns_a_turn(preset: str, turns: int) -> float:
    """Return CPU nanoseconds a turn of about so many turns under a preset, played in one piece."""
    side, rules = player(parse_strategy(PLAYED)), Rules.preset(preset)

    def played(units: int) -> int:
        if rules.solo is not None:
            return play_solo(side, rules, games=units, seed=7, chunk=units).tally.outcome("turns")
        return play_match(side, side, rules, pairs=units, seed=7, chunk=units).tally.outcome("turns")

    units = max(1, turns * 50 // played(50))
    cpu = time.process_time()
    count = played(units)
    return (time.process_time() - cpu) * 1e9 / count


def fresh_process() -> ProcessPoolExecutor:
    """Return one new process to measure in; Ctrl-C is left to this one."""
    return ProcessPoolExecutor(
        1, multiprocessing.get_context("spawn"), signal.signal, (signal.SIGINT, signal.SIG_IGN)
    )


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


def _reference_figures(program: str, count: int) -> dict[str, float]:
    """Run so many processes of the C program at once: their games a second together; alone, all figures."""
    with ThreadPoolExecutor(count) as pool:
        runs = list(pool.map(run_reference, [program] * count))
    figures = {f"reference games {count}": sum(run["games_per_cpu_second"] for run in runs)}
    if count == 1:
        figures |= {f"reference {name}": value for name, value in runs[0].items()}
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
        and the ratios (``games_per_second``: of threads to as many processes of the reference).
    """
    counts = thread_counts(threads or available_threads())
    samples: list[dict[str, float]] = []
    for index in range(rounds):
        samples.append(_round(counts, reference))
        yield f"round {index + 1} of {rounds}", _report(samples, counts)


def _round(counts: list[int], reference: str | None) -> dict[str, float]:
    """Take every figure once: that of the fastest slice, engine and reference playing in turn."""
    slices: list[dict[str, float]] = []
    with fresh_process() as pool:
        figures = pool.submit(measure_kernels, HANDS, REPEATS).result()
        for _ in range(SLICES):
            played: dict[str, float] = {}
            for count in counts:
                if reference is not None:
                    played |= _reference_figures(reference, count)
                played |= pool.submit(measure_games, count, PAIRS).result()
            slices.append(played)
    for name in slices[0]:
        fastest = min if name.endswith(("_ns", "ns_per_turn")) else max
        figures[name] = fastest(played[name] for played in slices)
    return figures


def _report(samples: list[dict[str, float]], counts: list[int]) -> dict[str, Any]:
    """Return medians of the rounds, and of the rounds' ratios: both programs meet a round's noise."""

    def median(name: str) -> float:
        return statistics.median(sample[name] for sample in samples)

    def ratio(name: str) -> float:
        return statistics.median(sample[name] / sample[f"reference {name}"] for sample in samples)

    report: dict[str, Any] = {
        name: median(name)
        for name in ("deadwood_ns", "best_discard_ns", "ns_per_turn", "hands_per_cpu_second")
    }
    report["games_per_second"] = {str(count): median(f"games {count}") for count in counts}
    if "reference deadwood_ns" in samples[0]:
        report["reference"] = {name: median(f"reference {name}") for name in REFERENCE_FIGURES}
        report["ratios"] = {
            "hands_per_cpu_second": ratio("hands_per_cpu_second"),
            "deadwood_ns": ratio("deadwood_ns"),
            "games_per_second": {str(count): ratio(f"games {count}") for count in counts},
        }
    return report


def benchmark_presets(rounds: int = 5) -> Iterator[tuple[str, dict[str, Any]]]:
    """Measure round by round what a turn costs under each preset.

    Parameters
    ----------
    rounds : int
        Rounds; figures are their medians.

    Yields
    ------
    stage : str
        What has just been measured, for progress.
    report : dict
        Medians so far: ``presets``, by name ``ns_per_turn`` and ``ratio`` to eaai, round by round.
    """
    samples: list[dict[str, float]] = []
    for index in range(rounds):
        with fresh_process() as pool:
            samples.append(pool.submit(measure_presets, TURNS).result())
        report = {
            name: {
                "ns_per_turn": statistics.median(sample[name] for sample in samples),
                "ratio": statistics.median(sample[name] / sample[f"{name} eaai"] for sample in samples),
            }
            for name in preset_names()
        }
        yield f"round {index + 1} of {rounds}", {"presets": report}


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
            *(
                (f"{count} threads / {count} references", f"{ratio:.2f} x their games a second")
                for count, ratio in ratios["games_per_second"].items()
                if count != "1"
            ),
        ]
    return fields
