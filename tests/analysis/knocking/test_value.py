"""What a knock is worth: sums and columns against a plain loop, and nothing selected by who knocks."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import stdtrit

from analysis.console import UsageError
from analysis.knocking.cells import AXES, DEFAULT, POPULATIONS, cell_codes, cell_keys, check_axes
from analysis.knocking.value import (
    CONTINUATIONS,
    COUNTERS,
    MOST_CELLS,
    NO_COUNTS,
    Counts,
    count_chunk,
    count_knocks,
    knock_counts,
    knock_value,
    members,
    value_table,
    verdicts,
)
from analysis.knocks import LEAST
from sim._jit import COMPILED, Record
from sim.forks import PAIRS_AT_ONCE, Forks, fork_chunks, fork_hands
from sim.rules import Rules
from sim.run import Player
from sim.scoring import ENDINGS
from sim.tally import GROUPS
from sim.view import knock_rule
from strategies.base import parse_strategy, player
from strategies.helpers import melds_with

EAAI = Rules.preset("eaai")
OKLAHOMA = Rules.preset("bga_oklahoma")
ENDS = ("v_knock", "v_continue", "p_undercut", "p_win")


def of(text: str) -> Player:
    return player(parse_strategy(text))


def plain(forks: Forks, by: tuple[str, ...], population: str) -> dict[tuple[int, ...], dict[str, Any]]:
    """Return the counters of each cell, total and by group of pairs, by a loop over hands and their forks."""
    cells: dict[tuple[int, ...], dict[str, Any]] = defaultdict(
        lambda: {name: np.zeros(GROUPS, int) for name in COUNTERS}
    )
    for deal in forks.deals:
        met = set()
        rows = [forks.forks[place] for place in range(int(deal.start), int(deal.stop))]
        for at, row in enumerate(rows):
            if population == "first" and at > 0:
                break
            later = rows[at + 1 :]
            known = {name: deal.limit if name == "limit" else row[name] for name in by}
            key = tuple(min(int(known[name]), AXES[name].last) for name in by)
            own = next((one.points for one in later if one.asked), deal.points)
            gin = next((one.points for one in later if one.deadwood == 0), deal.points)
            told = {
                "hands": key not in met,
                "knocks": 1,
                "v_knock": row.points,
                "once": own,
                "gin": gin,
                "undercut": ENDINGS[row.ending] == "undercut",
                "won": row.winner == 0,
            }
            met.add(key)
            for name, value in told.items():
                cells[key][name][int(deal.pair) % GROUPS] += int(value)
            if row.deadwood == 0:
                break
    return dict(cells)


BY = [DEFAULT, ("deadwood",), ("loose", "limit", "picked"), ("last", "stock", "own_turn"), tuple(AXES)]


@pytest.mark.parametrize("population", POPULATIONS)
@pytest.mark.parametrize("by", BY)
def test_sums_are_those_of_a_plain_loop(population: str, by: tuple[str, ...]) -> None:
    pairs = 200 if COMPILED else 30
    forks = fork_hands(of("two_stage(10, 3, 5)"), of("gold"), OKLAHOMA, pairs=pairs, seed=4)
    counts = count_chunk(forks, by, population)
    known = plain(forks, by, population)
    keys = cell_keys(counts.codes, by)
    found = list(zip(*(keys[name].tolist() for name in by), strict=True))
    assert found == sorted(known)  # ascending along the axes
    for at, key in enumerate(found):
        for number, name in enumerate(COUNTERS):
            assert counts.sums[:, at, number].tolist() == known[key][name].tolist(), (key, name)
    assert counts.dealt.sum() == 2 * pairs and counts.pairs == pairs


def test_members_of_every_end_with_the_first_gin() -> None:
    forks = fork_hands(of("gold"), of("gin_only"), EAAI, pairs=60 if COMPILED else 10, seed=2)
    chosen = members(forks, "every")
    for deal in forks.deals:
        own = slice(int(deal.start), int(deal.stop))
        gins = np.flatnonzero(forks.forks.deadwood[own] == 0)
        until = gins[0] + 1 if len(gins) else deal.stop - deal.start
        assert chosen[own].tolist() == [at < until for at in range(int(deal.stop - deal.start))]
    assert not chosen.all() and (members(forks, "first") == (forks.number() == 0)).all()


@pytest.mark.requires_jit
@pytest.mark.parametrize("population", POPULATIONS)
def test_columns(population: str) -> None:
    """Each against its formula, computed one cell at a time."""
    pairs = 4_000
    rows = knock_value(
        of("threshold(4)"), of("simple"), EAAI, pairs=pairs, seed=3, population=population, threads=2
    )
    forks = fork_hands(of("threshold(4)"), of("simple"), EAAI, pairs=pairs, seed=3)
    known = plain(forks, DEFAULT, population)
    counted = ["knocks"] if population == "every" else []
    names = [*DEFAULT, "continuation", "population", "hands", *counted]
    names += ["v_knock", "v_continue", "delta", "low", "high", "p_undercut", "p_win"]
    names += [f"{name}_{end}" for name in ENDS for end in ("low", "high")]
    assert list(rows.columns) == [*names, "band_low", "band_high", "verdict"]
    assert len(rows) == 2 * len(known) and set(rows["population"]) == {population}
    told = 0
    for row in rows.to_dict("records"):
        cell = known[row["own_turn"], row["deadwood"]]
        n, hands = cell["knocks"].sum(), cell["hands"].sum()
        declined = cell[str(row["continuation"])]
        assert row["hands"] == hands and row.get("knocks", n) == n
        assert row["v_knock"] == cell["v_knock"].sum() / n
        assert row["v_continue"] == declined.sum() / n
        assert row["p_undercut"] == cell["undercut"].sum() / n and row["p_win"] == cell["won"].sum() / n
        gained = cell["v_knock"] - declined
        assert row["delta"] == gained.sum() / n
        assert np.isfinite(row["low"]) == (hands >= LEAST)
        if hands < LEAST:
            assert row["verdict"] == "undecided" and not np.isfinite([row[f"{x}_low"] for x in ENDS]).any()
            continue
        told += 1
        without = (gained.sum() - gained) / (n - cell["knocks"])
        error = (((without - without.mean()) ** 2).sum() * (GROUPS - 1) / GROUPS) ** 0.5
        half = stdtrit(GROUPS - 1, 0.975) * error
        assert row["high"] - row["delta"] == pytest.approx(half)
        assert row["delta"] - row["low"] == pytest.approx(half)
        assert row["band_low"] < row["low"] and row["high"] < row["band_high"]
        for name in ENDS:
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
    assert told > 10 and (rows["verdict"] == verdicts(rows["band_low"], rows["band_high"])).all()
    assert "wait" in set(rows["verdict"])


def test_verdicts() -> None:
    low, high = [0.1, -2.0, -1.0, np.nan, 0.0], [0.4, -0.1, 1.0, np.nan, 1.0]
    assert verdicts(low, high).tolist() == ["knock", "wait", "undecided", "undecided", "undecided"]


@pytest.mark.requires_jit
def test_threads_and_chunks_change_nothing() -> None:
    pairs = 2 * PAIRS_AT_ONCE + 50
    one = knock_counts(of("gold"), of("simple"), EAAI, pairs=pairs, seed=5, population="every")
    two = knock_counts(of("gold"), of("simple"), EAAI, pairs=pairs, seed=5, population="every", threads=2)
    whole = count_chunk(fork_hands(of("gold"), of("simple"), EAAI, pairs=pairs, seed=5), DEFAULT, "every")
    for counts in (one.counts, two.counts):
        assert all((a == b).all() for a, b in zip(counts, whole, strict=True))


def test_what_is_stopped_has_no_gaps() -> None:
    """Ctrl-C at any moment leaves the chunks that are whole."""
    few = 10 if COMPILED else 2
    options: Any = {"pairs": 3 * few, "seed": 1}

    def parts(stop_at: int) -> Any:
        for at in range(3):
            if at == stop_at:
                raise KeyboardInterrupt
            yield fork_hands(of("gold"), of("simple"), EAAI, pairs=few, seed=1, first=few * at)

    whole = count_knocks(parts(9), DEFAULT, "first")
    assert not whole.interrupted and whole.counts.pairs == 3 * few
    known = knock_counts(of("gold"), of("simple"), EAAI, **options).counts
    assert all((a == b).all() for a, b in zip(whole.counts, known, strict=True))
    stopped = count_knocks(parts(2), DEFAULT, "first")
    assert stopped.interrupted and stopped.counts.pairs == 2 * few
    first = knock_counts(of("gold"), of("simple"), EAAI, pairs=2 * few, seed=1).counts
    assert all((a == b).all() for a, b in zip(stopped.counts, first, strict=True))
    seen: list[int] = []

    def interrupt(pairs: int) -> None:
        seen.append(pairs)
        raise KeyboardInterrupt

    late = knock_counts(of("gold"), of("simple"), EAAI, on_progress=interrupt, **options)
    assert late.interrupted and seen == [3 * few] and late.counts.pairs == 3 * few
    with pytest.raises(KeyboardInterrupt):
        knock_value(of("gold"), of("simple"), EAAI, on_progress=interrupt, **options)


def test_few_hands_and_none() -> None:
    table = knock_value(of("gold"), of("simple"), EAAI, pairs=1, seed=1)
    assert table[["low", "band_low", "p_win_low"]].isna().all(axis=None)
    assert set(table["verdict"]) <= {"undecided"}
    # Gin alone may be knocked with, and is compulsory: there is no legal choice.
    forced = EAAI.replace(knock_limit=0, gin_compulsory=True)
    counts = knock_counts(of("gold"), of("simple"), forced, pairs=4, population="every").counts
    assert counts.codes.size == 0 and counts.pairs == 4
    empty = value_table(counts, DEFAULT, "every")
    assert len(empty) == 0 and list(empty.columns)[:2] == list(DEFAULT)
    assert len(value_table(NO_COUNTS, DEFAULT, "first")) == 0


def test_cells_have_one_code_each() -> None:
    forks = fork_hands(of("gold"), of("simple"), OKLAHOMA, pairs=40, seed=8)
    codes = cell_codes(forks, tuple(AXES))
    keys = pd.DataFrame(cell_keys(codes, tuple(AXES)))
    assert len(np.unique(codes)) == len(keys.drop_duplicates())
    assert (keys["limit"] == forks.deals.limit[forks.owner()]).all()
    assert (keys["stock"] == forks.forks.stock).all()
    assert AXES["own_turn"].label(20) == "20+" and AXES["own_turn"].label(19) == "19"
    assert AXES["deadwood"].label(10) == "10"


def test_bad_input_is_refused() -> None:
    two = of("gold"), of("simple"), EAAI
    with pytest.raises(UsageError, match="population 'all'"):
        knock_value(*two, pairs=1, population="all")
    with pytest.raises(UsageError, match="unknown axis 'hand'"):
        knock_value(*two, pairs=1, by=("deadwood", "hand"))
    with pytest.raises(UsageError, match="named twice"):
        check_axes(("stock", "stock"))
    with pytest.raises(UsageError, match="no axes"):
        check_axes(())
    with pytest.raises(ValueError, match="pairs"):
        knock_value(*two, pairs=0)
    many = np.arange(MOST_CELLS + 1)
    large = Counts(many, np.zeros((GROUPS, len(many), len(COUNTERS)), np.int64), np.zeros(GROUPS, np.int64))
    with pytest.raises(UsageError, match="more than 10,000 cells"):
        NO_COUNTS.then(large)


# --- nothing is selected by who knocks -----------------------------------------------------------


@knock_rule
def knock_with_few_outs(view: Record) -> bool:
    """Decline whenever eight unseen cards or more would stand in a meld of the hand."""
    outs, cards = 0, view.unseen
    while cards != 0:
        card = cards & -cards
        cards ^= card
        if melds_with(view, card):
            outs += 1
    return outs < 8


def naive_contrast(forks: Forks) -> tuple[float, float]:
    """Return what hands came to where A knocked when he first could, less where he did not, and its error."""
    first = forks.forks[forks.number() == 0]
    owner = forks.owner()[forks.number() == 0]
    points = forks.result(forks.forks.asked == 1)[owner].astype(float)
    knocked, declined = points[first.asked == 1], points[first.asked == 0]
    error = (knocked.var() / len(knocked) + declined.var() / len(declined)) ** 0.5
    return float(knocked.mean() - declined.mean()), float(error)


@pytest.mark.requires_jit
def test_who_chooses_to_knock_moves_the_naive_contrast_and_not_delta() -> None:
    """The seed is fixed; were it drawn, a difference of six standard errors has a false alarm below 1e-8."""
    draw, _, discard, spread = of("gold").decisions
    chooser = Player("chooser", (draw, knock_with_few_outs, discard, spread))
    options: Any = {"pairs": 20_000, "seed": 6, "threads": 2}
    two = [fork_hands(side, of("simple"), EAAI, **options) for side in (chooser, of("threshold(6)"))]
    counts = [count_chunk(forks, DEFAULT, "first") for forks in two]
    kept = [COUNTERS.index(name) for name in COUNTERS if name != "once"]
    assert (counts[0].codes == counts[1].codes).all()
    assert (counts[0].sums[..., kept] == counts[1].sums[..., kept]).all()  # delta of h = gin, to the integer
    assert (counts[0].sums != counts[1].sums).any()  # the continuation by the own rule is another
    asked = two[0].forks.asked[two[0].number() == 0]
    assert 0.1 < asked.mean() < 0.9
    (moved, error), (other, beside) = (naive_contrast(forks) for forks in two)
    assert abs(moved - other) > 6 * (error**2 + beside**2) ** 0.5
    gains = counts[0].sums[..., COUNTERS.index("v_knock")] - counts[0].sums[..., COUNTERS.index("gin")]
    delta = gains.sum() / counts[0].sums[..., COUNTERS.index("knocks")].sum()
    assert abs(moved - delta) > 6 * error


def test_forks_are_read_in_pieces_as_they_come() -> None:
    parts = fork_chunks(of("gold"), of("simple"), EAAI, pairs=5, seed=3)
    told = count_knocks(parts, ("deadwood",), "first")
    assert told.counts.pairs == 5 and CONTINUATIONS == ("once", "gin")
