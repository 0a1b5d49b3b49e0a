"""Rebuild this folder: match equity against games played from the score, for players who look at it.

    python -m results.equity_against_play.build [--part N] [--out FOLDER]

Took 17 minutes of processor time; ``--part 20`` plays a twentieth of it.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit
from scipy.stats import norm

from analysis.knocking.equity import Equity, solve
from analysis.knocking.equity_policy import fit_equity, visits
from analysis.knocking.outcomes import Outcomes, measure
from analysis.knocking.score_cells import PROBE, play_cells
from analysis.metrics import METRICS, estimate_by_group, group_sums
from analysis.request import available_threads
from analysis.stats.estimates import LEVEL, Estimate, jackknife
from sim.rules import Rules
from sim.run import Player, play_match
from strategies.base import parse_strategy, player

HERE = Path(__file__).resolve().parent
PRESET = "eaai"
RULES = Rules.preset(PRESET)
PAIRINGS = (
    ("clinch", "gold"),
    ("clinch_low_stock", "clinch"),
    ("heisenbot", "simple"),
    ("greedy", "simple"),
)
FITTED = ("gold", "simple")
"""Side A draws and discards as the first and knocks by a table for each band of the scores and each dealer,
fitted to the second, which it then plays."""
FIT_PAIRS, FIT_ROUNDS, FIT_SEED = 100_000, 3, 11

HANDS_SEED, PILOT_SEED, GAMES_SEED, SCORES_SEED = 3, 5, 77, 4
PAIRS, PAIRS_MANY, MANY = 3_000_000, 8_000_000, 15
"""Pairs of hands with each dealer that an equity rests on, and with more than so many cells."""
PILOT = 100_000
"""Pairs with each dealer by which the cells are allotted theirs."""
RANDOM, LATE, LATE_FROM = 30, 6, 85
"""Scores with a dealer that games are played from: drawn from all, and from those with both late."""
ERROR = 0.0005
"""Standard error of a played share, if games were independent; the equity says how many games that takes."""
FEWEST, MOST = 20_000, int(0.125 / ERROR**2)
"""Pairs of games from a score; no two scores share decks."""
BOUND = 0.002

COLUMNS = (
    "a", "b", "scores", "score_a", "score_b", "dealer", "equity", "equity_low", "equity_high", "equity_se",
    "played", "played_low", "played_high", "played_se", "difference", "low", "high", "se", "standardised",
    "cells", "hands", "games", "hands_seed", "games_seed", "first_pair",
)  # fmt: skip

MEANS = ("a", "b", "scores", "count", "difference", "low", "high", "se")


class Row(NamedTuple):
    """A score of a pairing.

    Attributes
    ----------
    a, b : str
    drawn : str
        ``any``, or ``late``.
    score : tuple of int
        Points of A, points of B, side that deals (0 for A).
    equity, played, difference : Estimate
        A's chance to win, share of games that A won, and the first less the second.
    cells, hands : int
        Behind the equity.
    games, first : int
        How many were played, and the index of the first pair.
    """

    a: str
    b: str
    drawn: str
    score: tuple[int, int, int]
    equity: Estimate
    played: Estimate
    difference: Estimate
    cells: int
    hands: int
    games: int
    first: int

    @property
    def standardised(self) -> float:
        """The difference in standard errors."""
        found, error = self.difference.estimate, self.difference.se
        assert found is not None and error is not None
        return found / error

    def fields(self) -> list[object]:
        """Return the row of the table."""
        x, y, dealer = self.score
        numbers = [
            f"{value:.6f}"
            for one in (self.equity, self.played, self.difference)
            for value in (one.estimate, one.low, one.high, one.se)
        ]
        return [
            self.a, self.b, self.drawn, x, y, "AB"[dealer], *numbers, f"{self.standardised:.3f}", self.cells,
            self.hands, self.games, HANDS_SEED, GAMES_SEED, self.first,
        ]  # fmt: skip


class Mean(NamedTuple):
    """Mean difference over the scores of a pairing that were drawn alike.

    Attributes
    ----------
    a, b, drawn : str
    scores : int
    difference : Estimate
    """

    a: str
    b: str
    drawn: str
    scores: int
    difference: Estimate

    def fields(self) -> list[object]:
        """Return the row of the table."""
        one = self.difference
        return [*self[:4], *(f"{value:.6f}" for value in (one.estimate, one.low, one.high, one.se))]


def read_estimate(one: dict[str, str], columns: Sequence[str]) -> Estimate:
    """Return an estimate from four columns of a table."""
    value, low, high, error = (float(one[column]) for column in columns)
    return Estimate(value, low, high, error)


def read_means(path: Path) -> list[Mean]:
    """Return the rows of a table of means."""
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Mean(one["a"], one["b"], one["scores"], int(one["count"]), read_estimate(one, MEANS[4:]))
            for one in csv.DictReader(file)
        ]


def read(path: Path) -> list[Row]:
    """Return the rows of a table."""
    rows = []
    with path.open(newline="", encoding="utf-8") as file:
        for one in csv.DictReader(file):
            equity, played, difference = (read_estimate(one, COLUMNS[at : at + 4]) for at in (6, 10, 14))
            score = (int(one["score_a"]), int(one["score_b"]), "AB".index(one["dealer"]))
            counts = (int(one[name]) for name in ("cells", "hands", "games", "first_pair"))
            rows.append(Row(one["a"], one["b"], one["scores"], score, equity, played, difference, *counts))
    return rows


def less(first: Estimate, second: Estimate) -> Estimate:
    """Return the difference of two independent estimates, its freedom by Welch and Satterthwaite."""
    x, e, m = parts(first)
    y, f, n = parts(second)
    error = float(np.hypot(e, f))
    freedom = int(error**4 / (e**4 / m + f**4 / n))
    reach = float(stdtrit(freedom, (1 + LEVEL) / 2)) * error
    return Estimate(x - y, x - y - reach, x - y + reach, error, freedom)


def parts(told: Estimate) -> tuple[float, float, int]:
    """Return an estimate, its standard error, and the degrees of freedom of that."""
    assert told.estimate is not None and told.se is not None and told.freedom is not None
    return told.estimate, told.se, told.freedom


def starts(pairing: int) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """Yield the scores and dealers that games of a pairing are played from."""
    rng = np.random.default_rng([SCORES_SEED, pairing])
    for drawn, least, count in (("any", 0, RANDOM), ("late", LATE_FROM, LATE)):
        for _ in range(count):
            x, y = (int(one) for one in rng.integers(least, RULES.game_target, 2))
            yield drawn, (x, y, int(rng.integers(2)))


def games_for(chance: float, part: int = 1) -> int:
    """Return how many pairs of games to play where A wins with a chance."""
    return max(FEWEST, int(chance * (1 - chance) / (2 * ERROR**2))) // part


def play(a: Player, b: Player, score: tuple[int, int, int], first: int, pairs: int) -> Estimate:
    """Play games from a score, on the decks from a pair on; return the share that A won."""
    run = play_match(
        a, b, RULES, pairs=pairs, seed=GAMES_SEED, first=first, threads=available_threads(), scores=score[:2],
        dealer=score[2],
    )  # fmt: skip
    return estimate_by_group(METRICS["game_share"], group_sums(run.tally))


def one_pairing(
    number: int, a: Player, b: Player, names: tuple[str, str], part: int
) -> tuple[list[Row], list[Mean]]:
    """Measure, solve and play."""
    drawn = list(starts(number))
    outcomes, known = solved(a, b, [score for _, score in drawn], part)
    rows = []
    for place, (kind, score) in enumerate(drawn):
        told = known.at(*score)["win"]
        first = (number * len(drawn) + place) * MOST
        pairs = games_for(parts(told)[0], part)
        played = play(a, b, score, first, pairs)
        rows.append(
            Row(
                *names,
                kind,
                score,
                told,
                played,
                less(told, played),
                len(outcomes.counts),
                outcomes.hands,
                2 * pairs,
                first,
            )  # fmt: skip
        )
    return rows, [mean_of([row for row in rows if row.drawn == kind], known) for kind in ("any", "late")]


def mean_of(rows: list[Row], known: Equity) -> Mean:
    """Return the mean difference: equities share their hands, games are on decks of their own."""
    values = np.mean(
        [known.values[:, 0, dealer, x, y] for x, y, dealer in (row.score for row in rows)], axis=0
    )
    equity = jackknife(float(values[0]), values[1:])
    games = [parts(row.played) for row in rows]
    share, error = np.mean([one[0] for one in games]), np.linalg.norm([one[1] for one in games]) / len(rows)
    played = Estimate(float(share), None, None, float(error), sum(one[2] for one in games))
    return Mean(rows[0].a, rows[0].b, rows[0].drawn, len(rows), less(equity, played))


def solved(a: Player, b: Player, scores: list[tuple[int, int, int]], part: int) -> tuple[Outcomes, Equity]:
    """Return how hands ended, and the equity by them.

    A cell is allotted hands by how often games from the scores come to it, which is what least mean variance
    asks for where a hand has the same variance everywhere.
    """
    threads = available_threads()
    cells = play_cells(a, b, RULES, seed=HANDS_SEED, threads=threads)
    pilot = measure(a, b, RULES, pairs=PILOT, seed=PILOT_SEED, threads=threads, cells=cells)
    often = [np.bincount(cells.ravel(), visits(pilot, RULES, score).sum(0).ravel()) for score in scores]
    root = np.sqrt((np.array(often) ** 2).sum(0))
    pairs = (PAIRS if len(root) <= MANY else PAIRS_MANY) // part
    outcomes = measure(
        a, b, RULES, pairs=pairs, seed=HANDS_SEED, threads=threads, cells=cells, parts=root / root.sum()
    )
    return outcomes, solve(outcomes, RULES, threads=threads)


def study(part: int = 1) -> Iterator[tuple[list[Row], list[Mean]]]:
    """Yield the rows of each pairing, from a fraction of the hands and games."""
    for number, names in enumerate(PAIRINGS):
        a, b = (player(parse_strategy(name)) for name in names)
        yield one_pairing(number, a, b, names, part)
    base, opponent = (parse_strategy(name) for name in FITTED)
    fit = fit_equity(
        base, opponent, RULES, pairs=FIT_PAIRS // part, seed=FIT_SEED, rounds=FIT_ROUNDS,
        threads=available_threads(),
    )  # fmt: skip
    names = (f"{FITTED[0]} by score", FITTED[1])
    yield one_pairing(len(PAIRINGS), fit.policy.player(base), player(opponent), names, part)


# --- the page ------------------------------------------------------------------------------------


def largest(rows: list[Row]) -> Row:
    """Return the row with the largest difference."""
    return max(rows, key=lambda row: abs(row.difference.estimate or 0))


def summary(rows: list[Row], mean: Mean) -> str:
    """Return a line of the page's table for the rows of a pairing and a kind of scores."""
    worst = largest(rows)
    told = worst.difference
    assert told.estimate is not None and told.low is not None and told.high is not None
    x, y, dealer = worst.score
    middle = mean.difference
    assert middle.estimate is not None and middle.low is not None and middle.high is not None
    errors = [100 * (row.difference.se or 0) for row in rows]
    beyond = [sum(abs(row.standardised) > limit for row in rows) for limit in (2, 3)]
    return (
        f"| `{worst.a}` v `{worst.b}` | {worst.cells} | {worst.drawn} | {len(rows)} "
        f"| {worst.hands / 1e6:.1f} | {sum(row.games for row in rows) / len(rows) / 1e6:.2f} "
        f"| {min(errors):.3f} to {max(errors):.3f} "
        f"| {100 * told.estimate:+.3f} ({100 * told.low:+.3f} to {100 * told.high:+.3f}) "
        f"| {x}:{y}, {'AB'[dealer]} "
        f"| {100 * middle.estimate:+.3f} ({100 * middle.low:+.3f} to {100 * middle.high:+.3f}) "
        f"| {beyond[0]} | {beyond[1]} |"
    )


HEADER = """\
| A v B | Cells | Drawn from | Scores | Hands, M | Games a score, M | SE | Largest difference (95 %) \
| At A:B, dealer | Mean difference (95 %) | Beyond 2 SE | 3 SE |
|---|---:|---|---:|---:|---:|---|---|---|---|---:|---:|"""

TEXT = """# Match equity against games played from the score

Made by `python -m results.equity_against_play.build{part}`. Rules `{preset}` (`{rules}`), games to {target}
points.

**What is compared.** The *equity* of a score is A's chance to win the game before a hand is dealt there,
given both sides' points and who deals: solved from how hands ended, measured apart in the cells of scores in
which play was seen to differ. *Played* is the share of games that A won when the engine played them from
that score on to the end. The *difference* is equity less played, in percentage points; its standard error
(SE) holds the errors of both, which share no decks (hands: seed {hands_seed}; games: seed {games_seed}, each
score on decks of its own). Of each pairing at least one side looks at the score. `{fitted} by score` draws
and discards as `{fitted}` and knocks by a table for each band of both scores and each dealer, which
`fit_equity` has found to win most games against `{opponent}` ({rounds} rounds of {fit_pairs:,} pairs, seed
{fit_seed}).

**Scores** are drawn at random (seed {scores_seed}): {random} with a dealer from all, and {late} with both
sides at {late_from} or more, where play depends most on the score. From each as many games are played as
give a share a standard error of {error:.2f} points if games were independent, by the equity; mirrored games
of a pair do a little better. Cells are allotted hands by how often games from these scores come to them.
A first run of `{first_a}` v `{first_b}` was thrown away: its scores shared the decks of the games.

{header}
{lines}

**Found.** At the {n} scores drawn from all, the largest difference is {worst:.3f} percentage points
({low:+.3f} to {high:+.3f}): {verdict} the {bound} points asked; of the intervals {inside} lie wholly within
{bound} points. Of {count_means} means over scores, whose errors are smaller, {off} have an interval without
0. Of all {count} standardised differences
{over2} ({over2_share:.1f} %) lie beyond 2 and {over3} ({over3_share:.1f} %) beyond 3 standard errors, where
chance alone gives {chance2:.1f} % and {chance3:.1f} %. Differences of a pairing share the measured hands, so
they are not independent.

**What it does not say.** Intervals hold one at a time; the largest of many differences is mostly chance, and
what is below about twice the standard error is not seen here. Play taken for the same in a cell may differ
in up to {unseen:.1f} % of hands (with 95 % confidence). One set of rules; in others more may depend on the
score.

Every number, score by score, is in [table.csv](table.csv); the means are in [means.csv](means.csv).
"""


def page(rows: list[Row], means: list[Mean], part: int) -> str:
    """Return the text of the study."""
    lines = [summary([row for row in rows if row[:3] == mean[:3]], mean) for mean in means]
    anywhere = [row for row in rows if row.drawn == "any"]
    told = largest(anywhere).difference
    assert told.estimate is not None and told.low is not None and told.high is not None
    over = [sum(abs(row.standardised) > limit for row in rows) for limit in (2, 3)]
    inside = sum(max(abs(row.difference.low or 0), abs(row.difference.high or 0)) < BOUND for row in anywhere)
    off = sum((mean.difference.low or 0) * (mean.difference.high or 0) > 0 for mean in means)
    return TEXT.format(
        inside=inside, off=off, count_means=len(means), first_a=PAIRINGS[0][0], first_b=PAIRINGS[0][1],
        part=f" --part {part}" if part > 1 else "", preset=PRESET, rules=RULES.hash[:8],
        target=RULES.game_target, hands_seed=HANDS_SEED, games_seed=GAMES_SEED, scores_seed=SCORES_SEED,
        fitted=FITTED[0], opponent=FITTED[1], rounds=FIT_ROUNDS, fit_pairs=FIT_PAIRS // part,
        fit_seed=FIT_SEED,
        random=RANDOM, late=LATE, late_from=LATE_FROM, error=100 * ERROR, header=HEADER,
        lines="\n".join(lines), n=len(anywhere), worst=100 * abs(told.estimate), low=100 * told.low,
        high=100 * told.high, verdict="below" if abs(told.estimate) < BOUND else "NOT below",
        bound=100 * BOUND, count=len(rows), over2=over[0], over2_share=100 * over[0] / len(rows),
        over3=over[1], over3_share=100 * over[1] / len(rows), chance2=200 * norm.sf(2),
        chance3=200 * norm.sf(3),
        unseen=100 * (1 - 0.05 ** (1 / (4 * PROBE))),
    )  # fmt: skip


def main() -> None:
    """Play, write the table and its text."""
    parser = argparse.ArgumentParser(description="Match equity against games played from the score.")
    parser.add_argument("--part", type=int, default=1, help="play one of so many parts")
    parser.add_argument("--out", type=Path, default=HERE, help="folder to write to")
    parser.add_argument("--page", action="store_true", help="write the page from the table, play nothing")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    table, means = options.out / "table.csv", options.out / "means.csv"
    if not options.page:
        with (
            table.open("w", newline="", encoding="utf-8") as file,
            means.open("w", newline="", encoding="utf-8") as other,
        ):
            writers = [csv.writer(one, lineterminator="\n") for one in (file, other)]
            for writer, columns in zip(writers, (COLUMNS, MEANS), strict=True):
                writer.writerow(columns)
            for rows, found in study(options.part):
                writers[0].writerows(row.fields() for row in rows)
                writers[1].writerows(mean.fields() for mean in found)
                file.flush()
                other.flush()
                print(f"{rows[0].a} v {rows[0].b}: played", flush=True)
    (options.out / "README.md").write_text(
        page(read(table), read_means(means), options.part), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
