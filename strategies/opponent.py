"""Helpers for compiled decisions: what the other player may hold, and what he could make of a card.

They go by what the view knows for sure and draw no conclusions from how the other has played.
"""

from __future__ import annotations

from sim._jit import Record, kernel, lowest_bit_index, popcount
from sim.cards import COLUMN, LANE
from sim.rules import RUNS_CORNER, RUNS_LOW


@kernel
def may_hold(view: Record) -> int:
    """Return the cards that may be in the other hand: those known to be, and all unseen ones."""
    return view.known | view.unseen


@kernel
def sets_with(card: int, cards: int) -> int:
    """Count the sets of three that a card makes with two of ``cards``."""
    mates = popcount(cards & ~card & COLUMN << (lowest_bit_index(card) & 15))
    return mates * (mates - 1) // 2


@kernel
def runs_with(view: Record, card: int, cards: int) -> int:
    """Count the runs of three that a card makes with two of ``cards``, by the ace rule of the view."""
    place = lowest_bit_index(card)
    suit = place & 48
    rank = place & 15
    lane = (cards | card) >> suit & LANE
    mine = 1 << rank
    starts = 11
    if view.runs_ace != RUNS_LOW:  # places 13 and 14 are an ace after the king and the two after it
        lane |= (lane & 1) << 13
        mine |= (mine & 1) << 13
        starts = 12
        if view.runs_ace == RUNS_CORNER:
            lane |= (lane & 2) << 13
            mine |= (mine & 2) << 13
            starts = 13
    whole = lane & lane >> 1 & lane >> 2 & (1 << starts) - 1
    return popcount(whole & (mine | mine >> 1 | mine >> 2))


@kernel
def melds_of(view: Record, card: int, cards: int) -> int:
    """Count the melds of three that a card makes with two of ``cards``."""
    return sets_with(card, cards) + runs_with(view, card, cards)


@kernel
def opponent_melds(view: Record, card: int) -> int:
    """Count the melds of three that the other could make with a card, by all that he may hold."""
    return melds_of(view, card, may_hold(view))


@kernel
def adjoining(view: Record, card: int) -> int:
    """Return the cards that share a possible meld of three with a card: of its rank, or near in its suit."""
    place = lowest_bit_index(card)
    suit = place & 48
    rank = place & 15
    # The lane begins at bit 2, so that the two places below the ace and above the king are there.
    near = 31 << rank
    lane = near >> 2 & LANE
    if view.runs_ace != RUNS_LOW:
        if near >> 15 & 1:  # the place above the king is an ace
            lane |= 1
        if rank == 0:
            lane |= 3 << 11  # king and queen
        if view.runs_ace == RUNS_CORNER:
            if near >> 16 & 1:  # the second place above the king is a two
                lane |= 2
            if rank == 1:
                lane |= 1 << 12  # king-ace-two
    return (COLUMN << rank | lane << suit) & ~card
