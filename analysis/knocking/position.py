"""A position on the table: what a player has seen of a hand, checked.

Cards drawn from the stock need not be named: which of one's own cards came when changes nothing of what is
known of the other hand, so those are put into any draws that they can have come from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.console import UsageError
from analysis.knocking.history import WHO, Seen, read_history, short_history
from sim.cards import cards_of, format_card, format_cards, parse_card, parse_card_list, parse_cards
from sim.deal import MAX_TURNS
from sim.melds import best_discards, is_big_gin
from sim.rules import Rules
from sim.scoring import hand_terms
from sim.worlds import ME, OPPONENT, PAST_DTYPE


@dataclass(frozen=True)
class Position:
    """A position in which a player may knock.

    Attributes
    ----------
    rules : Rules
    dealer : int
        Side.
    hand : int
        The player's cards, the one just drawn among them.
    upcard : int
        The first upcard, one bit; 0 if the rules turn none.
    limit_card : int
        The card that sets the limit, one bit; 0 if the rules fix it.
    turns : tuple of Seen
        All turns; the last is the player's, without a discard.
    deadwood : int
        The least that he can knock with, points.
    limit : int
        The most that may knock, points.
    own_turn : int
        His own turns, this one included.
    stock : int
        Cards left in it.
    past : record of `sim.worlds.PAST_DTYPE`
        The same for the engine.
    """

    rules: Rules
    dealer: int
    hand: int
    upcard: int
    limit_card: int
    turns: tuple[Seen, ...]
    deadwood: int
    limit: int
    own_turn: int
    stock: int
    past: Any

    def to_dict(self) -> dict[str, Any]:
        """Return the position as plain data."""
        return {
            "hand": format_cards(self.hand),
            "drawn": format_card(int(self.past.last_drawn)),
            "dealer": WHO[self.dealer],
            "upcard": format_card(self.upcard) if self.upcard else None,
            "limit_card": format_card(self.limit_card) if self.limit_card else None,
            "limit": self.limit,
            "deadwood": self.deadwood,
            "own_turn": self.own_turn,
            "stock": self.stock,
            "history": [
                {
                    "side": WHO[turn.side],
                    "from_discard": turn.from_discard,
                    "drawn": format_card(turn.drawn) if turn.drawn else None,
                    "discard": format_card(turn.discard) if turn.discard else None,
                }
                for turn in self.turns
            ],
        }


# --- checking ------------------------------------------------------------------------------------


class _Walk:
    """What the turns show of both hands, the pile and the stock."""

    def __init__(self, rules: Rules, dealer: int, upcard: int) -> None:
        self.rules = rules
        self.first = 1 - dealer
        self.pile = [upcard] if upcard else []
        self.stock = rules.deck.bit_count() - 2 * rules.hand_size - 1
        self.taken: list[set[int]] = [set(), set()]  # from the pile and still held, by side
        self.shown: list[dict[int, int]] = [{}, {}]  # cards a side was the first to show: the turn
        self.draws: list[list[int]] = [[], []]  # turns in which a side drew from the stock

    def play(self, number: int, turn: Seen, last: bool) -> None:
        """Play a turn; `last` for the one that is being played."""
        side, rules = turn.side, self.rules
        where = f"turn {number + 1} ({WHO[side]})"
        at_wall = self.stock <= rules.dead_stock
        if at_wall and rules.wall_rule in ("void", "reshuffle"):
            what = (
                "the hand is void" if rules.wall_rule == "void" else "the pile is shuffled, which is not told"
            )
            raise UsageError(f"{where}: {self.stock} cards are left in the stock, so {what} before it")
        if turn.from_discard:
            self.taken[side].add(self.pile.pop())
        else:
            if at_wall:
                raise UsageError(f"{where}: only the last discard can be taken now")
            self.draws[side].append(number)
            if number > 0 or rules.opening != "eleven_ten":
                self.stock -= 1
        if last:
            return
        card = turn.discard
        name = format_card(card)
        if turn.from_discard and card == turn.drawn and not rules.may_discard_taken:
            raise UsageError(f"{where}: {name} was just taken and may not be thrown")
        if card in self.pile:
            raise UsageError(f"{where}: {name} lies in the discard pile already")
        if card in self.taken[1 - side]:
            raise UsageError(f"{where}: {name} was taken by the other side")
        if card in self.taken[side]:
            self.taken[side].remove(card)
        else:
            self.shown[side][card] = number
        self.pile.append(card)


def _own_cards(walk: _Walk, hand: int, turns: Sequence[Seen]) -> tuple[int, dict[int, int]]:
    """Return the player's first cards, and the card of each of his draws from the stock.

    Draws that are named keep their card; the other cards fill the first hand and the draws in the order in
    which they had to be there.
    """
    size = walk.rules.hand_size
    leaves = dict(walk.shown[ME])
    for card in cards_of(hand):
        if card not in walk.taken[ME]:
            if card in leaves:
                raise UsageError(f"{format_card(card)} is among your cards, and you have thrown it")
            leaves[card] = len(turns)
    missing = [card for card in walk.taken[ME] if not card & hand]
    if missing:
        raise UsageError(f"{format_card(missing[0])}: you have taken it, and it is not among your cards")
    draws: dict[int, int] = {}
    for number in walk.draws[ME]:
        card = turns[number].drawn
        if card:
            name = f"turn {number + 1} (me): {format_card(card)} drawn from the stock"
            if card not in leaves:
                raise UsageError(f"{name} is neither among your cards nor thrown")
            if leaves[card] < number:
                raise UsageError(f"{name} was thrown before")
            if card in draws.values():
                raise UsageError(f"{name} was drawn before")
            draws[number] = card
    free = [-1] * size + [number for number in walk.draws[ME] if number not in draws]
    others = sorted((leaves[card], card) for card in leaves if card not in draws.values())
    if len(others) != len(free):
        raise UsageError(
            f"your cards do not add up: {len(leaves)} that nobody else has shown, where {size} were dealt "
            f"and {len(walk.draws[ME])} drawn from the stock"
        )
    first = 0
    for (leave, card), number in zip(others, free, strict=True):
        if leave < number:
            raise UsageError(
                f"turn {leave + 1} (me): {format_card(card)} cannot have been there to be thrown"
            )
        if number < 0:
            first |= card
        else:
            draws[number] = card
    return first, draws


def _bit(card: int) -> int:
    return card.bit_length() - 1


def _past(
    rules: Rules, dealer: int, upcard: int, limit_card: int, hand: int, turns: Sequence[Seen], walk: _Walk
) -> Any:
    """Return the position as the engine takes it."""
    first, draws = _own_cards(walk, hand, turns)
    own = first | sum(draws.values())
    shown = walk.shown[OPPONENT]
    for card, number in shown.items():
        if card & own:
            raise UsageError(f"turn {number + 1} (opp): {format_card(card)} is one of your cards")
    if upcard & (own | sum(shown)):
        raise UsageError(f"{format_card(upcard)} is the first upcard, and stands among the cards of a side")
    row: Any = np.zeros(1, PAST_DTYPE).view(np.recarray)[0]
    row.hand, row.upcard, row.limit_card, row.dealer = first, upcard, limit_card, dealer
    row.eleventh = int(rules.opening == "eleven_ten")
    row.turns = len(turns) - 1
    for number, turn in enumerate(turns):
        row.side[number] = turn.side
        row.from_discard[number] = turn.from_discard
        row.discard[number] = turn.discard
    for number, card in draws.items():
        row.drawn[number] = _bit(card)
    for place, number in enumerate(walk.draws[OPPONENT]):
        row.drawn[number] = rules.hand_size + place
    last = len(turns) - 1
    row.last_drawn = turns[last].drawn if turns[last].from_discard else draws[last]
    row.places = rules.hand_size + len(walk.draws[OPPONENT])
    row.shown = len(shown)
    for place, (card, number) in enumerate(shown.items()):  # in the order of turns
        row.shown_bits[place] = _bit(card)
        row.shown_room[place] = rules.hand_size + sum(draw <= number for draw in walk.draws[OPPONENT])
    unseen = cards_of(rules.deck & ~(own | upcard | sum(shown)))
    row.unseen = len(unseen)
    row.unseen_bits[: len(unseen)] = [_bit(card) for card in unseen]
    return row


def check_position(
    rules: Rules, dealer: int, hand: int, upcard: int, turns: Sequence[Seen], limit_card: int = 0
) -> Position:
    """Check a position and return it.

    Parameters
    ----------
    rules : Rules
        Of two players.
    dealer : int
        Side.
    hand : int
        The player's cards, the one just drawn among them.
    upcard : int
        The first upcard, one bit; 0 if the rules turn none.
    turns : sequence of Seen
        As `read_history` reads them.
    limit_card : int
        The card that sets the limit, where it is a card of its own.

    Raises
    ------
    UsageError
        Naming what cannot be, or why there is nothing to decide.
    """
    rules.require_two_players()
    if not turns or turns[-1].side != ME or turns[-1].discard:
        raise UsageError("the history ends with a turn of yours that has no discard yet: 'me: draw 7H'")
    if len(turns) >= MAX_TURNS:
        raise UsageError(f"{len(turns)} turns: a hand has fewer than {MAX_TURNS}")
    if (upcard == 0) != (rules.opening == "eleven_ten"):
        told = "turn none" if rules.opening == "eleven_ten" else "turn one"
        raise UsageError(f"the first upcard (--upcard): these rules {told} (opening={rules.opening})")
    outside = (hand | upcard | limit_card) & ~rules.deck
    for turn in turns:
        outside |= (turn.drawn | turn.discard) & ~rules.deck
    if outside:
        raise UsageError(f"{format_cards(outside)} not in the deck of these rules")
    if hand.bit_count() != rules.hand_size + 1:
        raise UsageError(
            f"your hand has {hand.bit_count()} cards with the one drawn, expected {rules.hand_size + 1}"
        )
    source = rules.knock_limit_source
    if (limit_card != 0) != (source == "separate_card"):
        told = (
            "name the card that sets it"
            if source == "separate_card"
            else "they have no card of its own for it"
        )
        raise UsageError(f"--limit-card and knock_limit_source={source}: {told}")
    if source == "upcard":
        limit_card = upcard
    walk = _Walk(rules, dealer, upcard)
    for number, turn in enumerate(turns):
        walk.play(number, turn, number == len(turns) - 1)
    last = turns[-1]
    past = _past(rules, dealer, upcard, limit_card, hand, turns, walk)
    limit = hand_terms(rules, limit_card)[0]
    banned = last.drawn if last.from_discard and not rules.may_discard_taken else 0
    deadwood, _ = best_discards(hand, rules, banned)
    if rules.big_gin_bonus is not None and is_big_gin(hand, rules):
        deadwood = 0
    if deadwood > limit:
        raise UsageError(f"no knock is legal: your least deadwood is {deadwood}, the limit {limit}")
    if deadwood == 0 and rules.gin_compulsory:
        raise UsageError("there is nothing to decide: you have gin, and these rules make it compulsory")
    if walk.stock <= rules.dead_stock and last.from_discard and rules.wall_rule == "last_discard_knock":
        raise UsageError("there is nothing to decide: who takes the last discard must knock")
    return Position(
        rules, dealer, hand, upcard, limit_card, tuple(turns), deadwood, limit,
        sum(turn.side == ME for turn in turns), walk.stock, past,
    )  # fmt: skip


def read_position(
    rules: Rules,
    cards: str,
    *,
    dealer: int,
    upcard: str | None = None,
    drawn: str | None = None,
    taken: str | None = None,
    history: str | None = None,
    my_discards: str | None = None,
    opp_discards: str | None = None,
    i_took: str = "",
    opp_took: str = "",
    turn: int | None = None,
    limit_card: str | None = None,
) -> Position:
    """Read a position from words, as ``ginlab advise`` takes them.

    Parameters
    ----------
    rules : Rules
        Of two players.
    cards : str
        The player's cards; the one just drawn may be left out.
    dealer : int
        Side.
    upcard : str, optional
        The first upcard.
    drawn, taken : str, optional
        The card just drawn from the stock, or taken from the pile; not where the history tells it.
    history : str, optional
        All turns, see `read_history`.
    my_discards, opp_discards : str, optional
        Instead of a history, the discards of both, in order.
    i_took, opp_took : str
        With these, the cards that each has taken from the pile in turns that are over.
    turn : int, optional
        The number of the player's own turn, as a check.
    limit_card : str, optional
        The card that sets the limit, where it is a card of its own.

    Raises
    ------
    UsageError, CardError, RulesError
        Naming the input that cannot be used.
    """
    rules.require_two_players()
    first = parse_card(upcard) if upcard else 0
    short = {
        "--my-discards": my_discards,
        "--opp-discards": opp_discards,
        "--i-took": i_took,
        "--opp-took": opp_took,
    }
    if history is not None:
        for option, text in short.items():
            if text:
                raise UsageError(f"{option} and --history: give one of them")
        turns = read_history(history, rules, dealer, first)
    else:
        if my_discards is None or opp_discards is None:
            raise UsageError(
                "the discards of both are needed: --history, or --my-discards and --opp-discards"
            )
        lists = [parse_card_list(text or "", option) for option, text in short.items()]
        turns = short_history(rules, dealer, first, *lists)
    turns = _last_turn(turns, dealer, first, drawn, taken)
    hand = parse_cards(cards, (rules.hand_size, rules.hand_size + 1), "your hand")
    card = turns[-1].drawn
    if hand.bit_count() == rules.hand_size:
        if card & hand:
            raise UsageError(
                f"{format_card(card)} was just drawn and is among the {rules.hand_size} cards of your hand"
            )
        hand |= card
    elif not card & hand:
        raise UsageError(f"{format_card(card)} was just drawn and is not among your cards")
    position = check_position(rules, dealer, hand, first, turns, parse_card(limit_card) if limit_card else 0)
    if turn is not None and turn != position.own_turn:
        raise UsageError(f"--turn {turn}: the history leads to your turn {position.own_turn}")
    return position


def _last_turn(
    turns: list[Seen], dealer: int, upcard: int, drawn: str | None, taken: str | None
) -> list[Seen]:
    """Return the turns with the one that is being played at the end."""
    if drawn and taken:
        raise UsageError(f"--drawn {drawn} and --taken {taken}: give one of them")
    if turns and not turns[-1].discard:
        if drawn or taken:
            raise UsageError(f"{'--drawn' if drawn else '--taken'}: the history ends with what you draw")
        if not turns[-1].drawn:
            raise UsageError("the history ends with a draw of yours: name the card, as in 'me: draw 7H'")
        return turns
    if not drawn and not taken:
        raise UsageError(
            "what you have just drawn is needed: --drawn CARD from the stock, --taken CARD from the pile"
        )
    card = parse_card(drawn or taken or "")
    top = turns[-1].discard if turns else upcard
    if taken and card != top:
        told = f"the upcard is {format_card(top)}" if top else "there is no upcard"
        raise UsageError(f"--taken {taken}: {told}")
    side = 1 - turns[-1].side if turns else (ME if taken else 1 - dealer)
    if side != ME:
        raise UsageError("it is not your turn: after the turns told the other side draws")
    return [*turns, Seen(ME, taken is not None, card, 0)]
