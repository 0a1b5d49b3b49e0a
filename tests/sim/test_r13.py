"""The published framework's own player against itself, number by number.

R13 was measured on the Java framework of the EAAI-21 challenge: 460,160 hands of its simple player
against itself. Its referee lets the defender meld first, a least-deadwood arrangement chosen at random,
and then lays his other cards off greedily; so does `analysis.reproduction.referee`, and with it the engine
must meet every number. The last tests say what the joint optimum changes.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
import pytest

from analysis.reproduction.referee import framework_player, greedy_layoff, random_spread
from sim._jit import popcount
from sim.cards import COLUMN
from sim.deadwood import arrangement_sets
from sim.rules import Rules
from sim.run import Player, play_match
from sim.tables import tables_at
from sim.tally import GROUPS, OUTCOMES, SIDE_ENDINGS, Tally
from sim.view import spread_rule
from strategies.base import parse_strategy, player

pytestmark = pytest.mark.requires_jit  # millions of hands

HANDS = 460_160
"""Hands behind R13."""
PAIRS = 200_000
"""About four million hands: our own error is a third of theirs."""
ERRORS = 5.0
"""Joint standard errors allowed: a number that is right lies beyond with probability 6e-7."""


# --- the referee's ways --------------------------------------------------------------------------


@spread_rule
def reference_spread(view: Any, k: int) -> int:
    """Show what the hand-written C simulator shows: the first in its order of set choices.

    Ranks from the king down, the earlier: no set, the whole rank, all but the lowest card, ...
    """
    best = -1
    chosen = 0
    for index in range(k):
        sets = arrangement_sets(view.hand, index, tables_at(view.tables))
        order = 0
        for rank in range(12, -1, -1):
            column = view.hand & COLUMN << rank
            shown = sets & column
            digit = 0
            if shown != 0:
                digit = 1 if shown == column else 2 + popcount((column ^ shown) - 1 & column)
            order = order * 6 + digit
        if best < 0 or order < best:
            best = order
            chosen = index
    return chosen


def simple(spread: Any = None, pair_memory: bool = True) -> Player:
    """Return the framework's simple player, with a way of its own to lay out his cards."""
    chosen = parse_strategy(f"simple({str(pair_memory).lower()})")
    return player(chosen) if spread is None else framework_player(chosen, spread)


@functools.cache
def greedy_run(undercut_bonus: int = 25) -> Tally:
    one = simple(random_spread)
    rules = Rules.preset("eaai").replace(undercut_bonus=undercut_bonus)
    pairs = PAIRS if undercut_bonus == 25 else PAIRS // 2
    return play_match(one, one, rules, pairs=pairs, seed=13, threads=2, layoff=greedy_layoff).tally


@functools.cache
def joint_run(spread: Any = None) -> Tally:
    one = simple(spread, pair_memory=False)
    return play_match(one, one, Rules.preset("eaai"), pairs=PAIRS // 2, seed=14, threads=2).tally


# --- numbers with their errors -------------------------------------------------------------------


class Number(NamedTuple):
    value: float
    error: float


def by_pairs(tally: Tally, above: dict[str, int], below_it: dict[str, int]) -> Number:
    """Return a ratio of sums of pair outcomes with its pair-clustered error, from the moments."""
    moments = tally.total("moments").astype(float)
    x, y = (np.array([part.get(name, 0) for name in OUTCOMES]) for part in (above, below_it))
    ratio = x @ moments[0] / (y @ moments[0])
    rest = x - ratio * y
    return Number(float(ratio), float(np.sqrt(rest @ moments @ rest) / (y @ moments[0])))


def by_groups(above: Any, below_it: Any) -> Number:
    """Return a ratio of sums with the error between the groups of pairs, for what has no moments."""
    ratio = above.sum() / below_it.sum()
    rest = above - ratio * below_it
    return Number(float(ratio), float(np.sqrt((rest**2).sum() * GROUPS / (GROUPS - 1)) / below_it.sum()))


def kinds(tally: Tally, field: str, *names: str) -> Any:
    """Return hands or points of the endings named, of both sides, by group."""
    by_kind = tally.groups(field).sum(axis=(1, 2))
    places = [side * len(SIDE_ENDINGS) + SIDE_ENDINGS.index(name) for side in (0, 1) for name in names]
    return by_kind[:, places].sum(axis=1)


def measure() -> dict[str, Number]:
    """Return our numbers by the names of `R13`."""
    tally = greedy_run()
    hands, decisive = {"hands": 1}, {"decisive": 1}
    all_hands = tally.groups("lengths").sum(axis=1)
    won = {name: kinds(tally, "hands", name) for name in ("knock", "gin", "undercut")}
    knocked = tally.groups("deadwoods").sum(axis=(1, 3)) * (np.arange(11) > 0)  # gin is no knock
    ended = sum(won.values())
    # Equal counts are undercuts. With an undercut bonus that no knock can reach they stand alone among
    # the points; the players do not look at scores, so hands are as before.
    odd = greedy_run(200)
    equal = odd.groups("scores")[:, :, 200].sum(axis=1)
    means = {name: by_groups(kinds(tally, "points", name), won[name]) for name in won}
    return {
        "turns a hand": by_pairs(tally, {"turns": 1}, hands),
        **{f"{name}s": by_groups(won[name], all_hands) for name in won},
        "equal counts": by_groups(equal, odd.groups("lengths").sum(axis=1)),
        "void": by_pairs(tally, {"hands": 1, "decisive": -1}, hands),
        "winner's points": by_pairs(tally, {"points_a": 1, "points_b": 1}, decisive),
        **{f"points of a {name}": means[name] for name in means},
        "non-dealer wins": by_pairs(tally, {"hands_mover": 1}, decisive),
        "hands a game": by_pairs(tally, hands, {"one": 2}),
        "knocker's deadwood": by_groups(knocked @ np.arange(11), knocked.sum(axis=1)),
        "cards laid off": by_groups(tally.groups("layoffs")[:, :, 0].sum(axis=1), ended),
        "upcard draws a hand": by_groups(tally.groups("upcard_draws").sum(axis=1), all_hands),
    }


R13: dict[str, tuple[str, float | None]] = {
    "turns a hand": ("12.528", 0.008),
    "knocks": ("0.93517", 0.00036),
    "gins": ("0.02079", 0.00021),
    "undercuts": ("0.04231", 0.0003),
    "equal counts": ("0.0134", (0.0134 * 0.9866 / HANDS) ** 0.5),
    "void": ("0.00173", 0.00006),
    "winner's points": ("16.269", 0.019),
    "points of a knock": ("15.10", None),
    "points of a gin": ("47.64", None),
    "points of a undercut": ("26.63", None),
    "non-dealer wins": ("0.50263", 0.00074),
    "hands a game": ("10.226", 0.015),
    "knocker's deadwood": ("7.126", None),
    "cards laid off": ("0.595", None),
    "upcard draws a hand": ("2.055", None),
}
"""As printed, with the standard error given; where none is, ours is scaled to their number of hands."""


def distance(name: str, ours: Number) -> float:
    """Return how far apart the two are, in joint standard errors, their rounding included."""
    text, error = R13[name]
    if error is None:
        error = ours.error * (greedy_run().outcome("hands") / HANDS) ** 0.5
    rounding = 10.0 ** -len(text.split(".")[1]) / 12**0.5
    return float((ours.value - float(text)) / np.sqrt(ours.error**2 + error**2 + rounding**2))


measured = functools.cache(measure)


@pytest.mark.parametrize("name", R13)
def test_r13(name: str) -> None:
    ours = measured()[name]
    assert abs(distance(name, ours)) < ERRORS, f"{name}: {ours.value:.5f}, published {R13[name][0]}"


# --- the joint optimum ---------------------------------------------------------------------------

REFERENCE = {"knock": (0.93281, 4e-5), "gin": (0.02086, 2.3e-5), "undercut": (0.04464, 3.3e-5)}
"""What four million games (41 million hands) of docs/bench/gin_limit.c print, with binomial errors."""


def shares(tally: Tally) -> dict[str, Number]:
    hands = tally.groups("lengths").sum(axis=1)
    return {name: by_groups(kinds(tally, "hands", name), hands) for name in REFERENCE}


@pytest.mark.parametrize("name", REFERENCE)
def test_joint_optimum_as_the_c_reference(name: str) -> None:
    ours, (value, error) = shares(joint_run(reference_spread))[name], REFERENCE[name]
    assert abs(ours.value - value) < ERRORS * np.hypot(ours.error, error)


def test_the_rest_of_the_c_reference() -> None:
    tally = joint_run(reference_spread)
    turns = by_pairs(tally, {"turns": 1}, {"hands": 1})
    points = by_pairs(tally, {"points_a": 1, "points_b": 1}, {"hands": 1})
    games = by_pairs(tally, {"hands": 1}, {"one": 2})
    # Printed: 12.526-12.529 turns and 16.210-16.213 points a hand, 10.244-10.247 hands a game, each
    # over two million games; so their mean has about 0.7 of our error at ten times our games.
    for ours, value in ((turns, 12.5275), (points, 16.2115), (games, 10.2455)):
        assert abs(ours.value - value) < ERRORS * 1.1 * ours.error


def test_what_the_referee_leaves_lying() -> None:
    """The joint optimum undercuts more often than greedy lay-offs, the default spread less often."""
    greedy = by_groups(kinds(greedy_run(), "hands", "undercut"), greedy_run().groups("lengths").sum(axis=1))
    default, reference = (shares(joint_run(spread))["undercut"] for spread in (None, reference_spread))
    for low, high in ((greedy, default), (default, reference)):
        assert high.value - low.value > ERRORS * np.hypot(low.error, high.error) / 2
