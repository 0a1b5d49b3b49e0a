"""What acting first is worth, by quads: against single quads, and where it is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analysis.metrics import group_sums
from analysis.stats.quads import DEALERS, first_mover_effect
from sim._jit import COMPILED
from sim.rules import Rules
from sim.run import play_match
from strategies.base import parse_strategy, player

PAIRS = 100 if COMPILED else 3


def quads(a: str, b: str, pairs: int = PAIRS, first: int = 0) -> tuple[Any, Any]:
    sides = [player(parse_strategy(text)) for text in (a, b)]
    one, two = (
        group_sums(
            play_match(*sides, Rules.preset("eaai"), pairs=pairs, first=first, seed=4, dealer=dealer).tally
        )
        for dealer in (DEALERS["a_first"], DEALERS["b_first"])
    )
    return one, two


def total(sums: Any, name: str) -> int:
    return int(sums[name].sum())


def test_by_single_quads() -> None:
    """Each quad left out by summing the others: values and errors."""
    told = first_mover_effect(*quads("gin_only", "threshold(10)"))
    single = [quads("gin_only", "threshold(10)", 1, first) for first in range(PAIRS)]

    def effects(kept: list[Any]) -> dict[str, float]:
        a, b = ({name: sum(total(quad[run], name) for quad in kept) for name in kept[0][0]} for run in (0, 1))

        def ratios(sums: dict[str, int]) -> dict[str, float]:
            return {
                "game_share": sums["games_a"] / (2 * sums["games"]),
                "hand_share": sums["hands_a"] / sums["decisive"],
                "points_per_hand": (sums["points_a"] - sums["points_b"]) / sums["hands"],
            }

        first, second = ratios(a), ratios(b)
        # In the first run A acts first in all games, in the second B does.
        mover = (a["games_a"] + 2 * b["games"] - b["games_a"]) / (2 * (a["games"] + b["games"]))
        return {"first_mover_game_share": mover, **{name: first[name] - second[name] for name in first}}

    whole = effects(single)
    without = [effects(single[:at] + single[at + 1 :]) for at in range(PAIRS)]
    assert set(told) == set(whole)
    for name, estimate in told.items():
        values = np.array([one[name] for one in without])
        assert estimate.estimate == pytest.approx(whole[name], abs=1e-12)
        error = np.sqrt((PAIRS - 1) / PAIRS * ((values - values.mean()) ** 2).sum())
        if error > 1e-12:
            assert estimate.se == pytest.approx(error)


def test_self_play_by_quads() -> None:
    """The same player twice: mirrored runs, so A's gain is twice the first mover's lead over a half."""
    told = first_mover_effect(*quads("simple", "simple"))
    share, gain = told["first_mover_game_share"], told["game_share"]
    assert share.estimate is not None and gain.estimate is not None
    assert gain.estimate == pytest.approx(2 * share.estimate - 1)


def test_exchanged_sides_have_the_same_effect() -> None:
    """Of players who draw no lots: the games are the same ones."""
    one = first_mover_effect(*quads("gin_only", "two_stage(10, 2, 6)"))
    two = first_mover_effect(*quads("two_stage(10, 2, 6)", "gin_only"))
    for name in one:
        assert one[name].estimate == pytest.approx(two[name].estimate)


def test_other_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="did not play the same pairs"):
        first_mover_effect(quads("simple", "simple", 2)[0], quads("simple", "simple", 3)[1])
