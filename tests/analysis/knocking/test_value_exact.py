"""What a knock is worth, exactly: a little deck walked through in full, hands forked by the slow engine."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from analysis.knocking.cells import POPULATIONS, cell_keys
from analysis.knocking.value import COUNTERS, NO_COUNTS, Counts, count_chunk
from sim._jit import COMPILED
from sim.forks import fork_hands
from sim.rules import Rules
from sim.run import Player
from sim.scoring import ENDINGS
from strategies.base import parse_strategy, player
from tests import naive, naive_score
from tests.enumerate_small_deck import ORDERS
from tests.enumerate_small_forks import AXES, OWN, PAIRS, Cells, Sums, walk
from tests.naive import Card
from tests.naive_game import Gold, Hand, Info, TwoStage, deal
from tests.naive_luck import FIRST_DEALER, Luck
from tests.small_deck_engine import new_table
from tests.small_deck_forks import fork_at

# --- the little deck -----------------------------------------------------------------------------


def compiled(pairs: list[int]) -> dict[str, dict[tuple[int, ...], Sums]]:
    """Return the sums of cells by all that a player knows, as the laboratory counts them, by population."""
    quick, patient = new_table().players
    draw, _, discard, spread = quick.decisions
    knock = player(parse_strategy(f"threshold({OWN})")).decisions[1]
    own = Player("quick", (draw, knock, discard, spread), [float(OWN)])
    counts = dict.fromkeys(POPULATIONS, NO_COUNTS)
    for first in range(0, len(pairs), 1_000):
        some = np.array(pairs[first : first + 1_000])
        shuffles = np.tile(np.arange(len(ORDERS)), len(some))
        forks = fork_at(own, patient, np.repeat(some, len(ORDERS)), shuffles)
        counts = {name: had.then(count_chunk(forks, AXES, name)) for name, had in counts.items()}
    return {name: _by_key(one) for name, one in counts.items()}


def _by_key(counts: Counts) -> dict[tuple[int, ...], Sums]:
    keys = cell_keys(counts.codes, AXES)
    total = counts.sums.sum(axis=0)
    assert (total[:, 0] == total[:, 1]).all()  # in one turn a hand has one legal knock
    told = zip(zip(*(keys[name].tolist() for name in AXES), strict=True), total.tolist(), strict=True)
    return {key: Sums(*row[1:]) for key, row in told}


def agree(pairs: list[int]) -> Cells:
    known = walk(pairs)
    assert COUNTERS[1:] == Sums._fields
    assert compiled(pairs) == known
    return known


def test_delta_of_every_cell_of_a_slice_is_exact() -> None:
    """All 720 deals of some pairs of hands, to the integer."""
    known = agree(random.Random(4).sample(range(PAIRS), 150 if COMPILED else 1))
    if COMPILED:
        assert len(known["every"]) > 50 and len(known["first"]) > 40
        both = [sum(row.once != row.gin for row in known[name].values()) for name in POPULATIONS]
        assert min(both) > 5  # the continuations are told apart


@pytest.mark.slow
@pytest.mark.requires_jit
def test_delta_of_every_cell_of_every_sixth_pair_is_exact() -> None:
    """Over two million deals."""
    agree(list(range(0, PAIRS, 6)))


# --- the slow engine -----------------------------------------------------------------------------


@dataclass
class Forked:
    """Plays as another, but ends the hand at the legal knock of a number and declines all before it."""

    plays: Gold | TwoStage
    take_at: int = 0  # 0: never
    asked: list[Info] = field(default_factory=list)

    def draw(self, info: Info) -> bool:
        return self.plays.draw(info)

    def knock(self, info: Info) -> bool:
        self.asked.append(info)
        return len(self.asked) == self.take_at

    def discard(self, info: Info) -> Card:
        return self.plays.discard(info)


def signed(hand: Hand) -> tuple[int, int, str, int]:
    """Return A's points less B's, the winner (-1: nobody), the ending and the boxes won."""
    if hand.winner is None:
        return 0, -1, hand.ending, 0
    return hand.points * (1 - 2 * hand.winner), hand.winner, hand.ending, hand.boxes


def plain_forks(a: Gold | TwoStage, b: Gold | TwoStage, rules: dict[str, Any], luck: Luck) -> Any:
    """Play a hand by the slow engine once without a knock of A and once with each."""

    def played(take_at: int) -> tuple[Hand, Forked]:
        player_a = Forked(a, take_at)
        dealer = 1 if rules["first_dealer"] == "fixed" else luck.dealer(FIRST_DEALER, 0)
        dealt = deal(luck.deck(0), (player_a, b), rules, luck.game, dealer, luck=luck)
        return dealt.play(), player_a

    declined, told = played(0)
    forks = []
    for at, info in enumerate(told.asked):
        hand, _ = played(at + 1)
        thrown = next((card for side, _, _, card in reversed(hand.told) if side == 1 and card), None)
        forks.append(
            (
                info.own_draws,
                info.best,
                info.stock,
                len(naive.left_after(hand.hands[0], hand.spread)),
                0 if thrown is None else naive.pip(thrown, rules["ace_value"]),
                hand.upcard_draws[1],
                int(a.knock(info)),
                *signed(hand),
            )
        )
    return (declined.limit, *signed(declined)), forks


SETTINGS = (
    ("eaai", Gold(4), "threshold(4)", Gold(10), "gold"),
    ("bga_oklahoma", TwoStage(10, 0, 6), "two_stage(10, 0, 6)", Gold(3), "threshold(3)"),
    ("palace", Gold(10), "gold", Gold(0), "gin_only"),
)


def check_forks(wanted: int, seed: int) -> None:
    """Compare forks hand by hand until there are as many as wanted."""
    for preset, a, text_a, b, text_b in SETTINGS:
        rules = Rules.preset(preset)
        known = naive_score.complete(rules.to_dict())
        pairs = wanted // len(SETTINGS) // 2
        found = fork_hands(
            player(parse_strategy(text_a)), player(parse_strategy(text_b)), rules, pairs=pairs, seed=seed
        )
        compared = 0
        for one in found.deals:
            if compared >= wanted // len(SETTINGS):
                break
            whole, forks = plain_forks(a, b, known, Luck(seed, int(one.pair), int(one.packet)))
            assert (one.limit, *_result(one)) == whole, (preset, one)
            rows = [found.forks[place] for place in range(int(one.start), int(one.stop))]
            names = ("own_turn", "deadwood", "stock", "loose", "last", "picked", "asked")
            assert [(*(int(row[name]) for name in names), *_result(row)) for row in rows] == forks, (
                preset,
                one,
            )
            compared += len(forks)
        assert compared >= wanted // len(SETTINGS)


def _result(row: Any) -> tuple[int, int, str, int]:
    return int(row.points), int(row.winner), ENDINGS[row.ending], int(row.boxes)


@pytest.fixture
def _remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the slow engine remember what hands come to: the plays of a deal are alike up to the knock."""
    for name in ("deadwood", "discard_deadwoods", "best_discards"):
        monkeypatch.setattr(naive, name, lru_cache(20_000)(getattr(naive, name)))


@pytest.mark.usefixtures("_remembered")
def test_the_slow_engine_forks_alike() -> None:
    check_forks(300 if COMPILED else 60, 21)


@pytest.mark.slow
@pytest.mark.requires_jit
@pytest.mark.usefixtures("_remembered")
def test_the_slow_engine_forks_alike_ten_thousand_times() -> None:
    check_forks(10_002, 22)
