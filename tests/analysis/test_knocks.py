"""Knocking tables: against single jackknives, the identities of the tally, and the hands told one by one."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from analysis.cli import app
from analysis.knocks import LEAST, first_legal, held, knock_cells, layoffs, ratios
from analysis.knocks_text import TURNS, knocks_dict, matrices, remarks
from analysis.stats.estimates import clopper_pearson, jackknife, jackknife_share
from sim._jit import COMPILED
from sim.replay import replay_game
from sim.rules import Rules
from sim.run import play_match
from sim.tally import GROUPS, KNOCK_FIELDS, Tally
from strategies.base import parse_strategy, player

EAAI = Rules.preset("eaai")
PAIRS = 3_000 if COMPILED else 2


@pytest.fixture(scope="module")
def tally() -> Tally:
    a, b = (player(parse_strategy(text)) for text in ("simple", "two_stage(10, 2, 6)"))
    return play_match(a, b, EAAI, pairs=PAIRS, seed=11).tally


def test_ratios_are_those_of_the_jackknife() -> None:
    rng = np.random.default_rng(3)
    n = rng.integers(1, 30, (GROUPS, 2, 3))
    x = rng.binomial(n, 0.3)
    told, shares = ratios(x, n, least=1), ratios(x, n, 500, least=1)
    for i in range(2):
        for j in range(3):
            a, b = x[:, i, j], n[:, i, j]
            without = (a.sum() - a) / (b.sum() - b)
            for found, one in (
                (told, jackknife(a.sum() / b.sum(), without)),
                (shares, jackknife_share(a.sum() / b.sum(), without, b.sum())),
            ):
                assert (found.estimate[i, j], found.low[i, j], found.high[i, j]) == pytest.approx(
                    (one.estimate, one.low, one.high), rel=1e-9
                )


@pytest.mark.parametrize(
    ("x", "n", "estimate"),
    [
        ([[0], [0]], [[0], [0]], float("nan")),  # nothing counted
        ([[3], [0]], [[5], [0]], 0.6),  # all in one group
        ([[2], [2]], [[4], [4]], 0.5),  # never varies
        ([[1], [2]], [[4], [4]], 0.375),  # fewer than asked for
        ([[1]], [[200]], 0.005),  # one group
    ],
)
def test_ratios_without_an_interval(x: list[list[int]], n: list[list[int]], estimate: float) -> None:
    told = ratios(x, n)
    assert told.estimate[0] == pytest.approx(estimate, nan_ok=True)
    assert np.isnan(told.low[0]) and np.isnan(told.high[0])


@pytest.mark.parametrize("pairs", [20, 150, 10_000])
@pytest.mark.parametrize("always", [False, True])
def test_what_came_always_or_never(pairs: int, always: bool) -> None:
    n = np.full((GROUPS, 1), 2)
    told = ratios(n if always else 0 * n, n, pairs)
    low, high = clopper_pearson(min(pairs, 2 * GROUPS) if always else 0, min(pairs, 2 * GROUPS))
    assert (told.low[0], told.high[0]) == pytest.approx((low, high), rel=1e-9)
    few = ratios(n[:40] if always else 0 * n[:40], n[:40], pairs)
    assert np.isnan(few.low[0]) and np.isnan(few.high[0])  # eighty hands


def test_cells_hold_the_counters(tally: Tally) -> None:
    cells = knock_cells(tally)
    total = tally.total("knocks")
    assert (cells["legal"] == cells["taken"] + cells["declined"]).all() and (cells["legal"] > 0).all()
    for row in cells.to_dict("records"):
        counts = total["ab".index(row["side"]), row["own_turn"] - 1, row["deadwood"]]
        fields = dict(zip(KNOCK_FIELDS, counts.tolist(), strict=True))
        fields["points_sum"], fields["points_later_sum"] = fields.pop("points"), fields.pop("points_later")
        assert {name: row[name] for name in fields} == fields
        if row["taken"]:
            assert row["p_win"] == pytest.approx(fields["won"] / fields["taken"])
            assert row["points"] == pytest.approx(fields["points_sum"] / fields["taken"])
        else:
            assert np.isnan(row["p_win"]) and np.isnan(row["points"])
        if row["declined"]:
            assert row["p_lose_later"] == pytest.approx(fields["lost_later"] / fields["declined"])
        for name in ("p_win", "p_undercut", "points", "p_win_later", "p_lose_later", "points_later"):
            low, high = row[f"{name}_low"], row[f"{name}_high"]
            below = row["declined"] if name.endswith("later") else row["taken"]
            assert np.isnan(low) == np.isnan(high)
            assert np.isnan(low) or (below >= LEAST and low <= row[name] <= high)
    whole = [cells[name].sum() for name in ("taken", "declined")]
    assert whole == [total[..., KNOCK_FIELDS.index(name)].sum() for name in ("taken", "declined")]


def test_cells_are_those_of_the_hands_told() -> None:
    """Two pairs told hand by hand: the knocks taken, their turns and points."""
    a, b = (player(parse_strategy(text)) for text in ("simple", "gold"))
    played = play_match(a, b, EAAI, pairs=2, seed=5).tally
    told = {}
    for pair in range(2):
        for game in range(2):
            for hand in replay_game(a, b, EAAI, pair=pair, game=game, seed=5).hands:
                if hand.knocker >= 0:
                    turn = sum(one.side == hand.knocker for one in hand.turns)
                    points = hand.points if hand.winner == hand.knocker else -hand.points
                    key = ("ab"[hand.knocker], turn)
                    knocks, sums = told.get(key, (0, 0))
                    told[key] = (knocks + 1, sums + points)
    sums = knock_cells(played).groupby(["side", "own_turn"])[["taken", "points_sum"]].sum()
    found = {key: tuple(row) for key, row in zip(sums.index, sums.to_numpy().tolist(), strict=True) if row[0]}
    assert found == told


def test_first_legal_and_layoffs(tally: Tally) -> None:
    turns = first_legal(tally)
    hands = tally.outcome("hands")
    assert turns.groupby("side")["hands"].sum().to_dict() == {"a": hands, "b": hands}
    assert turns.groupby("side")["share"].sum().to_list() == pytest.approx([1, 1])
    told = layoffs(tally)
    ends = tally.endings()
    for side, other in ("ab", "ba"):
        row = told[told["side"] == side].iloc[0]
        knocks = ends[other]["knock"] + ends[other]["tie"] + ends[side]["undercut"]
        assert row["knocks"] == knocks
        assert row["points"] * knocks == pytest.approx(tally.total("layoffs")["ab".index(side), 1])


def test_a_tally_of_few_pairs_has_no_intervals() -> None:
    a = player(parse_strategy("simple"))
    few = play_match(a, a, EAAI, pairs=1, seed=1).tally
    cells = knock_cells(few)
    assert len(cells) and cells["p_win_low"].isna().all() and held(few, "knocks").shape[0] == 1
    assert list(matrices(few)) == []
    assert remarks(few)[-1] == f"Blank cells rest on fewer than {LEAST} hands."


@pytest.mark.requires_jit  # thousands of games
def test_matrices(tally: Tally) -> None:
    titles = {title: (headers, rows) for title, headers, rows in matrices(tally)}
    headers, rows = titles["B: P(undercut), % of knocks taken"]
    assert headers[0] == "deadwood" and headers[-1] == f"{TURNS + 1}+"
    assert [int(turn) for turn in headers[1:-1]] == sorted(int(turn) for turn in headers[1:-1])
    knocks = tally.total("knocks")[1]
    late = knocks[TURNS:, 2].sum(axis=0)
    assert late[0] >= LEAST
    row = next(row for row in rows if row[0] == "2")
    assert row[-1] == f"{100 * late[KNOCK_FIELDS.index('undercut')] / late[0]:.1f}"
    assert "A: Points of a hand in which a knock was declined" not in titles  # simple knocks when it can
    assert "B: Points of a hand in which a knock was declined" in titles
    json.dumps(knocks_dict(tally))


def test_the_command() -> None:
    games = "400" if COMPILED else "2"
    words = ["match", "simple", "gin_only", "--games", games, "--knocks"]
    told = CliRunner().invoke(app, words)
    assert told.exit_code == 0, told.output
    assert "A could knock in" in told.output and "B laid off" in told.output
    report = json.loads(CliRunner().invoke(app, [*words, "--json"]).output)
    assert {row["side"] for row in report["knocks"]["cells"]} == {"a", "b"}
    assert sum(row["hands"] for row in report["knocks"]["first_legal"]) == 2 * report["hands"]
    assert "knocks" not in json.loads(CliRunner().invoke(app, [*words[:-1], "--json"]).output)
