"""The player of the team that won the EAAI-21 challenge: look-ahead, danger, early knocks or gin."""

from __future__ import annotations

from dataclasses import dataclass

from strategies.base import Decisions, Strategy, parameter, strategy


@strategy("marjj")
@dataclass(frozen=True)
class Marjj(Strategy):
    """Throw by deadwood, what the next draw may bring and danger; knock early, then with gin only.

    Takes the upcard if that lowers the best deadwood and melds it (as interpreted: if every least-deadwood
    arrangement of the eleven cards melds it).

    Throws a card outside some least-deadwood arrangement that is within ``pip_margin`` of the largest such
    card and leaves at most ``deadwood_margin`` more than the best discard. Of these the one of least score:
    the deadwood it leaves, plus ``weight * decay ** (own turn - 1)`` times the mean of the ``ahead`` lowest
    deadwoods that an unseen card and another discard would lead to, plus its danger. A discard that makes gin
    or ends the hand is to least deadwood. Equal scores go to the most pips, then to the later suit (S H D C).

    The danger is ``possible`` for a run that the other may make with the card, or less ``impossible`` if
    he can make none; the same for a set; and for each card beside it in suit, two away, and of its rank,
    ``beside``, ``two_away`` and ``same_rank`` points more if it is known to be in his hand, as many less if
    it lies in the own hand or the discard pile.

    Knocks when it can until own turn ``knock_turns``, then with gin only. Shows the arrangement on which the
    fewest points can be expected to be laid off: cards known to be in the other hand count whole, unseen
    ones by the share of them that he holds (but those that another unseen card would have to join first).

    References
    ----------
    Ahmed and others (team MARJJ), AAAI-21 (EAAI-21 Gin Rummy research challenge), which gives a weight of 20
    and the best 6; the defaults are those of section 4 of the collection of published strategies.
    """

    weight: float = parameter(18.0, 0, 1000, "weight of the look-ahead on the first own turn")
    decay: float = parameter(0.9, 0, 1, "factor on that weight with each own turn")
    ahead: int = parameter(7, 1, 52, "best unseen cards that the look-ahead averages over")
    pip_margin: int = parameter(5, 0, 15, "pips that a discard may be below the largest unmelded card")
    deadwood_margin: int = parameter(5, 0, 150, "deadwood that a discard may leave above the best, in points")
    knock_turns: int = parameter(3, 0, 200, "last own turn (own draws, this one included) to knock on")
    possible: float = parameter(20.0, 0, 1000, "danger of a run, and of a set, that the other may make")
    impossible: float = parameter(10.0, 0, 1000, "safety of a run, and of a set, that he cannot make")
    beside: float = parameter(5.0, 0, 1000, "danger (his) or safety (gone) of a card beside it in suit")
    two_away: float = parameter(3.0, 0, 1000, "the same of a card two away in suit")
    same_rank: float = parameter(4.0, 0, 1000, "the same of a card of the same rank")

    decisions = Decisions(*["strategies.compiled.marjj"] * 4)
