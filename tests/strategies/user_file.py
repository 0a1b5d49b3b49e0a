"""A puppet, its decisions written as a user writes his own, and a table at which it is watched.

The puppet does what its parameters say, also what no player may do. A table is dealt, stepped, copied
and set up from here, and `Watch` keeps from the outside what both players must know.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim._jit import Record, popcount
from sim.cards import FULL_DECK, cards_of, parse_card, parse_cards
from sim.deal import DRAWN, HAND_DTYPE, MAX_STREAK, MAX_TURNS, OFFER_FIRST
from sim.game import begin_hand, start_game
from sim.hand import play_hand
from sim.rules import Rules
from sim.run import Player, Table
from sim.scoring import CAPPED, ENDINGS, GIN_CANCELLED, GOING, TIE, VOID, hand_terms, score_hand
from sim.streams import place_card
from sim.view import VIEW_DTYPE, default_spread_rule, discard_rule, draw_rule, knock_rule, spread_rule
from strategies.helpers import after_discard, deadwood, highest, pick
from tests import naive

# How to draw.
STOCK, UPCARD, LOWER, COIN, SECOND_ASKED, STOCK_EVERY, STALE = range(7)
# When to end the hand.
NEVER, ALWAYS, GIN, NOT_BIG_GIN, TOSS, LAST_CARD = range(6)
# What to throw; `BANNED` and all after it may not be thrown.
BEST, LOWEST, HIGHEST, JUST_DRAWN, ANY, GIVEN, BANNED = range(7)
NO_CARD, NOT_HELD, TWO_CARDS, NO_MASK, TOO_MUCH, RAISE = range(7, 13)
# What to show.
DEFAULT, FIRST, LAST, BEYOND, BELOW = range(5)

ASKED, SEEN_DRAW, SEEN_KNOCK, SEEN_DISCARD, SEEN_ENDING = range(5)
"""Words of the memory: draws asked for; the hand sizes met at decisions, as bits."""
LAST_WORDS = slice(5, 9)
"""Words of the memory: the last random words at a draw, a knock, a discard and a spread."""


@draw_rule
def draw(view: Record) -> bool:
    """Draw as ``params[0]`` says; `STOCK_EVERY` means each own turn that ``params[5]`` divides."""
    how = view.params[0]
    view.memory[ASKED] += 1
    view.memory[SEEN_DRAW] |= 1 << popcount(view.hand)
    view.memory[5] = view.random
    if how == UPCARD:
        return True
    if how == LOWER:
        return after_discard(view, view.hand | view.upcard, view.upcard)[0] < deadwood(view, view.hand)
    if how == COIN:
        return view.random & 1 == 1
    if how == SECOND_ASKED:
        return view.memory[ASKED] > 1
    if how == STOCK_EVERY:
        return view.turn % view.params[5] != 0
    if how == STALE:  # what this turn has not filled in yet
        stale = view.drawn | view.banned | view.best_discards
        return (
            popcount(stale) + view.from_discard + view.best_deadwood + view.ending + view.big_gin
        ) & 1 == 1
    return False


@knock_rule
def knock(view: Record) -> bool:
    """End the hand when ``params[1]`` says, from own turn ``params[4]`` on."""
    when = view.params[1]
    view.memory[SEEN_KNOCK] |= 1 << popcount(view.hand)
    view.memory[6] = view.random
    if view.turn < view.params[4]:
        return False
    if when == GIN:
        return view.best_deadwood == 0
    if when == NOT_BIG_GIN:
        return view.big_gin == 0
    if when == TOSS:
        return view.random & 1 == 1
    if when == LAST_CARD:
        return view.stock == 2
    return when == ALWAYS


@discard_rule
def discard(view: Record) -> int:
    """Throw what ``params[2]`` says, faults from own turn ``params[4]`` on; `GIVEN` is bit ``params[5]``."""
    what = view.params[2]
    view.memory[SEEN_ENDING if view.ending else SEEN_DISCARD] |= 1 << popcount(view.hand)
    view.memory[7] = view.random
    best = highest(view, view.best_discards)
    if view.turn < view.params[4]:
        return best
    cards = view.hand & ~view.banned
    if what == GIVEN:
        return 1 << int(view.params[5])
    if what == TOO_MUCH and view.ending:
        return highest(view, cards) if deadwood(view, view.hand ^ highest(view, cards)) > view.limit else best
    if view.ending and what < NO_CARD:
        return best
    if what == LOWEST:
        return cards & -cards
    if what == HIGHEST:
        return highest(view, cards)
    if what == JUST_DRAWN:
        return best if view.from_discard else view.drawn
    if what == ANY:
        return pick(cards, view.random)
    if what == BANNED:
        return view.drawn if view.from_discard else best
    if what == NO_CARD:
        return 0
    if what == NOT_HELD:
        other = view.unseen | view.known | view.pile
        return other & -other
    if what == TWO_CARDS:
        rest = cards & (cards - 1)
        return cards & -cards | rest & -rest
    if what == NO_MASK:
        return -1
    if what == RAISE:
        raise ValueError("the puppet is broken")
    return best


@spread_rule
def spread(view: Record, k: int) -> int:
    """Show what ``params[3]`` says."""
    which = view.params[3]
    view.memory[8] = view.random
    if which == FIRST:
        return 0
    if which == LAST:
        return k - 1
    if which == BEYOND:
        return k
    if which == BELOW:
        return -1
    return default_spread_rule(view, k)


def puppet(
    draw_how: int = LOWER,
    knock_when: int = ALWAYS,
    throw: int = BEST,
    show: int = DEFAULT,
    since: int = 0,
    number: int = 1,
    name: str = "puppet",
) -> Player:
    """Return a player that does as it is told; knocks and faults wait for own turn ``since``."""
    params = (draw_how, knock_when, throw, show, since, number)
    return Player(name, (draw, knock, discard, spread), [float(value) for value in params])


def deal(table: Table, pair: int = 0, game: int = 0) -> None:
    """Start a game and deal its first hand."""
    start_game(table.game, table.seed, pair, game, table.rules)
    begin_hand(table.game, table.hand, table.views[0], table.views[1], table.rules)


def go_on(table: Table, until: int = MAX_TURNS) -> None:
    """Play the hand at a table on, to its end or until so many turns have been played."""
    a, b = table.players
    play_hand(
        table.hand, table.views[0], table.views[1], table.rules, table.melds, a.decisions, b.decisions,
        table.layoff, until,
    )  # fmt: skip


def snapshot(table: Table) -> tuple[bytes, bytes]:
    """Return a copy of the hand and of both views."""
    return np.array(table.hand).tobytes(), np.asarray(table.views).tobytes()


def restore(table: Table, saved: tuple[bytes, bytes]) -> None:
    """Put a copy of hand and views back."""
    hand, views = saved
    for name in HAND_DTYPE.names or ():
        table.hand[name] = np.frombuffer(hand, HAND_DTYPE)[0][name]
    table.views[:] = np.frombuffer(views, VIEW_DTYPE)


def cards_left(table: Table) -> list[int]:
    """Return the cards of the stock as masks, in no order: the places of the deck not yet dealt."""
    places = [1 << int(bit) for bit in table.hand.deck[int(table.hand.place) :]]
    return [card for card in places if card & int(table.hand.allowed)]


def deal_order(table: Table) -> list[int]:
    """Return the stock from the top, by dealing a copy of the hand on."""
    order = np.array(table.hand.deck)
    key = table.hand.key  # as it is: a plain negative number has no 64-bit word without the JIT
    cards = [1 << int(place_card(order, place, key)) for place in range(int(table.hand.place), 52)]
    return [card for card in cards if card & int(table.hand.allowed)]


def at_discard(
    kept: str,
    thrown: str,
    defender: str,
    rules: Rules,
    knocker: Player | None = None,
    stock: int = 20,
    taken: bool = False,
    upcard: str = "",
    drew: str = "",
) -> Table:
    """Return a table at which A has drawn, holds ``kept`` and ``thrown`` and is to decide.

    A has drawn ``drew`` or else ``thrown`` (or his lowest card where both are empty), from the discard
    pile if ``taken``. The first upcard, where one is given, sets the limit if the rules say so.
    The lowest cards that nobody holds are the stock, the others lie in the discard pile.
    """
    table = Table(knocker or puppet(), puppet(), rules, 1, dealer=1)
    deal(table)
    hand, (a, b) = table.hand, table.views
    mine, other = parse_cards(f"{kept} {thrown}"), parse_cards(defender)
    drawn = parse_card(drew or thrown) if drew or thrown else mine & -mine
    if upcard:
        hand.limit, hand.multiplier = hand_terms(rules, parse_card(upcard))
        a.limit = b.limit = hand.limit
        a.multiplier = b.multiplier = hand.multiplier
    deck = int(table.rules.deck)
    rest, unused = cards_of(deck & ~(mine | other)), cards_of(FULL_DECK & ~deck)
    pile = rest[stock:]
    a.hand, b.hand = mine ^ drawn, other
    hand.drawn, hand.from_discard = drawn, int(taken)
    a.pile = b.pile = hand.pile = sum(pile)
    a.unseen, b.unseen = sum(rest[:stock]) | other, sum(rest[:stock]) | mine
    if taken:
        b.known = drawn
        b.unseen ^= drawn
    order = (*unused, *cards_of(mine | other), *pile, *rest[:stock])
    hand.deck[:] = [card.bit_length() - 1 for card in order]
    hand.place, hand.stock, hand.phase = 52 - stock, stock, DRAWN
    return table


def plain(record: Any, *skip: str) -> dict[str, Any]:
    """Return a record's fields as plain data, for comparison."""
    return {name: record[name].tolist() for name in record.dtype.names if name not in skip}


class Watch:
    """What both players must know, kept from the outside while a hand is stepped."""

    def __init__(self, table: Table) -> None:
        hand = table.hand
        self.table = table
        self.rules_size = int(table.rules.hand_size)
        self.deck = int(table.rules.deck)
        self.pile = [int(hand.upcard)]
        self.hands = [int(view.hand) for view in table.views]
        self.known = [0, 0]  # of the other's cards, by side
        self.declined = [0, 0]
        self.last = [0, 0]
        self.turns = [0, 0]
        self.streak = 0
        self.stock = cards_left(table)

    def step(self) -> None:
        """Play one turn and check everything."""
        table, hand = self.table, self.table.hand
        phase, first, upcard = int(hand.phase), int(hand.player), int(hand.upcard)
        before = int(hand.turns)
        go_on(table, before + 1)
        assert int(hand.turns) == before + 1
        side = int(hand.player) if hand.ending != GOING else 1 - int(hand.player)
        view = table.views[side]
        took = bool(view.from_discard)
        if phase == OFFER_FIRST:  # whoever did not take the upcard left it lying
            passed = {first, 1 - first} if not took else {first} - {side}
        else:
            passed = set() if took else {side}
        for one in passed:
            self.declined[1 - one] |= upcard
        drawn, thrown = int(view.drawn), int(hand.discard)
        if took:
            assert drawn == self.pile.pop()
            self.known[1 - side] |= drawn
            self.streak += 1
        else:
            assert drawn in self.stock
            self.stock.remove(drawn)
            self.streak = 0
        self.hands[side] = self.hands[side] | drawn
        self.turns[side] += 1
        big_gin = ENDINGS[int(hand.ending)] == "big_gin" or (hand.ending == GIN_CANCELLED and not thrown)
        if not big_gin:
            assert thrown in cards_of(self.hands[side])
            self.hands[side] ^= thrown
            if hand.ending in (GOING, VOID, CAPPED):
                self.pile.append(thrown)
                self.known[1 - side] &= ~thrown
                self.last[1 - side] = thrown
        self.check()

    def check(self) -> None:
        table, hand = self.table, self.table.hand
        assert sorted(cards_left(table)) == sorted(self.stock)
        assert int(hand.stock) == len(self.stock)
        assert int(hand.streak) == self.streak
        shown = [] if hand.ending in (GOING, VOID, CAPPED) or not hand.discard else [int(hand.discard)]
        places = [*cards_of(self.hands[0]), *cards_of(self.hands[1]), *self.pile, *self.stock, *shown]
        assert len(places) == self.deck.bit_count() and sum(places) == self.deck
        for side, view in enumerate(table.views):
            other = self.hands[1 - side]
            assert int(view.hand) == self.hands[side]
            if hand.ending not in (GOING, VOID, CAPPED):
                continue
            assert int(view.hand).bit_count() == self.rules_size
            assert int(view.pile) == sum(self.pile) == int(hand.pile)
            assert int(view.known) == self.known[side] and not self.known[side] & ~other
            assert int(view.unseen) == sum(self.stock) | other & ~self.known[side]
            assert int(view.declined) == self.declined[side]
            assert int(view.last_discard) == self.last[side]
            assert int(view.turn) == self.turns[side] + 1
            assert int(hand.upcard) == self.pile[-1]

    def check_end(self, rules: Rules) -> None:
        """Check that the ending, its winner and its points agree, and the score by the oracle."""
        hand = self.table.hand
        ending, winner, knocker = int(hand.ending), int(hand.winner), int(hand.knocker)
        if ending in (VOID, CAPPED):
            assert (winner, knocker, int(hand.points)) == (-1, -1, 0)
            assert (ending == VOID) == (int(hand.stock) <= rules.dead_stock)
            assert ending == VOID or self.streak >= MAX_STREAK or int(hand.turns) >= MAX_TURNS
            return
        ace, value = rules.runs_ace, rules.ace_value
        mine, other = (naive.from_mask(self.hands[side]) for side in (knocker, 1 - knocker))
        own = naive.deadwood(mine, ace, value)
        assert own == int(hand.knocker_deadwood) <= max(rules.knock_limit, 0)
        choices = [way for way in naive.least_choices(mine, ace, value) if _sets(way) == int(hand.sets)]
        spread = min(choices, key=len)
        allowed = own > 0 or rules.layoff_on_gin
        left = naive.defence(other, spread, ace, value, allowed)
        assert left == int(hand.defender_deadwood)
        big_gin = len(mine) > rules.hand_size
        score = score_hand(own, left, rules, big_gin)
        assert score.end == ENDINGS[ending]
        assert score.points == int(hand.points)
        sides = {"knocker": knocker, "defender": 1 - knocker, None: -1}
        assert winner == sides[score.winner]
        assert (winner == -1) == (ending in (GIN_CANCELLED, TIE) and rules.tie_rule != "defender_no_bonus")


def _sets(way: tuple[naive.Meld, ...]) -> int:
    return sum(naive.to_mask(meld) for meld in way if naive.is_set(meld))


VARIED_RULES = {
    "eaai": Rules.preset("eaai"),
    "standard": Rules.preset("standard"),
    "fournier": Rules.preset("fournier"),
    "bga": Rules.preset("bga"),
    "straight_gin": Rules.preset("straight_gin"),
    "seven_card": Rules.preset("seven_card"),
    "round_the_corner": Rules.preset("round_the_corner"),
    "high_low": Rules(runs_ace="high_low", ace_value=11, may_discard_taken=True),
    "reduced": Rules(hand_size=5, ranks=8, big_gin_bonus=31, dead_stock=0),
}
"""Rules that differ in what a hand in play meets."""

RANDOM = puppet(COIN, TOSS, ANY)
