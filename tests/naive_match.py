"""Matches in plain Python, and players that decide by lot, for the slow simulator.

Nothing here shares code with ``sim``. The players by lot reach what sensible players never do: knocks
declined, the last discard refused, hands that go on after many a reshuffle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests import naive, naive_score
from tests.naive import Card, Cards
from tests.naive_game import HANDS_IN_ALL, Game, Hand, Info, Player, play_game
from tests.naive_luck import FIRST_DEALER, Luck


def part(random: int, bound: int) -> int:
    """Return a word of 63 bits as a number below a bound, from its upper half."""
    return (random >> 31) * bound >> 32


class Dice:
    """Draws, knocks and throws by the word of each decision, but ends a hand with his best discard."""

    def draw(self, info: Info) -> bool:
        """Take the upcard iff the word is odd."""
        return info.random % 2 == 1

    def knock(self, info: Info) -> bool:
        """End the hand iff the word is odd."""
        return info.random % 2 == 1

    def discard(self, info: Info) -> Card:
        """Throw any card that may go, counted from the lowest; the best one when the hand ends."""
        after, value = info.after, info.rules["ace_value"]
        if info.ending:
            least = min(after.values())
            best = [one for one, points in after.items() if points == least]
            return max(best, key=lambda one: (naive.pip(one, value), naive.to_mask([one])))
        legal = sorted(after, key=lambda one: naive.to_mask([one]))
        return legal[part(info.random, len(legal))]


class Hoarder(Dice):
    """Draws from the stock, never ends a hand of his own will, and throws his best discard."""

    def draw(self, info: Info) -> bool:
        """Leave the upcard."""
        return False

    def knock(self, info: Info) -> bool:
        """Play on."""
        return False

    def discard(self, info: Info) -> Card:
        """Throw the card of most points among the best discards."""
        return super().discard(replace(info, ending=True))


class Taker(Hoarder):
    """Takes the upcard always, also the last discard, and ends the hand when he can."""

    def draw(self, info: Info) -> bool:
        """Take the upcard."""
        return True

    def knock(self, info: Info) -> bool:
        """End the hand."""
        return True


@dataclass
class Script:
    """Takes, knocks and throws as it is told; throws its best discard unless a card is named."""

    takes: bool = False
    knocks: bool = False
    throws: Card | None = None
    asked: int = 0  # draws asked for

    def draw(self, info: Info) -> bool:
        """Take the upcard or not."""
        self.asked += 1
        return self.takes

    def knock(self, info: Info) -> bool:
        """End the hand or not."""
        return self.knocks

    def discard(self, info: Info) -> Card:
        """Throw the card named if it may go, else the lowest of the best."""
        if self.throws in info.after:
            return self.throws
        return min(info.after, key=lambda one: (info.after[one], one))


def position(
    hands: tuple[Cards, Cards],
    top: Card,
    stock: int,
    rules: Mapping[str, Any],
    players: tuple[Player, Player],
) -> Hand:
    """Return a hand in which side B has just thrown ``top``, with so many cards left in the stock.

    The lowest cards that nobody holds are the stock, the others lie in the discard pile.
    """
    rest = sorted(naive.DECK - hands[0] - hands[1] - {top})
    hand = Hand(players, hands, top, rest[:stock], 1, rules, luck=Luck(3, 5))
    hand.pile = [*rest[stock:], top]
    hand.deck = naive.DECK
    hand.turns = 40
    hand.check()
    return hand


@dataclass
class Match:
    """A match: its games in order and what they come to."""

    games: list[Game]
    score: naive_score.MatchScore


def first_dealer(rules: Mapping[str, Any], luck: Luck, game: int) -> int:
    """Return who deals the first hand of a game of a match; every cut for the deal is a fair draw."""
    return 1 if rules["first_dealer"] == "fixed" else luck.dealer(FIRST_DEALER, game)


def play_match(
    players: tuple[Player, Player],
    rules: Mapping[str, Any],
    luck: Luck,
    spread_counts_known: bool = True,
    max_hands: int = HANDS_IN_ALL,
) -> Match:
    """Play one match (a single game or hand where the rules say so); hands count on through it."""
    rules = naive_score.complete(rules)
    games: list[Game] = []
    hands = 0
    while True:
        dealer = first_dealer(rules, luck, len(games))
        game = play_game(
            luck.deck,
            players,
            rules,
            luck.game,
            dealer,
            hands,
            (0, 0),
            (0, 0),
            max_hands,
            spread_counts_known,
            luck,
        )
        games.append(game)
        hands += len(game.hands)
        score = naive_score.score_match([(one.winner, one.totals) for one in games], rules)
        if score.over:
            return Match(games, score)
