"""What is known of the other hand, exactly: every deal of the reduced deck that fits, by the slow simulator.

The deck is that of `tests.enumerate_small_deck`. The player, side A, plays what a script says up to his
decision and goes on as `Own`; the other side is a player without luck, or one who throws any of the best
discards alike, or one whose hand slips; deals are weighed by the probability that he does what was seen.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests import naive
from tests.enumerate_small_deck import CARDS, RULES
from tests.naive import Card, Cards
from tests.naive_game import Gold, Hand, Info, Player

ALL = frozenset(CARDS)


def card(text: str) -> Card:
    """Read a card."""
    return "A234".index(text[0]), "SHD".index(text[1])


def cards(text: str) -> Cards:
    """Read cards."""
    return frozenset(card(word) for word in text.split())


@dataclass(frozen=True)
class Seen:
    """A history up to the player's decision.

    Attributes
    ----------
    hand : str
        The player's first cards.
    upcard : str
    turns : tuple of (int, str, str, str)
        Side, ``upcard`` or ``stock``, the card drawn (``""`` for one not seen), the card thrown (``""`` in
        the turn that is being played).
    answers : tuple of bool
        What the player answers when he is asked to take the upcard, up to the decision.
    """

    hand: str
    upcard: str
    turns: tuple[tuple[int, str, str, str], ...]
    answers: tuple[bool, ...]

    def own_draws(self) -> int:
        """Return the player's turns, the one being played included."""
        return sum(turn[0] == 0 for turn in self.turns)


@dataclass
class Scripted:
    """Plays as was seen, then knocks or waits, then goes on by threshold 10, or with gin only."""

    seen: Seen
    choice: str
    asked: list[bool] = field(default_factory=list)

    def own(self) -> Gold:
        return Gold(0 if self.choice == "gin" else 10)

    def draw(self, info: Info) -> bool:
        if info.own_draws >= self.seen.own_draws():
            return self.own().draw(info)
        self.asked.append(True)
        place = len(self.asked) - 1
        return self.seen.answers[place] if place < len(self.seen.answers) else False

    def knock(self, info: Info) -> bool:
        if info.own_draws > self.seen.own_draws():
            return self.own().knock(info)
        return info.own_draws == self.seen.own_draws() and self.choice == "knock"

    def discard(self, info: Info) -> Card:
        if info.own_draws >= self.seen.own_draws():
            return self.own().discard(info)
        mine = [turn for turn in self.seen.turns if turn[0] == 0]
        told = card(mine[info.own_draws - 1][3])
        return told if told in info.after else min(info.after)


@dataclass
class AnyOfTheBest:
    """Takes what melds, knocks at once, throws any of the best; what was seen if it is one, at a weight."""

    seen: Seen
    weight: Fraction = Fraction(1)

    def draw(self, info: Info) -> bool:
        assert info.upcard is not None
        melds = naive.melds_in(info.hand | {info.upcard}, info.rules["runs_ace"])
        return any(info.upcard in meld for meld in melds)

    def knock(self, info: Info) -> bool:
        return True

    def discard(self, info: Info) -> Card:
        least = min(info.after.values())
        best = [one for one in info.after if info.after[one] == least]
        his = [turn for turn in self.seen.turns if turn[0] == 1]
        if info.own_draws <= len(his):
            self.weight /= len(best)
            told = card(his[info.own_draws - 1][3])
            return told if told in best else min(best)
        return min(best)

    def throws(self, info: Info, told: Card) -> Fraction:
        """Return the probability that he throws a card."""
        least = min(info.after.values())
        best = [one for one in info.after if info.after[one] == least]
        return Fraction(told in best, len(best))


@dataclass
class Trembling:
    """Does what was seen, at a weight: anything legal with probability ``slips``, else as another player.

    After what was seen he plays as that player, without slips.
    """

    seen: Seen
    steady: Any
    slips: Fraction
    weight: Fraction = Fraction(1)

    def weigh(self, same: Fraction, actions: int) -> None:
        """Weigh by a decision which the other player makes with probability ``same``."""
        self.weight *= (1 - self.slips) * same + self.slips / actions

    def draw(self, info: Info) -> bool:
        his = [turn for turn in self.seen.turns if turn[0] == 1]
        turn = his[info.own_draws] if info.own_draws < len(his) else None
        opening = info.own_draws == 0 and info.upcard == card(self.seen.upcard)
        if opening:  # he may pass and have his first turn later
            turn = self.seen.turns[0] if self.seen.turns[0][0] == 1 else (1, "stock", "", "")
        own: bool = self.steady.draw(info)
        if turn is None:
            return own
        told = turn[1] == "upcard"
        self.weigh(Fraction(own == told), 2)
        return told

    def knock(self, info: Info) -> bool:
        own: bool = self.steady.knock(info)
        if info.own_draws > sum(turn[0] == 1 for turn in self.seen.turns):
            return own
        self.weigh(Fraction(not own), 2)
        return False

    def discard(self, info: Info) -> Card:
        his = [turn for turn in self.seen.turns if turn[0] == 1]
        if info.own_draws > len(his):
            own: Card = self.steady.discard(info)
            return own
        told = card(his[info.own_draws - 1][3])
        if told not in info.after:
            self.weight = Fraction(0)
            return min(info.after)
        if isinstance(self.steady, AnyOfTheBest):
            same = self.steady.throws(info, told)
        else:
            same = Fraction(self.steady.discard(info) == told)
        self.weigh(same, len(info.after))
        return told


def deals(seen: Seen) -> Any:
    """Yield every other hand and stock in which the player's draws from the stock lie where he drew them."""
    fixed: dict[int, Card] = {}
    place = 0
    for side, source, drawn, _ in seen.turns:
        if source == "stock":
            if side == 0:
                fixed[place] = card(drawn)
            place += 1
    his = {card(thrown) for side, _, _, thrown in seen.turns if side == 1}
    his -= {card(drawn) for side, _, drawn, _ in seen.turns if side == 1 and drawn}
    rest = sorted(ALL - cards(seen.hand) - {card(seen.upcard)} - set(fixed.values()))
    for other in itertools.combinations(rest, 3):
        left = [one for one in rest if one not in other]
        for order in itertools.permutations(left):
            stock = list(order)
            for where, one in sorted(fixed.items()):
                stock.insert(where, one)
            if not his <= set(other) | set(stock[:place]):
                continue  # he has thrown what he never held
            yield frozenset(other), stock


def fits(hand: Hand, seen: Seen) -> bool:
    """Tell whether a hand has begun as was seen."""
    if len(hand.told) < len(seen.turns):
        return False
    for (side, source, drawn, thrown), told in zip(seen.turns, hand.told, strict=False):
        if (
            (side, source) != told[:2]
            or (drawn and card(drawn) != told[2])
            or (thrown and card(thrown) != told[3])
        ):
            return False
    return True


@dataclass
class Posterior:
    """Exact probabilities of the other's cards at the decision, by mask, and mean points by choice."""

    hands: dict[int, Fraction]
    points: dict[str, Fraction]


def posterior(seen: Seen, opponent: Any, choices: Sequence[str] = ("knock", "once", "gin")) -> Posterior:
    """Play every deal that fits.

    Parameters
    ----------
    seen : Seen
    opponent : callable
        Makes the player of side B; one with a ``weight`` is weighed by it.
    choices : sequence of str
    """
    hands: dict[int, Fraction] = defaultdict(Fraction)
    points: dict[str, Fraction] = defaultdict(Fraction)
    for other, stock in deals(seen):
        for number, choice in enumerate(choices):
            his: Player = opponent()
            hand = Hand(
                (Scripted(seen, choice), his),
                (cards(seen.hand), other),
                card(seen.upcard),
                list(stock),
                1,
                RULES,
            )
            hand.play()
            if not fits(hand, seen):
                break
            weight = getattr(his, "weight", Fraction(1))
            if number == 0:
                hands[_held(other, hand, len(seen.turns) - 1)] += weight
            sign = {0: 1, 1: -1, None: 0}[hand.winner]
            points[choice] += weight * sign * hand.points
    total = sum(hands.values())
    return Posterior(
        {held: weight / total for held, weight in hands.items() if weight},
        {choice: value / total for choice, value in points.items()},
    )


def _held(first: Cards, hand: Hand, turns: int) -> int:
    """Return the mask of the other's cards after so many turns."""
    held = set(first)
    for side, _, drawn, thrown in hand.told[:turns]:
        if side == 1:
            held.add(drawn)
            assert thrown is not None
            held.discard(thrown)
    return int(naive.to_mask(held))


__all__ = ["AnyOfTheBest", "Gold", "Posterior", "Scripted", "Seen", "Trembling", "card", "cards", "posterior"]
