"""Rebuild this folder: how often the intervals hold what they should, on real play.

    python results/coverage/build.py [--part N] [--out FOLDER]

Takes about 25 minutes on two processors; ``--part 20`` plays a twentieth of it. The truth of a quantity is
its value over all replications pooled.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from analysis.metrics import METRICS, difference, group_sums
from analysis.stats.estimates import Estimate, jackknife, jackknife_share, ratio
from analysis.stats.pairing import unpaired_ratio
from analysis.stats.power import deviation, half_width_of
from analysis.stats.sequential import Sprt, anytime, checkpoints
from sim.game import play_pairs
from sim.rules import Rules
from sim.run import Table
from sim.tally import KNOCK_FIELDS, OUTCOMES, PAIR_DTYPE, Tally
from strategies.base import parse_strategy, player

HERE = Path(__file__).resolve().parent
SEED = 20_250

A, B = "two_stage(0, 10, 7)", "threshold(4)"
"""Side A waits for gin until its seventh turn and knocks at ten from then on: many knocks in few cells."""
RULES = Rules.preset("eaai").replace(game_target=150)
CELLS = {"alternate deal": RULES, "winner deals": RULES.replace(next_dealer="winner")}
PAIRS, REPLICATIONS = 500, 20_000

TWIN = "simple"
"""Plays itself; it draws lots, so its mirrored games differ."""
TWIN_RULES = Rules.preset("eaai").replace(game_target=50)
TWIN_PAIRS = 400
"""Of 400 games a share of a half is rejected with a probability of 5.1 %: wins come in whole numbers."""

LOOK = 100
"""Pairs between two moments at which a run may be interrupted."""
RUN_PAIRS = 5_000
LOOKS = RUN_PAIRS // LOOK
MET_AT = 2_000
"""Pairs at which half of the runs to a half-width have reached it."""
FEWEST_KNOCKS = 500
"""Knocks a replication, on average, from which a cell's interval is looked at."""
SYNTHETIC = 20_000

LEAD = {"points_a": 1, "points_b": -1}
RATIOS: dict[str, tuple[Any, str, int, bool]] = {
    "game share": ("games_a", "games", 2, True),
    "hand share": ("hands_a", "decisive", 1, True),
    "points a hand": (LEAD, "hands", 1, False),
}
DIFFERENCES = {"game share": "game_share", "hand share": "hand_share", "points a hand": "points_per_hand"}
TAKEN = KNOCK_FIELDS.index("taken")
KNOCKS = {f"P({name})": KNOCK_FIELDS.index(name) for name in ("undercut", "won")}
KNOCKS["points"] = KNOCK_FIELDS.index("points")

COVER, BROKEN, ALWAYS, REJECT, ERROR = "94.2-95.8", "not 94.2-95.8", "93 or more", "4.2-5.8", "5 or less"


class Row(NamedTuple):
    """A line of the table.

    Attributes
    ----------
    study, quantity, method : str
        What was looked at.
    replications : int
    truth : float
        The value to be held.
    count : int
        Replications in which it was held (or rejected, or an error made).
    asked : str
        What the percentage should be.
    """

    study: str
    quantity: str
    method: str
    replications: int
    truth: float
    count: int
    asked: str

    @property
    def percent(self) -> float:
        """The count in per cent of the replications."""
        return 100 * self.count / self.replications

    @property
    def holds(self) -> bool:
        """Whether the percentage is what was asked."""
        told = self.percent
        return {
            COVER: 94.2 <= told <= 95.8,
            BROKEN: not 94.2 <= told <= 95.8,
            ALWAYS: told >= 93,
            REJECT: 4.2 <= told <= 5.8,
            ERROR: told <= 5,
            "": True,
        }[self.asked]


class Bench:
    """A pair of players whose pairs are played a few at a time into the same counters."""

    def __init__(self, a: str, b: str, rules: Rules, seed: int) -> None:
        self.table = Table(player(parse_strategy(a)), player(parse_strategy(b)), rules, seed)
        self.tally = Tally()
        self.pair = np.zeros(1, PAIR_DTYPE).view(np.recarray)

    def clear(self) -> None:
        """Set all counters to zero."""
        np.asarray(self.tally.rows).view(np.int64).fill(0)

    def play(self, first: int, count: int) -> None:
        """Play pairs on top of those counted."""
        table = self.table
        a, b = table.players
        play_pairs(
            table.seed, first, count, table.views[0], table.views[1], table.game, table.hand, table.rules,
            table.melds, self.tally.rows, self.pair[0], self.pair.view(np.int64), a.decisions, b.decisions,
            table.layoff,
        )  # fmt: skip
        if table.hand.fault:
            raise table.fault()


class Replication(NamedTuple):
    """What is kept of 500 pairs of a cell: running moments, those of matches, sums and knocks by group."""

    moments: Any
    matches: Any
    sums: Any
    knocks: Any


def replicate(bench: Bench, number: int) -> Replication:
    """Play one replication."""
    bench.clear()
    running = []
    for first in range(0, PAIRS, LOOK):
        bench.play(number * PAIRS + first, LOOK)
        running.append(bench.tally.total("moments"))
    tally = bench.tally
    knocks = tally.groups("knocks")[:, 0, :, :, : max(KNOCKS.values()) + 1]
    return Replication(np.array(running), tally.total("match_moments"), group_sums(tally), knocks.copy())


# --- intervals of many replications --------------------------------------------------------------


class Intervals:
    """Intervals by study, quantity and method."""

    def __init__(self) -> None:
        self.ends: dict[tuple[str, str, str], list[tuple[float, float]]] = defaultdict(list)

    def add(self, study: str, quantity: str, method: str, told: Estimate) -> None:
        """Keep an interval; one that cannot be told holds nothing."""
        ends = (told.low, told.high)
        self.ends[study, quantity, method].append((np.nan, np.nan) if None in ends else ends)  # type: ignore[arg-type]

    def row(self, study: str, quantity: str, method: str, truth: float, asked: str) -> Row:
        """Count the intervals that hold a truth."""
        ends = np.array(self.ends[study, quantity, method])
        held = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
        return Row(study, quantity, method, len(ends), truth, int(held.sum()), asked)


def knock_cells(knocks: Any) -> Iterator[tuple[str, Any]]:
    """Yield the name and the counters, shape (..., fields), of each knock cell and of the table's margins."""
    yield from (
        (f"turn {turn + 1}", knocks[..., turn, :, :].sum(axis=-2)) for turn in range(knocks.shape[-3])
    )
    for deadwood in range(knocks.shape[-2]):
        yield f"deadwood {deadwood}", knocks[..., :, deadwood, :].sum(axis=-2)
        for turn in range(knocks.shape[-3]):
            yield f"turn {turn + 1}, deadwood {deadwood}", knocks[..., turn, deadwood, :]


def by_groups(x: Any, n: Any, share: bool) -> Estimate:
    """Estimate a ratio of sums by group with the jackknife."""
    value, without = x.sum() / n.sum(), (x.sum() - x) / (n.sum() - n)
    return jackknife_share(value, without, min(int(n.sum()), PAIRS)) if share else jackknife(value, without)


def fixed_pairs(replications: int) -> tuple[list[Row], Any]:
    """Return the rows of replications of fixed length, and the running moments of the first cell."""
    kept = Intervals()
    benches = [Bench(A, B, rules, SEED) for rules in CELLS.values()]
    pilot = Bench(A, B, RULES, SEED + 1)
    pilot.play(0, 20 * PAIRS)
    seen = pilot.tally.total("knocks")[0] / 20
    likely = {name for name, cell in knock_cells(seen) if cell[TAKEN] >= 0.9 * FEWEST_KNOCKS}
    pooled: dict[str, Any] = {study: 0 for study in CELLS}
    knocked: Any = 0
    running = np.empty((replications, PAIRS // LOOK, len(OUTCOMES), len(OUTCOMES)), np.int64)
    with ThreadPoolExecutor(len(benches)) as threads:
        for number in range(replications):
            played = list(threads.map(replicate, benches, [number] * len(benches)))
            for study, one in zip(CELLS, played, strict=True):
                pooled[study] = pooled[study] + one.moments[-1].astype(object)
                for name, (above, below, factor, share) in RATIOS.items():
                    options: Any = {"factor": factor, "share": share}
                    kept.add(study, name, "by pairs", ratio(one.moments[-1], above, below, **options))
                    kept.add(
                        study,
                        name,
                        "games taken as independent",
                        unpaired_ratio(one.matches, above, below, **options),
                    )
            for name, metric in DIFFERENCES.items():
                told = difference(METRICS[metric], played[1].sums, played[0].sums)
                kept.add("winner deals less alternate deal", name, "jackknife", told)
            running[number] = played[0].moments
            knocks = played[0].knocks
            knocked = knocked + knocks.sum(axis=0)
            for name, cell in knock_cells(knocks):
                if name in likely:
                    for value, at in KNOCKS.items():
                        told = by_groups(cell[:, at], cell[:, TAKEN], value != "points")
                        kept.add("knock table", f"{value}, {name}", "jackknife", told)
    rows, truths = [], {}
    for study in CELLS:
        for name, (above, below, factor, _) in RATIOS.items():
            truth = ratio(pooled[study], above, below, factor=factor).estimate
            assert truth is not None
            truths[study, name] = truth
            rows.append(kept.row(study, name, "by pairs", truth, COVER))
            rows.append(kept.row(study, name, "games taken as independent", truth, BROKEN))
    first, second = CELLS
    for name in DIFFERENCES:
        truth = truths[second, name] - truths[first, name]
        rows.append(kept.row("winner deals less alternate deal", name, "jackknife", truth, COVER))
    for name, cell in knock_cells(knocked):
        if cell[TAKEN] >= FEWEST_KNOCKS * replications:
            for value, at in KNOCKS.items():
                truth = cell[at] / cell[TAKEN]
                if value == "points" or 0 < truth < 1:  # gin is always won
                    rows.append(kept.row("knock table", f"{value}, {name}", "jackknife", truth, COVER))
    return rows, running


# --- runs that stop ------------------------------------------------------------------------------


def stopped_runs(running: Any) -> list[Row]:
    """Return the rows of runs that stop: at random, at the worst moment, at a half-width."""
    blocks = RUN_PAIRS // PAIRS
    runs = len(running) // blocks
    # Running sums over a whole run: those within a replication upon those of the replications before.
    whole = running[: runs * blocks].reshape(runs, blocks, PAIRS // LOOK, *running.shape[2:])
    before = np.cumsum(whole[:, :, -1], axis=1) - whole[:, :, -1]
    looks = (whole + before[:, :, None]).reshape(runs, LOOKS, *running.shape[2:])
    total = looks[:, -1].astype(object).sum(axis=0)
    rng = np.random.default_rng(SEED)
    kept, rows = Intervals(), []
    tests = [pairs // LOOK - 1 for pairs in checkpoints(RUN_PAIRS)]
    for name, (above, below, factor, share) in RATIOS.items():
        truth = ratio(total, above, below, factor=factor).estimate
        spread = deviation(total, above, below, factor=factor)
        assert truth is not None and spread is not None
        width = half_width_of(spread, MET_AT)
        for moments in looks:
            fixed, always = (
                [function(one, above, below, factor=factor, share=share) for one in moments]
                for function in (ratio, anytime)
            )
            narrow = [at for at in tests if (fixed[at].high - fixed[at].low) / 2 <= width]  # type: ignore[operator]
            stops = {
                "interrupted at random": int(rng.integers(LOOKS)),
                "half-width reached": narrow[0] if narrow else LOOKS - 1,
            }
            for method, told in (("anytime", always), ("fixed n, for comparison", fixed)):
                for study, at in stops.items():
                    kept.add(study, name, method, told[at])
                kept.add("interrupted at the worst moment", name, method, worst(told, truth))
        for study in sorted({key[0] for key in kept.ends}):
            rows.append(kept.row(study, name, "anytime", truth, ALWAYS))
            rows.append(kept.row(study, name, "fixed n, for comparison", truth, ""))
    return rows


def worst(looks: list[Estimate], truth: float) -> Estimate:
    """Return the first interval of a run that misses a truth, the last one if none does."""
    return next((one for one in looks if not one.low <= truth <= one.high), looks[-1])  # type: ignore[operator]


# --- a strategy against itself -------------------------------------------------------------------


def twins(replications: int) -> list[Row]:
    """Return the rows of a strategy against itself: on unmirrored decks, and under the sequential test."""
    bench = Bench(TWIN, TWIN, TWIN_RULES, SEED)
    rejected = 0
    half = TWIN_PAIRS // 2
    scores = []
    for number in range(replications):
        bench.clear()
        told = np.zeros(5, np.int64)
        for first in (0, half):
            bench.play(number * TWIN_PAIRS + first, half)
            now = bench.tally.total("pair_scores")
            scores.append(now - told)
            told = now
        # Games in which A holds packet 0, whoever deals: no two of them share a deck.
        won, lost, drawn = bench.tally.total("games")[0].sum(axis=0)
        games, halves = won + lost + drawn, 2 * won + drawn
        moments = [[games, halves], [halves, 4 * won + drawn]]
        share = ratio(moments, "halves", "one", factor=2, share=True, outcomes=("one", "halves"))
        assert share.low is not None and share.high is not None
        rejected += not share.low <= 0.5 <= share.high
    rows = [Row("A/A, unmirrored", "game share", "a half rejected", replications, 0.5, rejected, REJECT)]
    for test, wrong in ((Sprt(0.5, 0.52), "H1"), (Sprt(0.48, 0.5), "H0")):
        source = iter(scores)
        verdicts = []
        while (
            verdict := sequential(test, lambda pairs, source=source: take(source, pairs // half))
        ) is not None:
            verdicts.append(verdict)
        rows.append(sprt_row("A/A, mirrored", test, verdicts, wrong, 0.5))
    return rows


def take(source: Iterator[Any], count: int) -> Any:
    """Return the sum of the next so many pair scores, None if there are not as many."""
    told = [one for _, one in zip(range(count), source, strict=False)]
    return sum(told) if len(told) == count else None


def sequential(test: Sprt, more: Any) -> str | None:
    """Run a sequential test to its verdict on the pair scores of so many ``more`` pairs; None if they end."""
    scores, pairs, looks = np.zeros(5, np.int64), 0, checkpoints(2**40)
    for look in looks:
        added = more(look - pairs)
        if added is None:
            return None
        scores, pairs = scores + added, look
        if (verdict := test.decide(scores)) is not None:
            return verdict
    raise AssertionError("a sequential test without end")


def sprt_row(study: str, test: Sprt, verdicts: list[str], wrong: str, truth: float) -> Row:
    """Return the row of a sequential test's errors."""
    quantity = f"s0 {test.s0}, s1 {test.s1}: {wrong} accepted"
    return Row(study, quantity, "SPRT", len(verdicts), truth, verdicts.count(wrong), ERROR)


def synthetic_tests(replications: int) -> list[Row]:
    """Return the rows of sequential tests on drawn pair scores."""
    rng = np.random.default_rng(SEED)
    test = Sprt(0.5, 0.52)
    rows = []
    for truth, wrong in ((test.s0, "H1"), (test.s1, "H0")):
        shift = truth - 0.5
        chances = np.array([0.2 - shift / 2, 0.1, 0.4 - shift, 0.1, 0.2 + 1.5 * shift])
        verdicts = [
            str(sequential(test, lambda pairs, chances=chances: rng.multinomial(pairs, chances)))
            for _ in range(replications)
        ]
        rows.append(sprt_row("drawn pair scores", test, verdicts, wrong, truth))
    return rows


# --- the table -----------------------------------------------------------------------------------


def study(part: int = 1) -> list[Row]:
    """Return all rows of the study, from a fraction of its replications."""
    replications = REPLICATIONS // part
    rows, running = fixed_pairs(replications)
    return [*rows, *stopped_runs(running), *twins(replications), *synthetic_tests(SYNTHETIC // part)]


def short(rows: list[Row]) -> list[str]:
    """Return the table in Markdown, cells of the knock table of a kind in one line."""
    told = [
        "| Study | Quantity | Method | Replications | Per cent | Asked | Holds |",
        "|---|---|---|---:|---:|---|---|",
    ]
    kinds: dict[tuple[str, str, str, int, str], list[Row]] = defaultdict(list)
    for row in rows:
        quantity = row.quantity
        if row.study == "knock table":
            value, *place = quantity.split(", ")
            quantity = f"{value} by " + " x ".join(part.split()[0] for part in place)
        kinds[row.study, quantity, row.method, row.replications, row.asked].append(row)
    for (study, quantity, method, replications, asked), same in kinds.items():
        percents = sorted(row.percent for row in same)
        percent = f"{percents[0]:.2f}"
        if len(same) > 1:
            percent += f" to {percents[-1]:.2f}, mean {np.mean(percents):.2f} ({len(same)} cells)"
        holds = "" if not asked else "yes" if all(row.holds for row in same) else "NO"
        told.append(f"| {study} | {quantity} | {method} | {replications:,} | {percent} | {asked} | {holds} |")
    return told


TEXT = """# How often the intervals hold

Made by `python results/coverage/build.py{part}`; all is real play but the drawn pair scores. `{a}` plays
`{b}` under `eaai` to 150 points, once with the deal alternating and once with the winner dealing,
on the same decks: {replications:,} replications of {pairs} mirrored pairs. The truth of a quantity is its
value over all of them pooled. Every number, cell by cell, is in [table.csv](table.csv).

- **By pairs**: `estimates.ratio` of `analysis.stats`. **Games taken as independent**: the interval that
  ignores that the two games of a pair share their decks. It must fail, and it does: mirrored games offset
  each other's luck, so it is too wide.
- **Jackknife**: over the tally's 128 groups of pairs, for differences of two cells on common decks
  (`metrics.difference`) and for side A's knocks (`estimates.jackknife`, for shares `jackknife_share`): own
  turn x deadwood and the margins of that table, where a replication has {knocks} knocks or more on average.
- **Anytime**: `sequential.anytime`, in runs of up to {run:,} pairs stopped at one of {looks} moments drawn at
  random, at the worst of these (where the interval first misses, so it is to hold at all of them), or at the
  first of 1000, 2000, 4000 pairs at which the fixed-n interval is as narrow as asked. The coverage of the
  fixed-n interval, stopped the same way, stands beside it.
- **A/A**: `{twin}` against itself. Unmirrored: the {twin_pairs} games of a replication in which side A holds
  packet 0, so that no two share a deck; a half is to be rejected with a probability of 5.1 %, as wins are
  whole numbers.
- **SPRT**: alpha and beta 5 %, tested at 1000, 2000, 4000 ... pairs; the row counts the wrong verdicts.

"""


def main() -> None:
    """Play, write the table and its text."""
    parser = argparse.ArgumentParser(description="How often the intervals hold.")
    parser.add_argument("--part", type=int, default=1, help="play one of so many parts")
    parser.add_argument("--out", type=Path, default=HERE, help="folder to write to")
    options = parser.parse_args()
    rows = study(options.part)
    options.out.mkdir(parents=True, exist_ok=True)
    with (options.out / "table.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["study", "quantity", "method", "replications", "truth", "count", "percent", "asked", "holds"]
        )
        for row in rows:
            holds = "" if not row.asked else "yes" if row.holds else "no"
            writer.writerow([*row[:4], f"{row.truth:.6g}", row.count, f"{row.percent:.3f}", row.asked, holds])
    text = TEXT.format(
        part=f" --part {options.part}" if options.part > 1 else "", a=A, b=B, pairs=PAIRS, run=RUN_PAIRS,
        replications=REPLICATIONS // options.part, knocks=FEWEST_KNOCKS, looks=LOOKS, twin=TWIN,
        twin_pairs=TWIN_PAIRS,
    )  # fmt: skip
    (options.out / "README.md").write_text(text + "\n".join(short(rows)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
