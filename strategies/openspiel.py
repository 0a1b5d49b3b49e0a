"""The simple bot that comes with OpenSpiel."""

from __future__ import annotations

from dataclasses import dataclass

from strategies.base import Decisions, Strategy, strategy


@strategy("openspiel_simple")
@dataclass(frozen=True)
class OpenSpielSimple(Strategy):
    """Take what lets him knock or joins a best meld, throw the highest unmelded card, knock at once.

    Takes the upcard if another discard then permits a knock, or if the upcard is melded in every
    least-deadwood arrangement of the eleven cards: melding it has to lower the deadwood, so of two equal
    arrangements the one without it counts (as interpreted; the published bot looks at whichever
    arrangement it finds first). Throws the card of most points that lies outside the melds of a
    least-deadwood arrangement of the eleven, ties to the later suit (S H D C), which the publication
    leaves to chance. It does not look whether another arrangement would be better after the discard.

    The published bot never lays off. A defence is not a decision here, the engine always makes the best
    one, so this player loses less to knocks than the published one.

    References
    ----------
    SimpleGinRummyBot of OpenSpiel, as its header describes it.
    """

    decisions = Decisions(*["strategies.compiled.openspiel_simple"] * 3)
