"""A puppet, its decisions written as a user writes his own, and the table at which it is stepped.

The puppet does what its parameters say, also what no player may do. The strategy files of the tests
use these decisions, so that nothing is compiled anew for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim._jit import Record, popcount
from sim.game import begin_hand, start_game
from sim.hand import HAND_DTYPE, MAX_TURNS, play_hand
from sim.run import Player, Table
from sim.view import VIEW_DTYPE, default_spread_rule, discard_rule, draw_rule, knock_rule, spread_rule
from strategies.helpers import after_discard, deadwood, highest, pick

# How to draw.
STOCK, UPCARD, LOWER, COIN, SECOND_ASKED, STOCK_EVERY, STALE = range(7)
# When to end the hand.
NEVER, ALWAYS, GIN, NOT_BIG_GIN, TOSS, LAST_CARD = range(6)
# What to throw; from `NO_CARD` on, what may not be thrown.
BEST, LOWEST, HIGHEST, DRAWN, ANY, BANNED, NO_CARD, NOT_HELD, TWO_CARDS, NO_MASK, TOO_MUCH, RAISE = range(12)
# What to show.
DEFAULT, FIRST, LAST, BEYOND, BELOW = range(5)

ASKED, SEEN_DRAW, SEEN_KNOCK, SEEN_DISCARD, SEEN_ENDING = range(5)
"""Words of the memory: draws asked for; the hand sizes met at decisions, as bits."""


@draw_rule
def draw(view: Record) -> bool:
    """Draw as ``params[0]`` says; ``params[5]`` is the step of `STOCK_EVERY`."""
    how = view.params[0]
    view.memory[ASKED] += 1
    view.memory[SEEN_DRAW] |= 1 << popcount(view.hand)
    if how == UPCARD:
        return True
    if how == LOWER:
        return after_discard(view, view.hand | view.upcard, view.upcard)[0] < deadwood(view, view.hand)
    if how == COIN:
        return view.random & 1 == 1
    if how == SECOND_ASKED:
        return view.memory[ASKED] > 1
    if how == STOCK_EVERY:
        return view.turn % view.params[5] != 0
    if how == STALE:  # what this turn has not filled in yet
        stale = view.drawn | view.banned | view.best_discards
        return (
            popcount(stale) + view.from_discard + view.best_deadwood + view.ending + view.big_gin
        ) & 1 == 1
    return False


@knock_rule
def knock(view: Record) -> bool:
    """End the hand when ``params[1]`` says, from own turn ``params[4]`` on."""
    when = view.params[1]
    view.memory[SEEN_KNOCK] |= 1 << popcount(view.hand)
    if view.turn < view.params[4]:
        return False
    if when == GIN:
        return view.best_deadwood == 0
    if when == NOT_BIG_GIN:
        return view.big_gin == 0
    if when == TOSS:
        return view.random & 1 == 1
    if when == LAST_CARD:
        return view.stock == 2
    return when == ALWAYS


@discard_rule
def discard(view: Record) -> int:
    """Throw what ``params[2]`` says; faults wait for own turn ``params[4]``."""
    what = view.params[2]
    view.memory[SEEN_ENDING if view.ending else SEEN_DISCARD] |= 1 << popcount(view.hand)
    best = highest(view, view.best_discards)
    if view.turn < view.params[4]:
        return best
    cards = view.hand & ~view.banned
    if what == TOO_MUCH and view.ending:
        return highest(view, cards) if deadwood(view, view.hand ^ highest(view, cards)) > view.limit else best
    if view.ending and what < NO_CARD:
        return best
    if what == LOWEST:
        return cards & -cards
    if what == HIGHEST:
        return highest(view, cards)
    if what == DRAWN:
        return best if view.from_discard else view.drawn
    if what == ANY:
        return pick(cards, view.random)
    if what == BANNED:
        return view.drawn if view.from_discard else best
    if what == NO_CARD:
        return 0
    if what == NOT_HELD:
        other = view.unseen | view.known | view.pile
        return other & -other
    if what == TWO_CARDS:
        rest = cards & (cards - 1)
        return cards & -cards | rest & -rest
    if what == NO_MASK:
        return -1
    if what == RAISE:
        raise ValueError("the puppet is broken")
    return best


@spread_rule
def spread(view: Record, k: int) -> int:
    """Show what ``params[3]`` says."""
    which = view.params[3]
    if which == FIRST:
        return 0
    if which == LAST:
        return k - 1
    if which == BEYOND:
        return k
    if which == BELOW:
        return -1
    return default_spread_rule(view, k)


def puppet(
    draw_how: int = LOWER,
    knock_when: int = ALWAYS,
    throw: int = BEST,
    show: int = DEFAULT,
    since: int = 0,
    step: int = 1,
    name: str = "puppet",
) -> Player:
    """Return a player that does as it is told; knocks and faults wait for own turn ``since``."""
    params = (draw_how, knock_when, throw, show, since, step)
    return Player(name, (draw, knock, discard, spread), [float(value) for value in params])


def deal(table: Table, pair: int = 0, game: int = 0) -> None:
    """Start a game and deal its first hand."""
    start_game(table.game, table.seed, pair, game, table.rules)
    begin_hand(table.game, table.hand, table.views[0], table.views[1], table.rules)


def go_on(table: Table, until: int = MAX_TURNS) -> None:
    """Play the hand at a table on, to its end or until so many turns have been played."""
    a, b = table.players
    play_hand(
        table.hand, table.views[0], table.views[1], table.rules, table.melds, a.decisions, b.decisions,
        table.layoff, until,
    )  # fmt: skip


def snapshot(table: Table) -> tuple[bytes, bytes]:
    """Return a copy of the hand and of both views."""
    return np.array(table.hand).tobytes(), np.asarray(table.views).tobytes()


def restore(table: Table, saved: tuple[bytes, bytes]) -> None:
    """Put a copy of hand and views back."""
    hand, views = saved
    for name in HAND_DTYPE.names or ():
        table.hand[name] = np.frombuffer(hand, HAND_DTYPE)[0][name]
    table.views[:] = np.frombuffer(views, VIEW_DTYPE)


def cards_left(table: Table) -> list[int]:
    """Return the cards of the stock as masks, in no order: the places of the deck not yet dealt."""
    places = [1 << int(bit) for bit in table.hand.deck[int(table.hand.place) :]]
    return [card for card in places if card & int(table.hand.allowed)]


def plain(record: Any, *skip: str) -> dict[str, Any]:
    """Return a record's fields as plain data, for comparison."""
    return {name: record[name].tolist() for name in record.dtype.names if name not in skip}
