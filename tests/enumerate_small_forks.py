"""Every legal knock of the little deck, by a walk over all ways in which its cards can come.

Deck, rules and side B are those of `tests.enumerate_small_deck`; side A draws and throws as `Quick` there and
his own knock rule is to knock with at most `OWN` points. Nothing is dealt: where a card comes from the stock,
the walk goes on with each card that is left, and what it finds counts for all orders of the others. So a pair
of hands stands for its 720 deals, and sums are exact. It shares no code with ``sim``: melds, lay-offs and
scores are the slow ones of ``tests.naive`` and ``tests.naive_score``, remembered by hand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from math import factorial
from typing import NamedTuple

from tests import naive, naive_score
from tests.enumerate_small_deck import CARDS, HANDS_A, HANDS_B, RULES
from tests.naive import Card
from tests.naive_game import UPCARDS_IN_A_ROW

OWN = 4
"""Most deadwood that A's own rule knocks with; three loose cards have four points at least."""
PAIRS = len(HANDS_A) * len(HANDS_B)
A, B = 0, 1
ACE, VALUE, LIMIT = RULES["runs_ace"], RULES["ace_value"], RULES["knock_limit"]
AXES = ("deadwood", "own_turn", "stock", "limit", "loose", "last", "picked")

Hand = frozenset[Card]
Key = tuple[int, ...]


class Sums(NamedTuple):
    """Sums over the deals in which a legal knock falls in a cell, in the order of the compiled counters."""

    knocks: int = 0
    v_knock: int = 0
    once: int = 0
    gin: int = 0
    undercut: int = 0
    won: int = 0

    def plus(self, other: Sums) -> Sums:
        return Sums(*(one + more for one, more in zip(self, other, strict=True)))


class After(NamedTuple):
    """A's points summed over all orders of the cards left, if he declines and follows a rule."""

    once: int
    gin: int


class State(NamedTuple):
    """A position between turns: what both hold, the top discard, what the stock may hold, what has been."""

    hands: tuple[Hand, Hand]
    top: Card
    rest: Hand
    own_turn: int = 0
    picked: int = 0
    last: int = 0  # points of B's last discard
    streak: int = 0
    legal: bool = False  # A has had a legal knock
    gin: bool = False  # A has had gin


Cells = dict[str, dict[Key, Sums]]


@lru_cache(None)
def _after(hand: Hand, banned: Hand) -> dict[Card, int]:
    return naive.discard_deadwoods(hand, banned, ACE, VALUE)


@lru_cache(None)
def _takes(side: int, hand: Hand, top: Card) -> bool:
    if side == A:
        return any(top in meld for meld in naive.melds_in(hand | {top}, ACE))
    return min(_after(hand | {top}, frozenset([top])).values()) < naive.deadwood(hand, ACE, VALUE)


@lru_cache(None)
def _least(hand: Hand, banned: Hand) -> int:
    """Return the least deadwood that a turn can end with; the rules pay for a big gin."""
    return 0 if naive.deadwood(hand, ACE, VALUE) == 0 else min(_after(hand, banned).values())


@lru_cache(None)
def _discard(side: int, hand: Hand, banned: Hand) -> Card:
    after = _after(hand, banned)
    best = [one for one, points in after.items() if points == min(after.values())]
    if side == A:
        return min(best, key=lambda one: naive.to_mask([one]))
    return max(best, key=lambda one: (naive.pip(one, VALUE), naive.to_mask([one])))


@lru_cache(None)
def _settle(side: int, hand: Hand, banned: Hand, other: Hand) -> tuple[int, str, bool, int]:
    """Return A's points, the ending, whether A wins and the loose cards, if a side ends the hand."""
    big = naive.deadwood(hand, ACE, VALUE) == 0
    shown = hand if big else hand - {_discard(side, hand, banned)}
    spread = naive.default_melds(shown, frozenset(), ACE, VALUE)
    loose = naive.left_after(shown, spread)
    own = naive.pips(loose, VALUE)
    left = naive.defence(other, spread, ACE, VALUE, own > 0 or RULES["layoff_on_gin"])
    told = naive_score.hand_result(own, left, RULES, big, None)
    if told.winner is None:
        return 0, told.end, False, len(loose)
    won = (told.winner == "knocker") == (side == A)
    return told.points if won else -told.points, told.end, won, len(loose)


class Walk:
    """Collects the cells of both populations."""

    def __init__(self) -> None:
        self.cells: Cells = {"first": defaultdict(Sums), "every": defaultdict(Sums)}

    def pair(self, number: int) -> None:
        """Walk through the 720 deals of a pair of hands."""
        a, b = divmod(number, len(HANDS_B))
        left = [card for card in range(len(CARDS)) if card not in HANDS_A[a]]
        hand_a = frozenset(CARDS[one] for one in HANDS_A[a])
        hand_b = frozenset(CARDS[left[place]] for place in HANDS_B[b])
        others = frozenset(CARDS) - hand_a - hand_b
        for top in others:
            state = State((hand_a, hand_b), top, others - {top})
            if _takes(A, hand_a, top):
                self.taken(A, state)
            elif _takes(B, hand_b, top):
                self.taken(B, state)
            else:
                self.drawn(A, state)

    def go_on(self, side: int, state: State) -> After:
        """Let a side draw, after the other's discard, unless the hand is over."""
        if len(state.rest) <= RULES["dead_stock"] or state.streak >= UPCARDS_IN_A_ROW:
            return After(0, 0)
        if _takes(side, state.hands[side], state.top):
            return self.taken(side, state)
        return self.drawn(side, state)

    def taken(self, side: int, state: State) -> After:
        """Take the top discard."""
        state = state._replace(streak=state.streak + 1, picked=state.picked + (side == B))
        return self.turn(side, state, state.top, frozenset([state.top]))

    def drawn(self, side: int, state: State) -> After:
        """Draw each card that the stock may give."""
        once = gin = 0
        for card in state.rest:
            told = self.turn(side, state._replace(rest=state.rest - {card}, streak=0), card, frozenset())
            once, gin = once + told.once, gin + told.gin
        return After(once, gin)

    def turn(self, side: int, state: State, card: Card, banned: Hand) -> After:
        """Play a turn with a drawn card to its end, A declining, and the hand after it."""
        hand, other = state.hands[side] | {card}, state.hands[1 - side]
        orders = factorial(len(state.rest))
        least = _least(hand, banned)
        if side == B and least == 0:
            points = orders * _settle(B, hand, banned, other)[0]
            return After(points, points)
        thrown = _discard(side, hand, banned)
        hands = (hand - {thrown}, other) if side == A else (other, hand - {thrown})
        after = state._replace(hands=hands, top=thrown)
        if side == B:
            return self.go_on(A, after._replace(last=naive.pip(thrown, VALUE)))
        legal = least <= LIMIT
        after = after._replace(
            own_turn=state.own_turn + 1, legal=state.legal or legal, gin=state.gin or least == 0
        )
        told = self.go_on(B, after)
        if not legal:
            return told
        points, ending, won, loose = _settle(A, hand, banned, other)
        key = least, after.own_turn, len(state.rest), LIMIT, loose, state.last, state.picked
        found = Sums(
            orders, orders * points, told.once, told.gin, orders * (ending == "undercut"), orders * won
        )
        for population, counts in (("first", not state.legal), ("every", not state.gin)):
            if counts:
                self.cells[population][key] = self.cells[population][key].plus(found)
        own = orders * points
        return After(own if least <= OWN else told.once, own if least == 0 else told.gin)


def walk(pairs: Iterable[int]) -> Cells:
    """Return the sums of cells, keys in the order of `AXES`, over all deals of pairs of hands."""
    found = Walk()
    for number in pairs:
        found.pair(number)
    return found.cells
