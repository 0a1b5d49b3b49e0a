"""The coverage study: its committed table, its play, and a twentieth of it anew."""

from __future__ import annotations

import csv
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from analysis.metrics import group_sums
from sim.run import play_match
from strategies.base import parse_strategy, player

FOLDER = Path(__file__).parents[3] / "results" / "coverage"
ALARM = 1e-8
"""False-alarm probability of a row at the edge of what is asked of it; of all rows together below 1e-6."""


@pytest.fixture(scope="module")
def build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ginlab_coverage_study", FOLDER / "build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def committed(build: ModuleType) -> list[Any]:
    with (FOLDER / "table.csv").open(encoding="utf-8", newline="") as file:
        return [
            build.Row(
                row["study"],
                row["quantity"],
                row["method"],
                int(row["replications"]),
                float(row["truth"]),
                int(row["count"]),
                row["asked"],
            )
            for row in csv.DictReader(file)
        ]


def test_the_committed_table_is_of_a_full_run_and_holds(build: ModuleType, committed: list[Any]) -> None:
    assert [row for row in committed if not row.holds] == []
    asked = {row.asked for row in committed}
    assert asked == {build.COVER, build.BROKEN, build.ALWAYS, build.REJECT, build.ERROR, ""}
    for row in committed:
        if row.asked in (build.COVER, build.BROKEN, build.REJECT):
            assert row.replications == build.REPLICATIONS
        if row.asked == build.ALWAYS:
            assert row.replications == build.REPLICATIONS * build.PAIRS // build.RUN_PAIRS
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert "\n".join(build.short(committed)) in text


def test_the_study_plays_what_a_match_plays(build: ModuleType) -> None:
    """The third replication: running moments, moments of matches, sums and knocks of an ordinary run."""
    rules = next(iter(build.CELLS.values()))
    bench = build.Bench(build.A, build.B, rules, build.SEED)
    build.replicate(bench, 0)
    one = build.replicate(bench, 2)
    sides = [player(parse_strategy(text)) for text in (build.A, build.B)]
    options = {"seed": build.SEED, "first": 2 * build.PAIRS}
    tally = play_match(*sides, rules, pairs=build.PAIRS, **options).tally
    assert one.moments[-1].tolist() == tally.total("moments").tolist()
    assert one.matches.tolist() == tally.total("match_moments").tolist()
    assert {name: values.tolist() for name, values in one.sums.items()} == {
        name: values.tolist() for name, values in group_sums(tally).items()
    }
    assert one.knocks.tolist() == tally.groups("knocks")[:, 0, :, :, :4].tolist()
    begun = play_match(*sides, rules, pairs=build.LOOK, **options).tally
    assert one.moments[0].tolist() == begun.total("moments").tolist()


def test_counts_of_intervals_by_hand(build: ModuleType) -> None:
    kept = build.Intervals()
    for low, high in ((0.0, 1.0), (0.4, 0.5), (0.6, 0.9), (None, None), (0.5, 0.5)):
        kept.add("s", "q", "m", build.Estimate(0.5, low, high))
    row = kept.row("s", "q", "m", 0.5, build.COVER)
    assert (row.replications, row.count, row.percent, row.holds) == (5, 3, 60.0, False)


@pytest.mark.parametrize(
    ("asked", "held", "refused"),
    [
        ("COVER", (942, 958), (941, 959)),
        ("BROKEN", (941, 959), (942, 958)),
        ("ALWAYS", (930, 1000), (929, 0)),
        ("REJECT", (42, 58), (41, 59)),
        ("ERROR", (0, 50), (51, 1000)),
    ],
)
def test_what_is_asked(build: ModuleType, asked: str, held: Any, refused: Any) -> None:
    for counts, holds in ((held, True), (refused, False)):
        for count in counts:
            assert build.Row("s", "q", "m", 1000, 0.5, count, getattr(build, asked)).holds == holds


def test_sequential_tests_take_pairs_once_and_in_order(build: ModuleType) -> None:
    """Looks at 1000, 2000, 4000 pairs, each with the pairs of the look before; no verdict when pairs end."""
    asked = []

    def more(pairs: int) -> Any:
        asked.append(pairs)
        return np.array([0, 0, pairs, 0, 0]) if len(asked) < 4 else None

    assert build.sequential(build.Sprt(0.4995, 0.5005), more) is None
    assert asked == [1000, 1000, 2000, 4000]
    source = iter(np.arange(15).reshape(3, 5))
    assert build.take(source, 2).tolist() == [5, 7, 9, 11, 13]
    assert build.take(source, 2) is None


@pytest.mark.slow
@pytest.mark.requires_jit
def test_a_twentieth_of_the_study(build: ModuleType) -> None:
    """Every row within what is asked, up to chance: `ALARM` for a row whose true rate is at the edge."""
    rows = build.study(20)
    sure: dict[str, list[bool]] = {}
    for row in rows:
        n, count = row.replications, row.count
        least, most = 0, n
        if row.asked in (build.COVER, build.REJECT):
            edge = (0.942, 0.958) if row.asked == build.COVER else (0.042, 0.058)
            least, most = binom.ppf(ALARM / 2, n, edge[0]), binom.isf(ALARM / 2, n, edge[1])
        elif row.asked == build.ALWAYS:
            least = binom.ppf(ALARM, n, 0.93)
        elif row.asked == build.ERROR:
            most = binom.isf(ALARM, n, 0.05)
        elif row.asked == build.BROKEN:
            sure.setdefault(row.quantity, []).append(count > binom.isf(ALARM, n, 0.958))
        assert least <= count <= most, row
    # The interval that ignores the pairs fails so clearly in points that a twentieth shows it.
    assert sure["points a hand"] == [True, True]
