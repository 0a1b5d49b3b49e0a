"""Hands to a game, games to a mirrored pair, pairs to a chunk.

Side A holds packet 0 in the first game of a pair and packet 1 in the second, whoever deals; the dealer
only decides who acts first. A dealer drawn at random is drawn as the holder of a packet, so the second
game exchanges the sides. Rules: RULES, section C.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim._jit import Array, Record, from_dtype, kernel, typed_kernel, types
from sim.hand import HAND, MAX_TURNS, deal_hand, play_hand
from sim.rules import (
    DEALER_FIXED,
    NEXT_ALTERNATE,
    NEXT_FIXED,
    NEXT_RANDOM,
    NEXT_WINNER,
    VOID_RANDOM,
    VOID_SAME,
)
from sim.scoring import NOBODY, is_shutout, winner_total
from sim.streams import FIRST_DEALER, NEXT_DEALER, VOID_DEALER, absorb, coin, hand_key, pair_key
from sim.tables import MELDS
from sim.tally import GROUPS, PAIR, TALLY_ROW, record_game, record_hand, record_pair
from sim.view import DECISIONS, LAYOFF, RULES, VIEW

MAX_HANDS = 10_000
"""Hands after which a game stops `unfinished`, half a win to each side."""

GAME_DTYPE = np.dtype(
    [
        ("start_scores", "i8", (2,)),  # points by side when the game begins
        ("start_dealer", "i8"),  # side that deals the first hand; -1: by the rules
        ("pair", "i8"),  # index of the pair
        ("key", "i8"),  # key of the pair
        ("game", "i8"),  # 0 or 1: side A holds the packet of that number
        ("hand", "i8"),  # hands dealt so far
        ("dealer", "i8"),  # side that deals the next hand, or the one being played
        ("first_dealer", "i8"),  # side that dealt the first hand
        ("scores", "i8", (2,)),  # points by side
        ("boxes", "i8", (2,)),  # hands won by side
        ("totals", "i8", (2,)),  # final totals, once the game is over
        ("winner", "i8"),  # side, or -1: nobody
        ("over", "i8"),  # 1 once the game is over
        ("history", "i8"),  # hash of all that was played
        ("behind", "i8", (2,)),  # the most points that each side has been behind by
        ("swing", "i8"),  # the most points a winner was behind by, of all games so far; -1: no winner
        ("swing_pair", "i8"),  # the first pair with such a game
        ("swing_game", "i8"),  # and the game
    ],
    align=True,
)
"""A game as it stands between two hands."""

GAME = from_dtype(GAME_DTYPE)


BY_RULES = -1


@kernel
def _first_dealer(state: Record, key: int, rules: Record) -> int:
    """Return the side that deals the first hand; every cut for the deal is a fair draw."""
    if state.start_dealer != BY_RULES:
        return state.start_dealer
    if rules.first_dealer == DEALER_FIXED:
        return 1
    return coin(key, 0, FIRST_DEALER) ^ state.game


@typed_kernel(types.void(GAME, types.int64, types.int64, types.int64, RULES))
def start_game(state: Record, seed: int, pair: int, game: int, rules: Record) -> None:
    """Set up game 0 or 1 of a pair at the scores and with the dealer that the state asks for."""
    state.pair = pair
    state.key = pair_key(seed, pair)
    state.game = game
    state.hand = 0
    state.dealer = _first_dealer(state, state.key, rules)
    state.first_dealer = state.dealer
    for side in range(2):
        state.scores[side] = state.start_scores[side]
        state.boxes[side] = 0
        state.totals[side] = 0
        state.behind[side] = max(0, state.start_scores[1 - side] - state.start_scores[side])
    state.winner = NOBODY
    state.over = 0
    state.history = 0


@typed_kernel(types.void(GAME, HAND, VIEW, VIEW, RULES))
def begin_hand(state: Record, hand: Record, view_a: Record, view_b: Record, rules: Record) -> None:
    """Deal the next hand of a game."""
    view_a.score = view_b.other_score = state.scores[0]
    view_b.score = view_a.other_score = state.scores[1]
    view_a.boxes = view_b.other_boxes = state.boxes[0]
    view_b.boxes = view_a.other_boxes = state.boxes[1]
    deal_hand(
        hand, view_a, view_b, rules, hand_key(state.key, state.hand), state.game, state.game, state.dealer
    )


@kernel
def game_shutout(state: Record, rules: Record) -> bool:
    """Tell whether a game that is over was won to nothing."""
    if state.winner == NOBODY:
        return False
    loser = 1 - state.winner
    # Who begins with points has won a hand, though it is not among the boxes of this game.
    boxes = state.boxes[loser] + (1 if state.start_scores[loser] > 0 else 0)
    return is_shutout(state.scores[loser], boxes, rules)


@kernel
def _remember_swing(state: Record) -> None:
    """Keep the game whose winner came back from furthest behind, the first of equals."""
    swing = state.behind[state.winner]
    earlier = state.pair < state.swing_pair or (
        state.pair == state.swing_pair and state.game < state.swing_game
    )
    if swing > state.swing or (swing == state.swing and earlier):
        state.swing = swing
        state.swing_pair = state.pair
        state.swing_game = state.game


@typed_kernel(types.void(GAME, HAND, RULES))
def finish_hand(state: Record, hand: Record, rules: Record) -> None:
    """Score an ended hand, say who deals next, and end the game if it is over."""
    winner = hand.winner
    state.history = absorb(state.history, hand.history)
    number = state.hand
    state.hand += 1
    if winner == NOBODY:
        if rules.void_dealer == VOID_RANDOM:
            state.dealer = coin(state.key, number, VOID_DEALER) ^ state.game
        elif rules.void_dealer != VOID_SAME:
            state.dealer = 1 - state.dealer
    else:
        state.scores[winner] += hand.points
        state.boxes[winner] += 1
        lead = state.scores[winner] - state.scores[1 - winner]
        state.behind[1 - winner] = max(state.behind[1 - winner], lead)
        if rules.next_dealer == NEXT_ALTERNATE:
            state.dealer = 1 - state.dealer
        elif rules.next_dealer == NEXT_RANDOM:
            state.dealer = coin(state.key, number, NEXT_DEALER) ^ state.game
        elif rules.next_dealer != NEXT_FIXED:
            state.dealer = winner if rules.next_dealer == NEXT_WINNER else 1 - winner
        if state.scores[winner] >= rules.game_target:
            state.winner = winner
            state.over = 1
    if state.hand >= MAX_HANDS:
        state.over = 1
    if state.over:
        for side in range(2):
            state.totals[side] = state.scores[side] + state.boxes[side] * rules.box_bonus
        if state.winner != NOBODY:
            state.totals[winner] = winner_total(
                state.scores[winner], state.boxes[winner], game_shutout(state, rules), rules
            )
            _remember_swing(state)


@typed_kernel(
    types.void(
        types.int64, types.int64, types.int64, VIEW, VIEW, GAME, HAND, RULES, MELDS,
        types.Array(TALLY_ROW, 1, "C"), PAIR, types.int64[::1], DECISIONS, DECISIONS, LAYOFF,
    )
)  # fmt: skip
def play_pairs(
    seed: int,
    first: int,
    count: int,
    view_a: Record,
    view_b: Record,
    game: Record,
    hand: Record,
    rules: Record,
    melds: Record,
    rows: Array,
    pair: Record,
    sums: Array,
    a: Any,
    b: Any,
    layoff: Any,
) -> None:
    """Play mirrored pairs ``first`` ... ``first + count - 1`` and count them.

    Stops early when a strategy is at fault: ``hand.fault`` is not 0 then, and ``game`` says where.

    Parameters
    ----------
    seed : int
        Non-negative.
    first, count : int
        Pairs to play.
    view_a, view_b : record of `VIEW_DTYPE`
        From `sim.view.new_views`, with the strategies' parameters.
    game, hand : record of `GAME_DTYPE`, `HAND_DTYPE`
        Work space.
    rules : record of `RULES_DTYPE`
    melds : record of `MELDS_DTYPE`
    rows : array of `TALLY_DTYPE`, shape (GROUPS,)
        Added to.
    pair, sums : record of `PAIR_DTYPE`, and the same memory as an array of int64
        Work space, zeros.
    a, b : tuple of functions
        The decisions of the sides, see `sim.view.DECISIONS`.
    layoff : function
        The defender's lay-off rule, see `sim.view.LAYOFF`.
    """
    for group in range(GROUPS):  # a group at a time, so that its row stays in the cache
        row = rows[group]
        for index in range(first + (group - first) % GROUPS, first + count, GROUPS):
            history = 0
            for number in range(2):
                start_game(game, seed, index, number, rules)
                while game.over == 0:
                    begin_hand(game, hand, view_a, view_b, rules)
                    play_hand(hand, view_a, view_b, rules, melds, a, b, layoff, MAX_TURNS)
                    if hand.fault:
                        return
                    record_hand(row, pair, hand, melds, number, game.dealer)
                    finish_hand(game, hand, rules)
                record_game(row, pair, game, number, game_shutout(game, rules))
                if number == 0:
                    history = game.history
            record_pair(row, pair, sums, history == game.history)
