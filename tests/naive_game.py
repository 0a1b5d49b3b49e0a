"""A straightforward Gin Rummy hand and game in plain Python, written from the rules alone.

It shares no code with ``sim``; melds and lay-offs come from ``tests.naive``, scores from
``tests.naive_score``. A deck is a list of cards: the cards at even places of the first
``2 * hand_size`` are packet 0, those at odd places packet 1, the next is the upcard (or the eleventh
card of who acts first) and the others are the stock, from the top. A side is 0 (A) or 1 (B). Rules that
are not given are at their defaults.

Readings of the rules that are fixed here: a turn is one draw with its discard (a pass of the opening
is none); a hand that reaches the dead stock and a cap with the same discard is void where it ends at
the dead stock, else capped.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from tests import naive, naive_score
from tests.naive import Card, Cards, Meld
from tests.naive_luck import DISCARD, DRAW, KNOCK, NEXT_DEALER, VOID_DEALER, Luck

UPCARDS_IN_A_ROW = 100
TURNS_IN_ALL = 400
HANDS_IN_ALL = 10_000


@dataclass(frozen=True)
class Info:
    """What a player may know when he decides, as far as the players below look at it.

    ``hand`` has one card more while he holds a drawn card. ``taken`` is the card he took from the
    discard pile this turn, ``own_draws`` counts his draws, this turn's included, ``ending`` tells his
    discard whether the hand is being ended, ``limit`` is the most deadwood that may knock in this hand
    and ``random`` the word of this decision (0 in a hand without luck).
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
    limit: int = 10
    random: int = 0

    @property
    def banned(self) -> Cards:
        """Return the card that may not be thrown this turn, if any."""
        if self.taken is None or self.rules["may_discard_taken"]:
            return frozenset()
        return frozenset([self.taken])

    @cached_property
    def after(self) -> dict[Card, int]:
        """Return the deadwood that each legal discard leaves."""
        rules = self.rules
        return naive.discard_deadwoods(self.hand, self.banned, rules["runs_ace"], rules["ace_value"])

    @property
    def has_big_gin(self) -> bool:
        """Tell whether the hand with the drawn card in it is all melded and the rules pay for that."""
        if self.rules["big_gin_bonus"] is None:
            return False
        return naive.deadwood(self.hand, self.rules["runs_ace"], self.rules["ace_value"]) == 0

    @property
    def best(self) -> int:
        """Return the least deadwood that this turn can end with."""
        return 0 if self.has_big_gin else min(self.after.values())


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
        """End the hand when the least deadwood it can end with, 0 with a big gin, is within the limit."""
        return info.best <= self.limit(info)

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

    ``number`` is its number in the game or match, by which ``luck`` knows what is random in it.
    Attributes of a finished hand: ``ending`` (knock, undercut, tie, gin, gin_cancelled, big_gin,
    void, capped), ``winner`` and ``knocker`` (side or None), ``points`` and ``boxes`` of the winner,
    ``payoffs`` by side in hundredths (under ``payoff=rlcard``), both deadwoods (None when nobody
    knocked), ``turns``, ``reshuffles``, ``upcard_draws`` by side, and ``told``, the turns as
    ``(side, source, drawn, thrown)``. ``spread_counts_known`` decides whether a card that the other
    side was seen to take, and may well hold, counts when the default spread is chosen.
    """

    players: tuple[Player, Player]
    packets: tuple[Cards, Cards]  # by side
    upcard: Card  # the card after the packets
    stock: list[Card]  # from the top
    dealer: int
    rules: Mapping[str, Any]
    spread_counts_known: bool = True
    number: int = 0
    luck: Luck | None = None
    ending: str = ""
    winner: int | None = None
    knocker: int | None = None
    points: int = 0
    boxes: int = 0
    payoffs: tuple[int, int] = (0, 0)
    knocker_deadwood: int | None = None
    defender_deadwood: int | None = None
    turns: int = 0
    reshuffles: int = 0
    upcard_draws: list[int] = field(default_factory=lambda: [0, 0])
    told: list[tuple[int, str, Card, Card | None]] = field(default_factory=list)
    spread: tuple[Meld, ...] = ()

    def __post_init__(self) -> None:
        self.rules = naive_score.complete(self.rules)
        self.hands = list(self.packets)
        self.pile = [self.upcard]
        self.known: list[Cards] = [frozenset(), frozenset()]  # cards of a side the other saw it take
        self.own_draws = [0, 0]
        self.upcards_in_a_row = 0
        self.deck = self.packets[0] | self.packets[1] | {self.upcard} | set(self.stock)
        self.limit_card: Card | None = None
        if self.rules["knock_limit_source"] == "upcard":
            self.limit_card = self.upcard
        elif self.rules["knock_limit_source"] == "separate_card":
            assert self.luck is not None, "a separate limit card is drawn by lot"
            self.limit_card = self.luck.limit_card(self.number)
        self.limit = naive_score.limit_of(self.rules, self.limit_card)

    def play(self) -> Hand:
        """Play to the end of the hand."""
        side = self.opening()
        while not self.ending:
            side = self.after_discard(side)
        return self

    def info(self, side: int, kind: int, taken: Card | None = None, ending: bool = False) -> Info:
        """Return what a side knows now, at a decision of a kind."""
        known = self.known[1 - side]
        unseen = self.deck - self.hands[side] - set(self.pile) - known
        random = 0 if self.luck is None else self.luck.decision(self.number, side, self.turns, kind)
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
            limit=self.limit,
            random=random,
        )

    def opening(self) -> int:
        """Play the first turn by the rule of the opening; return the side that played it."""
        first = 1 - self.dealer
        if self.rules["opening"] == "eleven_ten":
            # The card after the packets is his eleventh: as if drawn from the stock, with no pile yet.
            self.stock.insert(0, self.pile.pop())
            self.turn(first, "stock")
            return first
        if self.rules["opening"] == "free_first_draw":
            self.turn(first)
            return first
        # The upcard is offered to the non-dealer, then to the dealer. After two passes the non-dealer
        # plays a turn that must draw from the stock.
        for side in (first, self.dealer):
            if self.players[side].draw(self.info(side, DRAW)):
                self.turn(side, "upcard")
                return side
        self.turn(first, "stock")
        return first

    def after_discard(self, side: int) -> int:
        """Go on after a side's discard without a knock; return whose discard it is then."""
        rules, other = self.rules, 1 - side
        at_wall = len(self.stock) <= rules["dead_stock"]
        if at_wall and rules["wall_rule"] == "void":
            self.end_unscored("void")
        elif self.upcards_in_a_row >= UPCARDS_IN_A_ROW or self.turns >= TURNS_IN_ALL:
            self.end_unscored("capped")
        elif not at_wall:
            self.turn(other)
        elif rules["wall_rule"] == "reshuffle":
            if self.reshuffle():
                self.turn(other)
            else:
                self.end_unscored("void")
        elif rules["wall_rule"] == "last_discard_knock":
            if self.could_end_with_discard(other) and self.players[other].draw(self.info(other, DRAW)):
                self.turn(other, "upcard", must_end=True)
            else:
                self.end_unscored("void")
        elif rules["wall_rule"] == "last_discard_play":
            if self.players[other].draw(self.info(other, DRAW)):
                self.turn(other, "upcard")
            else:
                self.end_unscored("void")
        else:
            raise AssertionError(f"no such wall rule: {rules['wall_rule']}")
        return other

    def reshuffle(self) -> bool:
        """Make a new stock of all but the hands and the top discard, if it is more than the dead stock."""
        cards = [*self.pile[:-1], *self.stock]
        if len(cards) <= self.rules["dead_stock"]:
            return False
        assert self.luck is not None, "a reshuffle is drawn by lot"
        self.stock = self.luck.reshuffled(self.number, self.reshuffles, cards)
        self.pile = [self.pile[-1]]
        self.reshuffles += 1
        self.check()
        return True

    def could_end_with_discard(self, side: int) -> bool:
        """Tell whether a side could legally end the hand if it took the top discard."""
        top = self.pile[-1]
        before = self.info(side, DRAW)
        held = replace(before, hand=before.hand | {top}, taken=top)
        return held.best <= self.limit

    def turn(self, side: int, source: str = "", must_end: bool = False) -> None:
        """Draw, perhaps end the hand, and discard."""
        player = self.players[side]
        if not source:
            source = "upcard" if player.draw(self.info(side, DRAW)) else "stock"
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
        self.check()

        info = self.info(side, KNOCK, taken)
        must_gin = self.rules["gin_compulsory"] and info.best == 0
        if must_end or must_gin:
            assert info.best <= self.limit, "a hand that cannot be ended"
            ends = True
        else:
            ends = info.best <= self.limit and player.knock(info)
        if ends and info.has_big_gin:
            self.turns += 1
            self.told.append((side, source, drawn, None))
            self.finish(side, big_gin=True)
            return

        thrown = player.discard(self.info(side, DISCARD, taken, ends))
        assert thrown in info.after, "a card that may not be thrown"
        assert not ends or info.after[thrown] <= self.limit, "a knock over the limit"
        assert not must_gin or info.after[thrown] == 0, "a gin that must be"
        self.turns += 1
        self.hands[side] -= {thrown}
        self.known[side] -= {thrown}
        self.pile.append(thrown)
        self.told.append((side, source, drawn, thrown))
        self.check()
        if ends:
            self.finish(side)

    def finish(self, side: int, big_gin: bool = False) -> None:
        """Spread, defend and score a hand that a side has ended."""
        rules, info = self.rules, self.info(side, KNOCK)
        ace, value = rules["runs_ace"], rules["ace_value"]
        mine, other = self.hands[side], self.hands[1 - side]
        unseen = info.unseen | info.known if self.spread_counts_known else info.unseen
        self.spread = naive.default_melds(mine, unseen, ace, value)
        self.knocker = side
        self.knocker_deadwood = naive.pips(naive.left_after(mine, self.spread), value)
        allowed = self.knocker_deadwood > 0 or rules["layoff_on_gin"]
        self.defender_deadwood = naive.defence(other, self.spread, ace, value, allowed)
        result = naive_score.hand_result(
            self.knocker_deadwood, self.defender_deadwood, rules, big_gin, self.limit_card
        )
        self.ending, self.points, self.boxes = result.end, result.points, result.boxes
        if result.winner is not None:
            self.winner = side if result.winner == "knocker" else 1 - side
        self.pay()

    def end_unscored(self, ending: str) -> None:
        """End a hand that nobody has ended."""
        self.ending = ending
        self.pay()

    def pay(self) -> None:
        """Fill in what the hand pays beside its points."""
        if self.rules["payoff"] == "rlcard":
            ace, value = self.rules["runs_ace"], self.rules["ace_value"]
            own = (naive.deadwood(self.hands[0], ace, value), naive.deadwood(self.hands[1], ace, value))
            self.payoffs = naive_score.rlcard_payoffs(self.ending, self.knocker, own)

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
    number: int = 0,
    luck: Luck | None = None,
) -> Hand:
    """Deal a hand; side A holds packet ``packet_of_a``, whoever deals."""
    count = 2 * rules["hand_size"]
    both = (frozenset(deck[0:count:2]), frozenset(deck[1:count:2]))
    packets = both if packet_of_a == 0 else (both[1], both[0])
    stock = list(deck[count + 1 :])
    return Hand(players, packets, deck[count], stock, dealer, rules, spread_counts_known, number, luck)


@dataclass
class Game:
    """A game to the target, or one hand where that is the game.

    ``points`` and ``boxes`` are those of the hands, ``totals`` have the bonuses of the game in them.
    ``end`` is game, game_shutout, match (a full sheet of several columns) or unfinished.
    """

    hands: list[Hand]
    points: tuple[int, int]
    boxes: tuple[int, int]
    totals: tuple[int, int]
    winner: int | None
    end: str
    columns: tuple[naive_score.ColumnScore, ...] = ()


def next_dealer(hand: Hand, rules: Mapping[str, Any]) -> int:
    """Return who deals after a hand: by ``next_dealer`` once it is won, else by ``void_dealer``."""
    if hand.winner is None:
        if rules["void_dealer"] == "random":
            assert hand.luck is not None, "a dealer by lot"
            return hand.luck.dealer(VOID_DEALER, hand.number)
        return hand.dealer if rules["void_dealer"] == "same" else 1 - hand.dealer
    if rules["next_dealer"] == "random":
        assert hand.luck is not None, "a dealer by lot"
        return hand.luck.dealer(NEXT_DEALER, hand.number)
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
    luck: Luck | None = None,
) -> Game:
    """Play one game; ``deck(first_hand)`` is the deck of its first hand."""
    rules = naive_score.complete(rules)
    sheet = naive_score.Sheet(rules, scores, boxes)
    points, won, dealer = list(scores), list(boxes), first_dealer
    hands: list[Hand] = []
    while not sheet.over and len(hands) < max_hands:
        number = first_hand + len(hands)
        dealt = deal(deck(number), players, rules, packet_of_a, dealer, spread_counts_known, number, luck)
        hand = dealt.play()
        hands.append(hand)
        sheet.enter(hand.winner, hand.points, hand.boxes)
        if hand.winner is not None:
            points[hand.winner] += hand.points
            won[hand.winner] += hand.boxes
        dealer = next_dealer(hand, rules)
    score = sheet.score()
    raw, lines = (points[0], points[1]), (won[0], won[1])
    return Game(hands, raw, lines, score.totals, score.winner, score.end, score.columns)
