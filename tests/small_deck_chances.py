"""Legal knocks in deals of the little deck of `tests.enumerate_small_deck`, by the slow simulator.

Both sides draw and discard as gold. Each deal is two hands: in the first side A has the deal's hand A and B
deals, in the second they have changed seats; so what one side's rule wins from the other's is antisymmetric.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.enumerate_small_deck import CARDS, DEALER, numbers
from tests.naive_game import Hand, Info, PlainPlay


class Chance(NamedTuple):
    """A legal knock of a hand that nobody ends.

    Attributes
    ----------
    side : int
    turn : int
        Own turn, from 1.
    deadwood : int
    points : int
        Of side 0 less side 1 if the hand is ended here.
    """

    side: int
    turn: int
    deadwood: int
    points: int


@dataclass
class Asked:
    """Counts the legal knocks of both sides and lets one of them be taken."""

    take: int = -1
    told: list[tuple[int, int, int]] = field(default_factory=list)


@dataclass
class Declining(PlainPlay):
    """Plays as gold, knocks only where it is told to."""

    side: int
    asked: Asked

    def limit(self, info: Info) -> int:
        """Return what allows this knock or forbids it."""
        self.asked.told.append((self.side, info.own_draws, info.best))
        return info.best if len(self.asked.told) - 1 == self.asked.take else -1


def naive_chances(index: int, seat: int, rules: Any) -> tuple[list[Chance], int]:
    """Return the legal knocks of a hand up to the first gin, in order, and the points if none is taken."""
    hand_a, hand_b, order = numbers(index)
    packets = [frozenset(CARDS[one] for one in cards) for cards in (hand_a, hand_b)]
    if seat:
        packets.reverse()
    upcard, *stock = (CARDS[one] for one in order)

    def play(take: int) -> tuple[Asked, int]:
        asked = Asked(take)
        players = Declining(0, asked), Declining(1, asked)
        dealer = DEALER if seat == 0 else 1 - DEALER
        hand = Hand(players, (packets[0], packets[1]), upcard, list(stock), dealer, rules).play()
        return asked, 0 if hand.winner is None else (1 - 2 * hand.winner) * hand.points

    asked, nothing = play(-1)
    found: list[Chance] = []
    for number, (side, turn, deadwood) in enumerate(asked.told):
        found.append(Chance(side, turn, deadwood, play(number)[1]))
        if deadwood == 0:
            break
    return found, nothing
