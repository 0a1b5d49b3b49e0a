"""Hands for the tests: meld-dense ones, in which melds compete for cards.

Ten cards from a whole deck seldom hold two melds that share a card, so the hands here come mostly
from a window of few ranks or few suits, and knockers are built from melds.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

from hypothesis import settings
from hypothesis import strategies as st

from tests import naive
from tests.naive import Card, Cards, Meld

# A few ranks next to each other in all suits, wrapped past the king so that aces meet both sides.
_WINDOWS = tuple(
    tuple(((start + step) % 13, suit) for step in range(width) for suit in suits)
    for width in (4, 5, 6, 7, 13)
    for start in range(13 if width < 13 else 1)
    for suits in ((0, 1, 2, 3), (0, 1, 2), (1, 3))
    if width * len(suits) >= 11
)


def examples(times: float) -> settings:
    """Return settings with so many times the examples of the profile (fewer without the JIT)."""
    return settings(max_examples=max(10, round(times * settings().max_examples)))


@st.composite
def hands(draw: st.DrawFn, min_size: int = 0, max_size: int = 11, deck: Cards = naive.DECK) -> Cards:
    """Draw a hand, mostly from a window of few ranks, always within ``deck``."""
    size = draw(st.integers(min_size, max_size))
    window = draw(st.sampled_from(_WINDOWS))
    pool = sorted(set(window) & deck)
    if len(pool) < size:
        pool = sorted(deck)
    chosen = draw(st.lists(st.sampled_from(pool), unique=True, min_size=size, max_size=size))
    return frozenset(chosen)


def _disjoint(candidates: Iterable[Meld], room: int) -> Cards:
    """Return the cards of melds taken in the order given while they are disjoint and fit."""
    found: Cards = frozenset()
    for meld in candidates:
        if len(found) + len(meld) <= room and not found & meld:
            found |= meld
    return found


@st.composite
def knocker_hands(draw: st.DrawFn, ace: str = "low") -> Cards:
    """Draw ten cards that hold one to three melds and some other cards."""
    melds = draw(st.lists(st.sampled_from(naive.all_melds(ace)), min_size=1, max_size=5))
    hand = _disjoint(melds, 10)
    rest = sorted(naive.DECK - hand)
    size = 10 - len(hand)
    return hand | frozenset(draw(st.lists(st.sampled_from(rest), unique=True, min_size=size, max_size=size)))


@st.composite
def knocks(draw: st.DrawFn, ace: str = "low") -> tuple[Cards, tuple[Meld, ...], Cards]:
    """Draw a knocker's hand, one of his least-deadwood spreads, and a defender's hand.

    The defender's cards come first from those next to the spread (same rank, or the suit of a run),
    so that lay-offs, chains and his own melds compete.
    """
    knocker = draw(knocker_hands(ace))
    spread = draw(st.sampled_from(naive.least_choices(knocker, ace)))
    rest = naive.DECK - knocker
    pool = sorted(rest & _near(spread))
    if len(pool) < 10 or draw(st.booleans()):
        window = draw(st.sampled_from(_WINDOWS))
        pool = sorted((set(pool) | set(window)) & rest)
    size = min(10, len(pool))
    defender = set(draw(st.lists(st.sampled_from(pool), unique=True, min_size=size, max_size=size)))
    for one in sorted(rest):
        if len(defender) < 10:
            defender.add(one)
    return knocker, spread, frozenset(defender)


def _near(spread: Iterable[Meld]) -> Cards:
    """Return the cards of a set's rank, and of a run's suit up to three ranks from its ends."""
    found: set[Card] = set()
    for meld in spread:
        for rank, suit in meld:
            if naive.is_set(meld):
                found.update((rank, other) for other in range(4))
            else:
                found.update(((rank + step) % 13, suit) for step in range(-3, 4))
    return frozenset(found)


def random_knock(source: random.Random, ace: str = "low") -> tuple[Cards, tuple[Meld, ...], Cards]:
    """Return what ``knocks`` draws, from a plain generator, for long loops."""
    melds = source.choices(naive.all_melds(ace), k=source.randint(1, 5))
    knocker = _disjoint(melds, 10)
    knocker |= frozenset(source.sample(sorted(naive.DECK - knocker), 10 - len(knocker)))
    spread = source.choice(naive.least_choices(knocker, ace))
    rest = naive.DECK - knocker
    pool = _near(spread) & rest
    if len(pool) < 10 or source.random() < 0.5:
        pool |= frozenset(source.choice(_WINDOWS)) & rest
    if len(pool) < 10:
        pool = rest
    return knocker, spread, frozenset(source.sample(sorted(pool), 10))
