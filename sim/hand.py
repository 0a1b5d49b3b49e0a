"""One hand, from any legal state: opening, draws, discards, and how it ends.

The state is a record, the cards of the players are in their views; so a hand can be stopped after any
turn, looked at, copied and gone on with (`play_hand` takes the turn to stop at). Rules: RULES, sections
A and C, and the engine's duties at the end of section C.

A turn is a draw with the discard that follows; a pass on the first upcard is none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim._jit import Record, from_dtype, kernel, popcount, typed_kernel, types
from sim.deadwood import (
    arrangement_runs,
    arrangement_sets,
    best_discard,
    count_arrangements,
    least_deadwood,
    pips,
)
from sim.layoff import open_set_cards
from sim.scoring import CAPPED, GOING, NOBODY, UNDERCUT, VOID, hand_result
from sim.streams import CARD_PLACES, absorb, decision_key, deck_key, place_card, word
from sim.tables import MELDS
from sim.view import DECISIONS, LAYOFF, RULES, VIEW, start_view

MAX_STREAK = 100
"""Upcard draws in a row, without a draw from the stock, after which a hand ends `capped`."""
MAX_TURNS = 400
"""Turns after which a hand ends `capped`."""
MAX_OWN_TURNS = MAX_TURNS // 2

# Where the hand stands when a player is to act.
OFFER_FIRST, OFFER_SECOND, FORCED_STOCK, NORMAL, DRAWN = range(5)

# What a decision's random word is for; it is word 4 * turns + kind of the player's key.
_DRAW, _KNOCK, _DISCARD, _SHOW = range(4)

FAULTS = (
    "",
    "discards a card it may not discard",
    "ends the hand with a discard that leaves more than the limit",
    "chooses a spread that is not among its arrangements",
)
NO_FAULT, BAD_CARD, BAD_KNOCK, BAD_SPREAD = range(len(FAULTS))

HAND_DTYPE = np.dtype(
    [
        ("deck", "i1", (52,)),  # bits of the cards, decided as far as `place`
        ("place", "i8"),  # the next place of the deck
        ("key", "i8"),  # key of the deck
        ("decisions", "i8", (2,)),  # keys of the words of side A and B
        ("allowed", "i8"),  # the cards these rules play with
        ("stock", "i8"),  # cards left in the stock
        ("upcard", "i8"),  # top of the discard pile
        ("pile", "i8"),  # the discard pile
        ("phase", "i8"),  # OFFER_FIRST ... DRAWN
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
        ("knocker_deadwood", "i8"),
        ("defender_deadwood", "i8"),  # after lay-offs
        ("drawn", "i8"),  # the card drawn this turn, or the last one
        ("from_discard", "i8"),  # 1 if it was the upcard
        ("discard", "i8"),  # the last discard; 0 with a big gin
        ("sets", "i8"),  # cards the knocker shows as sets
        ("layoffs", "i8"),  # cards the defender laid off
        ("fault", "i8"),  # code of `FAULTS`, made by the side `player`
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
def _next_card(state: Record) -> int:
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
    """Deal a hand: cards to packet 0 and 1 in turn, then the upcard.

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
        first |= _next_card(state)
        second |= _next_card(state)
    view_a.hand = first if packet_a == 0 else second
    view_b.hand = second if packet_a == 0 else first
    state.upcard = _next_card(state)
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
    """Begin a hand whose cards lie in the views and whose upcard lies in the state."""
    state.decisions[0] = decision_key(hand, game, packet_a)
    state.decisions[1] = decision_key(hand, game, 1 - packet_a)
    state.pile = state.upcard
    state.stock = popcount(rules.deck) - 2 * rules.hand_size - 1
    state.phase = OFFER_FIRST
    state.player = 1 - dealer
    state.turns = 0
    state.streak = 0
    state.history = 0
    state.taken = 0
    state.ending = GOING
    state.knocker = NOBODY
    state.winner = NOBODY
    state.points = 0
    state.fault = NO_FAULT
    state.drawn = 0
    state.from_discard = 0
    state.discard = 0
    state.layoffs = 0
    for side in range(2):
        state.upcard_draws[side] = 0
        state.first_legal[side] = 0
        state.declines[side] = 0
    start_view(view_a, rules.deck, state.upcard, dealer == 0)
    start_view(view_b, rules.deck, state.upcard, dealer == 1)


@kernel
def _settle(
    state: Record,
    view: Record,
    other: Record,
    mine: int,
    yours: int,
    rules: Record,
    melds: Record,
    a: Any,
    b: Any,
    layoff: Any,
    deadwood: int,
) -> None:
    """End the hand by the player to act, who shows ``mine`` to the other's ``yours``."""
    knocker = state.player
    big_gin = popcount(mine) > rules.hand_size
    may_lay_off = deadwood > 0 or rules.layoff_on_gin == 1
    index = 0
    count = count_arrangements(mine, melds) if may_lay_off else 1
    if count > 1:
        view.random = word(state.decisions[knocker], 4 * state.turns + _SHOW)
        index = a[3](view, count) if knocker == 0 else b[3](view, count)
        if index < 0 or index >= count:
            state.fault = BAD_SPREAD
            return
    sets = arrangement_sets(mine, index, melds)
    off = 0
    if may_lay_off:
        other.hand = yours
        other.random = word(state.decisions[1 - knocker], 4 * state.turns + _SHOW)
        off = layoff(other, open_set_cards(sets), arrangement_runs(mine ^ sets, melds))
    left = least_deadwood(yours ^ off, melds)
    ending, winner, points = hand_result(deadwood, left, big_gin, rules)
    state.ending = ending
    state.knocker = knocker
    state.sets = sets
    state.winner = winner if winner == NOBODY else knocker ^ winner
    state.points = points * rules.spade_multiplier
    state.knocker_deadwood = deadwood
    state.defender_deadwood = left
    state.layoffs = off
    state.history = absorb(state.history, ending)


@typed_kernel(types.void(HAND, VIEW, VIEW, RULES, MELDS, DECISIONS, DECISIONS, LAYOFF, types.int64))
def play_hand(
    state: Record,
    view_a: Record,
    view_b: Record,
    rules: Record,
    melds: Record,
    a: Any,
    b: Any,
    layoff: Any,
    until: int,
) -> None:
    """Play on from where the state stands until the hand ends or ``until`` turns have been played.

    Parameters
    ----------
    state : record of `HAND_DTYPE`
        After the call ``state.ending`` is 0 if the hand goes on, ``state.fault`` is not 0 if a
        strategy did what it may not.
    view_a, view_b : record of `VIEW_DTYPE`
    rules : record of `RULES_DTYPE`
    melds : record of `MELDS_DTYPE`
    a, b : tuple of functions
        The decisions of the sides, see `sim.view.DECISIONS`.
    layoff : function
        The defender's lay-off rule, see `sim.view.LAYOFF`.
    until : int
        Turns of both players after which to stop.
    """
    player = state.player
    phase = state.phase
    upcard = state.upcard
    pile = state.pile
    turns = state.turns
    stock = state.stock
    history = state.history
    # What the engine goes by is kept here while it runs: a strategy that writes to its view fools itself.
    mine = view_a.hand if player == 0 else view_b.hand
    yours = view_b.hand if player == 0 else view_a.hand
    my_turn = view_a.turn if player == 0 else view_b.turn
    your_turn = view_b.turn if player == 0 else view_a.turn
    while turns < until:
        view = view_a if player == 0 else view_b
        other = view_b if player == 0 else view_a
        view.stock = stock
        view.turn = my_turn
        take = False
        if phase == DRAWN:
            take = state.from_discard == 1
        elif phase != FORCED_STOCK:
            view.hand = mine
            view.upcard = upcard
            view.random = word(state.decisions[player], 4 * turns + _DRAW)
            take = a[0](view) if player == 0 else b[0](view)
        if phase == DRAWN:
            drawn = state.drawn
        elif take:
            drawn = upcard
            pile ^= drawn
            view.pile = pile
            other.pile = pile
            other.known |= drawn
            state.streak += 1
            state.upcard_draws[player] += 1
        else:
            other.declined |= upcard
            if phase < FORCED_STOCK:
                phase += 1
                player ^= 1
                mine, yours = yours, mine
                my_turn, your_turn = your_turn, my_turn
                continue
            drawn = _next_card(state)
            stock -= 1
            view.stock = stock
            view.unseen &= ~drawn
            state.streak = 0
        phase = NORMAL
        hand = mine | drawn
        from_discard = 1 if take else 0
        banned = drawn if take and rules.may_discard_taken == 0 else 0
        state.drawn = drawn
        state.from_discard = from_discard
        view.hand = hand
        view.drawn = drawn
        view.from_discard = from_discard
        view.banned = banned

        deadwood, cards = best_discard(hand, banned, melds)
        # Fewer than ten cards (reduced decks) can all be melded and yet not spare one.
        big_gin = (
            rules.big_gin_bonus >= 0
            and (deadwood == 0 or rules.hand_size != 10)
            and least_deadwood(hand, melds) == 0
        )
        least = 0 if big_gin else deadwood
        view.best_deadwood = least
        view.best_discards = cards
        view.big_gin = 1 if big_gin else 0
        ending = False
        if deadwood <= rules.knock_limit or big_gin:
            if state.first_legal[player] == 0:
                state.first_legal[player] = my_turn
            legal = my_turn << 8 | least
            view.random = word(state.decisions[player], 4 * turns + _KNOCK)
            ending = a[1](view) if player == 0 else b[1](view)
            if ending:
                state.taken = legal
            else:
                state.declined[player, state.declines[player]] = legal
                state.declines[player] += 1
        discard = 0
        if not (ending and big_gin):
            view.ending = 1 if ending else 0
            view.random = word(state.decisions[player], 4 * turns + _DISCARD)
            discard = a[2](view) if player == 0 else b[2](view)
            if discard & (discard - 1) != 0 or discard & hand & ~banned == 0:
                state.fault = BAD_CARD
                state.discard = discard
                mine = hand
                break
            hand ^= discard
            if discard & cards == 0:
                deadwood = least_deadwood(hand, melds)
        else:
            deadwood = 0
        state.discard = discard
        view.hand = hand
        mine = hand
        history = absorb(history, discard << 1 | from_discard)
        if ending:
            state.player = player
            state.turns = turns  # the words of this turn are still in use
            state.history = history
            if deadwood > rules.knock_limit:
                state.fault = BAD_KNOCK
                break
            _settle(state, view, other, mine, yours, rules, melds, a, b, layoff, deadwood)
            if state.fault == NO_FAULT:
                turns += 1
            history = state.history
            break
        turns += 1
        my_turn += 1
        upcard = discard
        pile |= discard
        view.pile = pile
        other.pile = pile
        other.last_discard = discard
        other.known &= ~discard
        other.unseen &= ~discard
        if stock <= rules.dead_stock:
            state.ending = VOID
            break
        if state.streak >= MAX_STREAK or turns >= MAX_TURNS:
            state.ending = CAPPED
            break
        player ^= 1
        mine, yours = yours, mine
        my_turn, your_turn = your_turn, my_turn
    view_a.hand = mine if player == 0 else yours
    view_b.hand = yours if player == 0 else mine
    view_a.turn = my_turn if player == 0 else your_turn
    view_b.turn = your_turn if player == 0 else my_turn
    state.player = player
    state.phase = phase
    state.upcard = upcard
    state.pile = pile
    state.turns = turns
    state.stock = stock
    state.history = history


@kernel
def layoff_pips(state: Record, melds: Record) -> int:
    """Points of the cards laid off."""
    return pips(state.layoffs, melds)


@kernel
def ending_side(state: Record) -> int:
    """Side under which the ending is counted: the undercut's winner, else who ended the hand."""
    return 1 - state.knocker if state.ending == UNDERCUT else state.knocker
