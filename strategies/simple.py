"""The baseline player of the EAAI-21 undergraduate research challenge."""

from __future__ import annotations

from dataclasses import dataclass

from strategies.base import Decisions, Strategy, strategy, switch


@strategy("simple")
@dataclass(frozen=True)
class Simple(Strategy):
    """Take what melds, throw to least deadwood at random, knock at once.

    Takes the upcard if it lies in any meld of hand and card (deadwood need not fall). Discards uniformly
    among the cards that leave least deadwood, never the card just taken and, with pair memory, never so
    that an unordered pair (card drawn, card discarded) of this hand comes again. Knocks when it can.

    References
    ----------
    T. W. Neller, SimpleGinRummyPlayer, EAAI-21 Gin Rummy research challenge.
    """

    pair_memory: bool = switch(True, "never repeat a pair (card drawn, card discarded) in a hand")

    remembers = ("discard",)
    decisions = Decisions(*["strategies.compiled.simple"] * 3)
