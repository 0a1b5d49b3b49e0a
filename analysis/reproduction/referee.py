"""The way in which the framework of the EAAI-21 challenge settles a knock.

Both players show a least-deadwood arrangement chosen at random. The defender melds first and then lays the
rest off greedily, card by card, where the engine of this laboratory chooses his melds and lay-offs together.
"""

from __future__ import annotations

from typing import Any

from sim._jit import Record, typed_kernel, types
from sim.deadwood import arrangement_runs, arrangement_sets, count_arrangements
from sim.run import Player
from sim.tables import tables_at
from sim.view import VIEW, spread_rule
from strategies.base import Strategy, player
from strategies.helpers import below


@spread_rule
def random_spread(view: Record, k: int) -> int:
    """Show any of the least-deadwood arrangements."""
    return below(view.random, k)


_SUIT_PLACES = (48, 16, 0, 32)  # lowest bits of clubs, hearts, spades, diamonds: the referee's order


@typed_kernel(types.int64(VIEW, types.int64, types.int64))
def greedy_layoff(view: Record, open_cards: int, runs: int) -> int:
    """Meld first, at random among the best ways; then lay off the first card that fits, over and over.

    Cards go in the order of their ids, clubs, hearts, spades, diamonds, each from the ace; a card goes to
    the first meld that takes it, and the referee lists runs before sets.
    """
    melds = tables_at(view.tables)
    hand = view.hand
    index = below(view.random, count_arrangements(hand, melds))
    sets = arrangement_sets(hand, index, melds)
    loose = hand & ~(sets | arrangement_runs(hand ^ sets, melds))
    off = 0
    found = True
    while found:
        found = False
        for shift in _SUIT_PLACES:
            for rank in range(13):
                card = 1 << shift + rank
                if card & loose == 0:
                    continue
                fits = (runs << 1 | runs >> 1) & card
                if fits == 0 and open_cards & card == 0:
                    continue
                if fits:
                    runs |= card
                else:
                    open_cards ^= card
                loose ^= card
                off |= card
                found = True
                break
            if found:
                break
    return off


def framework_player(chosen: Strategy, spread: Any = random_spread) -> Player:
    """Return a strategy as the engine takes it, showing his arrangements as the framework does."""
    one = player(chosen)
    draw, knock, discard, _ = one.decisions
    return one._replace(decisions=(draw, knock, discard, spread))
