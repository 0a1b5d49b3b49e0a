"""What the other may hold and could meld, against plain enumeration."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.cards import cards_of, parse_card, parse_cards
from sim.rules import Rules
from strategies.opponent import may_hold, opponent_melds, runs_with, sets_with
from tests import naive
from tests.strategies.seat import Seat

ACES = ("low", "high_low", "corner")


def melds_of_three(card: int, cards: int, ace: str) -> tuple[int, int]:
    """Count sets and runs of three of a card and two others, by trying all pairs."""
    others = [other for other in cards_of(cards) if other != card]
    sets = runs = 0
    for pair in itertools.combinations(others, 2):
        three = [next(iter(naive.from_mask(one))) for one in (card, *pair)]
        ranks = {rank for rank, _ in three}
        suits = {suit for _, suit in three}
        if len(ranks) == 1:
            sets += 1
        elif len(suits) == 1:
            runs += any(set(run) == ranks for run in RUNS[ace])
    return sets, runs


RUNS = {"low": [(rank, rank + 1, rank + 2) for rank in range(11)]}
RUNS["high_low"] = [*RUNS["low"], (11, 12, 0)]
RUNS["corner"] = [*RUNS["high_low"], (12, 0, 1)]


@given(st.integers(0, 51), st.sets(st.integers(0, 51)), st.sampled_from(ACES))
def test_counts_of_melds(place: int, places: set[int], ace: str) -> None:
    deck = cards_of(Rules().deck)
    card, cards = deck[place], sum(deck[other] for other in places)
    view: Any = SEATS[ace].view
    assert (sets_with(card, cards), runs_with(view, card, cards)) == melds_of_three(card, cards, ace)


SEATS = {ace: Seat("gold", Rules(runs_ace=ace)) for ace in ACES}


@pytest.mark.parametrize(
    ("card", "melds"),
    [
        ("7S", 3 + 1),  # 7H 7D 7C; of 5S 6S 8S 9S only the last two may be his
        ("6S", 3),  # the 7S is thrown
        ("KH", 1 + 1),  # KD KC; QH JH
        ("2D", 3 + 1 + 1),
    ],
)
def test_what_the_other_could_make(card: str, melds: int) -> None:
    """Own cards and the pile are out, a card known to be his counts as an unseen one does."""
    seat = Seat("gold").see(hand="5S 6S KS KH 2D AC AH 9C TC JC", pile="7S", known="8S")
    view = seat.view
    assert may_hold(view) & parse_cards("5S KS 7S") == 0
    assert may_hold(view) & parse_cards("8S 9S 2C") == parse_cards("8S 9S 2C")
    assert opponent_melds(view, parse_card(card)) == melds
