"""A straightforward solo hand and game in plain Python, written from the rules alone.

It shares no code with ``sim``; melds come from ``tests.naive``, players from ``tests.naive_game``. A deck
is a list of cards from the top, in which None is a joker: all cards where the jokers enter before the
deal; otherwise there are none among those that are dealt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests import naive
from tests.naive import Card, Cards
from tests.naive_game import HANDS_IN_ALL, TURNS_IN_ALL, UPCARDS_IN_A_ROW, Info, Player

Deck = Sequence[Card | None]


@dataclass(frozen=True)
class Turn:
    """One turn: where the card came from, the card (None: only a joker), the discard, jokers drawn."""

    source: str
    drawn: Card | None
    thrown: Card | None
    jokers: int


@dataclass
class SoloHand:
    """One hand; ``play`` fills in ``ending``, points of both, ``deadwood``, ``turned`` and ``told``.

    ``ending`` is solo_knock, solo_gin, solo_second_joker, void or capped.
    """

    player: Player
    deck: Deck
    rules: Mapping[str, Any]
    ending: str = ""
    points_player: int = 0
    points_joker: int = 0
    deadwood: int = 0
    turned: int = 0
    out: int = 0
    told: list[Turn] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.solo: Mapping[str, Any] = self.rules["solo"]
        self.stock = list(self.deck)
        self.cards = frozenset(one for one in self.deck if one is not None)
        self.hand: Cards = frozenset()
        for _ in range(self.rules["hand_size"]):
            self.hand |= {self.deal()}
        last = self.deal()
        self.pile: list[Card] = []
        self.eleventh: Card | None = None
        if self.solo["start"] == "eleven":
            self.eleventh = last
        else:
            self.pile.append(last)
        self.in_a_row = 0

    def deal(self) -> Card:
        """Deal the next card; a joker among the cards dealt is laid aside for good."""
        while (one := self.stock.pop(0)) is None:
            self.out += 1
        return one

    def play(self) -> SoloHand:
        """Play to the end of the hand."""
        while not self.ending:
            self.turn()
        return self

    def info(self, hand: Cards, taken: Card | None = None, ending: bool = False) -> Info:
        """Return what the player knows now: every card he has not seen lies in the stock."""
        return Info(
            hand=hand,
            upcard=self.pile[-1] if self.pile else None,
            taken=taken,
            own_draws=len(self.told) + 1,
            stock=len(self.stock),
            unseen=frozenset(one for one in self.stock if one is not None),
            known=frozenset(),
            rules=self.rules,
            ending=ending,
        )

    def may_take(self) -> bool:
        """Tell whether the player may take the top of the discard pile this turn."""
        return bool(self.pile) and (not self.told or self.solo["draw_from_discard"] == "any")

    def turn(self) -> None:
        """Draw, perhaps end the hand, discard, and look whether the hand is void or capped."""
        taken: Card | None = None
        jokers_before = self.out
        if self.eleventh is not None:
            source, drawn = "dealt", self.eleventh
            self.eleventh = None
        elif self.may_take() and self.player.draw(self.info(self.hand)):
            source, taken = "upcard", self.pile.pop()
            drawn = taken
            self.in_a_row += 1
        else:
            self.in_a_row = 0
            source = "stock"
            found = self.draw()
            if found is None:
                self.told.append(Turn(source, None, None, self.out - jokers_before))
                self.look_at_the_stock()
                return
            drawn = found
        eleven = self.hand | {drawn}
        rules = self.rules
        least = min(self.info(eleven, taken).after.values())
        if rules["gin_compulsory"] and least == 0:
            ends = True
        else:
            ends = least <= rules["knock_limit"] and self.player.knock(self.info(eleven, taken))
        thrown = self.player.discard(self.info(eleven, taken, ends))
        after = self.info(eleven, taken).after
        assert thrown in after, "a card that may not be thrown"
        self.hand = eleven - {thrown}
        self.pile.append(thrown)
        self.told.append(Turn(source, drawn, thrown, self.out - jokers_before))
        self.check()
        if ends:
            assert after[thrown] <= rules["knock_limit"], "a knock over the limit"
            self.turn_over(after[thrown])
        else:
            self.look_at_the_stock()

    def draw(self) -> Card | None:
        """Draw from the stock; None if the turn or the hand ends by a joker, or no card is left."""
        while len(self.stock) > self.rules["dead_stock"]:
            one = self.stock.pop(0)
            if one is not None:
                return one
            self.out += 1
            if self.out >= self.solo["end_on_joker"]:
                self.ending = "solo_second_joker"
                self.deadwood = naive.deadwood(self.hand, self.rules["runs_ace"], self.rules["ace_value"])
                self.points_joker = self.deadwood
                return None
            if not self.solo["replace_drawn_joker"]:
                return None
        self.ending = "void"
        return None

    def look_at_the_stock(self) -> None:
        """End a hand that has run dry or goes round in circles."""
        if self.ending:
            return
        if len(self.stock) <= self.rules["dead_stock"]:
            self.ending = "void"
        elif self.in_a_row >= UPCARDS_IN_A_ROW or len(self.told) >= TURNS_IN_ALL:
            self.ending = "capped"

    def turn_over(self, deadwood: int) -> None:
        """Score a knock or gin: turn cards over until the first joker, or to the end of the stock."""
        self.ending = "solo_knock" if deadwood else "solo_gin"
        self.deadwood = self.points_joker = deadwood
        for one in self.stock:
            self.turned += 1
            if one is not None:
                self.points_player += 1
            else:
                self.points_player += 1 if self.solo["count_joker_card"] else 0
                break

    def check(self) -> None:
        """Check that every card and every joker of the deck is in exactly one place."""
        places = [*self.hand, *self.pile, *(one for one in self.stock if one is not None)]
        assert len(places) == len(self.cards) and set(places) == self.cards, "cards lost or doubled"
        assert self.stock.count(None) + self.out == self.solo["jokers"], "jokers lost or doubled"
        assert len(self.hand) == self.rules["hand_size"], "a hand of a wrong size"


def winner(player: int, joker: int, rules: Mapping[str, Any]) -> str | None:
    """Return who has won at these scores: ``"player"``, ``"joker"`` or nobody yet."""
    reached = [
        name for name, score in (("player", player), ("joker", joker)) if score >= rules["game_target"]
    ]
    if len(reached) < 2:
        return reached[0] if reached else None
    choice = str(rules["solo"]["both_reach_target"])
    if choice == "higher_total_then_joker":
        return "player" if player > joker else "joker"
    return choice


@dataclass
class SoloGame:
    """A game to the target: its hands, the final scores, who won (None: unfinished)."""

    hands: list[SoloHand]
    player: int
    joker: int
    winner: str | None


def play_game(deck: Callable[[int], Deck], who: Player, rules: Mapping[str, Any]) -> SoloGame:
    """Play one game; ``deck(0)`` is the deck of its first hand."""
    hands: list[SoloHand] = []
    player = joker = 0
    while winner(player, joker, rules) is None and len(hands) < HANDS_IN_ALL:
        hand = SoloHand(who, deck(len(hands)), rules).play()
        hands.append(hand)
        player += hand.points_player
        joker += hand.points_joker
    return SoloGame(hands, player, joker, winner(player, joker, rules))
