"""Hands to a game, games to a match, matches to a mirrored pair, pairs to a chunk.

Side A holds packet 0 in the first match of a pair and packet 1 in the second, whoever deals; the dealer
only decides who acts first. A dealer drawn at random is drawn as the holder of a packet, so the second
match exchanges the sides. Most rules play a match of one game; hands count on through a match, so each has
a deck of its own. Rules: RULES, section C.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim._jit import Array, Record, from_dtype, kernel, typed_kernel, types
from sim.deal import HAND, MAX_TURNS, deal_hand
from sim.hand import play_hand
from sim.rules import (
    DEALER_FIXED,
    MATCH_BEST_OF,
    MATCH_HAND,
    MATCH_POINTS,
    NEXT_ALTERNATE,
    NEXT_FIXED,
    NEXT_RANDOM,
    NEXT_WINNER,
    VOID_RANDOM,
    VOID_SAME,
)
from sim.scoring import NOBODY
from sim.sheet import SHEET_FIELDS, close_sheet, enter_win, open_column, open_sheet, running_score, standing
from sim.streams import FIRST_DEALER, NEXT_DEALER, VOID_DEALER, absorb, coin, hand_key, pair_key
from sim.tables import MELDS
from sim.tally import (
    GROUPS,
    PAIR,
    TALLY_ROW,
    mirror_moments,
    record_game,
    record_hand,
    record_match,
    record_pair,
)
from sim.view import DECISIONS, LAYOFF, RULES, VIEW

MAX_HANDS = 10_000
"""Hands after which a game stops `unfinished`, half a win to each side."""
MAX_GAMES = 1_000
"""Games after which a match stops without a winner, half a win to each side."""

GAME_DTYPE = np.dtype(
    [
        *SHEET_FIELDS,
        ("start_dealer", "i8"),  # side that deals the first hand of a game; -1: by the rules
        ("pair", "i8"),  # index of the pair
        ("key", "i8"),  # key of the pair
        ("game", "i8"),  # 0 or 1, the match of the pair: side A holds the packet of that number
        ("hand", "i8"),  # hands dealt so far in the match
        ("first_hand", "i8"),  # the number of this game's first hand
        ("dealer", "i8"),  # side that deals the next hand, or the one being played
        ("first_dealer", "i8"),  # side that dealt the first hand
        ("history", "i8"),  # hash of all that was played in the match
        ("unfinished", "i8"),  # 1 if the game was stopped at `MAX_HANDS`
        ("behind", "i8", (2,)),  # the most points that each side has been behind by in this game
        ("swing", "i8"),  # the most points a winner was behind by, of all games so far; -1: no winner
        ("swing_pair", "i8"),  # the first pair with such a game
        ("swing_game", "i8"),  # and the match
        ("games", "i8"),  # games finished in the match
        ("games_won", "i8", (2,)),  # by side
        ("match_totals", "i8", (2,)),  # sums of the games' totals
        ("match_winner", "i8"),  # side, or -1: nobody
        ("match_over", "i8"),  # 1 once the match is over
    ],
    align=True,
)
"""A match as it stands between two hands, with the sheet of the game being played."""

GAME = from_dtype(GAME_DTYPE)


BY_RULES = -1


@kernel
def _first_dealer(state: Record, rules: Record) -> int:
    """Return the side that deals the first hand of a game; every cut for the deal is a fair draw."""
    if state.start_dealer != BY_RULES:
        return state.start_dealer
    if rules.first_dealer == DEALER_FIXED:
        return 1
    return coin(state.key, state.games, FIRST_DEALER) ^ state.game


@typed_kernel(types.void(GAME, RULES))
def next_game(state: Record, rules: Record) -> None:
    """Set up the next game of the match at the scores and with the dealer that the state asks for."""
    open_sheet(state, rules)
    state.first_hand = state.hand
    state.unfinished = 0
    state.dealer = _first_dealer(state, rules)
    state.first_dealer = state.dealer
    for side in range(2):
        state.behind[side] = max(0, state.start_scores[1 - side] - state.start_scores[side])


@typed_kernel(types.void(GAME, types.int64, types.int64, types.int64, RULES))
def start_game(state: Record, seed: int, pair: int, game: int, rules: Record) -> None:
    """Set up match 0 or 1 of a pair and its first game."""
    state.pair = pair
    state.key = pair_key(seed, pair)
    state.game = game
    state.hand = 0
    state.history = 0
    state.games = 0
    for side in range(2):
        state.games_won[side] = 0
        state.match_totals[side] = 0
    state.match_winner = NOBODY
    state.match_over = 0
    next_game(state, rules)


@typed_kernel(types.void(GAME, HAND, VIEW, VIEW, RULES))
def begin_hand(state: Record, hand: Record, view_a: Record, view_b: Record, rules: Record) -> None:
    """Deal the next hand of a game."""
    column = open_column(state, rules)
    view_a.score = view_b.other_score = standing(state, column, 0, rules)
    view_b.score = view_a.other_score = standing(state, column, 1, rules)
    view_a.boxes = view_b.other_boxes = state.boxes[column, 0]
    view_b.boxes = view_a.other_boxes = state.boxes[column, 1]
    deal_hand(
        hand, view_a, view_b, rules, hand_key(state.key, state.hand), state.game, state.game, state.dealer
    )


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


@kernel
def _next_dealer(state: Record, winner: int, number: int, rules: Record) -> int:
    """Return the side that deals after a hand of that number, won by ``winner`` or by nobody."""
    dealer = state.dealer
    if winner == NOBODY:
        if rules.void_dealer == VOID_RANDOM:
            return coin(state.key, number, VOID_DEALER) ^ state.game
        return dealer if rules.void_dealer == VOID_SAME else 1 - dealer
    if rules.next_dealer == NEXT_ALTERNATE:
        return 1 - dealer
    if rules.next_dealer == NEXT_RANDOM:
        return coin(state.key, number, NEXT_DEALER) ^ state.game
    if rules.next_dealer == NEXT_FIXED:
        return dealer
    return winner if rules.next_dealer == NEXT_WINNER else 1 - winner


@typed_kernel(types.void(GAME, HAND, RULES))
def finish_hand(state: Record, hand: Record, rules: Record) -> None:
    """Enter an ended hand, say who deals next, and end the game if it is over."""
    winner = hand.winner
    state.history = absorb(state.history, hand.history)
    state.dealer = _next_dealer(state, winner, state.hand, rules)
    state.hand += 1
    if winner != NOBODY:
        enter_win(state, winner, hand.points, hand.boxes, rules)
        lead = running_score(state, winner, rules) - running_score(state, 1 - winner, rules)
        state.behind[1 - winner] = max(state.behind[1 - winner], lead)
    if rules.match_type == MATCH_HAND:
        state.over = 1
    elif state.over == 0 and state.hand - state.first_hand >= MAX_HANDS:
        state.over = 1
        state.unfinished = 1
    if state.over:
        close_sheet(state, rules)
        if state.winner != NOBODY:
            _remember_swing(state)


@typed_kernel(types.void(GAME, RULES))
def finish_game(state: Record, rules: Record) -> None:
    """Count a game that is over towards its match, and end the match if it is over."""
    winner = state.winner
    state.games += 1
    if winner != NOBODY:
        state.games_won[winner] += 1
    for side in range(2):
        state.match_totals[side] += state.totals[side]
    if rules.match_type == MATCH_BEST_OF:
        if winner != NOBODY and 2 * state.games_won[winner] > rules.match_length:
            state.match_winner = winner
            state.match_over = 1
    elif rules.match_type == MATCH_POINTS:
        a = state.match_totals[0]
        b = state.match_totals[1]
        if a != b and max(a, b) >= rules.match_length:
            state.match_winner = 0 if a > b else 1
            state.match_over = 1
    else:
        state.match_winner = winner
        state.match_over = 1
    if state.games >= MAX_GAMES:
        state.match_over = 1


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
    """Play mirrored pairs of matches ``first`` ... ``first + count - 1`` and count them.

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
                while True:
                    while game.over == 0:
                        begin_hand(game, hand, view_a, view_b, rules)
                        play_hand(hand, view_a, view_b, rules, melds, a, b, layoff, MAX_TURNS)
                        if hand.fault:
                            return
                        record_hand(row, pair, hand, melds, number, game.dealer)
                        finish_hand(game, hand, rules)
                    record_game(row, pair, game, number)
                    finish_game(game, rules)
                    if game.match_over:
                        break
                    next_game(game, rules)
                record_match(row, pair, sums, game)
                if number == 0:
                    history = game.history
            record_pair(row, pair, sums, history == game.history)
        mirror_moments(row)
