"""Decisions of `strategies.monte_carlo.MonteCarlo`."""

from __future__ import annotations

import math

import numpy as np

from sim._jit import Array, Record, kernel, popcount
from sim.deal import LAST_DISCARD
from sim.rollout import (
    ask_discard,
    ask_draw,
    ask_knock,
    begin_after_draw,
    begin_with_upcard,
    begin_without_upcard,
    deal_world,
    draw_phase,
    likely_world,
    list_unknown,
    new_hands,
    new_rollout_views,
    play_on,
    play_turn,
    result,
    set_out,
    start_views,
)
from sim.rules import BOXES_NOW, MATCH_HAND, WALL_KNOCK
from sim.scoring import GOING
from sim.streams import absorb
from sim.view import discard_rule, draw_rule, knock_rule, rules_at
from strategies.helpers import discard_param, draw_param, ending_discards, knock_param, legal_discards

LEAD_SD = 20.8
"""Standard deviation of the points by which a hand changes the lead, under the rules of the literature."""
POINTS_A_HAND = 8.1
"""Mean points that a hand brings a side there."""


@kernel
def _worth(view: Record, hands: Array, equity: bool) -> float:
    """Value a hand that has been played on: by its signed points, or the chance to win the game after it.

    The chance is that of a lead which moves like a sum of independent hands: normal, its variance growing
    with the hands that the leader still needs at an even pace.
    """
    points = result(hands)
    if not equity:
        return float(points)
    rules = rules_at(view.rules)
    if rules.match_type == MATCH_HAND:  # the hand is the game
        return 0.5 if points == 0 else (1.0 if points > 0 else 0.0)
    gain = abs(points)
    if rules.box_timing == BOXES_NOW and points != 0:
        gain += hands[0].boxes * rules.box_bonus
    mine = view.target - view.score - (gain if points > 0 else 0)
    yours = view.target - view.other_score - (gain if points < 0 else 0)
    if mine <= 0 or yours <= 0:
        return 1.0 if mine <= 0 else 0.0
    left = 1.0 + min(mine, yours) / POINTS_A_HAND
    return 0.5 * (1.0 + math.erf((yours - mine) / (LEAD_SD * math.sqrt(2.0 * left))))


@kernel
def _world(view: Record, places: Array, count: int, held: int, key: int, likely: bool) -> int:
    """Draw a world and return the other's hand."""
    if likely:
        return likely_world(view, places, count, held, key)
    return deal_world(view, places, count, held, key)


@kernel
def _try_draws(
    view: Record, views: Array, hands: Array, places: Array, samples: int, likely: bool, equity: bool
) -> float:
    """Return by how much taking the upcard does better than leaving it, summed over the worlds."""
    start_views(view, views)
    count, held = list_unknown(view, places)
    phase = draw_phase(view)
    must_end = phase == LAST_DISCARD and rules_at(view.rules).wall_rule == WALL_KNOCK
    gain = 0.0
    for world in range(samples):
        key = absorb(view.random, world)
        yours = _world(view, places, count, held, key, likely)
        set_out(view, views, hands, places, held, key, yours)
        begin_with_upcard(views, hands)
        if must_end:
            play_turn(view, views, hands, True, 0)
        else:
            play_on(view, views, hands)
        gain += _worth(view, hands, equity)
        set_out(view, views, hands, places, held, key, yours)
        begin_without_upcard(views, hands, phase)
        if phase != LAST_DISCARD:
            play_on(view, views, hands)
        gain -= _worth(view, hands, equity)
    return gain


@kernel
def _try_turns(
    view: Record, views: Array, hands: Array, places: Array, samples: int, likely: bool, equity: bool,
    ends: Array, cards: Array,
) -> Array:  # fmt: skip
    """Return what each turn is worth, summed over the worlds: to end the hand or not, and the card thrown.

    ``ends`` and ``cards`` have one entry for each turn; a card 0 is the policy's discard.
    """
    totals = np.zeros(cards.size, np.float64)
    start_views(view, views)
    count, held = list_unknown(view, places)
    for world in range(samples):
        key = absorb(view.random, world)
        yours = _world(view, places, count, held, key, likely)
        for turn in range(cards.size):
            set_out(view, views, hands, places, held, key, yours)
            begin_after_draw(view, views, hands)
            play_turn(view, views, hands, ends[turn] == 1, cards[turn])
            if hands[0].ending == GOING:
                play_on(view, views, hands)
            totals[turn] += _worth(view, hands, equity)
    return totals


@draw_rule
def draw(view: Record) -> bool:
    """Take the upcard if that does better."""
    if view.rules == 0:
        return ask_draw(view, new_rollout_views(2))
    samples = int(draw_param(view, 0))
    likely = draw_param(view, 1) != 0.0
    equity = draw_param(view, 2) != 0.0
    places = np.zeros(52, np.int8)
    return _try_draws(view, new_rollout_views(2), new_hands(1), places, samples, likely, equity) > 0.0


@knock_rule
def knock(view: Record) -> bool:
    """End the hand if that does not do worse."""
    if view.rules == 0:
        return ask_knock(view, new_rollout_views(2))
    ends = np.array([1, 0])
    cards = np.zeros(2, np.int64)
    samples = int(knock_param(view, 0))
    likely = knock_param(view, 1) != 0.0
    equity = knock_param(view, 2) != 0.0
    places = np.zeros(52, np.int8)
    views = new_rollout_views(2)
    totals = _try_turns(view, views, new_hands(1), places, samples, likely, equity, ends, cards)
    return totals[0] >= totals[1]


@discard_rule
def discard(view: Record) -> int:
    """Throw the card that does best, the lowest bit of equals."""
    if view.rules == 0:
        return ask_discard(view, new_rollout_views(2))
    left = ending_discards(view) if view.ending else legal_discards(view)
    cards = np.zeros(popcount(left), np.int64)
    for i in range(cards.size):
        cards[i] = left & -left
        left &= left - 1
    card = cards[0]
    if cards.size > 1:
        ends = np.full(cards.size, view.ending)
        samples = int(discard_param(view, 0))
        likely = discard_param(view, 1) != 0.0
        equity = discard_param(view, 2) != 0.0
        places = np.zeros(52, np.int8)
        views = new_rollout_views(2)
        totals = _try_turns(view, views, new_hands(1), places, samples, likely, equity, ends, cards)
        card = cards[totals.argmax()]
    return card
