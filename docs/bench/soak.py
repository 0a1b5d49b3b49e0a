"""Play for an hour with ever other rules and strategies, and watch that nothing grows.

    python docs/bench/soak.py --minutes 60 --log docs/bench/soak.csv

A round plays a match, a sweep in a folder that is extended, put back, loaded and reported, and forks of
hands; its rules, strategies and decks hang on its number alone. After `ROUNDS` rounds they begin anew, so
that every later round has to end in the bytes of an earlier one. At the end a fresh process plays every round
once, in another number of threads. Memory and open files are written down each minute. The exit code is 1 if
bytes differ, memory grows by more than a twentieth from the first third to the last, or files stay open.
"""

from __future__ import annotations

import argparse
import csv
import gc
import hashlib
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import analysis
from analysis.experiment.experiment import Experiment
from analysis.experiment.runs import resume
from analysis.knocking.value import knock_counts
from analysis.report.write import report
from analysis.store.folder import MANIFEST
from sim.rules import Rules, preset_names
from sim.run import play_match
from strategies.base import parse_strategy, player

SIDES = (
    "simple", "gold", "threshold(4)", "two_stage(10, 0, 6)", "gin_only", "marjj", "heisenbot", "greedy",
    "human", "clinch", "goldstein", "openspiel_simple", "rlcard_novice", "random",
)  # fmt: skip
PRESETS = tuple(name for name in preset_names() if Rules.preset(name).solo is None)
ROUNDS = 24
PAIRS = 6_000
"""Pairs of a match, of all cells of a sweep, and of forked hands."""
KNOCKERS = ("simple", "gold", "marjj", "heisenbot", "greedy")
"""Side A of the forks."""
GROWTH = 1.05

SPEC = """
title = "Round {number}"
seed = {number}
pairs = {pairs}
[strategies]
a = "{a}"
b = "{b}"
[rules]
base = "{preset}"
[axes]
undercut_bonus = [0, 25]
gin_bonus = [20, 30]
"""


def choices(number: int) -> tuple[str, str, str]:
    """Return the sides and the preset of a round."""
    digits = hashlib.sha256(str(number).encode()).digest()
    a, b = SIDES[digits[0] % len(SIDES)], SIDES[digits[1] % len(SIDES)]
    return a, b, PRESETS[number % len(PRESETS)]


def play_round(number: int, threads: int) -> tuple[str, int]:
    """Play a round; return a hash of all it brought, and how many games it was."""
    a, b, preset = choices(number)
    digest = hashlib.sha256()
    rules = Rules.preset(preset)
    run = play_match(
        player(parse_strategy(a)), player(parse_strategy(b)), rules, pairs=PAIRS, seed=number, threads=threads
    )
    digest.update(run.tally.tobytes())
    games = run.tally.outcome("games")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "run"
        text = SPEC.format(number=number, pairs=PAIRS // 4, a=a, b=b, preset=preset)
        Experiment.from_text(text).changed(pairs=PAIRS // 8).run(folder, threads)
        resume(folder, PAIRS // 4 - PAIRS // 8, threads)
        (folder / MANIFEST).unlink()  # as if it had been killed while it wrote its tables
        results = resume(folder, threads=threads)
        again = analysis.load(folder)
        assert again.table("cells").equals(results.table("cells"))
        for tally in again.tallies():
            digest.update(tally.tobytes())
            games += tally.outcome("games")
        if number % 3 == 0:  # charts take a dozen seconds
            report(again, folder)
            digest.update((folder / "cells.csv").read_bytes())
    knocker = player(parse_strategy(KNOCKERS[number % len(KNOCKERS)]))
    other = player(parse_strategy(b))
    counts, _ = knock_counts(knocker, other, rules, pairs=PAIRS // 4, seed=number, threads=threads)
    digest.update(counts.sums.tobytes())
    return digest.hexdigest(), games


def watched() -> dict[str, float]:
    """Return the memory of this process in MB, its open files, its threads."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        "memory_mb": round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1),
        "open_files": len(os.listdir("/proc/self/fd")),
        "threads": threading.active_count(),
    }


def soak(minutes: float, threads: int, log: Path) -> int:
    """Play for so long; return the exit code."""
    known: dict[int, str] = {}
    rows: list[dict[str, float]] = []
    games = repeated = differing = 0
    started = time.monotonic()
    with log.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        for round_number in itertools.count():
            minute = (time.monotonic() - started) / 60
            number = round_number % ROUNDS
            found, played = play_round(number, threads)
            games += played
            if number in known:
                repeated += 1
                differing += known[number] != found
            known[number] = found
            if minute >= len(rows):
                row = {"minute": round(minute, 2), "rounds": round_number + 1, "games": games, **watched()}
                if not rows:
                    writer.writerow(row)
                rows.append(row)
                writer.writerow(row.values())
                file.flush()
                print(*(f"{name} {value:,}" for name, value in row.items()), flush=True)
            if minute >= minutes:
                break
    third = max(1, len(rows) // 3)
    early, late = (
        statistics.median(row["memory_mb"] for row in part) for part in (rows[:third], rows[-third:])
    )
    files = [max(row["open_files"] for row in part) for part in (rows[:third], rows[-third:])]
    fresh = fresh_hashes(sorted(known), threads)
    other = sum(known[number] != told for number, told in fresh.items())
    print(f"{games:,} games; {repeated} rounds played again, {differing} of them otherwise")
    print(f"{len(fresh)} rounds in a fresh process, {other} of them otherwise")
    print(f"memory: {early:,.0f} MB in the first third, {late:,.0f} MB in the last")
    print(f"open files: at most {files[0]} in the first third, {files[1]} in the last")
    return int(differing > 0 or other > 0 or late > GROWTH * early or files[1] > files[0])


def fresh_hashes(numbers: list[int], threads: int) -> dict[int, str]:
    """Return the hashes of rounds that a new process plays, with another number of threads."""
    words = [sys.executable, __file__, "--only", ",".join(map(str, numbers)), "--threads", str(3 - threads)]
    told = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return {int(number): found for number, found in (line.split() for line in told.splitlines())}


def main() -> int:
    """Read the command line and play."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--threads", type=int, default=2, choices=(1, 2))
    parser.add_argument("--log", type=Path, default=Path("soak.csv"))
    parser.add_argument("--only", help="print the hashes of these rounds, and nothing else")
    told = parser.parse_args()
    if told.only:
        for number in map(int, told.only.split(",")):
            print(number, play_round(number, told.threads)[0])
        return 0
    return soak(told.minutes, told.threads, told.log)


if __name__ == "__main__":
    sys.exit(main())
