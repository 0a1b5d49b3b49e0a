"""Lay-offs against the oracle: joint defences, playable orders, spreads."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import layoff
from sim.rules import Rules
from tests import naive
from tests.naive import Card, Cards, Meld
from tests.naive_hands import examples, hands, knocker_hands, knocks, random_knock

DATA = Path(__file__).parent.parent / "data"

ACES = [("low", 1), ("low", 15), ("high_low", 1), ("high_low", 11), ("corner", 1), ("corner", 15)]
ACE_IDS = [f"{ace}-{value}" for ace, value in ACES]


def rules_for(ace: str, value: int) -> Rules:
    return Rules(runs_ace=ace, ace_value=value)


def check_defence(found: layoff.Defence, hand: Cards, spread: Sequence[Meld], ace: str, value: int) -> None:
    """Check that what is reported can be laid on a table and counts what it says."""
    own = [naive.from_mask(mask) for mask in found.melds]
    for part in own:
        assert part in naive.meld_table(ace), naive.show(part)
    for part, other in combinations(own, 2):
        assert not part & other
    order: list[tuple[Card, int]] = []
    for mask, place in found.layoffs:
        (one,) = naive.from_mask(mask)
        order.append((one, place))
    naive.play_layoffs(spread, order, ace)
    gone = frozenset(one for one, _ in order)
    left = naive.from_mask(found.leftover)
    assert len(gone) == len(order)
    assert sum(map(len, own)) + len(gone) + len(left) == len(hand)
    assert gone.union(left, *own) == hand
    assert naive.pips(left, value) == found.deadwood


@pytest.mark.parametrize(("ace", "value"), ACES, ids=ACE_IDS)
class TestDefence:
    """A knocker's hand full of melds, one of his spreads, a defender's hand that fits to it."""

    def test_joint_optimum(self, ace: str, value: int) -> None:
        rules = rules_for(ace, value)

        @given(knock=knocks(ace))
        @examples(2)
        def check(knock: tuple[Cards, tuple[Meld, ...], Cards]) -> None:
            _, spread, hand = knock
            masks = [naive.to_mask(meld) for meld in spread]
            found = layoff.defend(naive.to_mask(hand), masks, rules)
            assert found.deadwood == naive.defence(hand, spread, ace, value)
            check_defence(found, hand, spread, ace, value)

        check()

    def test_without_layoffs(self, ace: str, value: int) -> None:
        rules = rules_for(ace, value)

        @given(knock=knocks(ace))
        @examples(0.25)
        def check(knock: tuple[Cards, tuple[Meld, ...], Cards]) -> None:
            _, spread, hand = knock
            masks = [naive.to_mask(meld) for meld in spread]
            found = layoff.defend(naive.to_mask(hand), masks, rules, layoffs=False)
            assert found.layoffs == ()
            assert found.deadwood == naive.deadwood(hand, ace, value)
            check_defence(found, hand, spread, ace, value)

        check()

    def test_few_cards(self, ace: str, value: int) -> None:
        rules = rules_for(ace, value)

        @given(knock=knocks(ace), data=st.data())
        @examples(0.5)
        def check(knock: tuple[Cards, tuple[Meld, ...], Cards], data: st.DataObject) -> None:
            _, spread, whole = knock
            some = data.draw(st.sets(st.sampled_from(sorted(whole)), max_size=5))
            hand = frozenset(some)
            masks = [naive.to_mask(meld) for meld in spread]
            found = layoff.defend(naive.to_mask(hand), masks, rules)
            assert found.deadwood == naive.defence(hand, spread, ace, value)
            check_defence(found, hand, spread, ace, value)

        check()

    @pytest.mark.slow
    def test_many_random_pairs(self, ace: str, value: int) -> None:
        # 100,000 pairs over the six ace rules and values; most hold a card that fits.
        rules = rules_for(ace, value)
        source = random.Random(f"{ace}-{value}")
        fits = 0
        for _ in range(100_000 // len(ACES) + 1):
            _, spread, hand = random_knock(source, ace)
            masks = [naive.to_mask(meld) for meld in spread]
            found = layoff.defend(naive.to_mask(hand), masks, rules)
            expected = naive.defence_by_groups(hand, spread, ace, value)
            assert found.deadwood == expected, (naive.show(hand), [*map(naive.show, spread)])
            fits += bool(found.layoffs)
            if found.layoffs:
                check_defence(found, hand, spread, ace, value)
        assert fits > 5000


@pytest.mark.parametrize("ace", naive.ACE_RULES)
def test_the_two_ways_of_the_oracle_agree(ace: str) -> None:
    source = random.Random(3)
    for _ in range(500):
        _, spread, hand = random_knock(source, ace)
        told = naive.defence(hand, spread, ace, 4)
        assert told == naive.defence_by_groups(hand, spread, ace, 4)


def test_bulk_file() -> None:
    with (DATA / "joint_layoffs.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    assert len(table) == 3000
    for row in table:
        hand, spread = naive.cards(row["defender_hand"]), naive.melds(row["knocker_melds"])
        mask, masks = naive.to_mask(hand), [naive.to_mask(meld) for meld in spread]
        found = layoff.defend(mask, masks)
        assert found.deadwood == int(row["joint_optimum"]), row
        check_defence(found, hand, spread, "low", 1)
        assert layoff.defend(mask, masks, layoffs=False).deadwood == int(row["min_deadwood"]), row


@pytest.mark.parametrize(
    ("spread", "hand", "joint"),
    [
        ("3H 4H 5H | 3D 4D 5D", "5C 6C AC 4C 5S 3S 6H 6D 7D 2S", 11),
        ("3S 4S 5S | 4D 5D 6D 7D", "AC 5H 6C 2S AS 6H 4H 6S 3D 2H", 9),
        ("6H 6S 6D | 2S 3S 4S", "6C 9D 5S 9C 4D 9S 4H 4C 5C 9H", 5),
    ],
    ids=["chain", "undercut", "set-given-up"],
)
def test_melding_first_would_be_worse(spread: str, hand: str, joint: int) -> None:
    masks = [naive.to_mask(meld) for meld in naive.melds(spread)]
    assert layoff.defend(naive.to_mask(naive.cards(hand)), masks).deadwood == joint


def public_cases() -> list[Any]:
    """List the public lay-off cases; their scores are tested with the other cases."""
    cases = json.loads((DATA / "cases.json").read_text())
    chosen = [case for case in cases if case["kind"] == "layoff"]
    return [pytest.param(case, id=case["id"]) for case in chosen]


@pytest.mark.parametrize("case", public_cases())
def test_public_cases(case: dict[str, Any]) -> None:
    given_, expected = case["input"], case["expected"]
    hand = naive.cards(given_["defender_hand"])
    spread = [naive.cards(meld) for meld in given_["knocker_spread"]]
    masks = [naive.to_mask(meld) for meld in spread]
    gin = given_["knocker_deadwood"] == 0
    found = layoff.defend(naive.to_mask(hand), masks, layoffs=not gin)
    assert found.deadwood == expected["defender_deadwood"]
    check_defence(found, hand, spread, "low", 1)
    own = naive.melds(expected["example_own_melds"])
    gone = naive.cards(" ".join(one["card"] for one in expected["example_layoffs"]))
    left = naive.left_after(hand - gone, own)
    assert naive.pips(left) == found.deadwood, "the example itself"
    if "wrong_if_layoffs_allowed" in expected:
        allowed = layoff.defend(naive.to_mask(hand), masks)
        assert allowed.deadwood == expected["wrong_if_layoffs_allowed"]


@pytest.mark.parametrize(("ace", "value"), ACES, ids=ACE_IDS)
class TestDefaultSpread:
    """The knocker's default among his least-deadwood arrangements."""

    def check(self, hand: Cards, unseen: Cards, ace: str, value: int) -> None:
        rules = rules_for(ace, value)
        found = layoff.default_spread(naive.to_mask(hand), naive.to_mask(unseen), rules)
        parts = [naive.from_mask(mask) for mask in found.melds]
        assert naive.form(hand, parts) == naive.default_spread(hand, unseen, ace, value)
        assert found.leftover == naive.to_mask(naive.left_after(hand, parts))
        assert found.deadwood == naive.deadwood(hand, ace, value)
        layoff.check_spread(found.melds, rules)

    def test_all_others_unseen(self, ace: str, value: int) -> None:
        @given(hand=st.one_of(knocker_hands(ace), hands(10, 10)))
        @examples(0.75)
        def check(hand: Cards) -> None:
            self.check(hand, naive.DECK - hand, ace, value)

        check()

    def test_some_cards_seen(self, ace: str, value: int) -> None:
        @given(hand=st.one_of(knocker_hands(ace), hands(10, 11)), data=st.data())
        @examples(1.25)
        def check(hand: Cards, data: st.DataObject) -> None:
            others = sorted(naive.DECK - hand)
            seen = data.draw(st.lists(st.booleans(), min_size=len(others), max_size=len(others)))
            unseen = frozenset(one for one, gone in zip(others, seen, strict=True) if not gone)
            self.check(hand, unseen, ace, value)

        check()

    def test_pieces_of_a_run_do_not_matter(self, ace: str, value: int) -> None:
        # The oracle may show 2-3-4 and 5-6-7 or 2-...-7; the cost must be that of the form.
        source = random.Random(8)
        for _ in range(100):
            knocker, _, defender = random_knock(source, ace)
            costs: dict[naive.Form, set[int]] = {}
            for cost, form in naive.spread_costs(knocker, defender, ace, value):
                costs.setdefault(form, set()).add(cost)
            assert all(len(different) == 1 for different in costs.values())


class TestDefaultSpreadByHand:
    """Spreads whose cost can be counted on paper."""

    HAND = "4H 5H 6H 7H 7S 7D 7C AS AD 3C"

    def test_set_of_four_closes_the_run(self) -> None:
        # 7777 + 456H takes 3H 2H AH, 6 points; 777 + 4567H takes 8H to KH as well.
        hand = naive.to_mask(naive.cards(self.HAND))
        deck = naive.to_mask(naive.DECK)
        found = layoff.default_spread(hand, deck ^ hand)
        assert set(found.melds) == {naive.to_mask(meld) for meld in naive.melds("7S 7H 7D 7C | 4H 5H 6H")}

    def test_tie_goes_to_the_lowest_mask_of_sets(self) -> None:
        # Nothing is unseen, so both cost nothing; without 7H the mask of the set is lower.
        found = layoff.default_spread(naive.to_mask(naive.cards(self.HAND)), 0)
        assert set(found.melds) == {naive.to_mask(meld) for meld in naive.melds("7S 7D 7C | 4H 5H 6H 7H")}

    def test_a_block_is_spread_as_sets_when_the_ends_are_open(self) -> None:
        block = naive.cards("5S 6S 7S 5C 6C 7C 5D 6D 7D AS")
        ends = naive.cards("4S 8S 4C 8C 4D 8D")
        found = layoff.default_spread(naive.to_mask(block), naive.to_mask(ends))
        assert all(naive.is_set(naive.from_mask(mask)) for mask in found.melds)
        fourth = naive.cards("5H 6H 7H")
        found = layoff.default_spread(naive.to_mask(block), naive.to_mask(fourth))
        assert not any(naive.is_set(naive.from_mask(mask)) for mask in found.melds)


class TestBadSpreads:
    """Spreads that cannot be are refused, and the meld is named."""

    @pytest.mark.parametrize(
        ("ace", "spread", "named"),
        [
            ("low", "AS 2S", "AS 2S"),
            ("low", "AS 2S 4S", "AS 2S 4S"),
            ("low", "AS 2S 3H", "AS 2S 3H"),
            ("low", "QS KS AS", "AS QS KS"),
            ("high_low", "KS AS 2S", "AS 2S KS"),
            ("low", "5S 5H 5D | 7S 7H 8D", "7S 7H 8D"),
        ],
        ids=["two-cards", "gap", "two-suits", "ace-high", "around", "second"],
    )
    def test_no_meld(self, ace: str, spread: str, named: str) -> None:
        masks = [naive.to_mask(meld) for meld in naive.melds(spread)]
        with pytest.raises(layoff.LayoffError, match=named):
            layoff.check_spread(masks, Rules(runs_ace=ace))

    @pytest.mark.parametrize(
        ("ace", "spread"),
        [("high_low", "QS KS AS"), ("corner", "KS AS 2S"), ("corner", "QS KS AS 2S 3S")],
        ids=["high", "around", "long"],
    )
    def test_ace_rules_allow(self, ace: str, spread: str) -> None:
        masks = [naive.to_mask(meld) for meld in naive.melds(spread)]
        layoff.check_spread(masks, Rules(runs_ace=ace))

    def test_a_card_in_two_melds(self) -> None:
        masks = [naive.to_mask(naive.cards(text)) for text in ("5S 5H 5D", "5S 6S 7S")]
        with pytest.raises(layoff.LayoffError, match="5S"):
            layoff.check_spread(masks, Rules())
        with pytest.raises(layoff.LayoffError, match="5S"):
            layoff.defend(naive.to_mask(naive.cards("AH")), masks)

    def test_a_card_of_both_players(self) -> None:
        masks = [naive.to_mask(naive.cards("5S 5H 5D"))]
        with pytest.raises(layoff.LayoffError, match="5H"):
            layoff.defend(naive.to_mask(naive.cards("5H KC")), masks)

    def test_no_spread_at_all(self) -> None:
        hand = naive.cards("5S 5H 5D KC")
        found = layoff.defend(naive.to_mask(hand), [])
        assert (found.deadwood, found.layoffs) == (10, ())
