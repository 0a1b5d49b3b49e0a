"""The enumeration of a little deck: its order, and a slice of its deals by the engine and the oracle."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

from sim._jit import COMPILED
from sim.deal import start_hand
from sim.run import Table
from sim.scoring import ENDINGS
from sim.streams import below, deck_key
from tests import naive
from tests.enumerate_small_deck import DEALER, DEALS, STEP, compare, deal, naive_hand, naive_small_deals
from tests.small_deck_engine import new_table, play_deals
from tests.strategies.user_file import go_on

DECK = naive.to_mask((rank, suit) for rank in range(4) for suit in range(3))


def bits(mask: int) -> list[int]:
    """Return the cards of a mask as masks, lowest first."""
    return [1 << place for place in range(64) if mask >> place & 1]


def index_of(hand_a: int, hand_b: int, order: list[int]) -> int:
    """Return the number of a deal the other way about: by looking it up among all of its kind."""
    rest = bits(DECK ^ hand_a)
    left = bits(DECK ^ hand_a ^ hand_b)
    a = [sum(chosen) for chosen in combinations(bits(DECK), 3)].index(hand_a)
    b = [sum(chosen) for chosen in combinations(rest, 3)].index(hand_b)
    turned = list(permutations(left)).index(tuple(order))
    pair = 84 * a + b
    return 720 * pair + (turned - pair) % 720


def test_the_order_is_a_bijection() -> None:
    assert DEALS == 220 * 84 * 720 == 13_305_600
    source = random.Random(3)
    for index in [0, 1, 719, 720, DEALS - 1, *source.sample(range(DEALS), 200)]:
        hand_a, hand_b, order = deal(index)
        assert sum(order) == DECK ^ hand_a ^ hand_b and len(order) == 6
        assert [hand.bit_count() for hand in (hand_a, hand_b, hand_a | hand_b)] == [3, 3, 6]
        assert index_of(hand_a, hand_b, order) == index
    told = {(a, b, tuple(order)) for a, b, order in map(deal, range(720 * 83, 720 * 86))}
    assert len(told) == 3 * 720


def test_every_sixth_deal_is_no_narrow_choice() -> None:
    """Among them any card of the six is the last one to be drawn, about equally often."""
    places: Counter[int] = Counter()
    for index in range(0, 720 * 84, STEP):
        hand_a, hand_b, order = deal(index)
        left = bits(DECK ^ hand_a ^ hand_b)
        places[left.index(order[3])] += 1
    assert len(places) == 6 and max(places.values()) < 1.05 * min(places.values())


# --- the engine on the same deals ----------------------------------------------------------------


def lay(table: Table, index: int) -> None:
    """Lay the cards of a deal on the table, the stock so that it is dealt in the order given."""
    hand_a, hand_b, order = deal(index)
    hand = table.hand
    table.views[0].hand, table.views[1].hand = hand_a, hand_b
    hand.upcard = order[0]
    hand.key, hand.allowed = deck_key(7), DECK
    others = [bit for bit in range(64) if bit % 16 < 13 and not DECK >> bit & 1]
    seen = [card.bit_length() - 1 for card in (*bits(hand_a), *bits(hand_b), order[0])]
    hand.deck[:] = [*others, *seen, *(card.bit_length() - 1 for card in order[1:])]
    hand.place = first = 52 - 5
    for place in range(51, first - 1, -1):  # what the shuffle will change, undone from the end
        chosen = place + int(below(hand.key, place, 52 - place))
        hand.deck[[place, chosen]] = hand.deck[[chosen, place]]
    start_hand(hand, *table.views, table.rules, 99, 0, 0, DEALER)


def both(indices: Any) -> set[tuple[str, int]]:
    """Play deals with the engine and the oracle, compare them, and return the endings met."""
    table = new_table()
    met = set()
    for index in indices:
        told = naive_hand(index)
        lay(table, index)
        go_on(table)
        hand = table.hand
        assert (ENDINGS[int(hand.ending)], int(hand.points), int(hand.turns)) == (
            told.ending, told.points, told.turns,
        ), index  # fmt: skip
        assert int(hand.knocker) == (-1 if told.knocker is None else told.knocker), index
        assert int(hand.winner) == (-1 if told.winner is None else told.winner), index
        assert table.views.hand.tolist() == [naive.to_mask(cards) for cards in told.hands], index
        met.add((told.ending, int(hand.knocker)))
    return met


def test_a_slice_against_the_engine() -> None:
    source = np.random.default_rng(5)
    met = both(source.integers(0, DEALS, 1500 if COMPILED else 100).tolist())
    ended_by_a = {"knock", "gin", "big_gin", "undercut", "tie", "gin_cancelled"}
    every = {(end, 0) for end in ended_by_a} | {(end, 1) for end in ("gin", "big_gin", "gin_cancelled")}
    assert met == every | {("void", -1)} or not COMPILED and met <= every | {("void", -1)}


@pytest.mark.slow
@pytest.mark.requires_jit
def test_a_longer_slice_against_the_engine() -> None:
    assert compare(0, DEALS, STEP * 97).total() == DEALS // (STEP * 97) + 1


# Ending, who ended the hand (-1: nobody), deals, points of the winners.
ALL_DEALS = {
    ("knock", 0): (3_252_534, 7_963_564),
    ("gin", 0): (4_687_440, 145_188_502),
    ("gin", 1): (2_174_500, 69_725_972),
    ("big_gin", 0): (191_422, 7_194_462),
    ("big_gin", 1): (44_820, 1_726_110),
    ("undercut", 0): (1_245_012, 33_655_744),
    ("tie", 0): (939_670, 0),
    ("gin_cancelled", 0): (221_760, 0),
    ("gin_cancelled", 1): (93_600, 0),
    ("void", -1): (454_842, 0),
}
"""Every deal of the little deck, by the engine; the oracle agrees with it on every sixth."""


@pytest.mark.slow
@pytest.mark.requires_jit
def test_every_deal() -> None:
    found: dict[tuple[str, int], tuple[int, int]] = {}
    for block in range(6):
        part = play_deals(block * DEALS // 6, (block + 1) * DEALS // 6)
        for ending, knocker in np.unique(part[:, :2], axis=0).tolist():
            points = part[(part[:, 0] == ending) & (part[:, 1] == knocker), 2]
            deals, total = found.get((ENDINGS[ending], knocker), (0, 0))
            found[ENDINGS[ending], knocker] = deals + len(points), total + int(points.sum())
    assert found == ALL_DEALS
    assert sum(deals for deals, _ in found.values()) == DEALS


def test_deals_are_played_in_steps() -> None:
    told = naive_small_deals(12, 60, 6)
    assert len(told) == 8
    assert told == [naive_small_deals(index, index + 1, 1)[0] for index in range(12, 60, 6)]
