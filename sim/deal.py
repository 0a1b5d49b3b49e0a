"""The state of a hand, and how it begins: the deal, the limit card, the first turn, a new stock.

The state is a record, the cards of the players are in their views; so a hand can be stopped after any
turn, looked at, copied and gone on with (`sim.hand.play_hand`). Rules: RULES, sections A and C.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim._jit import Record, from_dtype, kernel, lowest_bit_index, popcount
from sim.rules import LIMIT_FIXED, LIMIT_SEPARATE, OPENING_ELEVEN, OPENING_FREE
from sim.scoring import GOING, NOBODY, hand_multiplier, knock_limit
from sim.streams import CARD_PLACES, decision_key, deck_key, limit_card, place_card, reshuffle_key
from sim.view import start_view

MAX_STREAK = 100
"""Upcard draws in a row, without a draw from the stock, after which a hand ends `capped`."""
MAX_TURNS = 400
"""Turns after which a hand ends `capped`."""
MAX_OWN_TURNS = MAX_TURNS // 2

# Where the hand stands when a player is to act.
OFFER_FIRST, OFFER_SECOND, FORCED_STOCK, NORMAL, DRAWN, LAST_DISCARD = range(6)

HAND_DTYPE = np.dtype(
    [
        ("deck", "i1", (52,)),  # bits of the cards, decided as far as `place`
        ("place", "i8"),  # the next place of the deck
        ("key", "i8"),  # key of the deck, as last shuffled
        ("first_key", "i8"),  # key of the deck as dealt, once it has been shuffled again
        ("reshuffles", "i8"),  # times the discard pile became the stock
        ("limit_card", "i8"),  # the card that sets the limit, one bit; 0: the rules fix it
        ("limit", "i8"),  # most deadwood that may knock
        ("multiplier", "i8"),  # factor on the score of the hand
        ("decisions", "i8", (2,)),  # keys of the words of side A and B
        ("allowed", "i8"),  # the cards these rules play with
        ("stock", "i8"),  # cards left in the stock
        ("upcard", "i8"),  # top of the discard pile
        ("pile", "i8"),  # the discard pile
        ("phase", "i8"),  # OFFER_FIRST ... LAST_DISCARD
        ("player", "i8"),  # side to act
        ("turns", "i8"),  # turns played by both
        ("streak", "i8"),  # upcard draws since the last draw from the stock
        ("history", "i8"),  # hash of all draws and discards, by which equal hands are known
        ("upcard_draws", "i8", (2,)),  # by side
        ("first_legal", "i8", (2,)),  # own turn of the first legal knock by side; 0: none
        ("declines", "i8", (2,)),  # legal knocks declined, by side
        ("declined", "i4", (2, MAX_OWN_TURNS)),  # each as own turn << 8 | least deadwood
        ("taken", "i8"),  # the knock that ended the hand, the same way; 0: none
        ("ending", "i8"),  # code of `sim.scoring.ENDINGS`
        ("knocker", "i8"),  # side that ended the hand, -1: nobody
        ("winner", "i8"),  # side that wins the box, -1: nobody
        ("points", "i8"),  # of the winner
        ("boxes", "i8"),  # of the winner
        ("payoff", "i8", (2,)),  # reward by side, in hundredths, where the rules pay one beside the points
        ("knocker_deadwood", "i8"),
        ("defender_deadwood", "i8"),  # after lay-offs
        ("drawn", "i8"),  # the card drawn this turn, or the last one
        ("from_discard", "i8"),  # 1 if it was the upcard
        ("discard", "i8"),  # the last discard; 0 with a big gin
        ("sets", "i8"),  # cards the knocker shows as sets
        ("layoffs", "i8"),  # cards the defender laid off
        ("fault", "i8"),  # code of `FAULTS`, made by the side `player`
        # A fork: side A declines its legal knocks before the one of this number and takes that one, whatever
        # its strategy answers; 0: it does as it answers. No deal changes it.
        ("take_at", "i8"),
        ("asked", "i8"),  # what its strategy answered last, 1 for a knock, while `take_at` decides
    ],
    align=True,
)

HAND = from_dtype(HAND_DTYPE)


def new_hand() -> Any:
    """Return an empty hand record.

    Returns
    -------
    numpy.record of `HAND_DTYPE`
    """
    return np.zeros(1, HAND_DTYPE).view(np.recarray)[0]


@kernel
def next_card(state: Record) -> int:
    """Deal the next card that is in the deck of these rules, as a one-bit mask."""
    while True:
        card = 1 << place_card(state.deck, state.place, state.key)
        state.place += 1
        if card & state.allowed:
            return card


@kernel
def deal_hand(
    state: Record,
    view_a: Record,
    view_b: Record,
    rules: Record,
    hand: int,
    game: int,
    packet_a: int,
    dealer: int,
) -> None:
    """Deal a hand: cards to packet 0 and 1 in turn, then the upcard or the non-dealer's eleventh card.

    Parameters
    ----------
    state : record of `HAND_DTYPE`
    view_a, view_b : record of `VIEW_DTYPE`
    rules : record of `RULES_DTYPE`
    hand : int
        Key of the hand.
    game : int
        0 or 1, the game of the pair.
    packet_a : int
        Packet of side A.
    dealer : int
        Side that deals; the other side acts first.
    """
    for place in range(52):
        state.deck[place] = CARD_PLACES[place]
    state.place = 0
    state.key = deck_key(hand)
    state.allowed = rules.deck
    first = 0
    second = 0
    for _ in range(rules.hand_size):
        first |= next_card(state)
        second |= next_card(state)
    view_a.hand = first if packet_a == 0 else second
    view_b.hand = second if packet_a == 0 else first
    card = next_card(state)
    if rules.opening == OPENING_ELEVEN:
        state.upcard = 0
        state.drawn = card
    else:
        state.upcard = card
    state.limit_card = 0
    if rules.knock_limit_source == LIMIT_SEPARATE:
        number = limit_card(hand, rules.ranks * rules.suits)
        state.limit_card = 1 << (number // rules.ranks * 16 + number % rules.ranks)
    elif rules.knock_limit_source != LIMIT_FIXED:
        state.limit_card = state.upcard
    start_hand(state, view_a, view_b, rules, hand, game, packet_a, dealer)


@kernel
def start_hand(
    state: Record,
    view_a: Record,
    view_b: Record,
    rules: Record,
    hand: int,
    game: int,
    packet_a: int,
    dealer: int,
) -> None:
    """Begin a hand whose cards lie in the views, and whose upcard and limit card lie in the state.

    With the opening `eleven_ten` there is no upcard; the non-dealer's eleventh card lies in ``drawn``.
    """
    state.limit = knock_limit(state.limit_card, rules)
    state.multiplier = hand_multiplier(state.limit_card, rules)
    state.decisions[0] = decision_key(hand, game, packet_a)
    state.decisions[1] = decision_key(hand, game, 1 - packet_a)
    state.pile = state.upcard
    state.stock = popcount(rules.deck) - 2 * rules.hand_size - 1
    state.phase = OFFER_FIRST
    if rules.opening == OPENING_FREE:
        state.phase = NORMAL
    elif rules.opening == OPENING_ELEVEN:
        state.phase = DRAWN
    if rules.opening != OPENING_ELEVEN:
        state.drawn = 0
    state.player = 1 - dealer
    clear_record(state)
    start_view(view_a, rules.deck, state.upcard, dealer == 0, state.limit, state.multiplier)
    start_view(view_b, rules.deck, state.upcard, dealer == 1, state.limit, state.multiplier)


@kernel
def clear_record(state: Record) -> None:
    """Forget what has been played in a hand and how it ended."""
    state.reshuffles = 0
    state.turns = 0
    state.streak = 0
    state.history = 0
    state.taken = 0
    state.ending = GOING
    state.knocker = NOBODY
    state.winner = NOBODY
    state.points = 0
    state.boxes = 0
    state.fault = 0
    state.from_discard = 0
    state.discard = 0
    state.layoffs = 0
    for side in range(2):
        state.upcard_draws[side] = 0
        state.first_legal[side] = 0
        state.declines[side] = 0
        state.payoff[side] = 0


@kernel
def reshuffle(state: Record, view_a: Record, view_b: Record, a: int, b: int, top: int) -> int:
    """Shuffle all cards outside the hands but the top discard into a new stock; return its size.

    ``a`` and ``b`` are the cards of the sides. Nobody knows any longer which cards had been thrown.
    """
    if state.reshuffles == 0:
        state.first_key = state.key
    cards = state.allowed & ~(a | b | top)
    stock = popcount(cards)
    state.place = 52 - stock
    for place in range(52 - stock, 52):
        state.deck[place] = lowest_bit_index(cards)
        cards &= cards - 1
    state.key = reshuffle_key(state.first_key, state.reshuffles)
    state.reshuffles += 1
    view_a.pile = top
    view_b.pile = top
    view_a.unseen = state.allowed & ~(a | top | view_a.known)
    view_b.unseen = state.allowed & ~(b | top | view_b.known)
    return stock
