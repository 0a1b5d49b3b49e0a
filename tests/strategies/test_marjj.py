"""The score by which `marjj` throws, and what it shows, worked out again from their description."""

from __future__ import annotations

import random
from typing import Any

import pytest

from sim._jit import COMPILED
from sim.cards import parse_cards
from sim.layoff import default_arrangement
from sim.melds import arrangement
from sim.rules import Rules
from sim.tables import tables_for
from strategies.base import parse_strategy
from strategies.marjj import Marjj
from tests import naive
from tests.strategies.seat import Seat

ACES = [("low", 1), ("high_low", 11), ("corner", 15)]
TEXTS = ["marjj", "marjj(ahead=3, decay=0.5, pip_margin=9, deadwood_margin=7)", "marjj(weight=0.0)"]


def danger(card: naive.Card, gone: naive.Cards, known: naive.Cards, ace: str, chosen: Marjj) -> float:
    """Add up the danger of a card, ``gone`` being the own cards and the discard pile."""
    rank, suit = card
    table = naive.meld_table(ace)
    his = naive.DECK - gone
    threes = [meld for meld in table if len(meld) == 3 and card in meld and meld - {card} <= his]
    total = 0.0
    for kind in (True, False):
        can = any(naive.is_set(meld) == kind for meld in threes)
        total += chosen.possible if can else -chosen.impossible
    for other in naive.DECK - {card}:
        value = 0.0
        if other[0] == rank:
            value = chosen.same_rank
        elif other[1] == suit:
            in_row = [meld for meld in table if len(meld) == 3 and {card, other} <= meld]
            # Neighbours stand in the middle of a run of three at least once, cards two away never do.
            if in_row:
                value = chosen.beside if next_to(card, other, ace) else chosen.two_away
        total += value * ((other in known) - (other in gone))
    return total


def next_to(one: naive.Card, other: naive.Card, ace: str) -> bool:
    apart = abs(one[0] - other[0])
    return apart == 1 or (apart == 12 and ace != "low")


def scores(view: Any, chosen: Marjj, ace: str, value: int) -> dict[naive.Card, float]:
    """Return the score of each card that may be thrown."""
    hand, pile, known, unseen, banned = (
        naive.from_mask(int(mask)) for mask in (view.hand, view.pile, view.known, view.unseen, view.banned)
    )
    least = [naive.left_after(hand, laid) for laid in naive.least_choices(hand, ace, value)]
    spare = frozenset(card for cards in least for card in cards) - banned
    after = naive.discard_deadwoods(hand, banned, ace, value)
    top = max(naive.pip(card, value) for card in spare)
    best = min(after.values())
    found = {}
    for card in spare:
        if naive.pip(card, value) < top - chosen.pip_margin or after[card] > best + chosen.deadwood_margin:
            continue
        ahead = sorted(
            naive.best_discards(hand - {card} | {more}, frozenset(), ace, value)[0] for more in unseen
        )[: chosen.ahead]
        mean = sum(ahead) / len(ahead) if ahead else after[card]
        weight = chosen.weight * chosen.decay ** (int(view.turn) - 1)
        found[card] = after[card] + weight * mean + danger(card, hand | pile, known, ace, chosen)
    return found


@pytest.mark.parametrize(("ace", "value"), ACES)
@pytest.mark.parametrize("text", TEXTS)
def test_throws_the_least_score(text: str, ace: str, value: int) -> None:
    rules = Rules(runs_ace=ace, ace_value=value)
    seat = Seat(text, rules)
    chosen: Any = parse_strategy(text)
    source = random.Random(f"{text} {ace}")
    compared = other_than_gold = 0
    gold = Seat("gold", rules)
    for number in range(16 if COMPILED else 3):
        start = source.randrange(13)
        near = {(start + step) % 13 for step in range(6)}
        pool = sorted(card for card in naive.DECK if number % 2 or card[0] in near)
        hand = frozenset(source.sample(pool, 11))
        rest = source.sample(sorted(naive.DECK - hand), 41)
        pile, known = source.choice((2, 9, 25, 38)), source.choice((0, 1, 3))
        seat.hold(naive.to_mask(hand), banned=naive.to_mask(source.sample(sorted(hand), number % 3 == 0)))
        view = seat.view
        view.pile, view.known, view.unseen = (
            naive.to_mask(part) for part in (rest[:pile], rest[pile : pile + known], rest[pile + known :])
        )
        view.turn = source.randrange(1, 9)
        if view.best_deadwood == 0:
            continue
        found = scores(view, chosen, ace, value)
        if not found:
            continue
        thrown = next(iter(naive.from_mask(seat.discard())))
        assert found[thrown] < min(found.values()) + 1e-9
        assert naive.pip(thrown, value) == max(
            naive.pip(card, value) for card in found if found[card] < found[thrown] + 1e-9
        )
        compared += len(found) > 1
        gold.hold(int(view.hand), banned=int(view.banned))
        other_than_gold += gold.discard() != naive.to_mask([thrown])
    assert compared > (8 if COMPILED else 0)
    assert other_than_gold > (2 if COMPILED else -1)


# Ten cards, cards known to be the other's, cards gone, and the sets shown: 5S in the run or in the set.
SPREADS = [
    # The run can be gone on with 3S and 7S (10 points), the set with 5C.
    ("4S 5S 6S 5H 5D KC KH KD 2C 3H", "", "", "5H 5D 5S"),
    # He is known to hold the 5C: 5 points for sure, 3S and 7S only with a chance of 9 in 32.
    ("4S 5S 6S 5H 5D KC KH KD 2C 3H", "5C", "", ""),
    # He holds the 3S too, 8 sure points against 5.
    ("4S 5S 6S 5H 5D KC KH KD 2C 3H", "5C 3S 7S", "", "5H 5D 5S"),
    # Neither neighbour of the run can be his any more.
    ("4S 5S 6S 5H 5D KC KH KD 2C 3H", "", "3S 7S", ""),
    # Nothing can be laid off on either: the first arrangement, without the set.
    ("4S 5S 6S 5H 5D KC KH KD 2C 3H", "", "3S 7S 5C", ""),
]


@pytest.mark.parametrize(("hand", "known", "pile", "sets"), SPREADS)
def test_what_it_shows(hand: str, known: str, pile: str, sets: str) -> None:
    seat = Seat("marjj").see(hand, pile, known)
    view, always = seat.view, parse_cards("KC KH KD")
    found = {parse_cards(choice) | always: choice for choice in ("", "5H 5D 5S")}
    index = int(seat.spreads(view, 2))
    shown = arrangement(view.hand, index)
    melded_as_sets = sum(meld for meld in shown.melds if naive.is_set(naive.from_mask(meld)))
    assert found[melded_as_sets] == sets


def test_shows_other_than_the_default() -> None:
    """The engine's default does not tell a card that the other is known to hold from an unseen one."""
    hand, known, pile, sets = SPREADS[1]
    seat = Seat("marjj").see(hand, pile, known)
    view = seat.view
    default = int(default_arrangement(view.hand, view.unseen | view.known, tables_for(seat.rules)))
    assert int(seat.spreads(view, 2)) != default
    assert sets == ""
