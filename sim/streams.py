"""Counter-based randomness: every random word is a pure function of a key and a counter.

No generator has state, so no worker owns one: the deck of (seed, pair, hand) is the same whoever
plays, under any rules, on any thread or machine. Keys are made by absorbing one integer after another
with `absorb`; word ``i`` of a key is ``mix(key + i * GOLDEN)``, the output of splitmix64 (Steele, Lea
and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014), whose finaliser is David
Stafford's variant 13. ``uint64`` lives in this module alone; what leaves it is ``int64``.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from sim._jit import COMPILED, Array, int64, kernel, uint64

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_STEP = np.uint64(0xD1B54A32D192ED03)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32, _S1 = (np.uint64(shift) for shift in (30, 27, 31, 32, 1))

if not COMPILED:  # words wrap as NumPy scalars, which NumPy would mention each time
    warnings.filterwarnings("ignore", "overflow encountered in scalar", RuntimeWarning, __name__)

Word = Any
"""A ``uint64``."""

# What a key is for: an integer absorbed. Decks, limit cards and dealers hang on (seed, pair, hand or
# game), the words of a strategy on (seed, pair, game, hand, packet); DECISIONS stands for four numbers.
DECK, FIRST_DEALER, NEXT_DEALER, VOID_DEALER = 1, 2, 3, 4
DECISIONS = 5
RESHUFFLE, LIMIT_CARD, JOKERS = 9, 10, 11

CARD_PLACES = np.array([16 * suit + rank for suit in range(4) for rank in range(13)], np.int8)
"""The bit of each of the 52 cards in the order before the shuffle, spades first."""


@kernel
def _mix(word: Word) -> Word:
    word = (word ^ word >> _S30) * _FIRST
    word = (word ^ word >> _S27) * _SECOND
    return word ^ word >> _S31


@kernel
def absorb(key: int, number: int) -> int:
    """Return the key that follows from ``key`` and one more non-negative integer."""
    return int64(_mix(uint64(key) + (uint64(number) + _S1) * _STEP))


@kernel
def follow(history: int, number: int) -> int:
    """Return the hash of a history and one more integer, a polynomial in an odd step: cheaper than `absorb`.

    Good enough to tell histories apart, not to draw words from.
    """
    return int64((uint64(history) + uint64(number)) * _STEP)


@kernel
def word(key: int, counter: int) -> int:
    """Return word ``counter`` of a key, uniform on 0 ... 2**63 - 1."""
    return int64(_mix(uint64(key) + uint64(counter) * _GOLDEN) >> _S1)


@kernel
def below(key: int, counter: int, bound: int) -> int:
    """Return word ``counter`` of a key as an integer below ``bound`` (bias under bound / 2**32)."""
    high = _mix(uint64(key) + uint64(counter) * _GOLDEN) >> _S32
    return int64(high * uint64(bound) >> _S32)


@kernel
def pair_key(seed: int, pair: int) -> int:
    """Return the key of a pair of games."""
    return absorb(absorb(0, seed), pair)


@kernel
def hand_key(pair: int, hand: int) -> int:
    """Return the key of a hand from the key of its pair; hands count on through all games."""
    return absorb(pair, hand)


@kernel
def deck_key(hand: int) -> int:
    """Return the key of the deck of a hand, from the key of the hand."""
    return absorb(hand, DECK)


@kernel
def reshuffle_key(deck: int, number: int) -> int:
    """Return the key of the order after reshuffle ``number``, from 0, from the key of the deck."""
    return absorb(absorb(deck, RESHUFFLE), number)


@kernel
def limit_card(hand: int, cards: int) -> int:
    """Return the number, below ``cards``, of the card of a second pack that sets the knock limit."""
    return below(absorb(hand, LIMIT_CARD), 0, cards)


@kernel
def decision_key(hand: int, game: int, packet: int) -> int:
    """Return the key of the words that the holder of ``packet`` sees in one hand of game 0 or 1."""
    return absorb(hand, DECISIONS + 2 * game + packet)


@kernel
def coin(pair: int, number: int, purpose: int) -> int:
    """Return a fair packet, 0 or 1, such as the dealer of a hand or game of that number."""
    return below(absorb(absorb(pair, number), purpose), 0, 2)


@kernel
def joker_key(hand: int) -> int:
    """Return the key of the places of the jokers in the solo game, from the key of the hand."""
    return absorb(hand, JOKERS)


@kernel
def place_card(deck: Array, place: int, key: int) -> int:
    """Decide the card at ``place`` of the deck and return its bit.

    The deck is a Fisher-Yates shuffle done as far as it is dealt: places before ``place`` are
    decided, the rest still to be. Asking for places in order gives the same deck however far one goes.

    Parameters
    ----------
    deck : ndarray of int8, shape (52,)
        Bits of the cards; started as `CARD_PLACES`.
    place : int
        0-51.
    key : int
        From `deck_key`.
    """
    chosen = place + below(key, place, 52 - place)
    card = deck[chosen]
    deck[chosen] = deck[place]
    deck[place] = card
    return int64(card)
