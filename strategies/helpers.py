"""Helpers for compiled decisions: what a view's cards are worth, which discard is best, fair picks.

All take the view first and know the ace rule and ace value of the hand through it.
"""

from __future__ import annotations

from sim._jit import Record, kernel, popcount
from sim.deadwood import (
    arrangement_runs,
    arrangement_sets,
    best_discard,
    count_arrangements,
    highest_card,
    least_deadwood,
    meldable,
    pips,
)
from sim.deadwood import card_points as points_of
from sim.rules import BOXES_NOW
from sim.tables import ACES, tables_at
from sim.view import rules_at


@kernel
def draw_param(view: Record, index: int) -> float:
    """Return a parameter in a draw rule, by its place among the strategy's fields."""
    return view.params[view.draw_params + index]


@kernel
def knock_param(view: Record, index: int) -> float:
    """Return a parameter in a knock rule."""
    return view.params[view.knock_params + index]


@kernel
def discard_param(view: Record, index: int) -> float:
    """Return a parameter in a discard rule."""
    return view.params[view.discard_params + index]


@kernel
def spread_param(view: Record, index: int) -> float:
    """Return a parameter in a spread rule."""
    return view.params[view.spread_params + index]


@kernel
def deadwood(view: Record, cards: int) -> int:
    """Return the least deadwood of a mask of cards, in points."""
    return least_deadwood(cards, tables_at(view.tables))


@kernel
def after_discard(view: Record, cards: int, banned: int) -> tuple[int, int]:
    """Return the least deadwood after one discard that is not banned, and the best discards."""
    return best_discard(cards, banned, tables_at(view.tables))


@kernel
def melds_with(view: Record, card: int) -> bool:
    """Tell whether a card lies in any meld of the hand and that card."""
    return meldable(view.hand | card, tables_at(view.tables)) & card != 0


@kernel
def points(view: Record, cards: int) -> int:
    """Return the points of all the cards of a mask."""
    return pips(cards, tables_at(view.tables))


@kernel
def count(cards: int) -> int:
    """Return the number of cards of a mask."""
    return popcount(cards)


@kernel
def legal_discards(view: Record) -> int:
    """Return the cards that may be thrown this turn."""
    return view.hand & ~view.banned


@kernel
def ending_discards(view: Record) -> int:
    """Return the discards with which the hand can be ended this turn."""
    cards = legal_discards(view)
    ending = 0
    while cards:
        card = cards & -cards
        cards ^= card
        if deadwood(view, view.hand ^ card) <= view.limit:
            ending |= card
    return ending


@kernel
def melded(view: Record, cards: int, index: int) -> int:
    """Return the cards melded in a least-deadwood arrangement, the first by its melded sets being 0."""
    tables = tables_at(view.tables)
    sets = arrangement_sets(cards, index, tables)
    runs = arrangement_runs(cards ^ sets, tables)
    return (sets | runs | runs >> 13 & ACES) & cards  # an ace above the king is a bit of its own


@kernel
def unmelded(view: Record, cards: int) -> int:
    """Return the cards that lie outside the melds of some least-deadwood arrangement."""
    loose = 0
    for index in range(count_arrangements(cards, tables_at(view.tables))):
        loose |= cards & ~melded(view, cards, index)
    return loose


@kernel
def below(random: int, bound: int) -> int:
    """Return an integer below ``bound`` (at most 2**32), uniform for a uniform ``random``."""
    return ((random >> 31) * bound) >> 32


@kernel
def pick(cards: int, random: int) -> int:
    """Pick one card of a non-empty mask, each equally likely for a uniform ``random``."""
    skip = below(random, popcount(cards))
    # Most masks hold few cards: the first steps are straight code without a branch to mispredict.
    cards = cards & (cards - 1) if skip > 0 else cards
    cards = cards & (cards - 1) if skip > 1 else cards
    for _ in range(skip - 2):
        cards &= cards - 1
    return cards & -cards


@kernel
def card_points(view: Record, card: int) -> int:
    """Return the points of one card."""
    return points_of(card, view.ace_value)


@kernel
def highest(view: Record, cards: int) -> int:
    """Return the card of most points of a non-empty mask; ties go to the highest bit."""
    return highest_card(cards, view.ace_value)


@kernel
def box_now(view: Record) -> int:
    """Return the points that the box of a won hand adds to the score at once; 0 if boxes count at the end."""
    if view.rules == 0:
        return 0
    rules = rules_at(view.rules)
    return rules.box_bonus if rules.box_timing == BOXES_NOW else 0


@kernel
def chance(random: int, probability: float) -> bool:
    """Tell whether something of a probability (0-1, both exact) happens, for a uniform ``random``."""
    return (random >> 10) * 2.0**-53 < probability
