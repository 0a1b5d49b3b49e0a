"""One hand of the solo game: a player against the jokers that lie among the cards.

The player draws and discards alone, through the same view and decisions as against an opponent, whose
fields are empty. A knock or gin turns the stock over until a joker appears: so many cards, so many
points. A joker too many ends the hand for the joker. Rules: RULES, section A3.

The order of the cards is that of the same hand of a two-player game; only the places of the jokers are
drawn beside it, place by place, so that no deck of more than 52 cards is needed: with ``c`` cards and
``j`` jokers left the next one is a joker with probability ``j / (c + j)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim._jit import Record, from_dtype, kernel, popcount, typed_kernel, types
from sim.deadwood import best_discard, least_deadwood
from sim.deal import MAX_STREAK, MAX_TURNS
from sim.hand import BAD_CARD, BAD_GIN, BAD_KNOCK, NO_FAULT
from sim.solo_rules import ANY_DISCARD, BEFORE_DEAL, ELEVEN, SOLO_RULES
from sim.streams import CARD_PLACES, below, decision_key, deck_key, joker_key, place_card, word
from sim.tables import MELDS
from sim.view import DECISIONS, VIEW, start_view

SOLO_ENDINGS = ("none", "solo_knock", "solo_gin", "solo_second_joker", "void", "capped")
"""How a solo hand ends; the engine's codes are the positions.

`solo_second_joker` is the joker that ends the hand, whichever that is by ``solo.end_on_joker``; `void`
needs a stock without jokers (``solo.jokers_enter=before_deal``) or a dead stock; `capped` as in `sim.hand`.
"""

SOLO_GOING, SOLO_KNOCK, SOLO_GIN, SOLO_JOKER, SOLO_VOID, SOLO_CAPPED = range(len(SOLO_ENDINGS))

# What a decision's random word is for; it is word 4 * turns + kind of the player's key.
_DRAW, _KNOCK, _DISCARD = range(3)

SOLO_HAND_DTYPE = np.dtype(
    [
        ("deck", "i1", (52,)),  # bits of the cards, decided as far as `place`
        ("place", "i8"),  # the next place of the deck
        ("key", "i8"),  # key of the deck
        ("joker_key", "i8"),  # key of the places of the jokers
        ("joker_words", "i8"),  # words of that key used so far
        ("decisions", "i8"),  # key of the player's words
        ("cards", "i8"),  # cards left in the stock, jokers not counted
        ("jokers", "i8"),  # jokers left in the stock
        ("out", "i8"),  # jokers removed, in the deal too
        ("jokers_drawn", "i8"),  # jokers removed in play
        ("upcard", "i8"),  # top of the discard pile, one bit; 0: there is none
        ("pile", "i8"),  # the discard pile
        ("began", "i8"),  # 1 if the turn that comes begins with the discard: the draw is done
        ("turns", "i8"),  # turns played
        ("streak", "i8"),  # draws from the discard pile since the last draw from the stock
        ("ending", "i8"),  # code of `SOLO_ENDINGS`
        ("points_player", "i8"),
        ("points_joker", "i8"),
        ("deadwood", "i8"),  # least deadwood of the ten cards at the end, if they were shown; else 0
        ("turned", "i8"),  # cards turned over at the end, the joker included
        ("drawn", "i8"),  # the card drawn this turn, or in the last one; 0: only a joker
        ("from_discard", "i8"),  # 1 if it came from the discard pile
        ("discard", "i8"),  # the last discard; 0 if the turn had none
        ("fault", "i8"),  # code of `sim.hand.FAULTS`
    ],
    align=True,
)

SOLO_HAND = from_dtype(SOLO_HAND_DTYPE)


@kernel
def _joker_comes(state: Record) -> bool:
    """Tell whether the next card of the stock is a joker, and remove it if so."""
    if state.jokers == 0:
        return False
    number = below(state.joker_key, state.joker_words, state.cards + state.jokers)
    state.joker_words += 1
    if number < state.jokers:
        state.jokers -= 1
        return True
    return False


@kernel
def _next_card(state: Record, allowed: int) -> int:
    """Draw the next card of the deck of these rules, as a one-bit mask."""
    while True:
        card = 1 << place_card(state.deck, state.place, state.key)
        state.place += 1
        if card & allowed:
            state.cards -= 1
            return card


@kernel
def _dealt_card(state: Record, allowed: int) -> int:
    """Deal a card; a joker that comes instead is laid aside and replaced."""
    while _joker_comes(state):
        state.out += 1
    return _next_card(state, allowed)


@kernel
def deal_solo_hand(state: Record, view: Record, rules: Record, hand: int) -> None:
    """Deal a hand: the player's cards, then the upcard or his eleventh card.

    Parameters
    ----------
    state : record of `SOLO_HAND_DTYPE`
    view : record of `VIEW_DTYPE`
    rules : record of `SOLO_RULES_DTYPE`
    hand : int
        Key of the hand.
    """
    for place in range(52):
        state.deck[place] = CARD_PLACES[place]
    state.place = 0
    state.key = deck_key(hand)
    state.joker_key = joker_key(hand)
    state.joker_words = 0
    state.decisions = decision_key(hand, 0, 0)
    state.cards = popcount(rules.deck)
    state.jokers = rules.jokers if rules.jokers_enter == BEFORE_DEAL else 0
    state.out = 0
    cards = 0
    for _ in range(rules.hand_size):
        cards |= _dealt_card(state, rules.deck)
    last = _dealt_card(state, rules.deck)
    if rules.jokers_enter != BEFORE_DEAL:
        state.jokers = rules.jokers
    state.began = 1 if rules.start == ELEVEN else 0
    state.upcard = 0 if state.began else last
    state.pile = state.upcard
    state.drawn = last if state.began else 0
    state.jokers_drawn = 0
    state.turns = 0
    state.streak = 0
    state.ending = SOLO_GOING
    state.points_player = 0
    state.points_joker = 0
    state.deadwood = 0
    state.turned = 0
    state.from_discard = 0
    state.discard = 0
    state.fault = NO_FAULT
    view.hand = cards
    # The eleventh card is in no other place, so it may count as seen before the first turn shows it.
    start_view(view, rules.deck & ~state.drawn, state.upcard, False, rules.knock_limit, 1)
    view.stock = state.cards + state.jokers


@kernel
def turn_over(state: Record, count_joker: bool) -> int:
    """Turn the stock over to its first joker, or to its end, and return the player's points."""
    points = 0
    while state.cards + state.jokers > 0:
        state.turned += 1
        if _joker_comes(state):
            return points + 1 if count_joker else points
        state.cards -= 1
        points += 1
    return points


@kernel
def _draw_from_stock(state: Record, rules: Record) -> int:
    """Draw until a card comes, a joker ends the hand or its turn, or the stock is down; 0: no card."""
    state.streak = 0
    while state.cards + state.jokers > rules.dead_stock:
        if not _joker_comes(state):
            return _next_card(state, rules.deck)
        state.out += 1
        state.jokers_drawn += 1
        if state.out >= rules.end_on_joker:
            state.ending = SOLO_JOKER
            return 0
        if rules.replace_drawn_joker == 0:
            return 0
    state.ending = SOLO_VOID
    return 0


@typed_kernel(types.void(SOLO_HAND, VIEW, SOLO_RULES, MELDS, DECISIONS, types.int64))
def play_solo_hand(
    state: Record, view: Record, rules: Record, melds: Record, player: Any, until: int
) -> None:
    """Play on from where the state stands until the hand ends or ``until`` turns have been played.

    Parameters
    ----------
    state : record of `SOLO_HAND_DTYPE`
        After the call ``state.ending`` is 0 if the hand goes on, ``state.fault`` is not 0 if the
        strategy did what it may not.
    view : record of `VIEW_DTYPE`
    rules : record of `SOLO_RULES_DTYPE`
    melds : record of `MELDS_DTYPE`
    player : tuple of functions
        The decisions of the player, see `sim.view.DECISIONS`.
    until : int
        Turns after which to stop.
    """
    # What the engine goes by is kept here while it runs: a strategy that writes to its view fools itself.
    mine = view.hand
    while state.turns < until and state.ending == SOLO_GOING:
        turns = state.turns
        view.turn = turns + 1
        view.hand = mine
        view.stock = state.cards + state.jokers
        view.upcard = state.upcard
        view.pile = state.pile
        take = False
        if state.began:
            take = state.from_discard == 1
        else:
            if state.upcard != 0 and (turns == 0 or rules.draw_from_discard == ANY_DISCARD):
                view.random = word(state.decisions, 4 * turns + _DRAW)
                take = player[0](view)
            if take:
                state.drawn = state.upcard
                state.pile ^= state.upcard
                state.upcard = 0
                state.streak += 1
            else:
                state.drawn = _draw_from_stock(state, rules)
            state.from_discard = 1 if take else 0
        state.began = 0
        state.discard = 0
        hand = mine | state.drawn
        banned = state.drawn if take and rules.may_discard_taken == 0 else 0
        view.hand = hand
        view.pile = state.pile
        view.unseen = rules.deck & ~(hand | state.pile)
        view.stock = state.cards + state.jokers
        view.drawn = state.drawn
        view.from_discard = state.from_discard
        view.banned = banned
        ends = False
        if state.drawn != 0:
            deadwood, cards = best_discard(hand, banned, melds)
            view.best_deadwood = deadwood
            view.best_discards = cards
            must_gin = deadwood == 0 and rules.gin_compulsory == 1
            if must_gin:
                ends = True
                view.limit = 0
            elif deadwood <= rules.knock_limit:
                view.random = word(state.decisions, 4 * turns + _KNOCK)
                ends = player[1](view)
            view.ending = 1 if ends else 0
            view.random = word(state.decisions, 4 * turns + _DISCARD)
            discard = player[2](view)
            view.limit = rules.knock_limit
            state.discard = discard
            if discard & (discard - 1) != 0 or discard & hand & ~banned == 0:
                state.fault = BAD_CARD
                mine = hand
                break
            mine = hand ^ discard
            view.hand = mine
            if discard & cards == 0:
                deadwood = least_deadwood(mine, melds)
            if ends:
                if deadwood > rules.knock_limit:
                    state.fault = BAD_KNOCK
                    break
                if must_gin and deadwood > 0:
                    state.fault = BAD_GIN
                    break
                state.ending = SOLO_GIN if deadwood == 0 else SOLO_KNOCK
                state.deadwood = deadwood
                state.points_joker = deadwood
                state.points_player = turn_over(state, rules.count_joker_card == 1)
            else:
                state.upcard = discard
                state.pile |= discard
        state.turns += 1
        if state.ending == SOLO_JOKER:
            state.deadwood = least_deadwood(mine, melds)
            state.points_joker = state.deadwood
        elif state.ending == SOLO_GOING:
            if state.cards + state.jokers <= rules.dead_stock:
                state.ending = SOLO_VOID
            elif state.streak >= MAX_STREAK or state.turns >= MAX_TURNS:
                state.ending = SOLO_CAPPED
    view.hand = mine
    view.turn = state.turns + 1
    view.upcard = state.upcard
    view.pile = state.pile
