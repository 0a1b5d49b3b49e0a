"""Melds against the oracle: deadwood, arrangements, discards, knocks, and exact counts."""

from __future__ import annotations

import csv
import random
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import melds
from sim.layoff import LayoffError, check_spread
from sim.rules import Rules
from tests import naive
from tests.naive import Cards
from tests.naive_hands import examples, hands

DATA = Path(__file__).parent.parent / "data"

ACES = [("low", 1), ("low", 15), ("high_low", 1), ("high_low", 11), ("corner", 1), ("corner", 15)]
each_ace = pytest.mark.parametrize(("ace", "value"), ACES, ids=[f"{ace}-{value}" for ace, value in ACES])
each_ace_rule = pytest.mark.parametrize("ace", naive.ACE_RULES)


def rules_for(ace: str, value: int) -> Rules:
    return Rules(runs_ace=ace, ace_value=value)


def rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(newline="") as file:
        return list(csv.DictReader(file))


def check_arrangement(found: melds.Arrangement, hand: Cards, ace: str, value: int) -> None:
    """Check that an arrangement is one: real, disjoint melds, nothing lost, runs unbroken."""
    parts = [naive.from_mask(mask) for mask in found.melds]
    for part in parts:
        assert part in naive.meld_table(ace), naive.show(part)
    left = naive.from_mask(found.leftover)
    assert sum(map(len, parts)) + len(left) == len(hand)
    assert left.union(*parts) == hand
    assert naive.pips(left, value) == found.deadwood
    for one, other in combinations(parts, 2):
        assert one | other not in naive.meld_table(ace), "a run in two pieces"


@each_ace
class TestAgainstOracle:
    """Meld-dense hands of 0-11 cards, each ace rule with a small and a large ace."""

    @given(hand=hands())
    @examples(1.5)
    def test_deadwood(self, ace: str, value: int, hand: Cards) -> None:
        found = melds.deadwood(naive.to_mask(hand), rules_for(ace, value))
        assert found == naive.deadwood(hand, ace, value)

    @given(hand=hands())
    @examples(1.5)
    def test_arrangements(self, ace: str, value: int, hand: Cards) -> None:
        found = melds.arrangements(naive.to_mask(hand), rules_for(ace, value))
        told = []
        for one in found:
            check_arrangement(one, hand, ace, value)
            parts = [naive.from_mask(mask) for mask in one.melds]
            told.append(naive.form(hand, parts))
        assert told == naive.forms(hand, ace, value)
        assert {one.deadwood for one in found} == {naive.deadwood(hand, ace, value)}

    @given(hand=hands(min_size=1), data=st.data())
    @examples(1.5)
    def test_discards(self, ace: str, value: int, hand: Cards, data: st.DataObject) -> None:
        # A turn bans one card; any group may be banned as long as one card is left to throw.
        most = data.draw(st.sampled_from([1, 3, len(hand)]))
        banned = data.draw(st.sets(st.sampled_from(sorted(hand)), max_size=min(most, len(hand) - 1)))
        limit = data.draw(st.integers(0, 10))
        rules = rules_for(ace, value).replace(knock_limit=limit)
        mask, taboo = naive.to_mask(hand), naive.to_mask(banned)
        keep_off = frozenset(banned)

        least, cards = naive.best_discards(hand, keep_off, ace, value)
        assert melds.best_discards(mask, rules, taboo) == (least, naive.to_mask(cards))
        after = naive.discard_deadwoods(hand, keep_off, ace, value)
        told = {naive.to_mask([one]): points for one, points in after.items()}
        assert melds.discard_deadwoods(mask, rules, taboo) == told
        legal = naive.legal_knocks(hand, limit, keep_off, ace, value)
        told = {naive.to_mask([one]): points for one, points in legal.items()}
        assert melds.legal_knocks(mask, rules, taboo) == told

    @given(hand=hands(min_size=11), data=st.data())
    @examples(1.5)
    def test_eleven_cards(self, ace: str, value: int, hand: Cards, data: st.DataObject) -> None:
        rules, mask = rules_for(ace, value), naive.to_mask(hand)
        free = data.draw(st.sets(st.sampled_from(sorted(hand)), min_size=1, max_size=3))
        groups = [frozenset([taken]) for taken in hand]  # the card taken, whichever it was
        for banned in [*groups, hand - free]:
            least, cards = naive.best_discards(hand, banned, ace, value)
            found = melds.best_discards(mask, rules, naive.to_mask(banned))
            assert found == (least, naive.to_mask(cards)), naive.show(banned)

    @given(hand=hands(min_size=10, max_size=11))
    @examples(1)
    def test_big_gin(self, ace: str, value: int, hand: Cards) -> None:
        found = melds.is_big_gin(naive.to_mask(hand), rules_for(ace, value))
        melded = any(not naive.left_after(hand, laid) for laid in naive.choices(hand, ace))
        assert found == (len(hand) == 11 and melded)  # ten cards melded are gin, not big gin

    @given(many=st.lists(hands(min_size=1), max_size=30))
    @examples(0.15)
    def test_many(self, ace: str, value: int, many: list[Cards]) -> None:
        rules = rules_for(ace, value)
        masks = np.array([naive.to_mask(hand) for hand in many], np.int64)
        points = melds.deadwood_many(masks, rules)
        assert points.dtype == np.int16
        assert points.tolist() == [naive.deadwood(hand, ace, value) for hand in many]
        least, cards = melds.best_discard_many(masks, rules)
        assert (least.dtype, cards.dtype) == (np.dtype(np.int16), np.dtype(np.int64))
        told = [naive.best_discards(hand, ace=ace, ace_value=value) for hand in many]
        assert list(zip(least.tolist(), cards.tolist(), strict=True)) == [
            (points, naive.to_mask(best)) for points, best in told
        ]


@each_ace_rule
@pytest.mark.parametrize("value", range(1, 16))
def test_every_ace_value(ace: str, value: int) -> None:
    rules = rules_for(ace, value)
    source = random.Random(value)
    suit = [(rank, 1) for rank in (9, 10, 11, 12, 0, 1, 2, 3)]
    others = [(rank, other) for rank in (0, 1, 12) for other in (0, 2, 3)]
    for _ in range(60):
        hand = frozenset(source.sample(suit + others, source.randint(3, 11)))
        mask = naive.to_mask(hand)
        assert melds.deadwood(mask, rules) == naive.deadwood(hand, ace, value)
        least, cards = naive.best_discards(hand, ace=ace, ace_value=value)
        assert melds.best_discards(mask, rules) == (least, naive.to_mask(cards))


REDUCED = [(5, 4, 4), (8, 3, 6), (10, 4, 10), (9, 2, 5), (13, 1, 4)]


@each_ace_rule
@pytest.mark.parametrize(("ranks", "suits", "size"), REDUCED, ids=[f"{r}x{s}" for r, s, _ in REDUCED])
def test_reduced_decks(ace: str, ranks: int, suits: int, size: int) -> None:
    rules = Rules(ranks=ranks, suits=suits, hand_size=size, runs_ace=ace)
    deck = frozenset(one for one in naive.DECK if one[0] < ranks and one[1] < suits)
    assert rules.deck == naive.to_mask(deck)

    @given(hand=hands(min_size=size, max_size=size + 1, deck=deck))
    @examples(0.5)
    def check(hand: Cards) -> None:
        mask = naive.to_mask(hand)
        found = melds.arrangements(mask, rules)
        told = [naive.form(hand, [naive.from_mask(m) for m in one.melds]) for one in found]
        assert told == naive.forms(hand, ace)
        least, cards = naive.best_discards(hand, ace=ace)
        assert melds.best_discards(mask, rules) == (least, naive.to_mask(cards))

    check()


def test_the_oracle_itself() -> None:
    # The oracle's listing of discards rests on one argument; here is the question asked directly.
    source = random.Random(5)
    pool = [(rank, suit) for rank in range(5) for suit in range(4)]
    for _ in range(200):
        hand = frozenset(source.sample(pool, 11))
        after = naive.discard_deadwoods(hand)
        assert after == {one: naive.deadwood(hand - {one}) for one in hand}
    for text in ("AS", "10H", "th", "Kd"):
        assert naive.from_mask(naive.to_mask([naive.card(text)])) == {naive.card(text)}


class TestBulkFiles:
    """Three thousand dense hands of each size, solved by another program."""

    def test_ten_cards(self) -> None:
        table = rows("dense_hands_10.csv")
        masks = [naive.to_mask(naive.cards(row["hand"])) for row in table]
        expected = [int(row["min_deadwood"]) for row in table]
        assert len(table) == 3000
        assert [melds.deadwood(mask) for mask in masks] == expected
        assert melds.deadwood_many(np.array(masks, np.int64)).tolist() == expected
        for mask, points in zip(masks, expected, strict=True):
            assert melds.arrangements(mask)[0].deadwood == points

    def test_eleven_cards(self) -> None:
        table = rows("dense_hands_11.csv")
        masks = [naive.to_mask(naive.cards(row["hand"])) for row in table]
        whole = [int(row["min_deadwood_11"]) for row in table]
        after = [int(row["min_deadwood_after_best_discard"]) for row in table]
        assert len(table) == 3000
        assert [melds.deadwood(mask) for mask in masks] == whole
        least, cards = melds.best_discard_many(np.array(masks, np.int64))
        assert least.tolist() == after
        for mask, points, reach in zip(masks, after, cards.tolist(), strict=True):
            assert melds.best_discards(mask) == (points, reach)
            assert min(melds.discard_deadwoods(mask).values()) == points

    @pytest.mark.parametrize(
        ("text", "after"),
        [("4C 5C 6C 5H 6H 2S 3S 3D 4D 5D 6D", 10), ("AC 2C 3C 2H 3H 4H AS 2S AD 2D 3D", 0)],
        ids=["ten", "gin"],
    )
    def test_hands_that_a_known_engine_gets_wrong(self, text: str, after: int) -> None:
        assert melds.best_discards(naive.to_mask(naive.cards(text)))[0] == after


class TestExactCounts:
    """Numbers that can be counted on paper or were published."""

    @pytest.mark.parametrize(("ace", "count"), [("low", 329), ("high_low", 369), ("corner", 589)])
    def test_melds_of_the_deck(self, ace: str, count: int) -> None:
        rules = Rules(runs_ace=ace)
        candidates = {lane << 16 * suit for suit in range(4) for lane in range(1, 8192)}
        for rank in range(13):
            column = [1 << 16 * suit + rank for suit in range(4)]
            for size in range(1, 5):
                candidates.update(sum(some) for some in combinations(column, size))
        found = set()
        for mask in candidates:
            try:
                check_spread([mask], rules)
            except LayoffError:
                continue
            found.add(mask)
        assert found == {naive.to_mask(meld) for meld in naive.all_melds(ace)}
        assert len(found) == count
        for mask in found:
            if mask.bit_count() <= 11:  # as a hand, each is one meld and nothing else
                assert melds.arrangements(mask, rules)[0].melds == (mask,)

    def test_sets_and_runs_apart(self) -> None:
        low = naive.all_melds("low")
        assert sum(naive.is_set(meld) for meld in low) == 65
        assert sum(not naive.is_set(meld) for meld in low) == 264
        assert sum(len(meld) <= 5 for meld in low) == 185

    def test_most_deadwood(self) -> None:
        hand = naive.to_mask(naive.cards("JH JD KD TC 9S 9C TS QC QH KS"))
        assert melds.deadwood(hand) == 98

    @pytest.mark.slow
    @pytest.mark.requires_jit
    @pytest.mark.parametrize("ace", naive.ACE_RULES)
    def test_all_gin_hands(self, ace: str) -> None:
        # Every card of a gin hand lies in a meld of three inside the hand, so each gin hand is a
        # union of overlapping or disjoint threes: few enough to ask the engine about every union.
        # Disjoint melds of 3-5 cards (3 + 3 + 4 or 5 + 5) give the gin hands without the engine.
        rules = Rules(runs_ace=ace)
        ten = unions_of_threes(ace, 10)
        gin = ten[melds.deadwood_many(ten, rules) == 0]
        told = disjoint_unions(ace)
        assert np.array_equal(gin, told)
        if ace == "low":
            assert len(gin) == 136_694

    @pytest.mark.slow
    @pytest.mark.requires_jit
    def test_no_neighbour_of_a_gin_hand_is_taken_for_gin(self) -> None:
        # One card exchanged for any other, in all gin hands: 57 million hands.
        gin = disjoint_unions("low")
        deck = [naive.to_mask([one]) for one in sorted(naive.DECK)]
        for out in deck:
            held = gin[gin & out != 0] ^ out
            for new in deck:
                changed = held[held & new == 0] | new
                zero = melds.deadwood_many(changed) == 0
                place = np.searchsorted(gin, changed)
                known = gin[np.minimum(place, len(gin) - 1)] == changed
                assert np.array_equal(zero, known)


def unions_of_threes(ace: str, size: int) -> npt.NDArray[np.int64]:
    """Return all hands of ``size`` cards that are unions of melds of three, in order."""
    found = np.zeros(1, np.int64)
    for meld in naive.all_melds(ace):
        if len(meld) == 3:
            grown = found | naive.to_mask(meld)
            found = np.union1d(found, grown[np.bitwise_count(grown) <= size])
    exact: npt.NDArray[np.int64] = found[np.bitwise_count(found) == size]
    return exact


def disjoint_unions(ace: str) -> npt.NDArray[np.int64]:
    """Return all hands of ten cards that are melds of 3 + 3 + 4 or 5 + 5 cards, in order."""
    by_size = {
        size: np.array([naive.to_mask(meld) for meld in naive.all_melds(ace) if len(meld) == size], np.int64)
        for size in (3, 4, 5)
    }

    def joined(left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        apart = (left[:, None] & right[None, :]) == 0
        both: npt.NDArray[np.int64] = (left[:, None] | right[None, :])[apart]
        return np.unique(both)

    three, four, five = by_size[3], by_size[4], by_size[5]
    return np.union1d(joined(joined(three, three), four), joined(five, five))


class TestBadInput:
    """What is no hand is refused."""

    @pytest.mark.parametrize(
        "mask",
        [-1, 1 << 13, 1 << 61, naive.to_mask(sorted(naive.DECK)[:12])],
        ids=["negative", "between-suits", "above", "twelve-cards"],
    )
    def test_deadwood(self, mask: int) -> None:
        with pytest.raises(ValueError):
            melds.deadwood(mask)
        with pytest.raises(ValueError):
            melds.arrangements(mask)
        with pytest.raises(ValueError):
            melds.best_discards(mask)
        with pytest.raises(ValueError):
            melds.deadwood_many(np.array([mask], np.int64))

    def test_every_card_banned(self) -> None:
        hand = naive.to_mask(naive.cards("AS 2S"))
        with pytest.raises(ValueError):
            melds.best_discards(hand, banned=hand)

    def test_no_card_to_discard(self) -> None:
        with pytest.raises(ValueError):
            melds.best_discards(0)
        with pytest.raises(ValueError):
            melds.best_discard_many(np.zeros(1, np.int64))

    @pytest.mark.parametrize("bad", [np.zeros((1, 1), np.int64), np.zeros(1)], ids=["2d", "float"])
    def test_arrays(self, bad: npt.NDArray[np.int64]) -> None:
        with pytest.raises(ValueError):
            melds.deadwood_many(bad)

    def test_no_hands(self) -> None:
        assert melds.deadwood_many(np.zeros(0, np.int64)).shape == (0,)
