"""Decisions of `strategies.marjj.Marjj`."""

from __future__ import annotations

import numpy as np

from sim._jit import Record, kernel
from sim.deadwood import arrangement_runs, arrangement_sets
from sim.layoff import chain, open_set_cards
from sim.tables import tables_at
from sim.view import discard_rule, draw_rule, knock_rule, spread_rule
from strategies.helpers import (
    after_discard,
    card_points,
    count,
    deadwood,
    discard_param,
    highest,
    knock_param,
    points,
    unmelded,
)
from strategies.opponent import may_hold, runs_with, sets_with
from strategies.shapes import beside, mates, outs

# Places of the fields.
_WEIGHT, _DECAY, _AHEAD, _PIP_MARGIN, _DEADWOOD_MARGIN, _KNOCK_TURNS = range(6)
_POSSIBLE, _IMPOSSIBLE, _BESIDE, _TWO_AWAY, _SAME_RANK = range(6, 11)

# More than ten cards can cost: four aces of 15 and six tens.
_VALUES = 128


@draw_rule
def draw(view: Record) -> bool:
    """Take the upcard if it is melded and the best deadwood falls."""
    least = deadwood(view, view.hand)
    together = view.hand | view.upcard
    if deadwood(view, together) == least + card_points(view, view.upcard):
        return False
    return after_discard(view, together, 0)[0] < least


@knock_rule
def knock(view: Record) -> bool:
    """Knock at once on the first turns, then with gin only."""
    return view.best_deadwood == 0 or view.turn <= knock_param(view, _KNOCK_TURNS)


@kernel
def _look_ahead(view: Record, kept: int, ahead: int) -> float:
    """Return the mean of the least deadwoods that an unseen card and a discard after it lead to."""
    found = np.zeros(_VALUES, np.int64)
    useful = outs(view, kept)
    # A card that melds with nothing goes again, or another goes for it: two look-ups for all such cards.
    least = deadwood(view, kept)
    spared = after_discard(view, kept, 0)[0]
    unseen = view.unseen
    while unseen:
        card = unseen & -unseen
        unseen ^= card
        if card & useful:
            found[after_discard(view, kept | card, 0)[0]] += 1
        else:
            found[min(least, spared + card_points(view, card))] += 1
    number = min(ahead, count(view.unseen))
    if number == 0:
        return deadwood(view, kept)
    left = number
    total = 0
    value = 0
    while left:
        some = min(left, found[value])
        total += some * value
        left -= some
        value += 1
    return total / number


@kernel
def _near(view: Record, cards: int, gone: int) -> int:
    """Count the cards known to be in the other hand less those that he cannot hold."""
    return count(cards & view.known) - count(cards & gone)


@kernel
def _danger(view: Record, card: int) -> float:
    """Return how much the other may gain by a card, in points of the score."""
    his = may_hold(view)
    gone = view.hand | view.pile
    possible = discard_param(view, _POSSIBLE)
    impossible = discard_param(view, _IMPOSSIBLE)
    danger = possible if runs_with(view, card, his) else -impossible
    danger += possible if sets_with(card, his) else -impossible
    danger += discard_param(view, _BESIDE) * _near(view, beside(view, card, 1), gone)
    danger += discard_param(view, _TWO_AWAY) * _near(view, beside(view, card, 2), gone)
    danger += discard_param(view, _SAME_RANK) * _near(view, mates(card), gone)
    return danger


@discard_rule
def discard(view: Record) -> int:
    """Throw the card of least score; to least deadwood for gin or to end the hand."""
    cards = unmelded(view, view.hand) & ~view.banned
    if view.ending or view.best_deadwood == 0 or cards == 0:
        return highest(view, view.best_discards)
    least_points = card_points(view, highest(view, cards)) - discard_param(view, _PIP_MARGIN)
    most_deadwood = view.best_deadwood + discard_param(view, _DEADWOOD_MARGIN)
    weight = discard_param(view, _WEIGHT)
    for _ in range(view.turn - 1):
        weight *= discard_param(view, _DECAY)
    ahead = int(discard_param(view, _AHEAD))
    choice = 0
    least = 0.0
    most = 0
    while cards:
        card = cards & -cards
        cards ^= card
        value = card_points(view, card)
        kept = view.hand ^ card
        left = deadwood(view, kept)
        if value < least_points or left > most_deadwood:
            continue
        score = left + weight * _look_ahead(view, kept, ahead) + _danger(view, card)
        if choice == 0 or score < least or score == least and value >= most:
            choice = card
            least = score
            most = value
    # Now and then the best discard breaks a meld and all others leave too much.
    return choice if choice else highest(view, view.best_discards)


@kernel
def _laid_off(view: Record, sets: int, runs: int) -> int:
    """Return the points that the other can be expected to lay off on a spread, times the unseen cards.

    A known card is his, an unseen one with the chance hidden / unseen. What needs a second unseen card, to
    carry a run on, is left out.
    """
    melds = tables_at(view.tables)
    hidden = count(view.hand) - view.big_gin - count(view.known)
    open_cards = open_set_cards(sets)
    sure = view.known & (open_cards | chain(runs, view.known, melds))
    expected = points(view, sure) * count(view.unseen)
    cards = view.unseen & (open_cards | chain(runs, may_hold(view), melds))
    while cards:
        card = cards & -cards
        cards ^= card
        if card & (open_cards | chain(runs, view.known | card, melds)):
            expected += hidden * card_points(view, card)
    return expected


@spread_rule
def spread(view: Record, k: int) -> int:
    """Show the arrangement with the fewest points that the other can be expected to lay off."""
    melds = tables_at(view.tables)
    best = 0
    least = 1 << 30
    for index in range(k):
        sets = arrangement_sets(view.hand, index, melds)
        expected = _laid_off(view, sets, arrangement_runs(view.hand ^ sets, melds))
        if expected < least:
            least = expected
            best = index
    return best
