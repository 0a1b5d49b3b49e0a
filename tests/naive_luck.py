"""The random numbers of a run in plain Python integers, from their written contract alone.

A key is made by absorbing one number after another, word ``i`` of a key is a mixed counter
(splitmix64), and a deck is a Fisher-Yates shuffle whose step at a place is a function of key and place.
It shares no code with ``sim``. A card is a pair ``(rank, suit)`` as in ``tests.naive``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

Card = tuple[int, int]

MODULUS = 2**64
GOLDEN, STEP = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03
DECK, FIRST_DEALER, NEXT_DEALER, VOID_DEALER, DECISIONS = range(1, 6)
RESHUFFLE, LIMIT_CARD = 9, 10  # 5 ... 8 are the decisions of two games and two packets
DRAW, KNOCK, DISCARD = range(3)

WHOLE_DECK: tuple[Card, ...] = tuple((rank, suit) for suit in range(4) for rank in range(13))
"""The order before a shuffle: spades first, ranks from the ace."""


def mix(word: int) -> int:
    """Return the finaliser of splitmix64."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % MODULUS
    word = (word ^ word >> 27) * 0x94D049BB133111EB % MODULUS
    return word ^ word >> 31


def absorb(*numbers: int) -> int:
    """Return the key that follows from the numbers, one after another."""
    key = 0
    for number in numbers:
        key = absorb_one(key, number)
    return key


def absorb_one(key: int, number: int) -> int:
    """Return the key that follows from a key and one more number."""
    return mix((key + (number + 1) * STEP) % MODULUS)


def word(key: int, counter: int) -> int:
    """Return a word of 63 bits."""
    return mix((key + counter * GOLDEN) % MODULUS) >> 1


def below(key: int, counter: int, bound: int) -> int:
    """Return a number below a bound, from the upper half of a word of 64 bits."""
    return (mix((key + counter * GOLDEN) % MODULUS) >> 32) * bound >> 32


def shuffled(cards: Iterable[Card], key: int) -> list[Card]:
    """Return cards in a random order; the last of them lies at place 51, whatever their number."""
    order = sorted(cards, key=lambda one: (one[1], one[0]))
    first = 52 - len(order)
    for place in range(first, 52):
        chosen = place + below(key, place, 52 - place)
        order[place - first], order[chosen - first] = order[chosen - first], order[place - first]
    return order


@lru_cache(maxsize=1000)
def _whole_deck(key: int) -> tuple[Card, ...]:
    return tuple(shuffled(WHOLE_DECK, key))


@dataclass(frozen=True)
class Luck:
    """Everything random in one game or match of a pair.

    ``game`` is 0 or 1, the game (or match) of the pair: side A holds the packet of that number, and a
    dealer drawn by lot is drawn as the holder of a packet.
    """

    seed: int
    pair: int
    game: int = 0
    ranks: int = 13
    suits: int = 4

    def hand_key(self, hand: int) -> int:
        """Return the key of a hand."""
        return absorb(self.seed, self.pair, hand)

    def deck(self, hand: int) -> list[Card]:
        """Return the deck of a hand, from the top: the whole deck with the cards not in use left out."""
        whole = _whole_deck(absorb_one(self.hand_key(hand), DECK))
        return [one for one in whole if one[0] < self.ranks and one[1] < self.suits]

    def reshuffled(self, hand: int, number: int, cards: Iterable[Card]) -> list[Card]:
        """Return the new stock of a reshuffle, from the top; reshuffles of a hand count from 0."""
        key = absorb_one(absorb_one(absorb_one(self.hand_key(hand), DECK), RESHUFFLE), number)
        return shuffled(cards, key)

    def limit_card(self, hand: int) -> Card:
        """Return the card of a second pack that sets the limit of a hand."""
        number = below(absorb_one(self.hand_key(hand), LIMIT_CARD), 0, self.ranks * self.suits)
        return number % self.ranks, number // self.ranks

    def dealer(self, purpose: int, number: int) -> int:
        """Return the side that deals by lot: the first hand of a game, or after a hand, of that number."""
        key = absorb_one(absorb(self.seed, self.pair, number), purpose)
        return below(key, 0, 2) ^ self.game

    def decision(self, hand: int, side: int, turns: int, kind: int) -> int:
        """Return the word that a side sees at a decision after so many turns of both."""
        packet = side ^ self.game
        key = absorb_one(self.hand_key(hand), DECISIONS + 2 * self.game + packet)
        return word(key, 4 * turns + kind)


def as_bits(cards: Sequence[Card]) -> list[int]:
    """Return cards as the engine numbers them."""
    return [16 * suit + rank for rank, suit in cards]
