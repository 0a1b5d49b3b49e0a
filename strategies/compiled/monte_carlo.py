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
    rules_at,
    set_out,
    start_views,
)
from sim.rules import WALL_KNOCK
from sim.scoring import GOING
from sim.streams import absorb
from sim.view import discard_rule, draw_rule, knock_rule
from strategies.helpers import deadwood, discard_param, draw_param, knock_param, legal_discards

# Words of memory: what the other has seen of one's own play.
_SHOWN = 0  # own cards that he saw taken from the pile
_THROWN = 1  # own last discard
_SECOND = 2  # 1 if he had the first turn

LEAD_SD = 20.8
"""Standard deviation of the points by which a hand changes the lead, under the rules of the literature."""
POINTS_A_HAND = 8.1
"""Mean points that a hand brings a side there."""


@kernel
def _note(view: Record) -> None:
    """Keep up what the other has seen; called at every decision."""
    taken = view.drawn if view.from_discard else 0
    view.memory[_SHOWN] = (view.memory[_SHOWN] | taken) & view.hand
    if view.turn == 1:
        view.memory[_SECOND] = 1 if view.last_discard else 0


@kernel
def _worth(view: Record, points: int, equity: bool) -> float:
    """Value signed points of a hand: as they are, or as the chance to win the game after it.

    The chance is that of a lead which moves like a sum of independent hands: normal, its variance growing
    with the hands that the leader still needs at an even pace.
    """
    if not equity:
        return float(points)
    mine = view.target - view.score - max(points, 0)
    yours = view.target - view.other_score - max(-points, 0)
    if mine <= 0 or yours <= 0:
        return 1.0 if mine <= 0 else 0.0
    hands = 1.0 + min(mine, yours) / POINTS_A_HAND
    return 0.5 * (1.0 + math.erf((yours - mine) / (LEAD_SD * math.sqrt(2.0 * hands))))


@kernel
def _world(view: Record, places: Array, count: int, held: int, key: int, likely: bool) -> int:
    """Draw a world and return the other's hand."""
    if not likely:
        return deal_world(view, places, count, held, key)
    taken = popcount(view.known)  # from the pile; what else he drew came from the stock
    return likely_world(view, places, count, held, key, max(0, _other_turn(view) - 1 - taken))


@kernel
def _other_turn(view: Record) -> int:
    """Return the other's next own turn."""
    return view.turn + view.memory[_SECOND]


@kernel
def _set_out(
    view: Record, views: Array, hands: Array, places: Array, held: int, key: int, yours: int
) -> None:
    """Set out the position in a world, with what the other has seen."""
    shown = view.memory[_SHOWN]
    thrown = view.memory[_THROWN]
    set_out(view, views, hands, places, held, key, yours, shown, thrown, _other_turn(view))


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
        _set_out(view, views, hands, places, held, key, yours)
        begin_with_upcard(views, hands)
        if must_end:
            play_turn(view, views, hands, True, 0)
        else:
            play_on(view, views, hands)
        gain += _worth(view, result(hands), equity)
        _set_out(view, views, hands, places, held, key, yours)
        begin_without_upcard(views, hands, phase)
        if phase != LAST_DISCARD:
            play_on(view, views, hands)
        gain -= _worth(view, result(hands), equity)
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
            _set_out(view, views, hands, places, held, key, yours)
            begin_after_draw(view, views, hands)
            play_turn(view, views, hands, ends[turn] == 1, cards[turn])
            if hands[0].ending == GOING:
                play_on(view, views, hands)
            totals[turn] += _worth(view, result(hands), equity)
    return totals


@kernel
def _candidates(view: Record) -> int:
    """Return the cards that may be thrown: ending the hand, those that leave it within the limit."""
    cards = legal_discards(view)
    if view.ending == 0:
        return cards
    within = 0
    while cards:
        card = cards & -cards
        cards ^= card
        if deadwood(view, view.hand ^ card) <= view.limit:
            within |= card
    return within


@draw_rule
def draw(view: Record) -> bool:
    """Take the upcard if that does better."""
    _note(view)
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
    _note(view)
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
    _note(view)
    if view.rules == 0:
        return ask_discard(view, new_rollout_views(2))
    left = _candidates(view)
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
    view.memory[_THROWN] = card
    return card
