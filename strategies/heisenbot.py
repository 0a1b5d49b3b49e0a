"""The player who keeps triangles: an entry to the EAAI-21 challenge."""

from __future__ import annotations

from dataclasses import dataclass

from strategies.base import Decisions, Strategy, parameter, strategy


@strategy("heisenbot")
@dataclass(frozen=True)
class Heisenbot(Strategy):
    """Keep triangles over doubles over single cards, throw what the other can meld least, knock by stages.

    Takes the upcard if it lies in any meld of hand and card, counts at most ``low`` points (an ace or a two),
    or, before own turn ``triangle_turn``, forms a triangle with leftover cards.

    Of the cards outside the melds it throws a single card rather than one of a double (two cards of a
    possible meld), and that rather than one of a triangle (a pair and a card beside one of the two in suit);
    from own turn ``double_turn`` a double counts as single cards. Within a class the card with which the
    other could make the fewest melds goes, then the highest rank (king to ace), then the later suit
    (S H D C). As interpreted: doubles and triangles are of leftover cards, and count while a card that would
    complete them may still come. A discard that ends the hand is to least deadwood.

    Always ends with gin. With a gap of ``gap`` points or more between the scores, either way, with nothing
    else; otherwise knocks before own turn ``early``, after ``late``, with at most ``points``, or with at
    least ``loose`` cards unmelded.

    References
    ----------
    Eicholtz and others (Heisenbot), AAAI-21 (EAAI-21 Gin Rummy research challenge).
    """

    low: int = parameter(2, 0, 15, "most points of an upcard taken in any case; 0: none is")
    triangle_turn: int = parameter(5, 1, 200, "first own turn without drawing for a triangle")
    double_turn: int = parameter(8, 1, 200, "first own turn on which doubles count as single cards")
    gap: int = parameter(30, 0, 10_000, "least difference of the scores to wait for gin, in points")
    early: int = parameter(4, 1, 200, "first own turn that is no longer early")
    late: int = parameter(13, 0, 200, "last own turn that is not yet late")
    points: int = parameter(5, 0, 10, "most deadwood to knock with in between, in points")
    loose: int = parameter(3, 0, 11, "least unmelded cards to knock with more than that")

    decisions = Decisions(*["strategies.compiled.heisenbot"] * 3)
