"""Shapes of the unmelded cards, against listing all melds."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest

from sim._jit import COMPILED
from sim.cards import cards_of, parse_card, parse_cards
from sim.melds import arrangement
from sim.rules import Rules
from strategies.helpers import chance, unmelded
from strategies.shapes import beside, doubles, leftover, mates, outs, triangles, unmatchable
from tests import naive
from tests.strategies.seat import Seat

ACES = [("low", 1), ("high_low", 11), ("corner", 15)]
SEATS = {ace: Seat("gold", Rules(runs_ace=ace, ace_value=value)) for ace, value in ACES}
COUNT = 300 if COMPILED else 40


def deals(ace: str, size: int) -> Iterator[tuple[Any, naive.Cards, naive.Cards]]:
    """Set out hands, half of them of few ranks, with any part of the other cards gone; aces are frequent."""
    source = random.Random(f"shapes {ace} {size}")
    seat = SEATS[ace]
    for number in range(COUNT):
        start = source.randrange(13)
        near = {(start + step) % 13 for step in range(5)}
        pool = sorted(card for card in naive.DECK if number % 2 or card[0] in near)
        hand = frozenset(source.sample(pool, size))
        rest = sorted(naive.DECK - hand)
        pile = frozenset(source.sample(rest, source.randrange(len(rest))))
        known = frozenset(card for card in rest if card not in pile and source.random() < 0.1)
        view = seat.view
        view.hand, view.pile, view.known = (naive.to_mask(part) for part in (hand, pile, known))
        view.unseen = seat.rules.deck & ~(view.hand | view.pile | view.known)
        yield view, hand, frozenset(rest) - pile


@pytest.mark.parametrize(("ace", "value"), ACES)
@pytest.mark.parametrize("size", [3, 7, 10, 11])
def test_cards_outside_arrangements(ace: str, value: int, size: int) -> None:
    several = 0
    for view, hand, _ in deals(ace, size):
        forms = naive.least_choices(hand, ace, value)
        left = [naive.left_after(hand, laid) for laid in forms]
        spare = frozenset(card for cards in left for card in cards)
        found = naive.from_mask(unmelded(view, view.hand))
        assert found == spare
        first = naive.from_mask(leftover(view, view.hand))
        assert first in left
        assert naive.to_mask(first) == arrangement(view.hand, 0, SEATS[ace].rules).leftover
        several += found != first
    assert several or size < 10 or not COMPILED


@pytest.mark.parametrize(("ace", "value"), ACES)
@pytest.mark.parametrize("size", [2, 3, 9, 10])
def test_outs(ace: str, value: int, size: int) -> None:
    for view, hand, _ in deals(ace, size):
        wanted = {
            card
            for card in naive.DECK - hand
            if any(card in meld for meld in naive.melds_in(hand | {card}, ace))
        }
        assert naive.from_mask(outs(view, view.hand)) == wanted


@pytest.mark.parametrize(("ace", "value"), ACES)
def test_unmatchable(ace: str, value: int) -> None:
    found = 0
    for view, hand, coming in deals(ace, 10):
        lone = naive.from_mask(leftover(view, view.hand))
        more: set[naive.Card] = set()
        for card in (*coming, None):
            held = hand | {card} if card else hand
            more.update(*naive.melds_in(held, ace))
        assert naive.from_mask(unmatchable(view, view.hand)) == lone - more
        found += lone - more != lone
    assert found > COUNT // 3


def naive_doubles(cards: naive.Cards, coming: naive.Cards, ace: str) -> list[naive.Cards]:
    """List the pairs of cards that some one card to come makes a meld of three."""
    table = naive.meld_table(ace)
    return [
        frozenset(pair)
        for pair in itertools.combinations(sorted(cards), 2)
        if any(frozenset((*pair, card)) in table for card in coming)
    ]


def are_next(one: naive.Card, other: naive.Card, ace: str) -> bool:
    """Tell whether two cards of a suit are neighbours."""
    apart = abs(one[0] - other[0])
    return one[1] == other[1] and (apart == 1 or apart == 12 and ace != "low")


@pytest.mark.parametrize(("ace", "value"), ACES)
@pytest.mark.parametrize("size", [4, 8, 11])
def test_doubles_and_triangles(ace: str, value: int, size: int) -> None:
    some = 0
    for view, hand, coming in deals(ace, size):
        available = naive.to_mask(coming)
        pairs = naive_doubles(hand, coming, ace)
        assert naive.from_mask(doubles(view, view.hand, available)) == frozenset().union(*pairs)
        threes = [
            one | other
            for one in pairs
            for other in pairs
            if len(one & other) == 1 and len({rank for rank, _ in one}) == 1 and are_next(*other, ace)
        ]
        wanted = frozenset().union(*threes)
        assert naive.from_mask(triangles(view, view.hand, available)) == wanted
        some += bool(wanted)
    assert some > (COUNT // 30 if COMPILED else 0)


@pytest.mark.parametrize(("ace", "value"), ACES)
def test_beside(ace: str, value: int) -> None:
    """In the ring of ranks, but for the steps that an ace that runs low, or high and low, does not allow."""
    view = SEATS[ace].view
    for rank, suit in naive.DECK:
        for steps in (1, 2):
            wanted = set()
            for step in (steps, -steps):
                place = rank + step
                allowed = 0 <= place <= 12
                if ace == "corner":
                    allowed = True
                elif ace == "high_low":  # the ace stands at 0 and at 13
                    allowed = allowed or place == 13 or (rank == 0 and step < 0)
                if allowed:
                    wanted.add((place % 13, suit))
            card = naive.to_mask([(rank, suit)])
            assert naive.from_mask(beside(view, card, steps)) == wanted, (rank, suit, steps)
        others = {(rank, other) for other in range(4)} - {(rank, suit)}
        assert naive.from_mask(mates(card)) == others


def test_a_triangle_needs_cards_to_come() -> None:
    """7S 7H 8S: with both other sevens gone there is no pair, with 6S and 9S gone no neighbours."""
    view: Any = SEATS["low"].view
    cards = parse_cards("7S 7H 8S")
    deck = Rules().deck & ~cards
    assert triangles(view, cards, deck) == cards
    assert triangles(view, cards, deck & ~parse_cards("7D 9S")) == cards
    no_sevens, no_run = deck & ~parse_cards("7D 7C"), deck & ~parse_cards("6S 9S")
    assert triangles(view, cards, no_sevens) == triangles(view, cards, no_run) == 0
    assert doubles(view, cards, no_sevens) == parse_cards("7S 8S")
    assert doubles(view, cards, no_run) == parse_cards("7S 7H")
    assert triangles(view, parse_cards("7S 7H 9S"), deck) == 0  # two away is no neighbour


def test_arrangements_that_tie() -> None:
    """4-5-6 or three fives, ten points left either way: only the five of the run is never spare."""
    view: Any = SEATS["low"].view
    cards = parse_cards("4S 5S 6S 5H 5D KC")
    assert unmelded(view, cards) == cards & ~parse_card("5S")
    assert leftover(view, cards) == parse_cards("5H 5D KC")
    assert cards_of(leftover(view, parse_cards("AS 2S 3S"))) == []


def test_chance() -> None:
    step = 2**63 // 1000
    for probability in (0.0, 0.001, 0.25, 0.5, 0.999, 1.0):
        happened = sum(chance(place * step + step // 2, probability) for place in range(1000))
        assert happened == round(1000 * probability)
    assert chance(2**63 - 1, 1.0) and not chance(0, 0.0)
