"""Decks, coins and words: pure functions of their keys, and as random as they have to be.

Chi-square and normal thresholds are derived from `FALSE_ALARM`, the probability with which a fair
stream would fail one test. With about thirty such tests a run fails wrongly less than once in 30,000.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from sim._jit import COMPILED, typed_kernel, types
from sim.cards import cards_of, deck_mask
from sim.deal import MAX_TURNS
from sim.game import begin_hand, finish_hand, start_game
from sim.hand import play_hand
from sim.rules import Rules
from sim.run import Player, Table
from sim.streams import (
    CARD_PLACES,
    FIRST_DEALER,
    NEXT_DEALER,
    VOID_DEALER,
    absorb,
    below,
    coin,
    decision_key,
    deck_key,
    hand_key,
    pair_key,
    place_card,
    word,
)
from tests.strategies.user_file import ANY, COIN, NEVER, STOCK, TOSS, UPCARD, puppet

FALSE_ALARM = 1e-6
DECKS = 300_000 if COMPILED else 400

_LONGS = types.int64[::1]
_TABLE = types.int8[:, ::1]


@typed_kernel(types.void(_LONGS, _LONGS, _LONGS, _TABLE))
def fill_decks(seeds: Any, pairs: Any, hands: Any, out: Any) -> None:
    """Fill ``out`` with the whole deck of each (seed, pair, hand), cards numbered 0-51."""
    for i in range(seeds.size):
        key = deck_key(hand_key(pair_key(seeds[i], pairs[i]), hands[i]))
        deck = out[i]
        for place in range(52):
            deck[place] = CARD_PLACES[place]
        for place in range(52):
            place_card(deck, place, key)
        for place in range(52):
            deck[place] = (deck[place] >> 4) * 13 + (deck[place] & 15)


@typed_kernel(types.void(_LONGS, types.int64, _LONGS))
def fill_words(keys: Any, counter: int, out: Any) -> None:
    """Fill ``out`` with word ``counter`` of each key."""
    for i in range(keys.size):
        out[i] = word(keys[i], counter)


def decks(seeds: Any, pairs: Any, hands: Any) -> npt.NDArray[np.int8]:
    """Return the decks of the given keys, broadcast together, shape (n, 52)."""
    keys = np.broadcast_arrays(*(np.asarray(part, np.int64) for part in (seeds, pairs, hands)))
    parts = [np.ascontiguousarray(key.ravel()) for key in keys]
    out = np.empty((parts[0].size, 52), np.int8)
    fill_decks(*parts, out)
    return out


def assert_chi_square(statistic: float, freedom: int) -> None:
    """Check a statistic that is chi-square distributed for a fair stream, on both sides.

    Too even a count is as wrong as too uneven a one; each side takes half of `FALSE_ALARM`.
    """
    low, high = stats.chi2.ppf(FALSE_ALARM / 2, freedom), stats.chi2.isf(FALSE_ALARM / 2, freedom)
    assert low < statistic < high


def assert_standard_normal(z: float) -> None:
    assert abs(z) < stats.norm.isf(FALSE_ALARM / 2)


def uneven(counts: npt.NDArray[np.int64]) -> float:
    """Return Pearson's statistic of counts that should be equal."""
    expected = counts.sum() / counts.size
    return float(((counts - expected) ** 2).sum() / expected)


# Runs of the three keys, each varied alone and all at once, as a match, a sweep and a rerun use them.
_STEP = np.arange(DECKS)
AXES = {
    "pairs": (7, _STEP, 0),
    "hands": (7, 3, _STEP),
    "seeds": (_STEP, 0, 0),
    "large-seeds": (2**63 - 1 - _STEP, 12, 4),
    "mixed": (_STEP % 5, _STEP // 5 // 9, _STEP // 5 % 9),
}


@pytest.fixture(scope="module", params=AXES)
def many(request: pytest.FixtureRequest) -> npt.NDArray[np.int8]:
    return decks(*AXES[request.param])


class TestDecks:
    def test_every_deck_has_every_card(self, many: npt.NDArray[np.int8]) -> None:
        assert (np.sort(many, axis=1) == np.arange(52)).all()

    def test_cards_by_place(self, many: npt.NDArray[np.int8]) -> None:
        # A deck is a permutation matrix. The counts of n decks, less n/52 in each cell, lie in a space
        # of 51 x 51 dimensions with variance n/51 in each: the sum of squares over n/51 is
        # chi-square(51 * 51). False alarm 1e-6.
        places = np.broadcast_to(np.arange(52), many.shape)
        counts = np.bincount((places * 52 + many).ravel(), minlength=52 * 52)
        statistic = ((counts - len(many) / 52) ** 2).sum() * 51 / len(many)
        assert_chi_square(statistic, 51 * 51)

    @pytest.mark.parametrize("lag", [1, 2, 13, 21, 26, 32])
    def test_cards_that_follow_one_another(self, many: npt.NDArray[np.int8], lag: int) -> None:
        # One pair of places of each deck, another from deck to deck: the ordered pairs of cards are a
        # plain multinomial count over 52 * 51 cells, chi-square(52 * 51 - 1). False alarm 1e-6.
        # Lag 1 is the next card, 2 the next of the same packet, 21 and more from a packet into the stock.
        rows = np.arange(len(many))
        places = rows % (52 - lag)
        counts = np.bincount(
            many[rows, places].astype(np.int64) * 52 + many[rows, places + lag], minlength=2704
        )
        assert not counts.reshape(52, 52).diagonal().any()
        others = counts.reshape(52, 52)[~np.eye(52, dtype=bool)]
        if others.sum() < 5 * others.size:  # too few for the distribution, without the JIT
            return
        assert_chi_square(uneven(others), others.size - 1)

    def test_suits_and_colours_of_a_hand(self, many: npt.NDArray[np.int8]) -> None:
        # Hypergeometric: 10 of 52 cards, 13 of them spades; the mean over n decks is normal with
        # the hypergeometric variance. False alarm 1e-6.
        spades = (many[:, 0:20:2] < 13).sum(axis=1)
        mean, variance = stats.hypergeom.stats(52, 13, 10)
        assert_standard_normal((spades.mean() - mean) / np.sqrt(variance / len(many)))


NEXT_TO = {
    "pair": (0, 1, 0),
    "hand": (0, 0, 1),
    "seed": (1, 0, 0),
    "seed-and-pair": (1, -1, 0),
    "pair-and-hand": (0, 1, -1),
    "far-seed": (2**40, 0, 0),
}


@pytest.mark.parametrize("apart", NEXT_TO)
def test_neighbouring_decks_are_unrelated(apart: str) -> None:
    step = NEXT_TO[apart]
    start = (np.arange(DECKS) % 1000 + 1, np.arange(DECKS) // 1000 + 1, 1)
    one = decks(*start)
    other = decks(*(key + by for key, by in zip(start, step, strict=True)))
    # Equal cards at equal places: 1 a pair of random decks in the mean, variance 1, so the sum over n
    # is normal with mean n and variance n. False alarm 1e-6.
    assert_standard_normal(((one == other).sum() - DECKS) / np.sqrt(DECKS))
    # The first cards of both: a plain count over 2,704 cells, chi-square(2703). False alarm 1e-6.
    counts = np.bincount(one[:, 0].astype(np.int64) * 52 + other[:, 0], minlength=2704)
    if DECKS >= 5 * counts.size:
        assert_chi_square(uneven(counts), counts.size - 1)
    # Rank correlation of the places of cards, over all places: mean 0, and each deck's correlation
    # has variance 1/51. False alarm 1e-6.
    centred = (one - 25.5) * (other - 25.5)
    correlation = centred.sum(axis=1) / (52 * (52**2 - 1) / 12)
    assert_standard_normal(correlation.mean() * np.sqrt(51 * DECKS))


def test_decks_are_distinct() -> None:
    # 100,000 of 52! decks from 64-bit keys: two equal ones by chance have probability 3e-10.
    per_axis = (50, 50, 40) if COMPILED else (6, 6, 6)
    grid = np.meshgrid(*(np.arange(size) for size in per_axis), indexing="ij")
    found = decks(*grid)
    assert len(np.unique(found, axis=0)) == np.prod(per_axis)


def deck_of(seed: int, pair: int, hand: int, allowed: int) -> list[int]:
    """Return the deck of a hand as masks, without the cards that are not allowed."""
    order = CARD_PLACES.copy()
    key = deck_key(hand_key(pair_key(seed, pair), hand))
    masks = [1 << int(place_card(order, place, key)) for place in range(52)]
    return [card for card in masks if card & allowed]


def dealt(a: Player, b: Player, rules: Rules, seed: int, pair: int, game: int) -> list[list[int]]:
    """Play a game and return for each hand the cards that left the deck, in order."""
    table = Table(a, b, rules, seed)
    start_game(table.game, seed, pair, game, table.rules)
    hands = []
    while not table.game.over:
        begin_hand(table.game, table.hand, table.views[0], table.views[1], table.rules)
        assert int(table.views[game].hand) == sum(
            1 << int(bit) for bit in deck_places(table)[: 2 * rules.hand_size : 2]
        )
        play_hand(
            table.hand, table.views[0], table.views[1], table.rules, table.melds,
            a.decisions, b.decisions, table.layoff, MAX_TURNS,
        )  # fmt: skip
        hands.append([1 << bit for bit in deck_places(table)])
        finish_hand(table.game, table.hand, table.rules)
    return hands


def deck_places(table: Table) -> list[int]:
    """Return the bits of the allowed cards that have been dealt so far."""
    bits = [int(bit) for bit in table.hand.deck[: int(table.hand.place)]]
    return [bit for bit in bits if int(table.hand.allowed) >> bit & 1]


PLAYERS = {
    "lower": (puppet(), puppet()),
    "coin": (puppet(COIN, TOSS, ANY), puppet(COIN, TOSS, ANY)),
    "wait": (puppet(STOCK, NEVER), puppet()),
    "greedy": (puppet(UPCARD), puppet(STOCK)),
}
RULES = {
    "eaai": Rules.preset("eaai"),
    "fournier": Rules.preset("fournier"),
    "corner": Rules.preset("round_the_corner"),
    "seven": Rules.preset("seven_card"),
    "reduced": Rules(hand_size=5, ranks=8),
    "two-suits": Rules(hand_size=6, suits=2, dead_stock=1),
}


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize("who", PLAYERS)
def test_deck_does_not_change_with_players_or_rules(who: str, rules: Rules) -> None:
    a, b = PLAYERS[who]
    for pair, game in ((0, 0), (5, 1)):
        for number, cards in enumerate(dealt(a, b, rules, 11, pair, game)):
            whole = deck_of(11, pair, number, rules.deck)
            assert len(cards) >= 2 * rules.hand_size + 1
            assert cards == whole[: len(cards)]


def test_reduced_deck_keeps_the_order() -> None:
    whole = deck_of(3, 2, 1, deck_mask())
    for ranks, suits in ((8, 4), (13, 2), (5, 3)):
        allowed = deck_mask(ranks, suits)
        assert deck_of(3, 2, 1, allowed) == [card for card in whole if card & allowed]
        assert sum(deck_of(3, 2, 1, allowed)) == allowed


def test_deck_is_the_same_however_far_it_is_dealt() -> None:
    key = deck_key(hand_key(pair_key(1, 2), 3))
    whole = deck_of(1, 2, 3, deck_mask())
    for count in (0, 1, 21, 51):
        order = CARD_PLACES.copy()
        found = [1 << int(place_card(order, place, key)) for place in range(count)]
        assert found == whole[:count]
        assert sorted(1 << int(bit) for bit in order) == cards_of(deck_mask())


class TestWords:
    def test_known_answers(self) -> None:
        # The first outputs of splitmix64 seeded with 1234567 (published test values), less the low bit.
        expected = (
            6457827717110365317,
            3203168211198807973,
            9817491932198370423,
            4593380528125082431,
            16408922859458223821,
        )
        assert [int(word(1234567, number + 1)) for number in range(5)] == [out >> 1 for out in expected]

    @pytest.mark.parametrize("counter", [0, 1, 2, 3, 47])
    @pytest.mark.parametrize("shift", [0, 20, 55])
    def test_uniform(self, counter: int, shift: int) -> None:
        # Eight bits of one word of each of n decision keys: 256 equal cells, chi-square(255).
        # False alarm 1e-6.
        count = 100_000 if COMPILED else 2560
        keys = np.array(
            [decision_key(hand_key(pair_key(5, i), i % 7), i % 2, i // 2 % 2) for i in range(2560)], np.int64
        )
        keys = np.concatenate([keys ^ np.int64(i) << 40 for i in range(count // 2560)])
        out = np.empty_like(keys)
        fill_words(keys, counter, out)
        assert (out >= 0).all()
        assert_chi_square(uneven(np.bincount(out >> shift & 255, minlength=256)), 255)

    def test_keys_are_distinct(self) -> None:
        keys = set()
        for pair in range(20):
            for hand in range(5):
                key = hand_key(pair_key(9, pair), hand)
                keys |= {int(decision_key(key, game, packet)) for game in (0, 1) for packet in (0, 1)}
                keys |= {int(deck_key(key)), int(key)}
        assert len(keys) == 20 * 5 * 6

    def test_absorb_orders_matter(self) -> None:
        assert absorb(absorb(0, 1), 2) != absorb(absorb(0, 2), 1)
        assert absorb(0, 0) != 0

    @pytest.mark.parametrize("bound", [1, 2, 3, 10, 52])
    def test_below(self, bound: int) -> None:
        # Counts over ``bound`` cells, chi-square(bound - 1). False alarm 1e-6.
        count = 20_000 if COMPILED else 1_000
        found = np.array([below(17, counter, bound) for counter in range(count)])
        assert found.min() >= 0 and found.max() == bound - 1
        if bound > 1:
            assert_chi_square(uneven(np.bincount(found, minlength=bound)), bound - 1)

    @pytest.mark.parametrize("purpose", [FIRST_DEALER, NEXT_DEALER, VOID_DEALER])
    def test_coin(self, purpose: int) -> None:
        # Heads among n, normal with variance n/4; and equal neighbours, over pairs and over hands,
        # the same way. False alarm 1e-6 each.
        side = 150 if COMPILED else 30
        keys = [pair_key(4, pair) for pair in range(side)]
        coins = np.array([[coin(key, number, purpose) for number in range(side)] for key in keys])
        same = (coins[:, 1:] == coins[:, :-1], coins[1:] == coins[:-1])
        for heads in (coins, *same):
            assert_standard_normal((heads.sum() - heads.size / 2) / np.sqrt(heads.size / 4))
