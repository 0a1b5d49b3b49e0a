"""Positions worked by hand: a strategy, what it sees, one question, the answers, and why.

The tables are the modules of `tests.strategies.positions`, each with a list ``POSITIONS``; a new module is
found by itself. `tests.strategies.test_positions` asks every position and counts those of each family.
"""

from __future__ import annotations

import functools
import importlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sim.cards import format_card, parse_card, parse_cards
from sim.rules import Rules
from strategies.base import parse_strategy
from tests.strategies.seat import Seat

WORDS = 96
"""Random words, evenly spread, with which a position is asked: each of up to 48 equal choices comes up."""
TAKE, LEAVE, KNOCK, GO_ON = "take", "leave", "knock", "go on"


@dataclass(frozen=True)
class Position:
    """One question to one strategy; made by `draw`, `knock` and `discard`.

    Attributes
    ----------
    strategy, question : str
        The strategy as text; ``draw``, ``knock`` or ``discard``.
    hand, card : str
        Ten cards; the upcard offered, or the card drawn to them.
    answers : frozenset of str
        Every answer that some random word brings, and no other.
    why : str
        What decides.
    unlike : tuple of str
        Strategies that answer otherwise here.
    pile : str
        The discard pile under the upcard offered or taken, the top last; after a draw from the stock, the
        pile with the upcard that was left.
    known, declined : str
        Cards known to be the other's; upcards that he left.
    taken : bool
        Whether the card drawn was the upcard.
    ending : bool
        Whether the discard is to end the hand.
    preset : str
        The rules; the defaults if empty.
    share : float or None
        Share of the words that bring the first answer of `order`.
    order : tuple of str
        The answers as they were given.
    before : tuple of Position
        Questions of the same hand asked earlier, for strategies that remember; asked with word 0.
    fields : dict
        Further fields of the view, such as ``turn``, ``stock``, ``score``.
    """

    strategy: str
    question: str
    hand: str
    card: str
    answers: frozenset[str]
    why: str
    order: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    pile: str = ""
    known: str = ""
    declined: str = ""
    taken: bool = False
    ending: bool = False
    preset: str = ""
    share: float | None = None
    before: tuple[Position, ...] = ()
    fields: dict[str, int] = field(default_factory=dict)

    @property
    def family(self) -> str:
        """The name of the strategy's family."""
        return parse_strategy(self.strategy).name

    def __str__(self) -> str:
        return f"{self.strategy}: {self.question} {self.hand} + {self.card}"


PLAIN = ("pile", "known", "declined", "taken", "ending", "preset", "share", "before")


def _position(
    strategy: str, question: str, hand: str, card: str, answers: tuple[str, ...], why: str, more: Any
) -> Position:
    """Make a position; what is no attribute of it is a field of the view."""
    unlike = more.pop("unlike", ())
    plain = {name: more.pop(name) for name in PLAIN if name in more}
    return Position(
        strategy, question, hand, card, frozenset(answers), why,
        order=answers, unlike=(unlike,) if isinstance(unlike, str) else tuple(unlike), fields=more, **plain,
    )  # fmt: skip


def draw(strategy: str, hand: str, upcard: str, answer: str, why: str, **more: Any) -> Position:
    """Ask whether an upcard is taken: ``take``, ``leave``, or ``either``."""
    answers = (TAKE, LEAVE) if answer == "either" else (answer,)
    return _position(strategy, "draw", hand, upcard, answers, why, more)


def knock(strategy: str, hand: str, drawn: str, answer: str, why: str, **more: Any) -> Position:
    """Ask whether the hand is ended after a card was drawn: ``knock``, ``go on``, or ``either``."""
    answers = (KNOCK, GO_ON) if answer == "either" else (answer,)
    return _position(strategy, "knock", hand, drawn, answers, why, more)


def discard(strategy: str, hand: str, drawn: str, answer: str, why: str, **more: Any) -> Position:
    """Ask for the discard after a card was drawn; several cards if chance decides among them."""
    return _position(strategy, "discard", hand, drawn, tuple(answer.split()), why, more)


@functools.cache
def _rules(preset: str) -> Rules:
    return Rules.preset(preset) if preset else Rules()


@functools.cache
def _seat(strategy: str, preset: str) -> Seat:
    return Seat(strategy, _rules(preset))


def set_out(position: Position, strategy: str) -> Seat:
    """Return the seat of a strategy before the question of a position, checking that it can occur."""
    seat = _seat(strategy, position.preset)
    asks_draw = position.question == "draw"
    offered = f"{position.pile} {position.card}" if asks_draw or position.taken else position.pile
    seat.see(position.hand, offered, position.known, position.declined, **position.fields)
    seen = [parse_cards(text) for text in (position.hand, position.pile, position.known)]
    cards = [parse_card(position.card), *seen]
    union = cards[0] | cards[1] | cards[2] | cards[3]
    assert sum(card.bit_count() for card in cards) == union.bit_count(), f"{position}: a card twice"
    assert union & ~seat.rules.deck == 0, f"{position}: a card that is not in the deck"
    assert cards[1].bit_count() == seat.rules.hand_size, f"{position}: not {seat.rules.hand_size} cards"
    if not asks_draw:
        seat.drew(position.card, upcard=position.taken)
        if seat.rules.may_discard_taken:
            seat.hold(int(seat.view.hand), cards[0])
            seat.view.from_discard = int(position.taken)
    if position.question == "knock" or position.ending:
        assert seat.view.best_deadwood <= seat.view.limit, f"{position}: no legal ending"
    return seat


def remembered(position: Position, strategy: str) -> Any:
    """Return the memory with which a strategy comes to a position: what it asked before leaves there."""
    memory = set_out(position, strategy).view.memory.copy()
    for earlier in position.before:
        seat = set_out(earlier, strategy)
        seat.view.memory[:] = memory
        _answer(seat, earlier, 0)
        memory = seat.view.memory.copy()
    return memory


def answers(position: Position, strategy: str) -> Counter[str]:
    """Return how many of `WORDS` evenly spread words bring each answer."""
    memory = remembered(position, strategy)
    seat = set_out(position, strategy)
    step = 2**63 // WORDS
    found: Counter[str] = Counter()
    for place in range(WORDS):
        seat.view.memory[:] = memory
        found[_answer(seat, position, place * step + step // 2)] += 1
    return found


def _answer(seat: Seat, position: Position, word: int) -> str:
    if position.question == "draw":
        seat.view.random = word
        return TAKE if seat.takes() else LEAVE
    if position.question == "knock":
        return KNOCK if seat.knock(word) else GO_ON
    card = seat.discard(word, position.ending)
    assert card & (card - 1) == 0 and card & seat.view.hand & ~seat.view.banned, f"{position}: {card:#x}"
    return format_card(card)


def collect() -> list[Position]:
    """Return the positions of all tables."""
    folder = Path(__file__).parent / "positions"
    names = sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")
    tables = [importlib.import_module(f"tests.strategies.positions.{name}") for name in names]
    return [position for table in tables for position in table.POSITIONS]
