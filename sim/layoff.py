"""Lay-offs: the defender's joint optimum against a spread, and the knocker's default spread.

The defender's own melds and lay-offs are minimised *together*: a card may leave a meld of his to
open a chain on a run of the knocker's. A spread is two masks for kernels: the fourth cards its sets
of three accept, and the cards of its runs (bit 13 of a lane being a high ace).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sim._jit import Record, kernel, popcount
from sim.cards import COLUMN, FULL_DECK, LANE, cards_of, format_cards
from sim.deadwood import (
    arrangement_runs,
    arrangement_sets,
    count_arrangements,
    four_ranks,
    least_deadwood,
    meldable,
    pips,
    set_ranks,
)
from sim.melds import Arrangement, arrangement, check_hand, lay_out
from sim.rules import Rules
from sim.tables import ACES, HIGH_ACE, KINGS, tables_for


class LayoffError(ValueError):
    """A spread that cannot be; the message names the meld."""


@kernel
def open_set_cards(sets: int) -> int:
    """Return the cards that sets of three accept: the fourth of each rank."""
    return (set_ranks(sets) & ~four_ranks(sets)) * COLUMN & ~sets


@kernel
def chain(runs: int, cards: int, melds: Record) -> int:
    """Return those of ``cards`` that can be laid off on ``runs`` one after another."""
    reach = runs
    if melds.corner:
        while True:
            beside = reach << 1 | reach >> 1 | (reach & KINGS) >> 12 | (reach & ACES) << 12
            more = beside & cards & ~reach
            if more == 0:
                return reach ^ runs
            reach |= more
    long = cards | (cards & melds.high) << 13  # an ace may stand below the two or above the king
    while True:
        more = (reach << 1 | reach >> 1) & long & ~reach
        if more == 0:
            gained = reach ^ runs
            return (gained | gained >> 13 & ACES) & cards
        reach |= more


@kernel
def best_layoff(hand: int, open_cards: int, runs: int, melds: Record) -> int:
    """Return the cards to lay off for least deadwood of melds and lay-offs together.

    A card in no possible meld of the hand's own is laid off whenever it can be: it only opens more.
    The others are tried in every combination. Ties go to the fewest cards, then the lowest mask.
    """
    reachable = open_cards & hand | chain(runs, hand, melds)
    if reachable == 0:
        return 0
    loose = reachable & ~meldable(hand, melds)
    free = open_cards & loose | chain(runs, loose, melds)
    others = reachable ^ free
    best_cards = free
    best = least_deadwood(hand ^ free, melds)
    some = others & -others
    while some:  # every non-empty subset, lowest mask first
        off = free | some
        if off & ~(open_cards | chain(runs, off, melds)) == 0:
            value = least_deadwood(hand ^ off, melds)
            if value < best or value == best and popcount(off) < popcount(best_cards):
                best = value
                best_cards = off
        some = (some - others) & others
    return best_cards


@kernel
def default_arrangement(hand: int, unseen: int, melds: Record) -> int:
    """Return the index of the knocker's default arrangement.

    Among least-deadwood arrangements the one on which the fewest pips of ``unseen`` cards could be
    laid off, chains included; ties by the lowest mask of melded sets.
    """
    best = 0
    least = 1 << 30
    for index in range(count_arrangements(hand, melds)):
        sets = arrangement_sets(hand, index, melds)
        runs = arrangement_runs(hand ^ sets, melds)
        risk = pips(open_set_cards(sets) & unseen | chain(runs, unseen, melds), melds)
        if risk < least:
            least = risk
            best = index
    return best


# --- the library ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Defence:
    """What the defender shows against a spread.

    Attributes
    ----------
    deadwood : int
        Points left after melds and lay-offs.
    melds : tuple of int
        Masks of his own melds.
    layoffs : tuple of (int, int)
        One-bit card and the index of the spread's meld it goes to, in an order that can be played.
    leftover : int
        Mask of the cards that count.
    """

    deadwood: int
    melds: tuple[int, ...]
    layoffs: tuple[tuple[int, int], ...]
    leftover: int


def _run_places(meld: int, rules: Rules) -> int:
    """Return a run's cards as the places it takes in its lane, the ace high where it must be."""
    suit = (meld.bit_length() - 1) // 16
    lane = meld >> 16 * suit
    ace_high = rules.runs_ace == "high_low" and lane & 1 and not lane & 2
    return (lane & ~1 | HIGH_ACE if ace_high else lane) << 16 * suit


def _is_run(meld: int, rules: Rules) -> bool:
    suit = (meld.bit_length() - 1) // 16
    lane = meld >> 16 * suit
    if lane & ~LANE or meld & ~(LANE << 16 * suit):
        return False
    places = _run_places(meld, rules) >> 16 * suit
    if rules.runs_ace == "corner" and places != LANE:
        while not (places & 1 and not places >> 12 & 1):  # turn until it starts at 0
            places = places >> 1 | (places & 1) << 12
    places //= places & -places
    return places & (places + 1) == 0


def check_spread(melds: Sequence[int], rules: Rules | None = None) -> None:
    """Refuse melds that are none or that share a card.

    Raises
    ------
    LayoffError
        Naming the meld.
    """
    rules = rules or Rules()
    seen = 0
    for meld in melds:
        if meld < 0 or meld & ~FULL_DECK:
            raise LayoffError(f"{meld:#x} is not a mask of cards")
        text = format_cards(meld)
        ranks = {(card.bit_length() - 1) % 16 for card in cards_of(meld)}
        if meld.bit_count() < 3 or not (len(ranks) == 1 or _is_run(meld, rules)):
            raise LayoffError(f"{text} is not a meld")
        if meld & seen:
            raise LayoffError(f"{format_cards(meld & seen)} stands in two melds of the spread")
        seen |= meld


def _spread_masks(melds: Sequence[int], rules: Rules) -> tuple[int, int]:
    """Return the kernels' two masks of a spread: cards its sets accept, places of its runs."""
    sets = runs = 0
    for meld in melds:
        if _is_set(meld):
            sets |= meld
        else:
            runs |= _run_places(meld, rules)
    return int(open_set_cards(sets)), runs


def _is_set(meld: int) -> bool:
    rank = ((meld & -meld).bit_length() - 1) % 16
    return not meld & ~(COLUMN << rank)


def playable_order(off: int, melds: Sequence[int], rules: Rules) -> tuple[tuple[int, int], ...]:
    """Order lay-offs so that each can be played when its turn comes.

    Runs come first: a card that fits a set and a run may be needed to carry the run on.

    Parameters
    ----------
    off : int
        Mask of the cards to lay off; all of them must have a place in the end.
    melds : sequence of int
        Masks of the spread.
    rules : Rules
        Decide where aces run.

    Returns
    -------
    tuple of (int, int)
        One-bit card and the index of its meld.
    """
    grown = list(melds)
    order: list[tuple[int, int]] = []
    homes = sorted(range(len(grown)), key=lambda index: _is_set(grown[index]))
    while off:
        card, home = next(
            (card, home) for home in homes for card in cards_of(off) if _accepts(grown[home], card, rules)
        )
        grown[home] |= card
        order.append((card, home))
        off ^= card
    return tuple(order)


def _accepts(meld: int, card: int, rules: Rules) -> bool:
    if _is_set(meld):
        return meld.bit_count() == 3 and _is_set(meld | card)
    same_suit = (meld.bit_length() - 1) // 16 == (card.bit_length() - 1) // 16
    if not same_suit:
        return False
    tables: Any = tables_for(rules)
    return bool(chain(_run_places(meld, rules), card, tables))


def defend(defender: int, spread: Sequence[int], rules: Rules | None = None, layoffs: bool = True) -> Defence:
    """Return the defender's best answer to a spread: melds and lay-offs chosen together.

    Parameters
    ----------
    defender : int
        Mask of the defender's cards (at most 11).
    spread : sequence of int
        Masks of the knocker's melds.
    rules : Rules, optional
        Decide where aces run and what they count.
    layoffs : bool
        False against gin, where the rules allow no lay-offs.

    Returns
    -------
    Defence

    Raises
    ------
    LayoffError
        If the spread has a meld that is none, or holds a card of the defender's.
    ValueError
        If the defender's mask is no hand.
    """
    rules = rules or Rules()
    check_spread(spread, rules)
    defender = check_hand(defender)
    shared = defender & sum(spread)
    if shared:
        raise LayoffError(f"{format_cards(shared)} stands in the spread and in the defender's hand")
    off = 0
    if layoffs:
        open_cards, runs = _spread_masks(spread, rules)
        off = int(best_layoff(defender, open_cards, runs, tables_for(rules)))
    own = arrangement(defender ^ off, 0, rules)
    return Defence(own.deadwood, own.melds, playable_order(off, spread, rules), own.leftover)


def default_spread(hand: int, unseen: int, rules: Rules | None = None) -> Arrangement:
    """Return the arrangement a knocker shows when his strategy does not choose.

    Parameters
    ----------
    hand : int
        Mask of the knocker's cards after his discard (eleven for big gin).
    unseen : int
        Mask of the cards that the defender may hold.
    rules : Rules, optional
        Decide where aces run and what they count.

    Returns
    -------
    Arrangement
        Of least deadwood, with the fewest pips of unseen cards that could be laid off on it.
    """
    tables = tables_for(rules)
    hand = check_hand(hand)
    index = int(default_arrangement(hand, int(unseen), tables))
    return lay_out(hand, int(arrangement_sets(hand, index, tables)), rules)
