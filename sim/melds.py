"""Melds as a library: deadwood, arrangements, discards and legal knocks of checked hands.

The compiled work is in `sim.deadwood`; here masks are checked and results become plain Python.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sim.cards import COLUMN, LANE, cards_of, format_cards
from sim.deadwood import (
    MAX_CARDS,
    arrangement_runs,
    arrangement_sets,
    best_discard,
    count_arrangements,
    fill_best_discard,
    fill_deadwood,
    least_deadwood,
    pips,
)
from sim.rules import Rules
from sim.tables import tables_for


@dataclass(frozen=True)
class Arrangement:
    """One way to lay out a hand at least deadwood.

    Attributes
    ----------
    melds : tuple of int
        Masks of the melds: sets by rank, then runs by suit. A run is as long as it can be.
    leftover : int
        Mask of the unmelded cards.
    deadwood : int
        Points of the unmelded cards.
    """

    melds: tuple[int, ...]
    leftover: int
    deadwood: int


def check_hand(hand: int, most: int = MAX_CARDS, least: int = 0) -> int:
    """Return the mask of a hand as a plain integer.

    Raises
    ------
    ValueError
        If it is no mask of cards, or has too many or too few.
    """
    hand = int(hand)
    size = hand.bit_count()
    if hand < 0 or hand & ~(LANE * COLUMN):
        raise ValueError(f"{hand:#x} is not a mask of cards")
    if not least <= size <= most:
        expected = f"{least}" if least == most else f"{least}-{most}"
        raise ValueError(f"{size} cards ({format_cards(hand)}), expected {expected}")
    return hand


def deadwood(hand: int, rules: Rules | None = None) -> int:
    """Return the least deadwood of a hand.

    Parameters
    ----------
    hand : int
        Mask of 0-11 cards.
    rules : Rules, optional
        Decide where aces run and what they count.

    Returns
    -------
    int
        Points, over all ways to meld.

    Raises
    ------
    ValueError
        If the mask is no hand.
    """
    return int(least_deadwood(check_hand(hand), tables_for(rules)))


def arrangement(hand: int, index: int, rules: Rules | None = None) -> Arrangement:
    """Return a least-deadwood arrangement by its index in the order of `arrangements`."""
    melds = tables_for(rules)
    sets = int(arrangement_sets(check_hand(hand), index, melds))
    return lay_out(hand, sets, rules)


def lay_out(hand: int, sets: int, rules: Rules | None = None) -> Arrangement:
    """Return the arrangement that melds the given cards as sets and every other run there is.

    Parameters
    ----------
    hand : int
        Mask of the cards.
    sets : int
        Mask of the cards in sets; the cards of one rank are one set.
    rules : Rules, optional
        Decide where aces run and what they count.
    """
    hand, sets = int(hand), int(sets)
    melds = tables_for(rules)
    parts = [sets & COLUMN << rank for rank in range(13) if sets & COLUMN << rank]
    runs = int(arrangement_runs(hand ^ sets, melds))
    for suit in range(4):
        parts.extend(
            part << 16 * suit for part in _split_runs(runs >> 16 * suit & 0x3FFF, bool(melds.corner))
        )
    leftover = hand & ~sum(parts)
    return Arrangement(tuple(parts), leftover, int(pips(leftover, melds)))


def _split_runs(runs: int, corner: bool) -> list[int]:
    """Split the run cards of a lane into stretches of cards, a high ace back at its place."""
    if runs == LANE and corner:
        return [LANE]
    places = [place for place in range(14) if runs >> place & 1]
    stretches: list[list[int]] = []
    for place in places:
        if stretches and stretches[-1][-1] == place - 1:
            stretches[-1].append(place)
        else:
            stretches.append([place])
    if corner and len(stretches) > 1 and stretches[0][0] == 0 and stretches[-1][-1] == 12:
        stretches[0] = stretches.pop() + stretches[0]
    return [sum(1 << place % 13 for place in stretch) for stretch in stretches]


def arrangements(hand: int, rules: Rules | None = None) -> list[Arrangement]:
    """Return all least-deadwood arrangements of a hand.

    Runs are as long as they can be (3-4-5-6-7-8 is one run, not two), so arrangements differ by the
    cards melded as sets.

    Parameters
    ----------
    hand : int
        Mask of 0-11 cards.
    rules : Rules, optional
        Decide where aces run and what they count.

    Returns
    -------
    list of Arrangement
        Ordered by the mask of melded sets, lowest first.
    """
    count = int(count_arrangements(check_hand(hand), tables_for(rules)))
    return [arrangement(hand, index, rules) for index in range(count)]


def best_discards(hand: int, rules: Rules | None = None, banned: int = 0) -> tuple[int, int]:
    """Return the least deadwood after one discard and all the cards that reach it.

    Parameters
    ----------
    hand : int
        Mask of 1-11 cards.
    rules : Rules, optional
        Decide where aces run and what they count.
    banned : int
        Mask of cards that may not be discarded (the card just taken).

    Returns
    -------
    deadwood : int
        Points of the cards kept.
    cards : int
        Mask of the best discards.

    Raises
    ------
    ValueError
        If the mask is no hand or every card is banned.
    """
    if not check_hand(hand, least=1) & ~banned:
        raise ValueError(f"every card of {format_cards(hand)} is banned")
    value, cards = best_discard(int(hand), int(banned & hand), tables_for(rules))
    return int(value), int(cards)


def discard_deadwoods(hand: int, rules: Rules | None = None, banned: int = 0) -> dict[int, int]:
    """Return the deadwood left after each legal discard, by one-bit card, lowest bit first."""
    melds = tables_for(rules)
    hand = check_hand(hand, least=1)
    return {card: int(least_deadwood(hand ^ card, melds)) for card in cards_of(hand) if not card & banned}


def legal_knocks(
    hand: int, rules: Rules | None = None, banned: int = 0, limit: int | None = None
) -> dict[int, int]:
    """Return the discards that may end the hand, by one-bit card, with the deadwood they leave.

    A knock is legal when the cards kept have at most ``limit`` points of deadwood: ``rules.knock_limit``
    when left out, though a limit card may set a lower one (see `sim.scoring.hand_terms`).
    """
    limit = (rules or Rules()).knock_limit if limit is None else limit
    left = discard_deadwoods(hand, rules, banned)
    return {card: points for card, points in left.items() if points <= limit}


def is_big_gin(hand: int, rules: Rules | None = None) -> bool:
    """Tell whether a hand as it is after the draw, one card more than is dealt, is melded whole."""
    after_draw = (rules or Rules()).hand_size + 1
    return int(hand).bit_count() == after_draw and deadwood(hand, rules) == 0


def deadwood_many(hands: npt.ArrayLike, rules: Rules | None = None) -> npt.NDArray[np.int16]:
    """Return the least deadwood of many hands.

    Parameters
    ----------
    hands : array_like of int64, shape (n,)
        Masks of 0-11 cards.
    rules : Rules, optional
        Decide where aces run and what they count.

    Returns
    -------
    ndarray of int16, shape (n,)
        Points.
    """
    masks = _hands_array(hands)
    out = np.empty(masks.shape, np.int16)
    fill_deadwood(masks, out, tables_for(rules))
    return out


def best_discard_many(
    hands: npt.ArrayLike, rules: Rules | None = None
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int64]]:
    """Return the least deadwood after one discard, and the cards that reach it, of many hands.

    Parameters
    ----------
    hands : array_like of int64, shape (n,)
        Masks of 1-11 cards.
    rules : Rules, optional
        Decide where aces run and what they count.

    Returns
    -------
    deadwood : ndarray of int16, shape (n,)
        Points of the cards kept.
    cards : ndarray of int64, shape (n,)
        Masks of the best discards.
    """
    masks = _hands_array(hands, least=1)
    out = np.empty(masks.shape, np.int16)
    cards = np.empty(masks.shape, np.int64)
    fill_best_discard(masks, out, cards, tables_for(rules))
    return out, cards


def _hands_array(hands: npt.ArrayLike, least: int = 0) -> npt.NDArray[np.int64]:
    masks = np.asarray(hands)
    if masks.ndim != 1 or masks.dtype.kind not in "iu":
        raise ValueError(f"hands must be a 1-D array of masks, not {masks.ndim}-D {masks.dtype}")
    masks = np.ascontiguousarray(masks, np.int64)
    sizes = np.bitwise_count(masks)
    wrong = (masks & ~np.int64(LANE * COLUMN) != 0) | (sizes > MAX_CARDS) | (sizes < least)
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"hands[{first}] = {int(masks[first]):#x}: not a hand of 0-11 cards")
    return masks
