"""What is counted rather than played: melds, gin hands, dealt hands.

Each survey returns its numbers by name; exact ones have both ends of the interval at the value.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.reproduction.published import QUANTILE
from analysis.stats.estimates import Estimate
from sim._jit import Array, typed_kernel, types
from sim.layoff import LayoffError, check_spread
from sim.melds import deadwood_many
from sim.streams import CARD_PLACES, deck_key, hand_key, pair_key, place_card

Hands = npt.NDArray[np.int64]


def exact(value: float) -> Estimate:
    """Return a number that has no error."""
    return Estimate(value, value, value)


# --- gin hands -----------------------------------------------------------------------------------


def melds_of_three() -> list[int]:
    """Return the masks of all melds of three cards, aces low."""
    sets = [
        sum(1 << 16 * suit + rank for suit in suits)
        for rank in range(13)
        for suits in combinations(range(4), 3)
    ]
    return sets + [7 << 16 * suit + rank for suit in range(4) for rank in range(11)]


def unions_of_threes(size: int) -> Hands:
    """Return all hands of so many cards that are unions of melds of three, in order.

    Every card of a gin hand lies in a meld of three within the hand, so all gin hands are among them.
    """
    found = np.zeros(1, np.int64)
    for meld in melds_of_three():
        grown = found | meld
        found = np.union1d(found, grown[np.bitwise_count(grown) <= size])
    chosen: Hands = found[np.bitwise_count(found) == size]
    return chosen


def gin_hands(size: int = 10) -> dict[str, Estimate]:
    """Count the gin hands of all hands of so many cards: ask the engine about every union of threes."""
    gin = int((deadwood_many(unions_of_threes(size)) == 0).sum())
    hands = math.comb(52, size)
    return {"gin_hands": exact(gin), "hands": exact(hands), "one_in": exact(hands / gin)}


# --- melds ---------------------------------------------------------------------------------------


def count_melds() -> dict[str, Estimate]:
    """Put every group of three cards and more of one rank or one suit to the engine's test of a meld."""
    suits = [cards << 16 * suit for suit in range(4) for cards in range(1 << 13)]
    ranks = [
        sum(1 << 16 * suit + rank for suit in range(4) if cards >> suit & 1)
        for rank in range(13)
        for cards in range(1 << 4)
    ]
    runs, sets = (
        [mask for mask in masks if mask.bit_count() >= 3 and _is_meld(mask)] for masks in (suits, ranks)
    )
    return {
        "melds": exact(len(runs) + len(sets)),
        "sets": exact(len(sets)),
        "runs": exact(len(runs)),
        "short_melds": exact(sum(mask.bit_count() <= 5 for mask in runs + sets)),
    }


def _is_meld(mask: int) -> bool:
    try:
        check_spread([mask])
    except LayoffError:
        return False
    return True


# --- dealt hands ---------------------------------------------------------------------------------


@typed_kernel(types.void(types.int64, types.int64[::1], types.int8[::1]))
def deal_tens(seed: int, hands: Array, deck: Array) -> None:
    """Fill ``hands`` with ten cards each, the first ten of as many decks."""
    for index in range(hands.size):
        key = deck_key(hand_key(pair_key(seed, index), 0))
        for place in range(52):
            deck[place] = CARD_PLACES[place]
        cards = 0
        for place in range(10):
            cards |= 1 << place_card(deck, place, key)
        hands[index] = cards


def most_deadwood() -> int:
    """Return the most deadwood of ten cards.

    At most two cards of a rank count, else they are a set; so at most eight count ten, and with an eight
    or less among them a hand has 80 + 9 + 8 at most. Above that all ten cards are nines and higher.
    """
    high = [1 << 16 * suit + rank for suit in range(4) for rank in range(8, 13)]
    hands = np.array([sum(cards) for cards in combinations(high, 10)], np.int64)
    return int(deadwood_many(hands).max())


def sets_first_deadwood(hands: Hands) -> Hands:
    """Return the deadwood of hands that meld every set there is, and runs of what is left: not the least."""
    columns = [sum(1 << 16 * suit + rank for suit in range(4)) for rank in range(13)]
    left = hands.copy()
    for column in columns:
        left &= ~np.where(np.bitwise_count(hands & column) >= 3, column, 0)
    start = left & left >> 1 & left >> 2  # no run reaches over the gap between two suits
    left &= ~(start | start << 1 | start << 2)
    points = np.zeros(len(hands), np.int64)
    for rank, column in enumerate(columns):
        points += min(rank + 1, 10) * np.bitwise_count(left & column).astype(np.int64)
    return points


def _about(value: float, error: float) -> Estimate:
    return Estimate(value, value - QUANTILE * error, value + QUANTILE * error)


def _moments(points: npt.NDArray[Any]) -> tuple[Estimate, Estimate]:
    """Return mean and standard deviation with normal intervals."""
    count = len(points)
    rest = points - points.mean()
    variance = float((rest**2).sum() / (count - 1))
    deviation = variance**0.5
    # The variance of a sample variance is (fourth moment - variance**2) / n; halved over the deviation.
    of_variance = max(float((rest**4).mean()) - variance**2, 0.0) / count
    mean = _about(float(points.mean()), deviation / count**0.5)
    return mean, _about(deviation, of_variance**0.5 / (2 * deviation))


def dealt_deadwood(deals: int, seed: int) -> dict[str, Estimate]:
    """Return the moments of the deadwood of dealt hands of ten cards, with normal intervals."""
    hands = np.empty(deals, np.int64)
    deal_tens(seed, hands, np.empty(52, np.int8))
    points = deadwood_many(hands)

    def share(of: npt.NDArray[np.bool_]) -> Estimate:
        part = float(of.mean())
        return _about(part, (part * (1 - part) / deals) ** 0.5)

    mean, deviation = _moments(points)
    mean_first, deviation_first = _moments(sets_first_deadwood(hands))
    return {
        "mean": mean,
        "deviation": deviation,
        "mean_sets_first": mean_first,
        "deviation_sets_first": deviation_first,
        "at_most_10": share(points <= 10),
        "below_10": share(points < 10),
        "largest": exact(most_deadwood()),
    }
