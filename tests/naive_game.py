"""A straightforward Gin Rummy hand and game in plain Python, written from the rules alone.

It shares no code with ``sim``; melds, lay-offs and scores come from ``tests.naive``. A deck is a list
of cards: the cards at even places of the first ``2 * hand_size`` are packet 0, those at odd places
packet 1, the next is the upcard and the others are the stock, from the top. A side is 0 (A) or 1 (B).

Two readings of the rules are fixed here: a turn is one draw with its discard (a pass of the opening
is none), and a hand that reaches the dead stock and a cap with the same discard is void.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests import naive
from tests.naive import Card, Cards, Meld

UPCARDS_IN_A_ROW = 100
TURNS_IN_ALL = 400
HANDS_IN_ALL = 10_000


@dataclass(frozen=True)
class Info:
    """What a player may know when he decides, as far as the players below look at it.

    ``hand`` has one card more while he holds a drawn card. ``taken`` is the card he took from the
    discard pile this turn, ``own_draws`` counts his draws, this turn's included, and ``ending`` tells
    his discard whether the hand is being ended.
    """

    hand: Cards
    upcard: Card | None
    taken: Card | None
    own_draws: int
    stock: int
    unseen: Cards
    known: Cards
    rules: Mapping[str, Any]
    ending: bool = False

    @property
    def banned(self) -> Cards:
        """Return the card that may not be thrown this turn, if any."""
        if self.taken is None or self.rules["may_discard_taken"]:
            return frozenset()
        return frozenset([self.taken])

    @property
    def after(self) -> dict[Card, int]:
        """Return the deadwood that each legal discard leaves."""
        rules = self.rules
        return naive.discard_deadwoods(self.hand, self.banned, rules["runs_ace"], rules["ace_value"])


class Player(Protocol):
    """Decisions of a player; each must be a function of what it is given."""

    def draw(self, info: Info) -> bool:
        """Tell whether to take the upcard (False: the stock, or a pass in the opening)."""

    def knock(self, info: Info) -> bool:
        """Tell whether to end the hand, asked only when it can legally be ended."""

    def discard(self, info: Info) -> Card:
        """Return the card to throw."""


class PlainPlay(ABC):
    """Take what lowers the deadwood and throw to the least; a subclass says when to knock."""

    @abstractmethod
    def limit(self, info: Info) -> int:
        """Return the deadwood at which to knock now."""

    def draw(self, info: Info) -> bool:
        """Take the upcard iff the best deadwood after another discard is strictly lower."""
        assert info.upcard is not None
        ace, value = info.rules["runs_ace"], info.rules["ace_value"]
        banned = frozenset([info.upcard])
        best, _ = naive.best_discards(info.hand | banned, banned, ace, value)
        return best < naive.deadwood(info.hand, ace, value)

    def knock(self, info: Info) -> bool:
        """Knock when the least deadwood that can be kept is within the limit."""
        return min(info.after.values()) <= self.limit(info)

    def discard(self, info: Info) -> Card:
        """Keep the least deadwood; ties throw the highest pip, then the highest bit."""
        after, value = info.after, info.rules["ace_value"]
        least = min(after.values())
        best = [one for one, points in after.items() if points == least]
        return max(best, key=lambda one: (naive.pip(one, value), naive.to_mask([one])))


@dataclass(frozen=True)
class Gold(PlainPlay):
    """Knock at ``threshold`` or less."""

    threshold: int = 10

    def limit(self, info: Info) -> int:
        """Return the threshold."""
        return self.threshold


@dataclass(frozen=True)
class TwoStage(PlainPlay):
    """Knock at ``early`` while own draws < ``switch``, at ``late`` from then on."""

    early: int = 10
    late: int = 0
    switch: int = 6

    def limit(self, info: Info) -> int:
        """Return the limit of the stage this turn belongs to."""
        return self.early if info.own_draws < self.switch else self.late


@dataclass
class Hand:
    """One hand between two sides; ``play`` fills in the result.

    Attributes of a finished hand: ``ending`` (knock, undercut, tie, gin, gin_cancelled, big_gin,
    void, capped), ``winner`` and ``knocker`` (side or None), ``points``, both deadwoods (None when
    nobody knocked), ``turns``, ``upcard_draws`` by side, and ``told``, the turns as
    ``(side, source, drawn, thrown)``. ``spread_counts_known`` decides whether a card that the other
    side was seen to take, and may well hold, counts when the default spread is chosen.
    """

    players: tuple[Player, Player]
    packets: tuple[Cards, Cards]  # by side
    upcard: Card
    stock: list[Card]  # from the top
    dealer: int
    rules: Mapping[str, Any]
    spread_counts_known: bool = True
    ending: str = ""
    winner: int | None = None
    knocker: int | None = None
    points: int = 0
    knocker_deadwood: int | None = None
    defender_deadwood: int | None = None
    turns: int = 0
    upcard_draws: list[int] = field(default_factory=lambda: [0, 0])
    told: list[tuple[int, str, Card, Card | None]] = field(default_factory=list)
    spread: tuple[Meld, ...] = ()

    def __post_init__(self) -> None:
        self.hands = list(self.packets)
        self.pile = [self.upcard]
        self.known: list[Cards] = [frozenset(), frozenset()]  # cards of a side the other saw it take
        self.own_draws = [0, 0]
        self.upcards_in_a_row = 0
        self.deck = self.packets[0] | self.packets[1] | {self.upcard} | set(self.stock)

    def play(self) -> Hand:
        """Play to the end of the hand."""
        side = self.opening()
        while not self.ending:
            self.turn(side)
            side = 1 - side
        return self

    def info(self, side: int, taken: Card | None = None, ending: bool = False) -> Info:
        """Return what a side knows now."""
        known = self.known[1 - side]
        unseen = self.deck - self.hands[side] - set(self.pile) - known
        return Info(
            hand=self.hands[side],
            upcard=self.pile[-1] if self.pile else None,
            taken=taken,
            own_draws=self.own_draws[side],
            stock=len(self.stock),
            unseen=unseen,
            known=known,
            rules=self.rules,
            ending=ending,
        )

    def opening(self) -> int:
        """Offer the upcard to the non-dealer, then to the dealer; return whose turn follows.

        A side that takes it plays his turn here. After two passes the non-dealer plays a turn that
        must draw from the stock.
        """
        for side in (1 - self.dealer, self.dealer):
            if self.players[side].draw(self.info(side)):
                self.turn(side, source="upcard")
                return 1 - side
        self.turn(1 - self.dealer, source="stock")
        return self.dealer

    def turn(self, side: int, source: str = "") -> None:
        """Draw, perhaps end the hand, discard, and look whether the hand is void or capped."""
        player = self.players[side]
        if not source:
            source = "upcard" if player.draw(self.info(side)) else "stock"
        taken = None
        if source == "upcard":
            drawn = taken = self.pile.pop()
            self.known[side] |= {drawn}
            self.upcard_draws[side] += 1
            self.upcards_in_a_row += 1
        else:
            drawn = self.stock.pop(0)
            self.upcards_in_a_row = 0
        self.hands[side] |= {drawn}
        self.own_draws[side] += 1
        self.turns += 1
        self.check()

        rules, info = self.rules, self.info(side, taken)
        all_melded = naive.deadwood(info.hand, rules["runs_ace"], rules["ace_value"]) == 0
        big_gin = all_melded and rules["big_gin_bonus"] is not None
        can_end = big_gin or min(info.after.values()) <= rules["knock_limit"]
        ends = can_end and player.knock(info)
        if ends and big_gin:
            self.told.append((side, source, drawn, None))
            self.finish(side, big_gin=True)
            return

        thrown = player.discard(self.info(side, taken, ends))
        after = info.after
        assert thrown in after, "a card that may not be thrown"
        assert not ends or after[thrown] <= rules["knock_limit"], "a knock over the limit"
        self.hands[side] -= {thrown}
        self.known[side] -= {thrown}
        self.pile.append(thrown)
        self.told.append((side, source, drawn, thrown))
        self.check()
        if ends:
            self.finish(side)
        elif len(self.stock) <= rules["dead_stock"]:
            self.ending = "void"
        elif self.upcards_in_a_row >= UPCARDS_IN_A_ROW or self.turns >= TURNS_IN_ALL:
            self.ending = "capped"

    def finish(self, side: int, big_gin: bool = False) -> None:
        """Spread, defend and score a hand that a side has ended."""
        rules, info = self.rules, self.info(side)
        ace, value = rules["runs_ace"], rules["ace_value"]
        mine, other = self.hands[side], self.hands[1 - side]
        unseen = info.unseen | info.known if self.spread_counts_known else info.unseen
        self.spread = naive.default_melds(mine, unseen, ace, value)
        self.knocker = side
        self.knocker_deadwood = naive.pips(naive.left_after(mine, self.spread), value)
        allowed = self.knocker_deadwood > 0 or rules["layoff_on_gin"]
        self.defender_deadwood = naive.defence(other, self.spread, ace, value, allowed)
        score = naive.score_hand(self.knocker_deadwood, self.defender_deadwood, rules, big_gin)
        self.ending, self.points = score.end, score.points
        if score.winner is not None:
            self.winner = side if score.winner == "knocker" else 1 - side

    def check(self) -> None:
        """Check that every card of the deck is in exactly one place."""
        places = [*self.hands[0], *self.hands[1], *self.pile, *self.stock]
        assert len(places) == len(self.deck) and set(places) == self.deck, "cards lost or doubled"
        size = self.rules["hand_size"]
        assert {len(self.hands[0]), len(self.hands[1])} <= {size, size + 1}, "a hand of a wrong size"


def deal(
    deck: Sequence[Card],
    players: tuple[Player, Player],
    rules: Mapping[str, Any],
    packet_of_a: int = 0,
    dealer: int = 0,
    spread_counts_known: bool = True,
) -> Hand:
    """Deal a hand; side A holds packet ``packet_of_a``, whoever deals."""
    count = 2 * rules["hand_size"]
    both = (frozenset(deck[0:count:2]), frozenset(deck[1:count:2]))
    packets = both if packet_of_a == 0 else (both[1], both[0])
    stock = list(deck[count + 1 :])
    return Hand(players, packets, deck[count], stock, dealer, rules, spread_counts_known)


@dataclass
class Game:
    """A game to the target.

    ``points`` and ``boxes`` are those of the hands, ``totals`` have the bonuses of the game in them.
    ``end`` is game, game_shutout or unfinished.
    """

    hands: list[Hand]
    points: tuple[int, int]
    boxes: tuple[int, int]
    totals: tuple[int, int]
    winner: int | None
    end: str


def next_dealer(hand: Hand, rules: Mapping[str, Any]) -> int:
    """Return who deals after a hand: by ``next_dealer`` once it is won, else by ``void_dealer``."""
    if hand.winner is None:
        return hand.dealer if rules["void_dealer"] == "same" else 1 - hand.dealer
    return {
        "alternate": 1 - hand.dealer,
        "winner": hand.winner,
        "loser": 1 - hand.winner,
        "fixed": hand.dealer,
    }[rules["next_dealer"]]


def play_game(
    deck: Callable[[int], Sequence[Card]],
    players: tuple[Player, Player],
    rules: Mapping[str, Any],
    packet_of_a: int = 0,
    first_dealer: int = 0,
    first_hand: int = 0,
    scores: tuple[int, int] = (0, 0),
    boxes: tuple[int, int] = (0, 0),
    max_hands: int = HANDS_IN_ALL,
    spread_counts_known: bool = True,
) -> Game:
    """Play one game; ``deck(first_hand)`` is the deck of its first hand."""
    points, won, dealer = list(scores), list(boxes), first_dealer
    hands: list[Hand] = []
    while max(points) < rules["game_target"] and len(hands) < max_hands:
        cards = deck(first_hand + len(hands))
        hand = deal(cards, players, rules, packet_of_a, dealer, spread_counts_known).play()
        hands.append(hand)
        if hand.winner is not None:
            points[hand.winner] += hand.points
            won[hand.winner] += 1
        dealer = next_dealer(hand, rules)
    raw, lines = (points[0], points[1]), (won[0], won[1])
    score = naive.score_game(raw, lines, rules)
    return Game(hands, raw, lines, score.totals, score.winner, score.end)
