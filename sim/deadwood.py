"""Kernels on melds: least deadwood, arrangements, best discards.

Only the ranks held three or four times need a choice, and most of those need none: when no card of
the rank lies in any possible run, melding the whole rank costs nothing. What remains, the
*contested* ranks, is enumerated; a hand of 11 cards has at most three. So deadwood is four table
look-ups for most hands, and a few times that for the rest.

Kernels take the tables of `sim.tables` as their last argument and check nothing; `sim.melds` is the
library over them.
"""

from __future__ import annotations

from sim._jit import (
    Array,
    Record,
    inlined_kernel,
    int64,
    kernel,
    lowest_bit_index,
    popcount,
    typed_kernel,
    types,
)
from sim.cards import COLUMN, LANE
from sim.tables import ACES, GAIN_ZERO, MELDS, TWOS

MAX_CARDS = 11
"""Cards in hand after the draw; three ranks at most are held three times among so many."""


# --- kernels: what a hand is worth ---------------------------------------------------------------


@kernel
def pips(cards: int, melds: Record) -> int:
    """Points of all the cards, melded or not."""
    return (
        melds.pips[cards & LANE]
        + melds.pips[cards >> 16 & LANE]
        + melds.pips[cards >> 32 & LANE]
        + melds.pips[cards >> 48 & LANE]
    )


@kernel
def set_ranks(hand: int) -> int:
    """Ranks held three or four times, as 13 bits."""
    s = hand & LANE
    h = hand >> 16 & LANE
    d = hand >> 32 & LANE
    c = hand >> 48
    return s & h & (d | c) | d & c & (s | h)


@kernel
def four_ranks(hand: int) -> int:
    """Ranks held four times, as 13 bits."""
    return hand & hand >> 16 & hand >> 32 & hand >> 48 & LANE


@kernel
def run_cards(hand: int, melds: Record) -> int:
    """Return the cards of the hand that lie in any possible run."""
    if melds.high == 0:
        starts = hand & hand >> 1 & hand >> 2
        return starts | starts << 1 | starts << 2
    # The ace, and round the corner the two, stand again above the king.
    long = hand | (hand & (melds.high | melds.corner)) << 13
    starts = long & long >> 1 & long >> 2
    runs = starts | starts << 1 | starts << 2
    return (runs | runs >> 13 & (ACES | TWOS)) & hand


@kernel
def meldable(hand: int, melds: Record) -> int:
    """Return the cards of the hand that lie in any possible meld."""
    return run_cards(hand, melds) | set_ranks(hand) * COLUMN & hand


@kernel
def _ranks_of(cards: int) -> int:
    """Ranks that occur among the cards, as 13 bits."""
    folded = cards | cards >> 32
    return (folded | folded >> 16) & LANE


@kernel
def _suits_deadwood(rest: int, melds: Record) -> int:
    """Deadwood when only runs are melded."""
    return (
        (melds.suit[rest & LANE] & 255)
        + (melds.suit[rest >> 16 & LANE] & 255)
        + (melds.suit[rest >> 32 & LANE] & 255)
        + (melds.suit[rest >> 48 & LANE] & 255)
    )


@kernel
def _lowest_column(hand: int, ranks: int) -> int:
    """Return the cards of the hand of the lowest rank in ``ranks``; none when there is no rank."""
    return hand & (ranks & -ranks) * COLUMN


@kernel
def _set_choices(column: int) -> int:
    """Count the ways to use a rank as a set: not at all, whole, or three of four."""
    if column == 0:
        return 1
    return 6 if popcount(column) == 4 else 2


@kernel
def _set_choice(column: int, choice: int) -> int:
    """Return the cards melded in the given way: 0 none, 1 all, 2-5 all but that of one suit."""
    if choice < 2:
        return column if choice else 0
    return column & ~(LANE << 16 * (choice - 2))


@kernel
def _contested_columns(hand: int, contested: int) -> tuple[int, int, int]:
    """Split the contested ranks into three columns of cards; what is not there is 0."""
    first = _lowest_column(hand, contested)
    contested &= contested - 1
    second = _lowest_column(hand, contested)
    contested &= contested - 1
    return first, second, _lowest_column(hand, contested)


@kernel
def _contested_deadwood(hand: int, rest: int, contested: int, melds: Record) -> tuple[int, int]:
    """Least deadwood over all ways to use the contested ranks; and how many ways reach it."""
    first, second, third = _contested_columns(hand, contested)
    best = 1 << 30
    ways = 0
    for i in range(_set_choices(first)):
        one = _set_choice(first, i)
        for j in range(_set_choices(second)):
            two = one | _set_choice(second, j)
            for k in range(_set_choices(third)):
                value = _suits_deadwood(rest ^ (two | _set_choice(third, k)), melds)
                if value < best:
                    best = value
                    ways = 1
                elif value == best:
                    ways += 1
    return best, ways


@inlined_kernel
def least_deadwood(hand: int, melds: Record) -> int:
    """Least deadwood of a hand of 0-11 cards, in points (0-98 for ten cards, ace 1)."""
    ranks = set_ranks(hand)
    contested = ranks & _ranks_of(run_cards(hand, melds))
    rest = hand & ~((ranks ^ contested) * COLUMN)
    if contested == 0:
        return _suits_deadwood(rest, melds)
    column = _lowest_column(hand, contested)
    if column == hand & contested * COLUMN and popcount(column) == 3:
        return min(_suits_deadwood(rest, melds), _suits_deadwood(rest ^ column, melds))
    return _contested_deadwood(hand, rest, contested, melds)[0]


@kernel
def count_arrangements(hand: int, melds: Record) -> int:
    """Count the least-deadwood arrangements; two differ when other cards are melded as sets."""
    ranks = set_ranks(hand)
    contested = ranks & _ranks_of(run_cards(hand, melds))
    if contested == 0:
        return 1
    rest = hand & ~((ranks ^ contested) * COLUMN)
    return _contested_deadwood(hand, rest, contested, melds)[1]


@kernel
def arrangement_sets(hand: int, index: int, melds: Record) -> int:
    """Return the cards melded as sets in a least-deadwood arrangement; index 0 has the lowest mask."""
    ranks = set_ranks(hand)
    contested = ranks & _ranks_of(run_cards(hand, melds))
    always = hand & (ranks ^ contested) * COLUMN
    if contested == 0:
        return always
    rest = hand ^ always
    best = _contested_deadwood(hand, rest, contested, melds)[0]
    first, second, third = _contested_columns(hand, contested)
    lower = -1
    for _ in range(index + 1):  # the next mask in order, until the one asked for
        found = 1 << 62
        for i in range(_set_choices(first)):
            one = _set_choice(first, i)
            for j in range(_set_choices(second)):
                two = one | _set_choice(second, j)
                for k in range(_set_choices(third)):
                    sets = two | _set_choice(third, k)
                    if lower < sets < found and _suits_deadwood(rest ^ sets, melds) == best:
                        found = sets
        lower = found
    return lower | always


@kernel
def arrangement_runs(rest: int, melds: Record) -> int:
    """Return the cards melded in runs once the sets are taken out; bit 13 of a lane is a high ace."""
    return (
        melds.runs[rest & LANE]
        | int64(melds.runs[rest >> 16 & LANE]) << 16
        | int64(melds.runs[rest >> 32 & LANE]) << 32
        | int64(melds.runs[rest >> 48 & LANE]) << 48
    )


# --- kernels: discards ---------------------------------------------------------------------------


@kernel
def _suit_without(lane: int, banned: int, melds: Record) -> int:
    """Return the table entry of one suit when some of its cards may not be discarded."""
    deadwood = melds.suit[lane] & 255
    best_gain = -GAIN_ZERO
    cards = 0
    left = lane & ~banned
    while left:
        card = left & -left
        left ^= card
        gain = deadwood - (melds.suit[lane ^ card] & 255)
        if gain > best_gain:
            best_gain = gain
            cards = card
        elif gain == best_gain:
            cards |= card
    return int64(deadwood | (best_gain + GAIN_ZERO) << 8 | cards << 16)


@inlined_kernel
def _discard_from(rest: int, banned: int, melds: Record) -> tuple[int, int]:
    """Least deadwood after one discard out of ``rest``, only runs melded; and the cards reaching it."""
    lane_s = rest & LANE
    lane_h = rest >> 16 & LANE
    lane_d = rest >> 32 & LANE
    lane_c = rest >> 48 & LANE
    s = int64(melds.suit[lane_s])
    h = int64(melds.suit[lane_h])
    d = int64(melds.suit[lane_d])
    c = int64(melds.suit[lane_c])
    if banned:
        # A banned card matters only where it stands among the best of its suit.
        if s >> 16 & banned & LANE:
            s = _suit_without(lane_s, banned & LANE, melds)
        if h >> 16 & banned >> 16 & LANE:
            h = _suit_without(lane_h, banned >> 16 & LANE, melds)
        if d >> 16 & banned >> 32 & LANE:
            d = _suit_without(lane_d, banned >> 32 & LANE, melds)
        if c >> 16 & banned >> 48 & LANE:
            c = _suit_without(lane_c, banned >> 48 & LANE, melds)
    total = (s & 255) + (h & 255) + (d & 255) + (c & 255)
    gain_s = s >> 8 & 255
    gain_h = h >> 8 & 255
    gain_d = d >> 8 & 255
    gain_c = c >> 8 & 255
    gain = max(max(gain_s, gain_h), max(gain_d, gain_c))
    cards = (
        (s >> 16 if gain_s == gain else 0)
        | ((h >> 16) << 16 if gain_h == gain else 0)
        | ((d >> 16) << 32 if gain_d == gain else 0)
        | ((c >> 16) << 48 if gain_c == gain else 0)
    )
    return total - gain + GAIN_ZERO, cards


@kernel
def _contested_discard(hand: int, rest: int, contested: int, banned: int, melds: Record) -> tuple[int, int]:
    """Best discard over all ways to use the contested ranks; the cards are united over the best."""
    first, second, third = _contested_columns(hand, contested)
    best = 1 << 30
    cards = 0
    for i in range(_set_choices(first)):
        one = _set_choice(first, i)
        for j in range(_set_choices(second)):
            two = one | _set_choice(second, j)
            for k in range(_set_choices(third)):
                left = rest ^ (two | _set_choice(third, k))
                if left & ~banned:
                    value, reach = _discard_from(left, banned, melds)
                    if value < best:
                        best = value
                        cards = reach
                    elif value == best:
                        cards |= reach
    return best, cards


@inlined_kernel
def best_discard(hand: int, banned: int, melds: Record) -> tuple[int, int]:
    """Least deadwood after a discard that is not banned, and the mask of all cards that reach it.

    A rank held three times outside every run is melded without a choice, when eleven cards are held
    and at most one is banned. Throwing one of its cards would leave the other two of v points each,
    so D + 2v, D being the deadwood of the remaining eight cards; and a discard among those eight
    never costs: if all are melded (or all but a banned one, which leaves seven), one of their melds
    has four cards or more and can spare an end; else some other unmelded card can go. The same holds
    after two and three such ranks. With other numbers of cards every rank is a choice.
    """
    ranks = set_ranks(hand)
    contested = ranks & (_ranks_of(run_cards(hand, melds)) | four_ranks(hand))
    if banned & (banned - 1) or popcount(hand) != MAX_CARDS:
        contested = ranks
    rest = hand & ~((ranks ^ contested) * COLUMN)
    if contested == 0:
        return _discard_from(rest, banned, melds)
    column = _lowest_column(hand, contested)
    if column == hand & contested * COLUMN and popcount(column) == 3:
        value, cards = _discard_from(rest, banned, melds)
        other, more = _discard_from(rest ^ column, banned, melds)
        if other > value:
            more = 0
        if value > other:
            cards = 0
        return min(value, other), cards | more
    return _contested_discard(hand, rest, contested, banned, melds)


@kernel
def card_points(card: int, ace_value: int) -> int:
    """Return the points of one card."""
    rank = lowest_bit_index(card) & 15
    return ace_value if rank == 0 else min(rank + 1, 10)


@kernel
def highest_card(cards: int, ace_value: int) -> int:
    """Return the card of most points of a non-empty mask; ties go to the highest bit."""
    best = 0
    most = -1
    while cards:
        card = cards & -cards
        cards ^= card
        value = card_points(card, ace_value)
        if value >= most:
            most = value
            best = card
    return best


@typed_kernel(types.void(types.int64[::1], types.int16[::1], MELDS))
def fill_deadwood(hands: Array, out: Array, melds: Record) -> None:
    """Fill ``out`` with the least deadwood of each hand."""
    for i in range(hands.size):
        out[i] = least_deadwood(hands[i], melds)


@typed_kernel(types.void(types.int64[::1], types.int16[::1], types.int64[::1], MELDS))
def fill_best_discard(hands: Array, out: Array, cards: Array, melds: Record) -> None:
    """Fill ``out`` and ``cards`` with `best_discard` of each hand."""
    for i in range(hands.size):
        out[i], cards[i] = best_discard(hands[i], 0, melds)
