"""One hand, from any legal state: draws, discards, and how it ends.

Rules: RULES, sections A and C, and the engine's duties at the end of section C. A turn is a draw with the
discard that follows; a pass on the first upcard is none.
"""

from __future__ import annotations

from typing import Any

from sim._jit import Record, kernel, popcount, typed_kernel, types
from sim.deadwood import (
    arrangement_runs,
    arrangement_sets,
    best_discard,
    count_arrangements,
    least_deadwood,
    pips,
)
from sim.deal import (
    DRAWN,
    FORCED_STOCK,
    HAND,
    LAST_DISCARD,
    MAX_STREAK,
    MAX_TURNS,
    NORMAL,
    next_card,
    reshuffle,
)
from sim.layoff import open_set_cards
from sim.rules import PAYOFF_RLCARD, WALL_KNOCK, WALL_RESHUFFLE, WALL_VOID
from sim.scoring import (
    CAPPED,
    GOING,
    NOBODY,
    UNDERCUT,
    VOID,
    benchmark_reward,
    boxes_won,
    hand_result,
)
from sim.streams import absorb, follow, word
from sim.tables import MELDS
from sim.view import DECISIONS, LAYOFF, RULES, VIEW

# What a decision's random word is for; it is word 4 * turns + kind of the player's key.
_DRAW, _KNOCK, _DISCARD, _SHOW = range(4)

FAULTS = (
    "",
    "discards a card it may not discard",
    "ends the hand with a discard that leaves more than the limit",
    "chooses a spread that is not among its arrangements",
    "must go gin and throws a card that leaves deadwood",
)
NO_FAULT, BAD_CARD, BAD_KNOCK, BAD_SPREAD, BAD_GIN = range(len(FAULTS))


@kernel
def _can_end(mine: int, upcard: int, limit: int, rules: Record, melds: Record) -> bool:
    """Tell whether who takes the upcard can end the hand at once."""
    hand = mine | upcard
    deadwood, _ = best_discard(hand, 0 if rules.may_discard_taken == 1 else upcard, melds)
    return deadwood <= limit or (rules.big_gin_bonus >= 0 and least_deadwood(hand, melds) == 0)


@kernel
def _pay(state: Record, a: int, b: int, melds: Record) -> None:
    """Pay the benchmark's reward for an ended hand in which the sides hold ``a`` and ``b``."""
    gin = state.knocker_deadwood == 0
    state.payoff[0] = benchmark_reward(state.knocker == 0, gin, least_deadwood(a, melds))
    state.payoff[1] = benchmark_reward(state.knocker == 1, gin, least_deadwood(b, melds))


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
    state.points = points * state.multiplier
    if winner != NOBODY:
        state.boxes = boxes_won(ending, state.multiplier, rules)
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
        strategy did what it may not. A hand that has ended is left as it is.
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
    if state.ending != GOING:
        return
    player = state.player
    phase = state.phase
    upcard = state.upcard
    pile = state.pile
    turns = state.turns
    stock = state.stock
    history = state.history
    limit = state.limit
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
        view.other_turn = your_turn
        view.shown = other.known
        view.left = other.declined
        view.thrown = other.last_discard
        take = False
        must_end = False
        if phase == DRAWN:
            take = state.from_discard == 1
        elif phase != FORCED_STOCK:
            if phase == LAST_DISCARD and rules.wall_rule == WALL_KNOCK:
                must_end = True
                if not _can_end(mine, upcard, limit, rules, melds):
                    state.ending = VOID
                    break
            view.hand = mine
            view.upcard = upcard
            view.random = word(state.decisions[player], 4 * turns + _DRAW)
            take = a[0](view) if player == 0 else b[0](view)
        if phase == DRAWN:
            drawn = state.drawn
            view.unseen &= ~drawn
        elif take:
            drawn = upcard
            pile ^= drawn
            view.pile = pile
            other.pile = pile
            other.known |= drawn
            view.shown = other.known
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
            if phase == LAST_DISCARD:
                state.ending = VOID
                break
            drawn = next_card(state)
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
        if deadwood <= limit or big_gin:
            if state.first_legal[player] == 0:
                state.first_legal[player] = my_turn
            legal = my_turn << 8 | least
            if least == 0 and rules.gin_compulsory == 1:
                view.limit = 0  # the next deal sets it again
                ending = True
            elif must_end:
                ending = True
            else:
                view.random = word(state.decisions[player], 4 * turns + _KNOCK)
                ending = a[1](view) if player == 0 else b[1](view)
                if state.take_at > 0 and player == 0:
                    state.asked = 1 if ending else 0
                    ending = state.declines[0] + 1 == state.take_at
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
        history = follow(history, discard << 1 | from_discard)
        if ending:
            state.player = player
            state.turns = turns  # the words of this turn are still in use
            state.history = history
            if deadwood > limit:
                state.fault = BAD_KNOCK
                break
            if deadwood > least and least == 0 and rules.gin_compulsory == 1:
                state.fault = BAD_GIN
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
            if rules.wall_rule == WALL_RESHUFFLE:  # the rules leave more cards than the dead stock
                cards_a = mine if player == 0 else yours
                cards_b = yours if player == 0 else mine
                stock = reshuffle(state, view_a, view_b, cards_a, cards_b, upcard)
                pile = upcard
            elif rules.wall_rule == WALL_VOID:
                state.ending = VOID
                break
            else:
                phase = LAST_DISCARD
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
    if rules.payoff == PAYOFF_RLCARD and state.ending != GOING:
        _pay(state, view_a.hand, view_b.hand, melds)


@kernel
def layoff_pips(state: Record, melds: Record) -> int:
    """Points of the cards laid off."""
    return pips(state.layoffs, melds)


@kernel
def ending_side(state: Record) -> int:
    """Side under which the ending is counted: the undercut's winner, else who ended the hand."""
    return 1 - state.knocker if state.ending == UNDERCUT else state.knocker
